// Makes a signed answer again, from the raw bytes that its statement names and nothing else of ours: the documents are read
// from the packs (each byte checked), parsed, derived and asked the same question in a lake that lives in memory.
import { randomBytes } from 'node:crypto'
import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CrossfileError } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { operationAsked } from '#schemas/operations/asked.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { groundOf } from '#warehouse/answers/ground.ts'
import { buildPayload, isLakeOperation } from '#warehouse/answers/index.ts'
import { openDuckdb } from '#warehouse/duckdb.ts'
import { openMemoryLake } from '#warehouse/lake/memory.ts'
import { sha256Hex } from '#warehouse/raw/pack.ts'
import type { RawStore } from '#warehouse/raw/raw.ts'
import { parseCanonical } from '#warehouse/receipts/canonical.ts'
import { checkStatement, questionOf } from '#warehouse/receipts/statement.ts'
import { getReceipt } from '#warehouse/receipts/store.ts'
import { loadDecisions } from './decisions.ts'
import { derive } from './derive.ts'
import { type IngestTools, readDocument } from './ingest.ts'
import type { ParsedDocument } from './types.ts'

export type Reproduction = { readonly reproduced: boolean | null; readonly reason: string | null; readonly documents: number }

/** More documents or bytes than this are not read again on request: `reproduced` is null and says so. */
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
function askedOf(name: { readonly operation: string; readonly parameters: Readonly<Record<string, string>> }) {
  const asked = operationAsked(lakeOperations, name.operation)
  return asked && { operation: asked.operation, parameters: { ...name.parameters, ...asked.parameters } }
}

export async function reproduce(tools: IngestTools, raw: RawStore, receiptId: string): Promise<Reproduction> {
  const receipt = await getReceipt(tools.db, receiptId)
  const parsed = parseCanonical(receipt.statement_bytes, 'statement')
  if ('fault' in parsed) return { reproduced: false, reason: `the statement is ${parsed.fault}`, documents: 0 }
  const statement = checkStatement(parsed.value)
  const asked = askedOf(questionOf(statement))
  if (!asked || !isLakeOperation(asked.operation.id)) return { reproduced: null, reason: 'this answer is not made from raw documents', documents: 0 }
  if (asked.operation.body !== null)
    return {
      reproduced: null,
      reason:
        'made from a request of which only the SHA-256 is kept (input_sha256): send the same request with receipt=1, and the same receipt id comes back',
      documents: 0,
    }
  const question = asked.operation.question.safeParse(asked.parameters)
  if (!question.success) return { reproduced: null, reason: 'the question is of an older form of the operation', documents: 0 }
  const { release, as_of } = statement.predicate
  const documents = await documentsBehind(tools, statement.predicate.sources?.map(source => source.sha256) ?? null, receipt.release)
  if (documents === null) return { reproduced: null, reason: 'the statement names its documents by a digest only: more than 256', documents: 0 }
  const inParts = new Set(tools.readers.filter(reader => reader.parts && reader.name.includes('data-set')).map(reader => reader.name))
  if (documents.some(document => inParts.has(document.reader)))
    return { reproduced: null, reason: 'made of a data set of a whole quarter, which is not read again on request', documents: documents.length }
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0)
  if (documents.length > mostDocuments || bytes > mostBytes) {
    return {
      reproduced: null,
      reason: `made of ${documents.length} documents, ${bytes} bytes: more than is read again on request`,
      documents: documents.length,
    }
  }
  try {
    const payload = await answerAgain(tools, raw, documents, asked.operation.id, question.data, release, as_of)
    const same = payload !== null && sha256Hex(payload) === statement.subject[0]?.digest.sha256
    return { reproduced: same, reason: same ? null : 'the raw documents give another answer', documents: documents.length }
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    return { reproduced: false, reason: error.message, documents: documents.length }
  }
}

/** The named documents with the listings' ones, in the order in which they were read, up to the release. */
async function documentsBehind(tools: IngestTools, hashes: readonly string[] | null, release: number): Promise<Placed[] | null> {
  if (hashes === null) return null
  const rows = await tools.db
    .selectFrom('reading')
    .innerJoin('raw_document', 'raw_document.raw_id', 'reading.raw_id')
    .select([
      'reading.raw_id',
      'raw_document.sha256',
      'raw_document.url',
      'raw_document.retrieved_at',
      'raw_document.bytes',
      'reading.release',
      'reading.reader',
    ])
    .where('reading.state', '=', 'read')
    .where('reading.release', 'is not', null)
    .where('reading.release', '<=', release)
    .where(eb =>
      eb.or([...(hashes.length > 0 ? [eb('raw_document.sha256', 'in', [...hashes])] : []), eb('reading.reader', 'in', listingReaders(tools))]),
    )
    .orderBy('reading.release')
    .orderBy('reading.raw_id')
    .execute()
  return rows.map(row => ({ ...row, release: row.release as number, reader: row.reader as string }))
}

/** Listings and the issuer map resolve symbols, whatever is asked. */
const listingSources = new Set(['nasdaqtrader', 'tsx', 'tmx', 'symbol-list'])
const listingReaders = (tools: IngestTools): string[] =>
  tools.readers.filter(reader => listingSources.has(reader.source) || /symbol|ticker|director/.test(reader.name)).map(reader => reader.name)

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
  const memory = await openMemoryLake(instance)
  const spooled: string[] = []
  const spool = async (lines: string): Promise<string> => {
    const path = join(stageFolder, `reproduce-${randomBytes(8).toString('hex')}.ndjson`)
    spooled.push(path)
    await writeFile(path, lines)
    return path
  }
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
        const bytes = await raw.read(place.sha256)
        const document = { ...bytes, url: place.url, retrieved_at: place.retrieved_at }
        const { parsed } = readDocument(tools.readers, { raw_id: place.raw_id, document })
        if (parsed) read.push({ origin: document, parsed })
      }
      const derived = await derive(read, memory.at(number), decisions)
      for (const [name, rows] of derived.rows) {
        if (rows.length > 0) await memory.add(name as DatasetName, rows, { release: number, committed_at: committed.get(number) ?? '' }, spool)
      }
    }
    if (!isLakeOperation(operation)) return null
    const lake = memory.at(release)
    // The answer is dated by the statement: which release changed what is the catalogue's word, not the documents'.
    const dated = { ...lake, versionOf: () => ({ release, committed_at: committed.get(release) ?? asOf }) }
    const ground = await groundOf(dated, 'as_of' in question && typeof question.as_of === 'string' ? question.as_of : null)
    const answer = await buildPayload(operation, ground, question as never, asOf)
    return answer?.payload ?? null
  } finally {
    memory.close()
    instance.closeSync()
    for (const path of spooled) {
      await unlink(path).catch(error => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      })
    }
  }
}
