// The only module that turns an error into a response: one JSON shape for programs, and a page with the same facts for people in browsers.
import { BadRequest, CrossfileError, type ErrorCode, TooMany, Unreadable, Upstream } from '#schemas/errors.ts'
import { asUpstream, retryAfterSeconds } from '#warehouse/store/connection-errors.ts'

export type ErrorResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly cause: unknown
}
type Statement = { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }

const extraHeaders = new WeakMap<Error, Readonly<Record<string, string>>>()
const validation = new WeakMap<Error, readonly Statement[]>()

/** The error with headers for its response. */
export function withHeaders<E extends Error>(error: E, headers: Readonly<Record<string, string>>): E {
  extraHeaders.set(error, { ...extraHeaders.get(error), ...headers })
  return error
}
/** The error with `detail` as an array (HTTPValidationError, 422). */
export function withValidation<E extends Error>(error: E, items: readonly Statement[]): E {
  validation.set(error, items)
  return error
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
type Plain = { readonly status: number; readonly code: ErrorCode; readonly detail: string; readonly hint?: string }
const badRequest = (detail: string, hint: string): Plain => ({ status: 400, code: 'bad_request', detail, hint })

/** The meaning of the framework's errors; all others are a 500. */
const framework: Readonly<Record<string, Plain>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: badRequest('the body is not JSON', 'send one JSON object'),
  FST_ERR_CTP_EMPTY_JSON_BODY: badRequest('the body is empty', 'send one JSON object, or no Content-Type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: badRequest('the length of the body differs from Content-Length', 'send a correct Content-Length'),
  FST_ERR_BAD_URL: badRequest('the path is not well encoded', 'percent-encode everything except letters, digits, dots and dashes, as UTF-8'),
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    code: 'payload_too_large',
    detail: 'the body is larger than this operation reads',
    hint: 'send less: the description of the operation names the number of bytes',
  },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, code: 'uri_too_long', detail: 'a part of the path is longer than allowed', hint: 'shorten the path' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    code: 'unsupported_media_type',
    detail: 'the body has a media type that is not read here',
    hint: 'send JSON with Content-Type: application/json',
  },
  FST_ERR_HANDLER_TIMEOUT: { status: 503, code: 'upstream_unavailable', detail: 'the answer took too long', hint: 'repeat the request later' },
}

function plain(error: unknown): Plain {
  if (error instanceof CrossfileError) {
    // A 500 contains no internals; the log has its message and cause.
    if (error.status >= 500 && !(error instanceof Upstream) && !(error instanceof Unreadable)) return ours()
    return { status: error.status, code: error.code, detail: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
  }
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number }
  const known = code === undefined ? undefined : framework[code]
  if (known) return known
  // Fastify's own parsers refuse a body (broken JSON, __proto__ keys) with a SyntaxError of status 400.
  if (error instanceof SyntaxError && statusCode === 400) return { ...framework['FST_ERR_CTP_INVALID_JSON_BODY']!, status: 400 }
  return ours()
}
function ours(): Plain {
  return {
    status: 500,
    code: 'internal_error',
    detail: 'the service failed',
    hint: 'repeat the request; if it fails again, report its X-Request-Id',
  }
}

/** Seconds for Retry-After: those of the error, otherwise a default for transient errors; null for all others. */
function retryAfter(error: unknown, status: number): number | null {
  if (error instanceof TooMany) return error.retryAfterSeconds
  if (error instanceof Upstream) return error.retryAfterSeconds ?? retryAfterSeconds
  return status === 503 && !(error instanceof Unreadable) ? retryAfterSeconds : null
}

/** An error as a page shows it. */
export type ShownError = {
  readonly status: number
  readonly detail: string
  readonly hint: string | null
  readonly request_id: string
  readonly retry_after: number | null
}

/** The response of an error. `docs` is the absolute address of the operation's description; `page`: renders the error for a person in a browser. */
export function errorResponse(
  error: unknown,
  request: {
    readonly id: string
    readonly accept: string | undefined
    readonly docs: string
    readonly page?: ((shown: ShownError) => string) | null
    /** Bytes of a body that the operation reads. */
    readonly body_bytes?: number | null
  },
): ErrorResponse {
  const answered = asUpstream(error)
  const { status, code, detail, hint: own } = plain(answered)
  const isTooLong = (error as { code?: unknown } | null)?.code === 'FST_ERR_CTP_BODY_TOO_LARGE' && request.body_bytes
  const hint = isTooLong ? `send at most ${request.body_bytes} bytes` : own
  const items = error instanceof Error ? (validation.get(error) ?? (error instanceof BadRequest ? error.items : undefined)) : undefined
  const values = { detail: items ?? detail, code, ...(hint === undefined ? {} : { hint }), docs: request.docs }
  const problem = request.accept?.includes('application/problem+json') ?? false
  const body = problem
    ? {
        type: request.docs,
        title: titles[status] ?? 'Error',
        status,
        detail: items ? detail : values.detail,
        instance: request.id,
        code,
        ...(hint === undefined ? {} : { hint }),
        docs: request.docs,
        ...(items ? { errors: items } : {}),
      }
    : values
  const seconds = retryAfter(answered, status)
  const extra = (error instanceof Error ? extraHeaders.get(error) : undefined) ?? {}
  const rendered = request.page?.({
    status,
    detail: items ? items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ') : detail,
    hint: hint ?? null,
    request_id: request.id,
    retry_after: seconds === null ? Number(extra['Retry-After']) || null : Math.ceil(seconds),
  })
  const retry: Record<string, string> = seconds === null ? {} : { 'Retry-After': String(Math.ceil(seconds)) }
  return {
    status,
    headers: {
      'Content-Type':
        rendered !== undefined ? 'text/html; charset=utf-8' : problem ? 'application/problem+json; charset=utf-8' : 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': request.id,
      ...retry,
      ...extra,
      // The unread rest of a body must not be read as the next request.
      ...(status === 413 || status === 408 ? { Connection: 'close' } : {}),
    },
    body: rendered ?? JSON.stringify(body),
    cause: error,
  }
}

/** The same format for requests that Node refuses: invalid framing, large headers, slow clients. */
export function clientError(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Plain {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return longRequestLine(error.rawPacket)
        ? { status: 414, code: 'uri_too_long', detail: 'the address is longer than 8192 characters', hint: 'shorten the query' }
        : { status: 431, code: 'bad_request', detail: 'the headers are larger than 16 KiB', hint: 'send fewer or shorter headers' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        status: 408,
        code: 'bad_request',
        detail: 'the request did not arrive in time',
        hint: 'send headers within 5 and the body within 15 seconds',
      }
    default:
      return { status: 400, code: 'bad_request', detail: 'this is no well-formed HTTP request', hint: 'check request line, headers and body framing' }
  }
}
function longRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false
  const end = packet.indexOf(10)
  return end < 0 ? /^[A-Z]+ [/*h]/.test(packet.toString('latin1', 0, 16)) : end > 8192
}

/** Raw bytes of that response, for a socket on which no request was read. */
export function rawErrorBytes({ status, code, detail, hint }: Plain, docs: string, id: string, security: readonly string[]): string {
  const body = JSON.stringify({ detail, code, hint, docs })
  const lines = [`HTTP/1.1 ${status} ${titles[status] ?? 'Error'}`]
  for (let at = 0; at < security.length; at += 2) lines.push(`${security[at]}: ${security[at + 1]}`)
  lines.push(
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${id}`,
    'Connection: close',
  )
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
