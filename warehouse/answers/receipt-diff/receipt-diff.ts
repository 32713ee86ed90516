// Compares the answers of two receipts to one question. The signed bytes are those that are stored, or are made again from the files of
// their release; bytes with another SHA-256 than the signed one are not compared.
import { BadRequest, Broken, NotFound } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { MAX_CHANGES, type ReceiptDiff } from '#schemas/receipt-diff.ts'
import type { Statement } from '#schemas/receipts.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import type { Db } from '../../store/postgres.ts'
import { parseCanonical } from '../../store/receipts/canonical.ts'
import { checkStatement, questionOf, sha256Hex } from '../../store/receipts/statement.ts'
import { getReceipt } from '../../store/receipts/store.ts'
import { buildPayload, isLakeOperation } from '../index.ts'
import { causesOf, type Revision, restatementCauses, statementCauses } from './causes.ts'
import { changedValues } from './values.ts'

export type DiffTools = {
  readonly db: Db
  /** The release of a receipt, with listings as known at `asOf`. */
  readonly contextOf: (release: number, asOf: string | null) => Promise<ReleaseContext>
}

/** A receipt with its statement. */
export type Signed = { readonly id: string; readonly statement: Statement }

/** The difference from receipt `a` to receipt `b`. `BadRequest` if they answer different questions, and as `getReceipt`. */
export async function diffReceipts(tools: DiffTools, a: string, b: string): Promise<ReceiptDiff> {
  const [before, after] = [await getSigned(tools.db, a), await getSigned(tools.db, b)]
  const question = before.statement.subject[0]?.name ?? ''
  if (question !== after.statement.subject[0]?.name)
    throw new BadRequest(`the receipts answer different questions: ${question} and ${after.statement.subject[0]?.name}`, {
      hint: 'compare two receipts of one question; list them by asking it with release=N&receipt=1',
    })
  const [one, two] = [sideOf(before), sideOf(after)]
  if (one.payload_sha256 === two.payload_sha256) return undiffered(question, one, two, true, null)
  const [was, is] = [await signedPayload(tools, before), await signedPayload(tools, after)]
  if (was === null || is === null)
    return undiffered(question, one, two, false, `the answer of ${was === null ? a : b} is not stored, and making it again gives other bytes`)
  return await differenceOf(tools, { ...before, payload: was.payload }, { ...after, payload: is.payload })
}

const undiffered = (question: string, before: Side, after: Side, equal: boolean, reason: string | null): ReceiptDiff => ({
  question,
  before,
  after,
  equal,
  reason,
  count: 0,
  changes: [],
  causes: [],
})

/** Two answers whose values cannot be compared, with the reason. */
export const undifferedBy = (before: Signed, after: Signed, reason: string): ReceiptDiff =>
  undiffered(after.statement.subject[0]?.name ?? '', sideOf(before), sideOf(after), false, reason)

/** The difference of two answers whose bytes are known; the receipts need not be stored yet. */
export async function differenceOf(
  tools: DiffTools,
  before: Signed & { readonly payload: Buffer },
  after: Signed & { readonly payload: Buffer },
): Promise<ReceiptDiff> {
  const values = changedValues(parsed(before.payload), parsed(after.payload))
  const causes = statementCauses(before.statement, after.statement)
  const restated = await restatements(tools, before, after)
  const changes = values.slice(0, MAX_CHANGES).map(change => ({
    path: change.path,
    kind: change.kind,
    before: change.before,
    after: change.after,
    causes: causesOf(change, causes, restated),
  }))
  const equal = before.payload.equals(after.payload)
  const question = after.statement.subject[0]?.name ?? ''
  return { question, before: sideOf(before), after: sideOf(after), equal, reason: null, count: values.length, changes, causes }
}

const parsed = (payload: Buffer): unknown => parseExactly(payload.toString('utf8'))

/** Whether two answers to one question differ in a value, apart from their release, instant and sources. */
export const isDifferent = (before: Buffer, after: Buffer): boolean => changedValues(parsed(before), parsed(after)).length > 0

/** A stored receipt with its statement. Throws as `getReceipt`. */
export async function getSigned(db: Db, id: string): Promise<Signed> {
  const receipt = await getReceipt(db, id)
  const read = parseCanonical(receipt.statement_bytes, 'statement')
  if ('fault' in read) throw new Broken(`receipt ${id}: its statement is ${read.fault}`)
  return { id: receipt.receipt_id, statement: checkStatement(read.value) }
}

type Side = ReceiptDiff['before']
const sideOf = ({ id, statement }: Signed): Side => ({
  receipt_id: id,
  release: statement.predicate.release,
  as_of: statement.predicate.as_of,
  schema: statement.predicate.schema,
  transform: statement.predicate.transform,
  payload_sha256: statement.subject[0]?.digest.sha256 ?? '',
})

export type SignedPayload = { readonly payload: Buffer; readonly isStored: boolean }
/** The signed bytes of an answer: stored, or made again from its release; null if neither gives them. */
export async function signedPayload({ db, contextOf }: DiffTools, { id, statement }: Signed): Promise<SignedPayload | null> {
  const page = await db.selectFrom('page').select('payload').where('receipt_id', '=', id).executeTakeFirst()
  const signed = statement.subject[0]?.digest.sha256
  if (page?.payload && sha256Hex(page.payload) === signed) return { payload: page.payload, isStored: true }
  const named = namedOperation(statement)
  if (named === null || named.operation.body !== null || !isLakeOperation(named.operation.id)) return null
  const question = named.operation.question.safeParse(named.parameters)
  if (!question.success) return null
  const asOf = named.parameters['as_of'] ?? null
  try {
    const context = await contextOf(statement.predicate.release, asOf)
    const made = await buildPayload(named.operation.id, context, question.data as never, statement.predicate.as_of)
    return made !== null && sha256Hex(made.payload) === signed ? { payload: made.payload, isStored: false } : null
  } catch (error) {
    // The release is not kept any more.
    if (error instanceof BadRequest || error instanceof NotFound) return null
    throw error
  }
}

/** The operation that a statement's question names, with its parameters as text; null if it is none of the lake. */
export function namedOperation(statement: Statement) {
  const { operation, parameters } = questionOf(statement)
  const named = requestedOperation(lakeOperations, operation)
  return named === null ? null : { operation: named.operation, parameters: { ...parameters, ...named.parameters } }
}

/** Operations whose prices a corporate action restates. */
const priced = new Set(['get_eod', 'get_chart'])

async function restatements({ contextOf }: DiffTools, before: Signed, after: Signed): Promise<ReturnType<typeof restatementCauses>> {
  const named = namedOperation(after.statement)
  const symbol = named?.parameters['symbol']
  if (named === null || symbol === undefined || !priced.has(named.operation.id)) return []
  const [from, to] = [before, after].map(each => each.statement.predicate.release).toSorted((x, y) => x - y) as [number, number]
  const made = await buildPayload(
    'list_eod_revisions',
    await contextOf(to, null),
    { symbol, limit: 10_000 } as never,
    after.statement.predicate.as_of,
  )
  const { revisions } = made === null ? { revisions: [] } : (JSON.parse(made.payload.toString('utf8')) as { revisions: Revision[] })
  return restatementCauses(revisions, from, to)
}
