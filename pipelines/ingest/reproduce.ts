// Computes signed answers again, and compares the bytes. A run over many receipts shares what they have in common (reproduce-documents.ts).
import { CrossfileError, Upstream } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import type { ReproducedFrom, Statement } from '#schemas/receipts.ts'
import { isLakeOperation, type LakeOperation } from '#warehouse/answers/index.ts'
import { changedValues } from '#warehouse/answers/receipt-diff/values.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { parseCanonical } from '#warehouse/store/receipts/canonical.ts'
import { checkStatement, questionOf } from '#warehouse/store/receipts/statement.ts'
import { getReceipt } from '#warehouse/store/receipts/store.ts'
import type { Reproduced } from '#warehouse/store/receipts/verify.ts'
import type { Reader } from '../read/parsed.ts'
import { databaseSource } from './document-source.ts'
import type { IngestTools } from './ingest.ts'
import { type DocumentSource, openReanswering, type Placed, type Question, type Reanswering } from './reproduce-documents.ts'
import { answerFromRelease } from './reproduce-release.ts'

export type Reproduction = Reproduced & { readonly documents: number }

/** Above this number of documents or bytes, the release's files are used instead. */
const mostDocuments = 2_000
const mostBytes = 256 * 1024 * 1024

/** A receipt to re-execute: of the database, or of a bundle. */
export type Subject = {
  readonly receipt_id: string
  readonly statement_bytes: Uint8Array
  /** The signed answer, if it is known: with it, a difference has a place. */
  readonly payload: Buffer | null
}
export type ReExecuted = {
  readonly receipt_id: string
  readonly result: 'equal' | 'different' | 'not_possible'
  readonly method: ReproducedFrom | null
  /** Why it differs or was not possible. */
  readonly reason: string | null
  /** The first differing place; null if the signed answer is not known. */
  readonly difference: { readonly path: string; readonly before: string | null; readonly after: string | null } | null
  readonly documents: number
}

/** What a run has: documents, and the files of releases unless it has only raw packs. */
export type RunTools = {
  readonly readers: readonly Reader[]
  readonly stageFolder: string
  readonly source: DocumentSource & { readonly damaged?: readonly string[] }
  readonly fromRelease: ((operation: LakeOperation, question: object, release: number, as_of: string) => ReturnType<typeof answerFromRelease>) | null
}

/** The tools of an installation with its database. */
export const installedTools = (tools: IngestTools, raw: RawStore): RunTools => ({
  readers: tools.readers,
  stageFolder: tools.writer.stageFolder,
  source: databaseSource(tools, raw),
  fromRelease: (operation, question, release, as_of) => answerFromRelease(tools, operation, question, release, as_of),
})

/** Stored receipts with their answers, in the order of the ids. Throws as `getReceipt` for the first unknown one. */
export async function findSubjects(db: Db, ids: readonly string[]): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const receipt_id of ids) {
    const { statement_bytes } = await getReceipt(db, receipt_id)
    const page = await db.selectFrom('page').select('payload').where('receipt_id', '=', receipt_id).executeTakeFirst()
    subjects.push({ receipt_id, statement_bytes, payload: page?.payload ?? null })
  }
  return subjects
}

/** One stored receipt. Throws as `getReceipt`. */
export async function reproduce(tools: IngestTools, raw: RawStore, receiptId: string): Promise<Reproduction> {
  const { statement_bytes } = await getReceipt(tools.db, receiptId)
  const run = installedTools(tools, raw)
  const again = await openReanswering(run)
  try {
    const found = await reExecute(run, again, { receipt_id: receiptId, statement_bytes, payload: null }, false)
    const reproduced = found.result === 'not_possible' ? null : found.result === 'equal'
    return { reproduced, from: found.method, reason: found.reason, documents: found.documents }
  } finally {
    await again.close()
  }
}

/**
 * Re-executes receipts in the order of their releases, with shared work; `onResult` is called after each. A receipt that shared work does
 * not reproduce is computed alone before it counts as different. Ends early if `signal` is aborted.
 */
export async function reproduceMany(
  run: RunTools,
  subjects: readonly Subject[],
  onResult: (result: ReExecuted, done: number) => void | Promise<void>,
  signal: AbortSignal,
): Promise<Reanswering['counts']> {
  const again = await openReanswering(run)
  try {
    const placed = subjects.map(subject => ({ subject, order: orderOf(subject) }))
    placed.sort((a, b) => a.order.as_of - b.order.as_of || a.order.release - b.order.release || (a.order.sources < b.order.sources ? -1 : 1))
    for (const [at, { subject }] of placed.entries()) {
      if (signal.aborted) break
      await onResult(await reExecute(run, again, subject, true), at + 1)
    }
    return again.counts
  } finally {
    await again.close()
  }
}

/** Operations whose rows have a release: only the database knows which release read a document. */
const printsReleases: ReadonlySet<LakeOperation> = new Set(['list_eod_revisions'])

type Parsed = { readonly statement: Statement } | { readonly fault: string }
function statementOf({ statement_bytes }: Subject): Parsed {
  const parsed = parseCanonical(statement_bytes, 'statement')
  return 'fault' in parsed ? parsed : { statement: checkStatement(parsed.value) }
}

/** Equal documents come one after another; later ones continue the listings of earlier ones. */
function orderOf(subject: Subject): { readonly as_of: number; readonly release: number; readonly sources: string } {
  const parsed = statementOf(subject)
  if ('fault' in parsed) return { as_of: 0, release: 0, sources: '' }
  const { as_of, release, sources = [] } = parsed.statement.predicate
  return { as_of: Date.parse(as_of), release, sources: sources.map(each => each.sha256).join(' ') }
}

async function reExecute(run: RunTools, again: Reanswering, subject: Subject, isShared: boolean): Promise<ReExecuted> {
  const { receipt_id, payload: known } = subject
  const base = { receipt_id, method: null, difference: null, documents: 0 }
  const notPossible = (reason: string): ReExecuted => ({ ...base, result: 'not_possible', reason })
  const parsed = statementOf(subject)
  if ('fault' in parsed) return { ...base, result: 'different', reason: `the statement is ${parsed.fault}` }
  const requested = requestedBy(parsed.statement)
  if ('reason' in requested) return notPossible(requested.reason)
  const { predicate, subject: subjects } = parsed.statement
  const signed = subjects[0]?.digest.sha256
  const compared = (payload: Buffer | null, method: ReproducedFrom, documents: number, otherwise: string): ReExecuted => {
    if (payload !== null && sha256Hex(payload) === signed) return { ...base, result: 'equal', method, reason: null, documents }
    return { ...base, result: 'different', method, reason: otherwise, difference: firstDifference(known, payload), documents }
  }
  const documents = predicate.sources
    ? await run.source.documents(
        predicate.sources.map(each => each.sha256),
        predicate,
      )
    : null
  if (documents === null || isTooMuch(run.readers, documents)) {
    if (run.fromRelease === null) return notPossible('it has too many documents to read again, and there are no files of its release here')
    const made = await run.fromRelease(requested.operation, requested.question, predicate.release, predicate.as_of)
    return 'reason' in made ? notPossible(made.reason) : compared(made.payload, made.from, 0, 'the files of the release give another answer')
  }
  if (run.fromRelease === null && printsReleases.has(requested.operation))
    return notPossible('the answer prints the release of each row, which raw packs alone do not give')
  const absent = predicate.sources?.find(({ sha256 }) => !documents.some(each => each.sha256 === sha256))
  if (absent && run.fromRelease === null) return notPossible(`the raw document ${absent.sha256} is damaged or missing here`)
  const different = 'the raw documents give another answer'
  try {
    const shared = isShared ? compared(await again.shared(documents, requested), 'documents', documents.length, different) : null
    if (shared?.result === 'equal') return shared
    const alone = compared(await again.exactly(documents, requested), 'documents', documents.length, different)
    const { damaged = [] } = run.source
    // A damaged record may be a listing that the answer needs.
    return alone.result === 'different' && damaged.length > 0 ? notPossible(`a raw document is damaged here: ${damaged[0]}`) : alone
  } catch (error) {
    // A document that this machine cannot read proves nothing about the receipt.
    if (error instanceof Upstream) return notPossible(error.message)
    if (!(error instanceof CrossfileError)) throw error
    return { ...base, result: 'different', method: 'documents', reason: error.message, documents: documents.length }
  }
}

/** What the statement's question requests, or why its answer cannot be computed again. */
function requestedBy(statement: Statement): Question | { readonly reason: string } {
  const { operation: name, parameters } = questionOf(statement)
  const named = requestedOperation(lakeOperations, name)
  if (!named || !isLakeOperation(named.operation.id)) return { reason: 'this answer is not made from raw documents' }
  if (named.operation.body !== null)
    return {
      reason:
        'made from a request of which only the SHA-256 is kept (input_sha256): send the same request with receipt=1, and the same receipt id comes back',
    }
  const question = named.operation.question.safeParse({ ...parameters, ...named.parameters })
  if (!question.success) return { reason: 'the question is of an older form of the operation' }
  const { release, as_of } = statement.predicate
  return { operation: named.operation.id, question: question.data, release, as_of }
}

/** Characters of the bytes around the first difference, if no value differs. */
const around = 40

/** The first differing value; if only the release, the instant, the sources or the order differ, the first differing byte. */
function firstDifference(known: Buffer | null, made: Buffer | null): ReExecuted['difference'] {
  if (known === null) return null
  if (made === null) return { path: '', before: 'an answer', after: null }
  const [first] = changedValues(parseExactly(known.toString('utf8')), parseExactly(made.toString('utf8')))
  if (first) return { path: first.path, before: first.before, after: first.after }
  let at = 0
  while (at < known.length && known[at] === made[at]) at += 1
  const text = (bytes: Buffer): string => bytes.subarray(Math.max(0, at - around), at + around).toString('utf8')
  return { path: `byte ${at}`, before: text(known), after: text(made) }
}

/** A data set of a whole quarter, or documents beyond the bounds, are not read again for one answer. */
function isTooMuch(readers: readonly Reader[], documents: readonly Placed[]): boolean {
  const inParts = new Set(readers.filter(reader => reader.parts && reader.name.includes('data-set')).map(reader => reader.name))
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0)
  return documents.length > mostDocuments || bytes > mostBytes || documents.some(document => inParts.has(document.reader))
}
