// Re-derives every dataset from the raw documents, their metadata and the journal of the operator's decisions alone.

import type { Db } from '#warehouse/store/postgres.ts'
import { readJournal } from '#warehouse/store/raw/decisions.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { type IngestTools, ingest } from './ingest.ts'
import type { HeldDocument } from './read-document.ts'
import type { Decision, Decisions } from './types.ts'
import { isAnswer } from './was-read.ts'

export type RebuildProgress = (done: number, total: number) => void
export type Rebuilt = { readonly documents: number; readonly releases: number; readonly decisions: number }

const batchDocuments = 120
const batchBytes = 32 * 1024 * 1024

type Placed = {
  readonly raw_id: number
  readonly sha256: string
  readonly url: string
  readonly source: string
  readonly retrieved_at: string
  readonly status: number
  readonly bytes: number
}

/**
 * Reads every document of the raw store again, in the order in which it was stored, into the lake of `tools` (which must be empty).
 * A decision of the journal takes effect at its own time: after it, its document is read again.
 */
export async function rebuildFrom(tools: IngestTools, raw: RawStore, onProgress: RebuildProgress, signal: AbortSignal): Promise<Rebuilt> {
  const { db } = tools
  const places = await allDocuments(db)
  const journal = await readJournal(raw.place)
  const taken = new Map<string, Decision>()
  let waiting = journal
  let done = 0
  let releases = 0
  const run = async (documents: readonly HeldDocument[], partition: string): Promise<void> => {
    if (documents.length === 0) return
    const outcome = await ingest(tools, { job: 'rebuild', partition, documents, decisions: taken as Decisions, fence: null })
    if (outcome.release !== null) releases += 1
  }
  let batch: Placed[] = []
  const flush = async (): Promise<void> => {
    const documents = await Promise.all(batch.map(place => held(raw, place)))
    await run(documents, `documents ${done + 1} to ${done + batch.length}`)
    done += batch.length
    batch = []
    onProgress(done, places.length)
  }
  for (const place of places) {
    signal.throwIfAborted()
    const due = waiting.filter(decision => Date.parse(decision.at) <= Date.parse(place.retrieved_at))
    if (due.length > 0) {
      await flush()
      await decide(due)
      waiting = waiting.filter(decision => !due.includes(decision))
    }
    batch.push(place)
    if (batch.length >= batchDocuments || batch.reduce((sum, each) => sum + each.bytes, 0) >= batchBytes) await flush()
  }
  await flush()
  await decide(waiting)
  return { documents: places.length, releases, decisions: journal.length }

  async function decide(decisions: readonly Decision[]): Promise<void> {
    for (const decision of decisions) {
      taken.set(decision.fingerprint, decision)
      const finding = await db
        .selectFrom('quarantine')
        .select(['quarantine_id', 'raw_sha256'])
        .where('fingerprint', '=', decision.fingerprint)
        .executeTakeFirst()
      if (!finding) continue
      await db
        .updateTable('quarantine')
        .set({ state: decision.decision, decided_at: decision.at, note: decision.note ?? 'operator: journal' })
        .where('quarantine_id', '=', finding.quarantine_id)
        .execute()
      const place = places.find(each => each.sha256 === finding.raw_sha256)
      if (place) await run([await held(raw, place)], `decision ${decision.fingerprint}`)
    }
  }
}

async function held(raw: RawStore, place: Placed): Promise<HeldDocument> {
  const document = await raw.read(place.sha256)
  return { raw_id: place.raw_id, document: { ...document, url: place.url, source: place.source, retrieved_at: place.retrieved_at } }
}

/** Documents that were accepted as responses, oldest first. Responses that the client refused are stored but were never read. */
async function allDocuments(db: Db): Promise<Placed[]> {
  return await db
    .selectFrom('raw_document')
    .select(['raw_id', 'sha256', 'url', 'source', 'retrieved_at', 'status', 'bytes'])
    .where(isAnswer)
    .orderBy('raw_id')
    .execute()
}
