// Fetch, parse, check and commit. Documents become records; records become rows, given what is known; rows become sealed files; and one
// transaction publishes them with their readings, quarantine and pages.
import { setImmediate } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { Broken, Unreadable } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { Models } from '#warehouse/context/model-rows.ts'
import type { ReleaseContexts } from '#warehouse/context/release-contexts.ts'
import { withCorrectedRows } from '#warehouse/datasets/corrections/corrections.ts'
import { indexFilings } from '#warehouse/datasets/filings/search-index.ts'
import { indexTranscripts } from '#warehouse/datasets/transcripts/search-index.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { type Committed, Conflict, commit, type Fence } from '#warehouse/store/lake/commit.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Log } from '#warehouse/store/log.ts'
import { insertPages } from '#warehouse/store/pages.ts'
import type { Database, Db } from '#warehouse/store/postgres.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { nothing, type Parsed, type RawDocument, type Reader, type Refused } from '../read/parsed.ts'
import { derive } from './derive.ts'
import { buildPages, changedQuestions, markPages, touchesPages } from './pages/pages.ts'
import { type HeldDocument, isStackOverflow, readDocument, tooLarge } from './read-document.ts'
import { readerOf } from './reader-of.ts'
import { type ReadingOf, recordQuarantine, recordReadings, settleActions } from './record.ts'
import { findSigningLogged } from './signing.ts'
import { type StagedRows, stageRows } from './stage-rows.ts'
import type { Decisions, Derived, ParsedDocument, Row } from './types.ts'

export type IngestTools = {
  readonly db: Db
  readonly writer: LakeWriter
  readonly readers: readonly Reader[]
  /** The folder of the signing keys; the active one is locked and used inside the commit. */
  readonly keysFolder: string
  /** Listings and issuers of the newest releases: the pages of a commit are built on them. */
  readonly contexts: ReleaseContexts
  /** Builds of models, named in the signatures of answers from them. */
  readonly models?: Models
  readonly log: Log
}
export type Batch = {
  readonly job: string
  readonly partition: string
  readonly documents: readonly HeldDocument[]
  readonly decisions: Decisions
  readonly fence: Fence | null
  /** Runs in the commit's transaction, committed or not: run rows, the next jobs, completion. */
  readonly along?: (trx: Transaction<Database>, outcome: Outcome) => Promise<void>
  /** Called with a release that contains a part of one of the documents. */
  readonly onPart?: (release: number) => void
  /** True for a part of a document that is not read to its end: no reading is recorded. */
  readonly isPart?: boolean
  /** Ends the batch with its reason before the commit; a commit that has begun is completed. */
  readonly signal?: AbortSignal
  /** True for a batch of a catch-up, which only marks its pages, as a batch of more than `catchingUp` documents does. */
  readonly isCatchUp?: boolean
}
export type Outcome = {
  readonly release: number | null
  readonly documents: number
  readonly rows: Readonly<Record<string, number>>
  readonly refused: readonly Refused[]
  readonly counts: Readonly<Record<string, number>>
  readonly readings: readonly ReadingOf[]
}

/** Rows that a batch added, including earlier committed parts of its documents. */
export const rowsOf = ({ rows, readings }: Pick<Outcome, 'rows' | 'readings'>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0) + readings.reduce((sum, reading) => sum + (reading.rowsBefore ?? 0), 0)

/** How often a batch is derived again because another commit came in between. */
const tries = 5

/** The dataset of the quarantine row of a document that this reader could not read. */
function datasetOf(readers: readonly Reader[], name: string): DatasetName {
  const reader = readers.find(each => each.name === name)
  if (!reader) throw new Broken(`reader ${name} read a document, and no reader of this batch has that name`)
  return reader.dataset
}

/** Reads, derives and publishes a batch; an empty result commits only its readings. */
export async function ingest(tools: IngestTools, batch: Batch): Promise<Outcome> {
  const readings: ReadingOf[] = []
  for (const held of batch.documents) {
    if (batch.signal) await untilNextTurn(batch.signal)
    readings.push((await readInParts(tools, batch, held)) ?? readDocument(tools.readers, held))
  }
  return await publishReadings(tools, batch, readings)
}

/** Lets the process receive signals, which arrive between two turns of its event loop. Throws the reason of an aborted `signal`. */
async function untilNextTurn(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}

/**
 * A document that its reader returns in parts: all but the last are committed here, one by one; the last is the reading, so that
 * the document counts as read when all of it is stored. An attempt after a killed one finds its parts already stored. Null for
 * other documents.
 */
async function readInParts(tools: IngestTools, batch: Batch, held: HeldDocument): Promise<ReadingOf | null> {
  const reader = held.reading ? null : readerOf(tools.readers, held.document)
  if (!reader?.parts) return null
  const readingOf = (parsed: Parsed): ReadingOf => ({ raw_id: held.raw_id, reader: reader.name, parsed, detail: null })
  let last: Parsed | null = null
  let rowsBefore = 0
  let number = 0
  try {
    for await (const part of reader.parts(held.document)) {
      if (last) {
        number += 1
        const { along: _completes, ...rest } = batch
        const one = { ...rest, partition: `${batch.partition} part ${number}`, documents: [held], isPart: true }
        const { rows, release } = await publishReadings(tools, one, [readingOf(last)])
        rowsBefore += Object.values(rows).reduce((sum, count) => sum + count, 0)
        if (release !== null) batch.onPart?.(release)
      }
      last = part
    }
  } catch (error) {
    const refused = isStackOverflow(error) ? tooLarge(held.document) : error
    if (!(refused instanceof Unreadable)) throw refused
    return { raw_id: held.raw_id, reader: reader.name, parsed: null, detail: `${refused.reason}: ${refused.message}` }
  }
  return { ...readingOf(last ?? nothing), rowsBefore }
}

async function publishReadings(tools: IngestTools, batch: Batch, readings: readonly ReadingOf[]): Promise<Outcome> {
  const parsed: ParsedDocument[] = []
  const unreadable: { refused: Refused; origin: RawDocument }[] = []
  readings.forEach((reading, at) => {
    const { document, checked } = batch.documents[at] as HeldDocument
    if (reading.parsed) parsed.push({ origin: document, parsed: reading.parsed, ...(checked && { checked }) })
    else if (reading.reader) {
      const detail = reading.detail ?? ''
      unreadable.push({
        refused: {
          dataset: datasetOf(tools.readers, reading.reader),
          reason: detail.slice(0, detail.indexOf(':')),
          subject: document.url,
          detail,
          record: null,
        },
        origin: document,
      })
    }
  })
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await publish(tools, batch, readings, parsed, unreadable)
    } catch (error) {
      if (!(error instanceof Conflict) || attempt >= tries) throw error
      tools.log('debug', `${batch.job} ${batch.partition}: ${error.message}; deriving again`)
    }
  }
}

async function publish(
  tools: IngestTools,
  batch: Batch,
  readings: readonly ReadingOf[],
  parsed: readonly ParsedDocument[],
  unreadable: readonly { refused: Refused; origin: RawDocument }[],
): Promise<Outcome> {
  const { db, writer } = tools
  const catalogue = await loadCatalogue(db)
  const lake = openLake(catalogue, writer.connections, writer.verifier)
  const derived =
    parsed.length === 0 ? nothingDerived : await derive(parsed, lake, batch.decisions, async () => (await tools.contexts(lake, null)).symbols)
  if (batch.signal) await untilNextTurn(batch.signal)
  const files = await stageRows(writer, derived.rows, catalogue.release + 1, derived.packed)
  const refused = [...unreadable, ...derived.refused]
  const rowsOfDocument = countByDocument(derived)
  const shaOf = new Map(batch.documents.map(({ raw_id, document }) => [raw_id, document.sha256]))
  const outcome = (release: number | null): Outcome => ({
    release,
    documents: batch.documents.length,
    rows: countRows(derived),
    refused: refused.map(each => each.refused),
    counts: derived.counts,
    readings,
  })
  let result = outcome(null)
  try {
    batch.signal?.throwIfAborted()
    await commit(db, {
      job: batch.job,
      partition: batch.partition,
      batchKey: batchKeyOf(batch, files),
      files,
      base: catalogue.release,
      derivedFrom: derived.derivedFrom,
      fence: batch.fence,
      crashPoint: writer.crashPoint,
      along: async (trx, committed) => {
        result = outcome(committed?.release ?? null)
        if (committed) await indexFilings(trx, derived.rows, committed.release)
        if (committed) await indexTranscripts(trx, derived.rows, committed.release)
        if (committed) await buildAlong(trx, tools, derived, committed, marksOnly(batch))
        if (!batch.isPart)
          await recordReadings(trx, readings, committed?.release ?? null, reading => rowsOfDocument.get(shaOf.get(reading.raw_id) ?? '') ?? 0)
        await recordQuarantine(trx, refused)
        await settleActions(trx, derived.settled)
        await batch.along?.(trx, result)
      },
    })
  } finally {
    await files.discard()
  }
  return result
}

/** Rows of each dataset; a dataset is packed or not. */
const countRows = ({ rows, packed }: Derived): Readonly<Record<string, number>> => ({
  ...Object.fromEntries([...rows].map(([name, list]) => [name, list.length])),
  ...Object.fromEntries([...packed].map(([name, list]) => [name, list.reduce((sum, each) => sum + each.rows, 0)])),
})

/** Rows of each document, by its hash. */
function countByDocument({ rows, packed }: Derived): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const add = ({ raw_sha256 }: Row, number: number): void => void counts.set(raw_sha256, (counts.get(raw_sha256) ?? 0) + number)
  for (const list of rows.values()) for (const row of list) add(row, 1)
  for (const list of packed.values()) for (const each of list) add(each.first, each.rows)
  return counts
}

const nothingDerived: Derived = { rows: new Map(), packed: new Map(), refused: [], settled: [], derivedFrom: [], counts: {} }

/** The same documents with the same outcome are the same batch, however often they are delivered. */
const batchKeyOf = (batch: Batch, files: StagedRows): string =>
  sha256Hex(JSON.stringify([batch.job, batch.partition, files.content.map(file => `${file.dataset}/${file.sha256}`).sort()]))

/**
 * Documents of a commit above which its pages are only marked as changed: a backfill changes a page again with its next commit,
 * and building a thousand of them takes twenty times as long as everything else.
 */
export const catchingUp = 300
const marksOnly = ({ documents, isPart, isCatchUp }: Batch): boolean => isPart === true || isCatchUp === true || documents.length > catchingUp

async function buildAlong(trx: Transaction<Database>, tools: IngestTools, derived: Derived, committed: Committed, markOnly: boolean): Promise<void> {
  const lake = openLake(committed.catalogue, tools.writer.connections, tools.writer.verifier, committed.release)
  // The pages of a document change, whatever number of rows it has.
  const firsts = [...derived.packed].map(([name, list]) => [name, list.map(({ first }) => first)] as const)
  const rows = await withCorrectedRows(new Map([...derived.rows, ...firsts]), lake)
  if (!touchesPages(rows)) return
  const context = await tools.contexts(lake, null)
  const requested = changedQuestions(rows, context)
  const { release, committed_at } = committed
  const { signer } = markOnly ? { signer: null } : await findSigningLogged(trx, tools)
  // Without a key the pages are built, and signed when they are first requested if a key exists by then.
  const pages = signer === null ? markPages(requested, release, committed_at) : await buildPages(requested, context, release, committed_at, signer)
  await insertPages(trx, pages)
}
