// Documents that were kept and never read: what a process that ended between keeping and committing leaves behind. They are found by
// their missing reading, and read in the order in which they were kept.
import { sql } from 'kysely'
import { CrossfileError } from '#schemas/errors.ts'
import { hasQueue } from '#warehouse/jobs/dead-letters.ts'
import type { Db } from '#warehouse/postgres.ts'
import type { RawStore } from '#warehouse/raw/raw.ts'
import { loadDecisions } from './decisions.ts'
import { type HeldDocument, type IngestTools, ingest, readDocument, readerOf, rowsOf } from './ingest.ts'
import { isAnswer } from './was-read.ts'

/** Documents and bytes of one commit. */
const batchDocuments = 200
const batchBytes = 32 * 1024 * 1024

export type Held = {
  readonly raw_id: number
  readonly url: string
  readonly source: string
  readonly sha256: string
  readonly retrieved_at: string
  readonly bytes: number
}

const isUnread = sql<boolean>`${isAnswer} and not exists (select from reading where reading.raw_id = raw_document.raw_id)`

/**
 * How many documents are kept and were not read, of how many, with one of their addresses. Documents that a job or a command is about
 * to commit count too (`isReadingNow`).
 */
export async function countUnread(db: Db): Promise<{ readonly documents: number; readonly unread: number; readonly example: string | null }> {
  const { rows } = await sql<{ documents: number; unread: number; example: string | null }>`
    select count(*)::int as documents, (count(*) filter (where unread))::int as unread, min(url) filter (where unread) as example
    from (select url, ${isUnread} as unread from raw_document) as each`.execute(db)
  return rows[0] ?? { documents: 0, unread: 0, example: null }
}

/** True while one of `jobs` runs or waits for its next attempt: documents without a reading may be theirs, and they read those. */
export async function isReadingNow(db: Db, jobs: Iterable<{ readonly name: string; readonly datasets: readonly string[] }>): Promise<boolean> {
  const names = [...jobs].filter(job => job.datasets.length > 0).map(job => job.name)
  if (!(await hasQueue(db))) return false
  const { rows } = await sql`select from pgboss.job where state in ('active', 'retry') and name = any(${names}) limit 1`.execute(db)
  return rows.length > 0
}

/** The documents that were kept and not read, in the order in which they were kept. */
export async function listUnread(db: Db): Promise<Held[]> {
  return await db
    .selectFrom('raw_document')
    .select(['raw_id', 'url', 'source', 'sha256', 'retrieved_at', 'bytes'])
    .where(isUnread)
    .orderBy('raw_id')
    .execute()
}

export type ReadHeld = {
  readonly documents: number
  readonly rows: number
  readonly refused: number
  readonly releases: readonly number[]
  /** Documents that stay unread because the raw store or a reader failed, with the reason. */
  readonly failed: readonly { readonly url: string; readonly reason: string }[]
}
export type ReadHeldTools = { readonly tools: IngestTools; readonly raw: RawStore }
export type ReadHeldOptions = {
  readonly signal: AbortSignal
  /** Called after each commit with what is done so far. */
  readonly onProgress?: (done: ReadHeld, total: number) => void
  readonly onRelease?: (release: number) => void
}

/**
 * Reads every document that was kept and not read, oldest first, and commits them in batches. One that cannot be read is quarantined
 * with its reason and counts as read from then on; one that breaks its reader or the raw store stays unread and keeps none of the
 * others back. Safe beside jobs that run: a document that another process commits meanwhile gives no new rows.
 */
export async function readHeld({ tools, raw }: ReadHeldTools, { signal, onProgress, onRelease }: ReadHeldOptions): Promise<ReadHeld> {
  const places = await listUnread(tools.db)
  const done = { documents: 0, rows: 0, refused: 0, releases: [] as number[], failed: [] as { url: string; reason: string }[] }
  let batch: HeldDocument[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return
    const partition = `documents ${batch[0]?.raw_id} to ${batch.at(-1)?.raw_id}`
    const onPart = (release: number): void => onRelease?.(release)
    const outcome = await ingest(tools, {
      job: 'read-held',
      partition,
      documents: batch,
      decisions: await loadDecisions(tools.db),
      fence: null,
      onPart,
    })
    if (outcome.release !== null) done.releases.push(outcome.release)
    done.documents += outcome.documents
    done.rows += rowsOf(outcome)
    done.refused += outcome.refused.length
    onProgress?.(done, places.length)
    if (outcome.release !== null) onRelease?.(outcome.release)
    batch = []
    bytes = 0
  }
  for (const place of places) {
    signal.throwIfAborted()
    try {
      batch.push(await open({ tools, raw }, place))
    } catch (error) {
      const isItsOwn = error instanceof CrossfileError || error instanceof ReaderFault || (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isItsOwn) throw error
      done.failed.push({ url: place.url, reason: (error as Error).message })
      continue
    }
    bytes += place.bytes
    if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
  }
  await flush()
  return done
}

/** A reader that threw what no reader should throw: a defect of ours. */
class ReaderFault extends Error {}

/** The document with what its reader made of it; one that is read in parts is read at its commit. */
async function open({ tools, raw }: ReadHeldTools, { raw_id, sha256, url, source, retrieved_at }: Held): Promise<HeldDocument> {
  const held = { raw_id, document: { ...(await raw.read(sha256)), url, source, retrieved_at } }
  if (readerOf(tools.readers, held.document)?.parts) return held
  try {
    return { ...held, reading: readDocument(tools.readers, held) }
  } catch (cause) {
    throw new ReaderFault(`its reader failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
