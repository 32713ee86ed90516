// Responses that are errors, and the log lines of requests.
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { CrossfileError, Damaged, Overloaded } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { clientLeft } from '#warehouse/people/users/hash-queue.ts'
import type { DataClock } from '#warehouse/store/data-clock.ts'
import { withClockNotice } from './answering.ts'
import type { Dependencies, Options } from './handler.ts'
import { prefersPage, renderFailure } from './pages/failures.ts'
import type { NavigationLink } from './pages/layout.ts'
import { pagePolicy } from './pages/policy.ts'
import { agentRefusal, asMessage } from './plugins/agent-access.ts'
import type { Keys } from './plugins/auth.ts'
import { errorResponse, type ShownError } from './plugins/errors.ts'
import { apiPolicy, crossOrigin, securityHeaders } from './plugins/headers.ts'
import type { Caller, Limiter } from './plugins/limiter.ts'
import { tooMany } from './plugins/limits.ts'
import { withoutSent } from './plugins/sent.ts'
import { createShedLog } from './plugins/shed-log.ts'
import { unknownRoutes } from './plugins/unknown-routes.ts'
import { legacyHeaders } from './respond.ts'
import { stateOf } from './routes.ts'

type Settings = Pick<Dependencies, 'baseUrl' | 'observe'> & {
  /** Operations and pages. */
  readonly routes: readonly Operation[]
  readonly navigation: readonly NavigationLink[]
  readonly dataClock: () => DataClock
  readonly options: Pick<Options, 'accessLog' | 'legacyRateHeaders'>
  readonly log: () => FastifyBaseLogger
  readonly limiter: Limiter
  /** Counts an answered request of a key. */
  readonly count: Keys['count']
  readonly monotonic: () => number
  readonly callerOf: (request: FastifyRequest) => Caller
  readonly anonymousCaller: (request: IncomingMessage) => Caller
  readonly docsOf: (operation: Operation | null) => string
}
export type Failures = {
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply, about?: Operation | null) => FastifyReply
  /** The answer for an address or a method that no operation has. */
  readonly answerUnknown: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  /** Counts and logs a finished request. */
  readonly note: (request: FastifyRequest, operation: Operation | null, status: number, isShed?: boolean) => void
}

const policyOf = (isPage: boolean): string => (isPage ? pagePolicy : apiPolicy)
export function createFailures(settings: Settings): Failures {
  const { routes, navigation, dataClock, options, log, limiter, count, monotonic, callerOf, anonymousCaller, docsOf, baseUrl, observe } = settings
  const unknown = unknownRoutes(routes)
  const countShed = createShedLog(requests => log().info({ requests }, 'requests refused to shed load, at most one line a minute'), monotonic)
  return { answerError, answerUnknown, note }

  async function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const mark = request.url.indexOf('?')
    const [path, query] = mark < 0 ? [request.url, ''] : [request.url.slice(0, mark), request.url.slice(mark + 1)]
    const found = unknown(request.method, path, query)
    const keyed = request.headers.authorization !== undefined || request.headers['x-api-key'] !== undefined
    // An agent's client that opens a stream with GET learns here where keys are described.
    const challenge = found.operation?.agent && !keyed && request.method !== 'OPTIONS' ? agentRefusal(found.operation, null, baseUrl()) : null
    const caller = anonymousCaller(request.raw)
    const allowance = await limiter.take(caller, 'reads', 1)
    stateOf(request).allowance = allowance
    if (!allowance.allowed) return answerError(tooMany(allowance, caller), request, reply)
    if (challenge) return answerError(challenge, request, reply, found.operation)
    if (found.kind === 'error') return answerError(found.error, request, reply, found.operation)
    const open = crossOrigin(found.operation)
    const headers = pairs([...securityHeaders, 'Content-Security-Policy', apiPolicy, ...open])
    if (open.length > 0) headers['Access-Control-Allow-Methods'] = 'GET, HEAD'
    return reply
      .code(204)
      .headers({ ...headers, Allow: found.allow, 'X-Request-Id': request.id })
      .send()
  }

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, about?: Operation | null): FastifyReply {
    const operation = about ?? request.routeOptions?.config?.operation ?? null
    const shownAsPage = operation?.agent ? false : prefersPage(request.headers.accept, operation)
    const failure = errorResponse(leftEarly(error, request) ? clientLeft() : error, {
      id: request.id,
      accept: request.headers.accept,
      docs: docsOf(operation),
      body_bytes: operation?.body_bytes ?? null,
      page: shownAsPage ? shown => failurePage(shown, request, operation) : null,
    })
    const headers = pairs([...securityHeaders, 'Content-Security-Policy', policyOf(shownAsPage), ...crossOrigin(operation), ...limitHeaders(request)])
    const body = operation?.agent ? asMessage(failure.body) : failure.body
    // A 503 of the readiness check is not logged: probes send it every few seconds, and the status component reports it.
    if (error instanceof Overloaded) countShed()
    else if (failure.status >= 500 && operation?.id !== 'get_readiness') logCause(request, error, operation)
    note(request, operation, failure.status, error instanceof Overloaded)
    return reply
      .code(failure.status)
      .headers({ ...headers, ...failure.headers })
      .serializer(String)
      .send(body)
  }

  function failurePage(shown: ShownError, request: FastifyRequest, operation: Operation | null): string {
    const docs = request.url.startsWith('/api/') && operation?.tag !== 'Pages' ? docsOf(operation) : null
    const session = request.state?.session ?? null
    // The token needs the database, which may be why the request failed.
    const person = session === null ? null : { email: session.email, token: null, kind: session.kind }
    return withClockNotice(renderFailure({ ...shown, docs, for_operator: operation?.access === 'admin' }, navigation, person).toString(), dataClock())
  }

  function limitHeaders(request: FastifyRequest): readonly string[] {
    const allowance = request.state?.allowance ?? null
    if (allowance === null) return []
    return [
      'RateLimit',
      `"${allowance.policy}";r=${allowance.remaining};t=${allowance.reset_seconds}`,
      'RateLimit-Policy',
      limiter.policy(callerOf(request).tier, allowance.limit_class),
      ...(options.legacyRateHeaders ? legacyHeaders(allowance) : []),
    ]
  }

  /** Method, route pattern, status, milliseconds and key id: an allow-list. No address, no query, no header reaches the log. */
  function note(request: FastifyRequest, operation: Operation | null, status: number, isShed = false): void {
    const took = monotonic() - (request.state?.started ?? monotonic())
    const ms = Math.round(took)
    observe?.({ operation, status, seconds: took / 1000, policy: status === 429 ? (request.state?.allowance?.policy ?? null) : null })
    const keyUsed = request.state?.credential?.key_id
    if (keyUsed !== undefined && operation !== null) count(keyUsed, operation, status)
    if (options.accessLog === 'problems' && (isShed || (status < 500 && ms < 1000))) return
    log().info({ request_id: request.id, method: request.method, route: operation?.path ?? null, status, ms, key_id: keyUsed ?? null }, 'request')
  }

  function logCause(request: FastifyRequest, error: unknown, operation: Operation | null): void {
    const cause = error instanceof Error ? error.cause : undefined
    const stack = error instanceof CrossfileError || !(error instanceof Error) ? undefined : error.stack
    const redacted = (text: string | undefined): string | undefined => (text === undefined ? undefined : withoutSent(text, request))
    const facts = {
      request_id: request.id,
      route: operation?.path ?? null,
      reason: redacted(reasonOf(error)),
      cause: cause === undefined ? undefined : redacted(reasonOf(cause)),
      stack: redacted(stack),
    }
    // A damaged file is reported once, by who found it; thousands of requests that need it add nothing.
    log()[error instanceof Damaged ? 'debug' : 'error'](facts, 'request failed')
  }
}

/** Whether the client closed its connection within its body: not a failure of the service. */
function leftEarly(error: unknown, { raw }: FastifyRequest): boolean {
  if (!(raw.destroyed || raw.socket.destroyed) || !(error instanceof Error)) return false
  return error.name === 'AbortError' || error.message === 'aborted' || ('code' in error && error.code === 'ECONNRESET')
}

function pairs(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? ''
  return headers
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
