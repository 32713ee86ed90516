// Receipts, their verification, and the public keys. Verification does not use the stored page: the worker builds the answer again.
import { createHash } from 'node:crypto'
import { BadRequest, Broken, Upstream } from '#schemas/errors.ts'
import { type HistoryAnswer, historyOf } from '#warehouse/answers/receipt-diff/history.ts'
import { type DiffTools, diffReceipts } from '#warehouse/answers/receipt-diff/receipt-diff.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { jwsQueue, type Queue, reproduceQueue } from '#warehouse/store/queue.ts'
import { parseCanonical } from '#warehouse/store/receipts/canonical.ts'
import { findDocumentKinds } from '#warehouse/store/receipts/document-kinds.ts'
import { findBundle, findVerification } from '#warehouse/store/receipts/find-bundle.ts'
import { detachedJws, jwsTag, type SignedJws } from '#warehouse/store/receipts/jws.ts'
import { findNamedManifest } from '#warehouse/store/receipts/log/find-manifest.ts'
import { checkStatement } from '#warehouse/store/receipts/statement.ts'
import { getReceipt, listKeys } from '#warehouse/store/receipts/store.ts'
import { type Reproduced, verifyAnswer } from '#warehouse/store/receipts/verify.ts'
import { touchRequested } from '#warehouse/store/requested-answers.ts'
import type { Answered, Handler } from '../handler.ts'
import type { Serving } from '../serving.ts'
import { receiptCheckHandler } from './check.ts'
import { receiptLogHandlers } from './log.ts'

/** Maximum wait of a verification for the answer to be reproduced. */
const reproducingMs = 15_000
const pollMs = 50
/** Polling interval for a failure of the worker. */
const failureEveryMs = 500

const json = (body: unknown, release: number | null = null, receiptId: string | null = null): Answered =>
  answered(Buffer.from(JSON.stringify(body)), release, receiptId)

const answered = (body: Buffer, release: number | null, receiptId: string | null): Answered => ({
  kind: 'bytes',
  body,
  etag: createHash('sha256').update(body).digest('base64url').slice(0, 27),
  release,
  last_modified: null,
  receipt_id: receiptId,
  immutable: false,
})

export function receiptHandlers(serving: Serving, queue: Queue) {
  const folder = serving.receiptLog
  async function verification(id: string): Promise<Answered> {
    const { verification: verified, proof, release } = await findVerification(serving.db, folder, id)
    const reproduction = await reproduced(id)
    const [manifest, documents] = await Promise.all([
      findNamedManifest(serving.db, serving.data, release),
      findDocumentKinds(
        serving.db,
        (verified.statement?.predicate.sources ?? []).map(each => each.sha256),
      ),
    ])
    const answer = verifyAnswer(verified, reproduction, { proof, manifest, documents })
    // A receipt whose answer cannot be reproduced from the raw documents is not reliable, even with a valid signature.
    return json(reproduction.reproduced === false ? { ...answer, valid: false } : answer, release, id)
  }

  async function reproduced(id: string): Promise<Reproduced> {
    const { output, reason } = await askWorker<Reproduced>(queue, reproduceQueue, id)
    return output ? { reproduced: output.reproduced, from: output.from, reason: output.reason } : { reproduced: null, from: null, reason }
  }

  const verifyReceiptHandler: Handler<'verify_receipt'> = question => verification(question.receipt_id)
  const verifyLineage: Handler<'verify_lineage'> = question => verification(question.id)
  const getOne: Handler<'get_receipt'> = async question => {
    const receipt = await getReceipt(serving.db, question.receipt_id)
    const parsed = parseCanonical(receipt.statement_bytes, 'statement')
    if ('fault' in parsed) throw new Broken(`receipt ${receipt.receipt_id}: its statement is ${parsed.fault}`)
    const statement = checkStatement(parsed.value)
    const body = {
      receipt_id: receipt.receipt_id,
      statement,
      statement_base64: receipt.statement_bytes.toString('base64'),
      payload_type: 'application/vnd.in-toto+json',
      signature: receipt.signature.toString('base64'),
      key_id: receipt.kid,
      superseded_by: await successor(serving.db, receipt.receipt_id),
      as_of: statement.predicate.as_of,
      release: statement.predicate.release,
      sources: (statement.predicate.sources ?? []).map(source => ({
        name: 'accession' in source ? 'SEC EDGAR' : source.source,
        accession: 'accession' in source ? source.accession : null,
        url: source.url ?? null,
        retrieved_at: null,
        sha256: source.sha256,
      })),
    }
    return json(body, statement.predicate.release, receipt.receipt_id)
  }

  const listed: Handler<'list_receipt_keys'> = async () => json(await listKeys(serving.db))
  return {
    verify_receipt: verifyReceiptHandler,
    verify_lineage: verifyLineage,
    get_receipt: getOne,
    get_receipt_bundle: bundleHandler(serving),
    list_receipt_keys: listed,
    get_receipt_diff: diffHandler(serving),
    get_receipt_jws: jwsHandler(serving, queue),
    check_receipts: receiptCheckHandler(serving),
    get_receipt_history: historyHandler(serving),
    ...receiptLogHandlers(serving),
  }
}

type Reply<T> = { readonly output: T; readonly reason: null } | { readonly output: null; readonly reason: string }
/** Sends a request about a receipt to the worker and waits for the output, or returns why there is none. */
async function askWorker<T>(queue: Queue, name: string, id: string): Promise<Reply<T>> {
  const job = await queue.send(
    name,
    { partition: id, from: null, to: null, symbols: null, backfill_id: null, request: { receipt_id: id } },
    { key: `${id} ${Date.now()}` },
  )
  if (job === null) return { output: null, reason: 'another request for this receipt is under way: ask again' }
  for (let waited = 0; waited < reproducingMs; waited += pollMs) {
    await new Promise(resolve => setTimeout(resolve, pollMs))
    const output = (await queue.output(name, job)) as T | null
    if (output) return { output, reason: null }
    const failure = waited % failureEveryMs === 0 ? await queue.failure(name, job) : null
    if (failure) return { output: null, reason: failure.shown ?? 'the worker failed, and its log has the reason: ask again, or inform the operator' }
  }
  return { output: null, reason: 'no worker answered in time: ask again' }
}

/** The receipt as JWS, which only the worker can sign. */
function jwsHandler(serving: Serving, queue: Queue): Handler<'get_receipt_jws'> {
  return async question => {
    const { receipt_id } = await getReceipt(serving.db, question.receipt_id)
    const { output, reason } = await askWorker<SignedJws>(queue, jwsQueue, receipt_id)
    if (output === null) throw new Upstream(`receipt ${receipt_id} was not signed as JWS: ${reason}`, { retryAfterSeconds: 5 })
    if (output.refused !== null)
      throw new BadRequest(`receipt ${receipt_id} is not valid (${output.refused}), so it is not signed as JWS`, {
        hint: `GET /api/v1/data/receipts/${receipt_id}/verify has its checks`,
      })
    if (output.jws === null)
      throw new Upstream('this service has no usable signing key, so nothing is signed as JWS', {
        hint: 'GET /api/v1/data/receipts/{receipt_id}/bundle has the signature of the receipt itself',
        retryAfterSeconds: 60,
      })
    const body = question.detached === true ? detachedJws(output.jws) : output.jws
    return { kind: 'text', body, media_type: 'application/jose', etag: jwsTag(body) }
  }
}

/** The bundle; fetching it is a use of its answer. */
function bundleHandler(serving: Serving): Handler<'get_receipt_bundle'> {
  return async question => {
    const { bytes, release } = await findBundle(serving.db, serving.receiptLog, question.receipt_id)
    await touchRequested(serving.db, question.receipt_id)
    return answered(bytes, release, question.receipt_id)
  }
}

/** The receipt of the same question at a later release, if its answer changed. */
async function successor(db: Db, id: string): Promise<string | null> {
  const page = await db.selectFrom('page').select(['operation', 'question', 'release_from']).where('receipt_id', '=', id).executeTakeFirst()
  if (!page) return null
  const later = await db
    .selectFrom('page')
    .select('receipt_id')
    .where('operation', '=', page.operation)
    .where('question', '=', page.question)
    .where('release_from', '>', page.release_from)
    .where('receipt_id', 'is not', null)
    .orderBy('release_from', 'desc')
    .limit(1)
    .executeTakeFirst()
  return later?.receipt_id ?? null
}

/** What changed between two answers; both are made again from their releases if they are not stored. */
function diffHandler(serving: Serving): Handler<'get_receipt_diff'> {
  return async question => {
    const contextOf: DiffTools['contextOf'] = (release, asOf) => serving.releaseContext(release, asOf)
    const difference = await diffReceipts({ db: serving.db, contextOf }, question.a, question.b)
    return json(difference, difference.after.release)
  }
}

/** Time of a history request: the rest of the releases is left to the next request. */
const historyMs = 10_000

/** The releases in which a value changed. Each answer is signed by a call of its operation, as the same caller. */
function historyHandler(serving: Serving): Handler<'get_receipt_history'> {
  return async ({ receipt_id, path, from, to, after, limit }, { operation_calls }) => {
    const begun = performance.now()
    const call = operation_calls(undefined, null)
    const tools = {
      db: serving.db,
      contextOf: ((release, asOf) => serving.releaseContext(release, asOf)) satisfies DiffTools['contextOf'],
      catalogue: serving.catalogue(),
      isLate: () => performance.now() - begun > historyMs,
      async sign({ operation, parameters, release }: HistoryAnswer) {
        const outcome = await call({ operation, parameters: { ...parameters, release } }, { signal: AbortSignal.timeout(historyMs), signed: true })
        return outcome.ok ? outcome.receipt_id : null
      },
    }
    const question = { path, from: from ?? null, to: to ?? null, after: after ?? null, limit }
    return json(await historyOf(tools, receipt_id, question), serving.head().release)
  }
}
