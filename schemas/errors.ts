// The error tree. What each means, the HTTP status it becomes and what a job does about it stand in one table.

export type ErrorCode =
  | 'bad_request'
  | 'validation_error'
  | 'unauthorized'
  | 'forbidden'
  | 'tier_required'
  | 'not_found'
  | 'conflict'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'upstream_unavailable'
  | 'internal_error'

/** What the job that threw does next. */
export type JobReaction = 'dead_letter' | 'done' | 'retry' | 'stop'

export type Details = { readonly hint?: string; readonly code?: ErrorCode; readonly cause?: unknown }

/** Every error that we throw on purpose. `message` names the subject, the fact and the limit; `hint` what to change. */
export abstract class CrossfileError extends Error {
  abstract readonly status: number
  abstract readonly reaction: JobReaction
  readonly code: ErrorCode
  readonly hint: string | undefined
  constructor(message: string, code: ErrorCode, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = details.code ?? code
    this.hint = details.hint
  }
}

export type BodyFault = { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }

/** The asker can mend it; `hint` says how. */
export class BadRequest extends CrossfileError {
  readonly status: number
  readonly reaction = 'dead_letter'
  /** Members of a body that are not as described: the answer's `detail` (422). */
  readonly items: readonly BodyFault[] | undefined
  constructor(message: string, details: Details & { readonly status?: number; readonly items?: readonly BodyFault[] } = {}) {
    super(message, 'bad_request', details)
    this.status = details.status ?? 400
    this.items = details.items
  }
}
/** The thing does not exist: never thrown because we could not ask. */
export class NotFound extends CrossfileError {
  readonly status = 404
  readonly reaction = 'done'
  constructor(message: string, details: Details = {}) {
    super(message, 'not_found', details)
  }
}
/** No credential, or one that is not valid. */
export class Unauthorized extends CrossfileError {
  readonly status = 401
  readonly reaction = 'dead_letter'
  constructor(message: string, details: Details = {}) {
    super(message, 'unauthorized', details)
  }
}
/** A valid credential without the permission. */
export class Forbidden extends CrossfileError {
  readonly status = 403
  readonly reaction = 'dead_letter'
  constructor(message: string, details: Details = {}) {
    super(message, 'forbidden', details)
  }
}
/** Asked too often for now; the same request passes later. */
export class TooMany extends CrossfileError {
  readonly status = 429
  readonly reaction = 'retry'
  readonly retryAfterSeconds: number
  constructor(message: string, details: Details & { readonly retryAfterSeconds: number }) {
    super(message, 'rate_limited', details)
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}
/** We could not ask: the upstream refused, stalled, or answered something that is not an answer. */
export class Upstream extends CrossfileError {
  readonly status = 503
  readonly reaction = 'retry'
  /** Seconds after which asking again makes sense; null where nobody said. */
  readonly retryAfterSeconds: number | null
  constructor(message: string, details: Details & { readonly retryAfterSeconds?: number } = {}) {
    super(message, 'upstream_unavailable', details)
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}
/** A queue is full, so the request was refused before any work was done: nothing failed, and the same request passes later. */
export class Overloaded extends Upstream {}
/** A stored file of a dataset is damaged or missing: requests that need it are refused until it is repaired, all others are answered. */
export class Damaged extends Upstream {
  readonly dataset: string
  constructor(dataset: string, what: string, details: Details = {}) {
    super(`the dataset ${dataset} is damaged: ${what}`, {
      hint: 'the operator repairs it with: crossfile repair; requests that do not need it are answered',
      ...details,
      retryAfterSeconds: 60,
    })
    this.dataset = dataset
  }
}
/** We hold the bytes and could not read them: the raw document is kept and quarantined. */
export class Unreadable extends CrossfileError {
  readonly status = 503
  readonly reaction = 'dead_letter'
  /** Machine-readable reason, snake_case, as quarantine lists it. */
  readonly reason: string
  constructor(reason: string, message: string, details: Details = {}) {
    super(message, 'upstream_unavailable', details)
    this.reason = reason
  }
}
/** A promise of ours failed: a hash differs, a key stands twice, a fence was lost. */
export class Broken extends CrossfileError {
  readonly status = 500
  readonly reaction = 'stop'
  constructor(message: string, details: Details = {}) {
    super(message, 'internal_error', details)
  }
}
