// Handlers of operations answered from the lake: a stored page if there is one, otherwise the builder; signed on request.
import { hash } from 'node:crypto'
import type { UnsignedReason } from '#schemas/answer.ts'
import { cursorRelease } from '#schemas/cursor.ts'
import { NotFound, Upstream } from '#schemas/errors.ts'
import { canonicalQuery, inputSha256 } from '#schemas/operations/canonical.ts'
import { answerOf, buildPayload, completeQuestion, type LakeOperation, lakeOperationIds } from '#warehouse/answers/index.ts'
import { resolveHeld, withUnlisted } from '#warehouse/answers/listed.ts'
import { type PagedOperation, pagedOperation } from '#warehouse/answers/paged.ts'
import type { QuestionOf } from '#warehouse/answers/types.ts'
import type { Payload, ReleaseContext } from '#warehouse/context/answer.ts'
import { issuerCik } from '#warehouse/context/issuer.ts'
import { type FoundPage, findPage } from '#warehouse/store/pages.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { type Failure, type Queue, type SignOutput, signQueue } from '#warehouse/store/queue.ts'
import { spliceReceiptId } from '#warehouse/store/receipts/receipt.ts'
import { touchRequested } from '#warehouse/store/requested-answers.ts'
import type { AnswerTags } from './answer-tags.ts'
import type { IssuerRefresh, Staleness } from './data/issuer-refresh.ts'
import type { Answered, Context, Handler } from './handler.ts'
import { modelBuilds } from './model-builds.ts'
import type { Serving } from './serving.ts'

/** How long a request for a signature waits for the worker. */
const signingMs = 5_000
const signingPollMs = 25
/** After this number of polls for the signed page, the worker's report that it cannot sign is read. */
const outputEvery = 4
/** Maximum wait for a page that is not built yet, before it is served unsigned. */
const pageMs = 1_500
const withoutReceipt = 'repeat the request later, or without receipt=1'
/** How long an unsigned answer that should be signed may be repeated from the cache. */
const unsignedRepeatMs = 5_000

type Question = Readonly<Record<string, unknown>> & { readonly as_of?: string; readonly release?: number; readonly receipt?: boolean }
export type LakeHandlers = { readonly [Id in LakeOperation]: Handler<Id> }

type TagOf = AnswerTags['tagOf']

export function lakeHandlers(serving: Serving, queue: Queue, refreshIssuer: IssuerRefresh | null, tagOf: TagOf): LakeHandlers {
  const handlers = lakeOperationIds.map(id => [id, (question: Question, context: Context) => answer(id, question, context)])
  const builds = modelBuilds(serving.db, queue)
  return Object.fromEntries(handlers) as LakeHandlers

  async function answer(id: LakeOperation, requested: Question, context: Context): Promise<Answered> {
    const { release: _release, receipt, ...rest } = requested
    const now = context.dataNow().toISOString()
    const { refreshes_issuer, needs_symbol, from_model, missing = unknownSymbol } = answerOf(id)
    const plain: Question = completeQuestion(id, rest, { now, pinned: requested.release !== undefined })
    // The posted body is identified by its hash, under which the answer is stored and signed. Only the hash is stored.
    const posted = context.operation.body !== null
    const question: Question = posted ? { ...plain, input_sha256: inputSha256(context.body) } : plain
    const wanted: Question = posted ? { ...plain, body: context.body } : question
    // A list continues in the release in which it began.
    const pinned = requested.release ?? (typeof requested['cursor'] === 'string' ? cursorRelease(requested['cursor']) : null)
    const stale = refreshes_issuer && pinned === null && question.as_of === undefined ? await freshen(question, context.dataNow()) : null
    // The release was selected when the request arrived; only an issuer that was just refreshed is newer.
    const newest = refreshes_issuer ? serving.head().release : (context.release ?? 0)
    const release = pinned ?? (from_model ? await builds.builtRelease(newest) : newest)
    // This instant is after every fact of the release, so its listings are read once, not once a second.
    const subject = String(question['symbol'] ?? question['ticker'] ?? '')
    const releaseContext = await withUnlisted(await serving.releaseContext(release, requested.as_of ?? null), subject)
    const paged = pagedOperation(id)
    const standard = paged?.standard(question, releaseContext) ?? false
    if (standard) {
      const page = await findPage(serving.db, id, canonicalQuery(question), release)
      if (page?.payload && isCurrent(page, page.payload, question, subject, releaseContext, paged)) {
        if (stale && receipt !== true) return outdated(page.payload, page.release_from, page.as_of, storedCursor(page.payload), stale)
        return signed(page, requested.release !== undefined)
      }
    }
    if (needs_symbol) await resolveHeld(releaseContext, subject)
    const payload = await builds.awaiting(() => buildPayload(id, releaseContext, wanted as QuestionOf<typeof id>, now))
    if (!payload) throw missing(question)
    if (stale && receipt !== true) return outdated(payload.payload, payload.release, payload.as_of, payload.next_cursor, stale)
    if (receipt === true || standard) {
      const page = await sign(id, question, wanted, payload, now, receipt === true ? signingMs : pageMs)
      if (page === 'off') return unsigned(payload, 'no_signing_key')
      if (page && 'failure' in page) {
        if (receipt !== true) return unsigned(payload, 'not_signed_in_time')
        const why = page.failure.shown ?? 'the worker failed, and its log has the reason'
        throw new Upstream(`the receipt could not be signed: ${why}`, { retryAfterSeconds: 60, hint: withoutReceipt })
      }
      if (page) return signed(page, requested.release !== undefined)
      if (receipt !== true) return unsigned(payload, 'not_signed_in_time')
      throw new Upstream('the receipt could not be signed in time: no worker answered', { retryAfterSeconds: 5, hint: withoutReceipt })
    }
    return plainAnswer(payload, requested.release !== undefined, tagOf(id, context.name, release))
  }

  /** Updates one issuer's filings first, if the worker can reach the source. For an unknown issuer no source is requested. */
  async function freshen(question: Question, now: Date): Promise<Staleness> {
    if (!refreshIssuer) return null
    const releaseContext = await withUnlisted(await serving.releaseContext(null, null), question['ticker'])
    const cik =
      typeof question['cik'] === 'string'
        ? question['cik']
        : typeof question['ticker'] === 'string'
          ? issuerCik(releaseContext, question['ticker'])
          : null
    return cik !== null && (await isKnownIssuer(releaseContext, cik)) ? await refreshIssuer(cik, now) : null
  }

  async function sign(
    id: LakeOperation,
    question: Question,
    wanted: Question,
    payload: Payload,
    now: string,
    waitMs: number,
  ): Promise<FoundPage | { readonly failure: Failure } | 'off' | null> {
    const key = canonicalQuery(question)
    const at = Math.max(payload.release, 1)
    const held = await signedPage(id, key, at)
    if (held) return await used(serving.db, held)
    const job = await queue.send(signQueue, {
      partition: `${id} ${key}`.slice(0, 500),
      from: null,
      to: null,
      symbols: null,
      backfill_id: null,
      request: { operation: id, question, release: Math.max(payload.release, 1), now, body: wanted['body'] },
    })
    for (let look = 1; look * signingPollMs <= waitMs; look += 1) {
      await new Promise(resolve => setTimeout(resolve, signingPollMs))
      const page = await signedPage(id, key, at)
      if (page) return page
      if (job === null || look % outputEvery !== 0) continue
      const output = (await queue.output(signQueue, job)) as SignOutput | null
      if (output?.signing === 'off') return 'off'
      const failure = output === null ? await queue.failure(signQueue, job) : null
      if (failure !== null) return { failure }
    }
    return null
  }

  async function signedPage(id: LakeOperation, key: string, release: number): Promise<FoundPage | null> {
    const page = await findPage(serving.db, id, key, release)
    return page?.payload && page.release_from === release ? page : null
  }
}

/** The page, with its use recorded: the bound on requested answers removes the longest unused. */
async function used(db: Db, page: FoundPage): Promise<FoundPage> {
  if (page.receipt_id !== null) await touchRequested(db, page.receipt_id)
  return page
}

/**
 * A page covers the listings of its symbol at its release. If one of them changed since, or the ticker now means another issuer, the page
 * is outdated.
 */
function isCurrent(
  page: FoundPage,
  payload: Buffer,
  question: Question,
  subject: string,
  releaseContext: ReleaseContext,
  paged: PagedOperation | undefined,
): boolean {
  if (subject !== '' && page.release_from < releaseContext.symbols.changedIn(subject)) return false
  return paged?.isCurrent?.(payload, question, releaseContext) ?? true
}

function unknownSymbol(question: Question): NotFound {
  const symbol = String(question['symbol'] ?? question['ticker']).slice(0, 32)
  return new NotFound(`no price of ${symbol} is known`, { hint: `GET /api/v1/market/symbols/${symbol} returns where it is listed` })
}

async function isKnownIssuer({ symbols, issuers, lake }: ReleaseContext, cik: string): Promise<boolean> {
  if (symbols.byCik(cik).length > 0 || issuers.symbolsOf(cik).length > 0 || issuers.hasInsiderFilings(cik)) return true
  return await lake.holds('filings', [cik])
}

const whyStale = {
  failed: 'the filings source could not be queried just now',
  slow: 'the filings source has not answered within 8 seconds',
  no_worker: 'no worker queried the filings source within 8 seconds',
} as const

/** An answer from the last release with the reason why it is not newer. The reason depends on the time, so the answer has no receipt. */
function outdated(payload: Buffer, release: number, asOf: string, nextCursor: string | null, stale: NonNullable<Staleness>): Answered {
  const freshness = `${whyStale[stale.reason]}: this is what release ${release} holds, as of ${asOf}`
  const body = Buffer.concat([payload.subarray(0, -1), Buffer.from(`,"stale":true,"freshness":${JSON.stringify(freshness)}}`)])
  return bytes(body, release, asOf, null, false, nextCursor)
}

function plainAnswer({ payload, release, as_of, next_cursor }: Payload, pinned: boolean, tag: string | null): Answered {
  return bytes(payload, release, as_of, null, pinned, next_cursor, tag ?? undefined)
}

/** An answer that is usually signed, with the reason why it is not; a later request may be signed. */
function unsigned({ payload, release, as_of, next_cursor }: Payload, reason: UnsignedReason): Answered {
  const body = Buffer.concat([payload.subarray(0, -1), Buffer.from(`,"unsigned_reason":"${reason}"}`)])
  return { ...bytes(body, release, as_of, null, false, next_cursor), repeat_ms: unsignedRepeatMs }
}

function signed(page: FoundPage, pinned: boolean): Answered {
  const payload = page.payload as Buffer
  const id = page.receipt_id as string
  return bytes(spliceReceiptId(payload, id), page.release_from, page.as_of, id, pinned, storedCursor(payload))
}

function bytes(
  body: Buffer,
  release: number,
  asOf: string,
  receiptId: string | null,
  pinned: boolean,
  nextCursor: string | null,
  etag: string = hash('sha256', body, 'base64url').slice(0, 27),
): Extract<Answered, { kind: 'bytes' }> {
  return { kind: 'bytes', body, etag, release, last_modified: asOf, receipt_id: receiptId, immutable: pinned, next_cursor: nextCursor }
}

/** The cursor of a stored page, which has only its bytes: from its last kilobytes, for the envelope follows the rows. */
function storedCursor(body: Buffer): string | null {
  const at = body.lastIndexOf('"next_cursor":"')
  if (at < 0) return null
  const from = at + '"next_cursor":"'.length
  return body.toString('latin1', from, body.indexOf('"', from))
}
