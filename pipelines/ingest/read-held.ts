// Documents that were stored but never read, because a process ended between storing and committing. They are found by
// their missing reading, and read in the order in which they were stored.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { CrossfileError } from '#schemas/errors.ts'
import { hasQueue } from '#warehouse/store/jobs/dead-letters.ts'
import type { Database, Db } from '#warehouse/store/postgres.ts'
import { loadDecisions } from '#warehouse/store/raw/decisions.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { slicesOf } from '#warehouse/store/slices.ts'
import { type HeldReader, openHeldReader } from './held-reader.ts'
import { catchingUp, type IngestTools, ingest, type Outcome, rowsOf } from './ingest.ts'
import { ReaderFault } from './prepare-held.ts'
import type { HeldDocument } from './read-document.ts'
import { isAnswer } from './was-read.ts'

/** Documents and bytes of one commit. */
const batchDocuments = 200
const batchBytes = 32 * 1024 * 1024
/** While one document is parsed, the next ones are read, unpacked and hashed in other threads: so many, unless they are larger together. */
const documentsAhead = 8
const bytesAhead = 8 * 1024 * 1024
/** Documents whose places in the raw store one statement finds. */
const placesAtOnce = 500

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
 * The number of stored documents that were not read, the total, and one of their addresses. Documents that a job or a command is about
 * to commit count too (`isReadingNow`).
 */
export async function countUnread(db: Db): Promise<{ readonly documents: number; readonly unread: number; readonly example: string | null }> {
  const { rows } = await sql<{ documents: number; unread: number; example: string | null }>`
    select count(*)::int as documents, (count(*) filter (where unread))::int as unread, min(url) filter (where unread) as example
    from (select url, ${isUnread} as unread from raw_document) as each`.execute(db)
  return rows[0] ?? { documents: 0, unread: 0, example: null }
}

type Job = { readonly name: string; readonly datasets: readonly string[] }

/** The attempts of `jobs` that run now or, with `retry`, that wait for their next attempt; jobs without datasets read no documents. */
async function findReading(db: Db, jobs: Iterable<Job>, states: readonly ('active' | 'retry')[]): Promise<ReadonlySet<string>> {
  const names = [...jobs].filter(job => job.datasets.length > 0).map(job => job.name)
  if (!(await hasQueue(db))) return new Set()
  const { rows } = await sql<{ attempt: string }>`
    select id || ' ' || retry_count as attempt from pgboss.job where state::text = any(${states}) and name = any(${names})`.execute(db)
  return new Set(rows.map(row => row.attempt))
}

/** True while one of `jobs` runs or will retry: documents without a reading may belong to it, and it reads them. */
export async function isReadingNow(db: Db, jobs: Iterable<Job>): Promise<boolean> {
  return (await findReading(db, jobs, ['active', 'retry'])).size > 0
}

export type LeftBehindOptions = { readonly signal: AbortSignal; readonly limitMs: number; readonly lookMs: number }

/**
 * The unread documents that no attempt of `jobs` is about to commit: those without a reading now, and still without one when every
 * attempt that runs now has ended. It looks again every `lookMs` milliseconds. Null if an attempt still runs after `limitMs`.
 */
export async function findLeftBehind(db: Db, jobs: readonly Job[], { signal, limitMs, lookMs }: LeftBehindOptions): Promise<Held[] | null> {
  const before = new Set((await listUnread(db)).map(each => each.raw_id))
  if (before.size === 0) return []
  const running = await findReading(db, jobs, ['active'])
  for (const end = performance.now() + limitMs; ; ) {
    if ((await findReading(db, jobs, ['active'])).isDisjointFrom(running)) break
    if (performance.now() >= end) return null
    await sleep(lookMs, undefined, { signal })
  }
  return (await listUnread(db)).filter(each => before.has(each.raw_id))
}

/** The documents that were stored and not read, in the order in which they were stored. */
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
  /** The documents to read; by default all that are unread. */
  readonly places?: readonly Held[]
  /** Called after each commit with what is done so far. */
  readonly onProgress?: (done: ReadHeld, total: number) => void
  readonly onRelease?: (release: number) => void
  /** Runs in the transaction of each commit, with what is done when it succeeds. */
  readonly along?: (trx: Transaction<Database>, done: ReadHeld) => Promise<void>
}

/**
 * Reads documents that were stored and not read, oldest first, and commits them in batches. One that cannot be read is quarantined
 * with its reason and counts as read from then on. One that breaks its reader or the raw store stays unread and does not stop the
 * others. If they are more than `catchingUp` documents, their pages are only marked as changed. Safe while jobs run: a document that another process commits meanwhile gives no new rows.
 */
export async function readHeld(
  { tools, raw }: ReadHeldTools,
  { signal, places: given, onProgress, onRelease, along }: ReadHeldOptions,
): Promise<ReadHeld> {
  const places = given ?? (await listUnread(tools.db))
  const failed: { url: string; reason: string }[] = []
  let done: ReadHeld = { documents: 0, rows: 0, refused: 0, releases: [], failed }
  const commitBatch = async (batch: readonly HeldDocument[]): Promise<void> => {
    const partition = `documents ${batch[0]?.raw_id} to ${batch.at(-1)?.raw_id}`
    const onPart = (release: number): void => onRelease?.(release)
    const outcome = await ingest(tools, {
      job: 'read-held',
      partition,
      documents: batch,
      decisions: await loadDecisions(tools.db),
      fence: null,
      onPart,
      isCatchUp: places.length > catchingUp,
      along: async (trx, committed) => await along?.(trx, withBatch(done, committed)),
    })
    done = withBatch(done, outcome)
    onProgress?.(done, places.length)
    if (outcome.release !== null) onRelease?.(outcome.release)
  }
  let batch: HeldDocument[] = []
  let bytes = 0
  // While DuckDB writes the files of one batch, the documents of the next are read: at most two batches are in memory.
  let committing: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    await committing
    signal.throwIfAborted()
    if (batch.length === 0) return
    committing = commitBatch(batch)
    committing.catch(() => undefined) // not swallowed: every later step awaits the same promise
    batch = []
    bytes = 0
  }
  const reader = openHeldReader(
    tools.readers,
    places.reduce((sum, place) => sum + place.bytes, 0),
  )
  try {
    for await (const { place, held } of readAhead(raw, reader, places)) {
      // The commit of the batch before continues between two documents, not after all that were read ahead.
      await setImmediate()
      signal.throwIfAborted()
      try {
        batch.push(await held)
      } catch (error) {
        const isItsOwn = error instanceof CrossfileError || error instanceof ReaderFault || (error as NodeJS.ErrnoException).code === 'ENOENT'
        if (!isItsOwn) throw error
        failed.push({ url: place.url, reason: (error as Error).message })
        continue
      }
      bytes += place.bytes
      if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
    }
    await flush()
  } finally {
    await reader.close()
    await committing
  }
  return done
}

const withBatch = (done: ReadHeld, batch: Outcome): ReadHeld => ({
  documents: done.documents + batch.documents,
  rows: done.rows + rowsOf(batch),
  refused: done.refused + batch.refused.length,
  releases: batch.release === null ? done.releases : [...done.releases, batch.release],
  failed: done.failed,
})

type Reading = { readonly place: Held; readonly held: Promise<HeldDocument> }

/** The documents in their order, each as a promise that the caller awaits; several are read at the same time. */
async function* readAhead(raw: RawStore, reader: HeldReader, places: readonly Held[]): AsyncGenerator<Reading, void> {
  for (const some of slicesOf(places, placesAtOnce)) {
    const read = await raw.readerOf(some.map(place => place.sha256))
    const begun: Reading[] = []
    let bytes = 0
    let next = 0
    try {
      while (next < some.length || begun.length > 0) {
        for (let place = some[next]; place && (begun.length === 0 || (begun.length <= documentsAhead && bytes < bytesAhead)); place = some[next]) {
          const { raw_id, url, source, retrieved_at } = place
          const held = reader.read(async () => ({ raw_id, document: { ...(await read(place.sha256)), url, source, retrieved_at } }))
          held.catch(() => undefined) // not swallowed: the caller awaits the same promise
          begun.push({ place, held })
          bytes += place.bytes
          next += 1
        }
        const first = begun.shift() as Reading
        yield first
        bytes -= first.place.bytes
      }
    } finally {
      // After a failure no read of a file outlasts this function.
      await Promise.allSettled(begun.map(each => each.held))
    }
  }
}
