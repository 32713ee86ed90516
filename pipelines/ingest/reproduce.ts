import { sql } from 'kysely'
import { Broken, CrossfileError, NotFound, Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { buildPayload, isLakeOperation } from '#warehouse/answers/index.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { openMemoryLake } from '#warehouse/store/lake/memory.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { parseCanonical } from '#warehouse/store/receipts/canonical.ts'
import { checkStatement, questionOf } from '#warehouse/store/receipts/statement.ts'
import { getReceipt } from '#warehouse/store/receipts/store.ts'
import type { Reproduced } from '#warehouse/store/receipts/verify.ts'
import { loadDecisions } from './decisions.ts'
import { derive } from './derive.ts'
import { type IngestTools, readDocument } from './ingest.ts'
import { answerFromRelease } from './reproduce-release.ts'
import type { ParsedDocument } from './types.ts'

export type Reproduction = Reproduced & { readonly documents: number }

/** Above this number of documents or bytes, the release's files are used instead. */
const mostDocuments = 2_000
const mostBytes = 256 * 1024 * 1024

type Placed = {
  readonly raw_id: number
  readonly sha256: string
  readonly url: string
  readonly retrieved_at: string
  readonly bytes: number
  readonly release: number
  readonly reader: string
}

/** The operation and parameters that a statement's subject names. */
function operationAndParameters(name: { readonly operation: string; readonly parameters: Readonly<Record<string, string>> }) {
  const named = requestedOperation(lakeOperations, name.operation)
  return named && { operation: named.operation, parameters: { ...name.parameters, ...named.parameters } }
}

export async function reproduce(tools: IngestTools, raw: RawStore, receiptId: string): Promise<Reproduction> {
  const receipt = await getReceipt(tools.db, receiptId)
  const untried = (reason: string): Reproduction => ({ reproduced: null, from: null, reason, documents: 0 })
  const parsed = parseCanonical(receipt.statement_bytes, 'statement')
  if ('fault' in parsed) return { ...untried(`the statement is ${parsed.fault}`), reproduced: false }
  const statement = checkStatement(parsed.value)
  const named = operationAndParameters(questionOf(statement))
  if (!named || !isLakeOperation(named.operation.id)) return untried('this answer is not made from raw documents')
  if (named.operation.body !== null)
    return untried(
      'made from a request of which only the SHA-256 is kept (input_sha256): send the same request with receipt=1, and the same receipt id comes back',
    )
  const question = named.operation.question.safeParse(named.parameters)
  if (!question.success) return untried('the question is of an older form of the operation')
  const { release, as_of, sources } = statement.predicate
  const signed = statement.subject[0]?.digest.sha256
  const documents = sources
    ? await documentsBehind(
        tools,
        sources.map(source => source.sha256),
        receipt.release,
      )
    : null
  if (documents === null || isTooMuch(tools, documents)) {
    const again = await answerFromRelease(tools, named.operation.id, question.data, release, as_of)
    if ('reason' in again) return untried(again.reason)
    const same = again.payload !== null && sha256Hex(again.payload) === signed
    return { reproduced: same, from: again.from, reason: same ? null : 'the files of the release give another answer', documents: 0 }
  }
  const tried = { from: 'documents', documents: documents.length } as const
  try {
    const payload = await answerAgain(tools, raw, documents, named.operation.id, question.data, release, as_of)
    const same = payload !== null && sha256Hex(payload) === signed
    return { ...tried, reproduced: same, reason: same ? null : 'the raw documents give another answer' }
  } catch (error) {
    // A document that this server cannot read proves nothing about the receipt.
    if (error instanceof Upstream) return untried(error.message)
    if (!(error instanceof CrossfileError)) throw error
    return { ...tried, reproduced: false, reason: error.message }
  }
}

/** A data set of a whole quarter, or documents beyond the bounds, are not read again for one answer. */
function isTooMuch(tools: IngestTools, documents: readonly Placed[]): boolean {
  const inParts = new Set(tools.readers.filter(reader => reader.parts && reader.name.includes('data-set')).map(reader => reader.name))
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0)
  return documents.length > mostDocuments || bytes > mostBytes || documents.some(document => inParts.has(document.reader))
}

/** The named documents with the listings' ones, in the order in which they were read, up to the release. */
async function documentsBehind(tools: IngestTools, hashes: readonly string[], release: number): Promise<Placed[]> {
  const firstRead = sql<number | null>`coalesce(reading.first_release, reading.release)`
  const rows = await tools.db
    .selectFrom('reading')
    .innerJoin('raw_document', 'raw_document.raw_id', 'reading.raw_id')
    .select([
      'reading.raw_id',
      'raw_document.sha256',
      'raw_document.url',
      'raw_document.retrieved_at',
      'raw_document.bytes',
      firstRead.as('release'),
      'reading.reader',
    ])
    .where('reading.state', '=', 'read')
    .where(firstRead, '<=', release)
    .where(eb =>
      eb.or([...(hashes.length > 0 ? [eb('raw_document.sha256', 'in', [...hashes])] : []), eb('reading.reader', 'in', listingReaders(tools))]),
    )
    .orderBy(firstRead)
    .orderBy('reading.raw_id')
    .execute()
  return rows.map(row => ({ ...row, release: row.release as number, reader: row.reader as string }))
}

/** Listings and the issuer map resolve symbols for every question. */
const listingSources = new Set(['nasdaqtrader', 'tsx', 'tmx', 'symbol-list'])
const listingReaders = (tools: IngestTools): string[] =>
  tools.readers.filter(reader => listingSources.has(reader.source) || /symbol|ticker|director/.test(reader.name)).map(reader => reader.name)

/** File system errors about one file that a retry does not fix. */
const fileFaults = new Set(['ENOENT', 'EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP', 'ENOTDIR'])

/** A document of the raw store. Throws `Upstream`, with the document's hash, if its bytes here are damaged or missing. */
async function readHeld(raw: RawStore, sha256: string): Promise<RawDocument> {
  try {
    return await raw.read(sha256)
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code)
    const fault =
      cause instanceof Broken || cause instanceof NotFound ? cause.message : fileFaults.has(code) ? `its pack cannot be read (${code})` : null
    if (fault === null) throw cause
    throw new Upstream(`not tried: the raw document ${sha256} is damaged on this server: ${fault}`, {
      cause,
      hint: 'crossfile doctor lists damaged packs, crossfile repair --from PLACE repairs them',
    })
  }
}

async function answerAgain(
  tools: IngestTools,
  raw: RawStore,
  documents: readonly Placed[],
  operation: string,
  question: object,
  release: number,
  asOf: string,
): Promise<Buffer | null> {
  const { stageFolder } = tools.writer
  const instance = await openDuckdb({ memoryLimit: '512MB', threads: 1, tempFolder: '', folders: [stageFolder] })
  const memory = await openMemoryLake(instance, stageFolder)
  try {
    const decisions = await loadDecisions(tools.db)
    const committed = new Map(
      (await tools.db.selectFrom('release').select(['release', 'committed_at']).where('release', '<=', Math.max(release, 1)).execute()).map(row => [
        row.release,
        row.committed_at,
      ]),
    )
    const batches = new Map<number, Placed[]>()
    for (const document of documents) batches.set(document.release, [...(batches.get(document.release) ?? []), document])
    for (const [number, batch] of [...batches].sort(([a], [b]) => a - b)) {
      const read: ParsedDocument[] = []
      for (const place of batch) {
        const bytes = await readHeld(raw, place.sha256)
        const document = { ...bytes, url: place.url, retrieved_at: place.retrieved_at }
        const { parsed } = readDocument(tools.readers, { raw_id: place.raw_id, document })
        if (parsed) read.push({ origin: document, parsed })
      }
      const derived = await derive(read, memory.at(number), decisions)
      for (const [name, rows] of derived.rows) {
        if (rows.length > 0) await memory.add(name as DatasetName, rows, { release: number, committed_at: committed.get(number) ?? '' })
      }
    }
    if (!isLakeOperation(operation)) return null
    const lake = memory.at(release)
    // The answer is dated by the statement: the catalogue, not the documents, records which release changed what.
    const dated = { ...lake, versionOf: () => ({ release, committed_at: committed.get(release) ?? asOf }) }
    const context = await contextOf(dated, 'as_of' in question && typeof question.as_of === 'string' ? question.as_of : null)
    const answer = await buildPayload(operation, context, question as never, asOf)
    return answer?.payload ?? null
  } finally {
    memory.close()
    instance.closeSync()
  }
}
