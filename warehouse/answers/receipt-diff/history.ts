// The revision history of one value: the question of a receipt is answered at each release that changed one of its datasets, and the
// releases in which the value at a place differs from the one before are returned.
import { BadRequest } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { ReceiptHistory } from '#schemas/receipt-history.ts'
import type { Payload, ReleaseContext } from '../../context/answer.ts'
import { type Catalogue, type DatasetRelease, versionAt } from '../../store/lake/catalogue.ts'
import { buildPayload, isLakeOperation, type LakeOperation } from '../index.ts'
import { type DiffTools, getSigned, namedOperation, signedPayload } from './receipt-diff.ts'
import { pathOfPointer, valueAt } from './values.ts'

/** Releases of one request. */
const mostCompared = 500

export type HistoryAnswer = {
  readonly operation: LakeOperation
  readonly question: Readonly<Record<string, unknown>>
  readonly parameters: Readonly<Record<string, string>>
  readonly release: number
  readonly answer: Payload
  readonly context: ReleaseContext
}
export type HistoryTools = DiffTools & {
  readonly catalogue: Catalogue
  /** Signs an answer as a request with receipt=1 and release=N does; null if it cannot be signed. */
  readonly sign: (answer: HistoryAnswer) => Promise<string | null>
  /** True when the time of the request is over. */
  readonly isLate: () => boolean
}
export type HistoryQuestion = {
  /** A path as a difference names it, or a JSON Pointer (RFC 6901) into the signed answer. */
  readonly path: string
  /** Instants between which a release was committed; null: no limit. */
  readonly from: string | null
  readonly to: string | null
  /** Continues behind this release; null: from the beginning. */
  readonly after: number | null
  readonly limit: number
}

/**
 * The history, oldest first. The first revision of a range has the value that was valid when the range began. Throws `BadRequest` for a
 * place that the receipt's answer does not have, an answer that cannot be made again, and as `getReceipt`.
 */
export async function historyOf(tools: HistoryTools, receiptId: string, requested: HistoryQuestion): Promise<ReceiptHistory> {
  const signed = await getSigned(tools.db, receiptId)
  const named = namedOperation(signed.statement)
  const parsed = named?.operation.question.safeParse(named.parameters)
  if (!named || !parsed?.success || !isLakeOperation(named.operation.id) || named.operation.body !== null)
    throw new BadRequest(`receipt ${receiptId}: its question cannot be answered at other releases`, {
      hint: 'use the receipt of a GET request that this version of the service answers',
    })
  const operation = named.operation.id
  const question = parsed.data as Readonly<Record<string, unknown>>
  const asOf = named.parameters['as_of'] ?? null
  const { release: own, as_of: now } = signed.statement.predicate
  const payload = await signedPayload(tools, signed)
  if (payload === null) throw new BadRequest(`receipt ${receiptId}: its answer is not stored, and making it again gives other bytes`)
  const path = placeIn(parseExactly(payload.payload.toString('utf8')), requested.path, receiptId)
  const answerAt = async (release: number) => {
    const context = await tools.contextOf(release, asOf)
    return { context, answer: await buildPayload(operation, context, question as never, now) }
  }
  const datasets = (await answerAt(own)).answer?.datasets ?? []
  const releases = candidates(tools.catalogue, datasets, requested)
  const revisions: ReceiptHistory['revisions'] = []
  let last: string | null = requested.after === null ? null : await valueOf(requested.after)
  let compared = 0
  let next: number | null = null
  async function valueOf(release: number): Promise<string | null> {
    const { answer } = await answerAt(release)
    return answer === null ? null : valueAt(parseExactly(answer.payload.toString('utf8')), path)
  }
  for (const [at, { release, committed_at }] of releases.entries()) {
    if (revisions.length >= requested.limit || compared >= mostCompared || (at > 0 && tools.isLate())) {
      next = releases[at - 1]?.release ?? requested.after
      break
    }
    const { context, answer } = await answerAt(release)
    compared += 1
    const value = answer === null ? null : valueAt(parseExactly(answer.payload.toString('utf8')), path)
    if (value === last) continue
    last = value
    const receipt_id = answer === null ? null : await tools.sign({ operation, question, parameters: named.parameters, release, answer, context })
    revisions.push({ release, committed_at, value, receipt_id })
  }
  return { question: signed.statement.subject[0]?.name ?? '', path, count: revisions.length, revisions, compared, next_after: next }
}

/** The place as a path. Throws `BadRequest` if the answer does not have it. */
function placeIn(answer: unknown, place: string, receiptId: string): string {
  const path = place.startsWith('/') ? pathOfPointer(answer, place) : place
  if (path !== null && path !== '' && valueAt(answer, path) !== null) return path
  const members = typeof answer === 'object' && answer !== null ? Object.keys(answer).join(', ') : ''
  throw new BadRequest(`the answer of receipt ${receiptId} has no value at ${place.slice(0, 200)}`, {
    hint: `a path such as bars[date=2026-05-15].close, as a difference names it, or a JSON Pointer such as /bars/0/close; its members are ${members}`,
  })
}

/** The releases that changed one of the datasets, oldest first; the first one is that which was valid when the range began. */
function candidates(catalogue: Catalogue, datasets: readonly string[], { from, to, after }: HistoryQuestion): DatasetRelease[] {
  const all = new Map(datasets.flatMap(dataset => catalogue.releases.get(dataset) ?? []).map(each => [each.release, each]))
  const sorted = [...all.values()].filter(each => each.release <= catalogue.release).sort((a, b) => a.release - b.release)
  const until = to === null ? sorted : sorted.filter(each => Date.parse(each.committed_at) <= Date.parse(to))
  if (after !== null) return until.filter(each => each.release > after)
  if (from === null) return until
  const before = until.findLast(each => Date.parse(each.committed_at) < Date.parse(from))
  const within = until.filter(each => Date.parse(each.committed_at) >= Date.parse(from))
  return before ? [{ ...before, ...versionAt(catalogue, datasets, before.release) }, ...within] : within
}
