// Classifies a response: a document, nothing new, or the reason why it is neither. Pure.
import { type CrossfileError, NotFound, Upstream as UpstreamError } from '#schemas/errors.ts'
import { excerpt, misshapen } from '../sources/sniff.ts'
import type { Answer, Upstream } from '../sources/upstream.ts'
import { retryAfterSeconds, secondsUntil } from './retry.ts'

export type Verdict =
  | { readonly kind: 'document' }
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly error: CrossfileError
      /** True if the same process may retry. */
      readonly retry: boolean
      /** The wait that the upstream requested. */
      readonly seconds: number | null
      /** Seconds for which no process sends requests, or null. */
      readonly stop: number | null
      /** False if the response counts as a failure for the breaker. */
      readonly healthy: boolean
    }

export type Failure = Extract<Verdict, { kind: 'failed' }>

/** `subject` is the address without credentials; `clean` removes secrets from the upstream's text. */
export function evaluate(
  upstream: Upstream,
  answer: Answer,
  requested: { subject: string; conditional: boolean; nowMs: number; clean: (text: string) => string },
): Verdict {
  const { subject, nowMs, clean } = requested
  const { status } = answer
  const seconds = retryAfterSeconds(answer.headers['retry-after'], nowMs)
  const failed = (reason: string, fact: string, more: Partial<Failure> = {}): Failure => {
    const wait = more.stop ?? seconds
    const error = new UpstreamError(clean(`${upstream.name}: ${subject}: ${fact}`), {
      ...(wait === null ? {} : { retryAfterSeconds: wait }),
      ...(reason === 'key_refused' && upstream.key !== null ? { hint: `check ${upstream.key.env} and what its plan covers` } : {}),
    })
    return { kind: 'failed', reason, error, retry: false, seconds, stop: null, healthy: true, ...more }
  }
  const missing = (reason: string, fact: string): Failure => ({
    ...failed(reason, fact),
    error: new NotFound(clean(`${upstream.name}: ${subject} does not exist: ${fact}`)),
    seconds: null,
  })

  const disguise = upstream.disguised(answer)
  if (disguise !== null) {
    if (disguise.means === 'not_found') return missing(disguise.reason, disguise.detail)
    const own = typeof disguise.stop === 'string' ? secondsUntil(disguise.stop, nowMs) : disguise.stop
    const stop = own === null ? null : Math.max(own, seconds ?? 0)
    return failed(disguise.reason, disguise.detail, { retry: disguise.retry, stop, seconds: stop ?? seconds, healthy: !disguise.retry })
  }
  if (status === 304)
    return requested.conditional ? { kind: 'unchanged' } : failed('unasked_304', 'status 304 to a request without conditions', { healthy: false })
  if (status === 404 || status === 410) return missing(`status_${status}`, `status ${status}`)
  if (status === 429) {
    return failed('throttled', `status 429: "${excerpt(answer.head)}"`, { retry: true, stop: seconds ?? 60, seconds: seconds ?? 60 })
  }
  if (status >= 500 || status === 408 || status === 425) {
    return failed(`status_${status}`, `status ${status}: "${excerpt(answer.head)}"`, { retry: true, healthy: false })
  }
  if (status === 401 || status === 403) return failed('key_refused', `status ${status}: "${excerpt(answer.head)}"`)
  if (status < 200 || status >= 300) return failed(`status_${status}`, `status ${status}: "${excerpt(answer.head)}"`)
  if (status === 206) return failed('partial_content', 'status 206 to a request for the whole document')
  const shape = misshapen(answer, upstream.expects(answer.url))
  if (shape !== null) return failed(shape.reason, shape.detail, { retry: shape.retry, healthy: false })
  return { kind: 'document' }
}
