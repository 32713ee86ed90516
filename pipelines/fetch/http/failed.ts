// Verdicts on requests that gave no response, and the words that reach a log or an error.
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import type { Upstream } from '../sources/upstream.ts'
import type { Fault } from './exchange.ts'
import type { NoSession } from './session.ts'
import type { Failure } from './verdict.ts'

/** Removes secrets from a text. */
export type Clean = (text: string) => string

export const failure = (upstream: Upstream, subject: string, fault: Fault | null, clean: Clean): Failure => ({
  kind: 'failed',
  reason: fault?.reason ?? 'broken_connection',
  error: new UpstreamError(clean(`${upstream.name}: ${subject}: ${fault?.fact ?? 'no answer'}`), { cause: cleanCause(fault?.cause, clean) }),
  retry: fault?.retry ?? true,
  seconds: null,
  stop: null,
  healthy: false,
})

export const withoutSession = (upstream: Upstream, subject: string, none: NoSession, clean: Clean): Failure => ({
  kind: 'failed',
  reason: none.reason,
  error: new UpstreamError(clean(`${upstream.name}: ${subject}: no session: ${none.fact}`), { retryAfterSeconds: none.seconds }),
  retry: false,
  seconds: none.seconds,
  // Requests without a session may continue, unless the refusal was about our pace.
  stop: none.reason === 'throttled' ? none.seconds : null,
  healthy: true,
})

/** The cause is kept for the operator's log; an upstream's or undici's message may contain the requested address. */
function cleanCause(cause: unknown, clean: Clean): unknown {
  if (!(cause instanceof Error)) return cause
  const copy = new Error(clean(cause.message))
  copy.name = cause.name
  return Object.assign(copy, 'code' in cause ? { code: cause.code } : {})
}
