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

/** A receipt with its statement, not yet verified. */
export type Signed = { readonly id: string; readonly statement: Statement }

/** The difference from receipt `a` to receipt `b`. `BadRequest` if they answer different questions, and as `getReceipt`. */
export async function diffReceipts(tools: DiffTools, a: string, b: string): Promise<ReceiptDiff> {
  const [before, after] = [await signedOf(tools.db, a), await signedOf(tools.db, b)]
  const question = before.statement.subject[0]?.name ?? ''
  if (question !== after.statement.subject[0]?.name)
    throw new BadRequest(`the receipts answer different questions: ${question} and ${after.statement.subject[0]?.name}`, {
      hint: 'compare two receipts of one question; list them by asking it with release=N&receipt=1',
    })
  const [one, two] = [sideOf(before), sideOf(after)]
  const unchanged = {
    question,
    before: one,
    after: two,
    equal: one.payload_sha256 === two.payload_sha256,
    reason: null,
    count: 0,
    changes: [],
    causes: [],
  }
  if (unchanged.equal) return unchanged
  const [was, is] = [await payloadOf(tools, before), await payloadOf(tools, after)]
  if (was === null || is === null)
    return { ...unchanged, reason: `the answer of ${was === null ? a : b} is not stored, and making it again gives other bytes` }
  const values = changedValues(parseExactly(was.payload.toString('utf8')), parseExactly(is.payload.toString('utf8')))
  const causes = statementCauses(before.statement, after.statement)
  const restated = await restatements(tools, before, after)
  const changes = values.slice(0, MAX_CHANGES).map(change => ({
    path: change.path,
    kind: change.kind,
    before: change.before,
    after: change.after,
    causes: causesOf(change, causes, restated),
  }))
  return { ...unchanged, count: values.length, changes, causes }
}

/** The statement of a stored receipt. Throws as `getReceipt`. */
export async function signedOf(db: Db, id: string): Promise<Signed> {
  const receipt = await getReceipt(db, id)
  const parsed = parseCanonical(receipt.statement_bytes, 'statement')
  if ('fault' in parsed) throw new Broken(`receipt ${id}: its statement is ${parsed.fault}`)
  return { id: receipt.receipt_id, statement: checkStatement(parsed.value) }
}

const sideOf = ({ id, statement }: Signed): ReceiptDiff['before'] => ({
  receipt_id: id,
  release: statement.predicate.release,
  as_of: statement.predicate.as_of,
  schema: statement.predicate.schema,
  transform: statement.predicate.transform,
  payload_sha256: statement.subject[0]?.digest.sha256 ?? '',
})

export type SignedPayload = { readonly payload: Buffer; readonly isStored: boolean }
/** The signed bytes of an answer: stored, or made again from its release; null if neither gives them. */
export async function payloadOf({ db, contextOf }: DiffTools, { id, statement }: Signed): Promise<SignedPayload | null> {
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

function namedOperation(statement: Statement) {
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
