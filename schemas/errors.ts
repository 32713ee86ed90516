// The error classes: a table of their meaning, HTTP status and effect on a job.

type ErrorText = {
  /** Every HTTP status that a response with this code can have. */
  readonly statuses: readonly number[]
  readonly meaning: string
  readonly action: string
}

/** Every code of an error response (docs/reference/errors.md is generated from this table). Texts are Markdown. */
export const errorCodes = {
  bad_request: {
    statuses: [400, 408, 412, 416, 431],
    meaning:
      'The path, the query, a header or the HTTP framing is not valid. 408: the request did not arrive in time. 412: the file is not the one that `If-Match` names. 416: the range is outside the file. 431: the headers are larger than 16 KiB.',
    action: 'Correct what `hint` names. Do not repeat the request unchanged.',
  },
  validation_error: {
    statuses: [422],
    meaning: 'A member of the body is not valid. `detail` is a list with `loc`, `msg` and `type` of each.',
    action: 'Correct the members that `detail` lists.',
  },
  unauthorized: {
    statuses: [401],
    meaning: 'The request has no credential, or one that is not valid.',
    action: 'Send `Authorization: Bearer KEY`, or sign in again.',
  },
  forbidden: {
    statuses: [403],
    meaning: 'The credential is valid and has no permission for this operation.',
    action: 'Use a key with the scope that `hint` names.',
  },
  tier_required: {
    statuses: [403],
    meaning: 'The operation needs a higher tier. `required_tier` names the lowest one.',
    action: 'Use a key of that tier. See `GET /api/v1/data/plans`.',
  },
  not_found: {
    statuses: [404],
    meaning: 'The path, or the object that it names, does not exist.',
    action: 'Check the spelling. `hint` names the nearest match when there is one.',
  },
  conflict: {
    statuses: [409],
    meaning: 'The request contradicts the present state: for example, the object exists already.',
    action: 'Read the present state, then decide.',
  },
  method_not_allowed: {
    statuses: [405],
    meaning: 'The path exists and does not support this method.',
    action: 'Use a method that the `Allow` header lists.',
  },
  not_acceptable: {
    statuses: [406],
    meaning: 'The operation does not offer the requested format.',
    action: 'Request a format that `hint` lists.',
  },
  payload_too_large: {
    statuses: [413],
    meaning: 'The body is larger than this operation reads.',
    action: 'Send at most 64 KiB, or the size that the description of the operation states.',
  },
  uri_too_long: {
    statuses: [414],
    meaning: 'The address is longer than 8192 characters, or a part of its path is longer than 128.',
    action: 'Shorten the query or the path.',
  },
  unsupported_media_type: {
    statuses: [415],
    meaning: 'The body has a media type or an encoding that the operation does not read.',
    action: 'Send JSON with `Content-Type: application/json`, or the type that the operation describes.',
  },
  rate_limited: {
    statuses: [429],
    meaning: 'The limit of the key or of the address is used up. No work was done.',
    action: 'Repeat the request after the seconds in `Retry-After`.',
  },
  upstream_unavailable: {
    statuses: [503],
    meaning: 'The service cannot answer now: the database, an upstream, a full queue or a damaged file prevents it. `detail` names which.',
    action: 'Repeat the request after the seconds in `Retry-After`. If there is no such header, inform the operator.',
  },
  internal_error: {
    statuses: [500],
    meaning: 'A fault in the service. The cause is in the log under the `X-Request-Id` of the response.',
    action: 'Repeat the request. If it fails again, report its `X-Request-Id` to the operator.',
  },
} as const satisfies Readonly<Record<string, ErrorText>>

export type ErrorCode = keyof typeof errorCodes

/** The effect on the job that threw the error. */
export type JobReaction = 'dead_letter' | 'done' | 'retry' | 'stop'

export type Details = { readonly hint?: string; readonly code?: ErrorCode; readonly cause?: unknown }

/** Base class of all errors that are thrown on purpose. `message` names the subject, the fact and the limit; `hint` what to change. */
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

/** The client can fix the request; `hint` states how. */
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
/** The base of errors whose status, code and reaction never vary. */
const always = <S extends number, R extends JobReaction>(status: S, code: ErrorCode, reaction: R) =>
  class extends CrossfileError {
    readonly status = status
    readonly reaction = reaction
    constructor(message: string, details: Details = {}) {
      super(message, code, details)
    }
  }
/** The resource does not exist. Never thrown if an upstream could not be reached. */
export class NotFound extends always(404, 'not_found', 'done') {}
/** No credential, or one that is not valid. */
export class Unauthorized extends always(401, 'unauthorized', 'dead_letter') {}
/** A valid credential without the permission. */
export class Forbidden extends always(403, 'forbidden', 'dead_letter') {}
/** Too many requests; the same request succeeds later. */
export class TooMany extends CrossfileError {
  readonly status = 429
  readonly reaction = 'retry'
  readonly retryAfterSeconds: number
  constructor(message: string, details: Details & { readonly retryAfterSeconds: number }) {
    super(message, 'rate_limited', details)
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}
/** The upstream refused, timed out, or sent an invalid response. */
export class Upstream extends CrossfileError {
  readonly status = 503
  readonly reaction = 'retry'
  /** Seconds after which to retry; null if not stated. */
  readonly retryAfterSeconds: number | null
  constructor(message: string, details: Details & { readonly retryAfterSeconds?: number } = {}) {
    super(message, 'upstream_unavailable', details)
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}
/** A queue is full, so the request was refused before any work was done. The same request succeeds later. */
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
/** The object store that has files of Crossfile (the lake, a backup) cannot be reached or refuses. Its message may name the address. */
export class StoreUnavailable extends Upstream {}
/** The document is stored but cannot be read: the raw document is kept and quarantined. */
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
/** An internal guarantee failed: a hash differs, a key is duplicated, a fence was lost. */
export class Broken extends CrossfileError {
  readonly status = 500
  readonly reaction = 'stop'
  constructor(message: string, details: Details = {}) {
    super(message, 'internal_error', details)
  }
}
