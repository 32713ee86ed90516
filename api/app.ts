// The API as one function of its dependencies: tests call it with fakes, server.ts with the warehouse.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { BadRequest, CrossfileError, Damaged, Overloaded, Unauthorized, Upstream } from '#schemas/errors.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import type { Party } from '#warehouse/people/users/fair-queue.ts'
import { clientLeft } from '#warehouse/people/users/hash-queue.ts'
import { isSessionText } from '#warehouse/people/users/session-text.ts'
import { dataNow } from '#warehouse/store/data-clock.ts'
import { AnswerCache } from './answer-cache.ts'
import { type AnyHandler, createAnswering, withClockNotice } from './answering.ts'
import { createExpressLane } from './fast-path.ts'
import { type Dependencies, defaultOptions } from './handler.ts'
import { createOperationCalls, type OperationCalls } from './operation-calls.ts'
import { ownHandlers } from './own-handlers.ts'
import { prefersPage, renderFailure } from './pages/failures.ts'
import type { Page } from './pages/page.ts'
import { pagePolicy } from './pages/policy.ts'
import { pages } from './pages/register.ts'
import { pageRoutes } from './pages/serve.ts'
import { addressList, addressPartition, clientAddress } from './plugins/addresses.ts'
import { agentRefusal, asMessage, originRefusal } from './plugins/agent-access.ts'
import { callerOfSession, createKeys, presentedKey, refusal, withMisplacedKey } from './plugins/auth.ts'
import { readBodies } from './plugins/bodies.ts'
import { sessionCookie } from './plugins/cookies.ts'
import { crossSiteRefusal } from './plugins/cross-site.ts'
import { checkSingleHeaders } from './plugins/duplicates.ts'
import { errorResponse, type ShownError } from './plugins/errors.ts'
import { apiPolicy, crossOrigin, securityHeaders } from './plugins/headers.ts'
import { type Caller, createLimiter } from './plugins/limiter.ts'
import { rateLimitOptions, tooMany } from './plugins/limits.ts'
import { withoutSent } from './plugins/sent.ts'
import { createShedLog } from './plugins/shed-log.ts'
import { createSockets, serverBounds } from './plugins/sockets.ts'
import { type Unknown, unknownRoutes } from './plugins/unknown-routes.ts'
import { parameterNames, type Query, readQuery } from './question.ts'
import { legacyHeaders } from './respond.ts'
import { passageOf, registerRoutes } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Calls operations inside this process, as a given caller. */
    operationCalls: OperationCalls
  }
}

const flushUsesMs = 30_000
const maxUrlLength = 8192
/** Longest part of a path: the name of a bulk file is a SHA-256 and an ending. */
const maxPartLength = 128

/** Builds the API and its pages; the caller starts listening. Throws TypeError if an operation of the table has no handler. */
export async function buildApp(
  dependencies: Dependencies,
  table: readonly Operation[] = operations,
  register: readonly Page[] = pages,
): Promise<FastifyInstance> {
  const { now, baseUrl, head, observe } = dependencies
  const options = { ...defaultOptions, ...dependencies.options }
  const dataClock = dependencies.dataClock ?? (() => ({ frozen_at: null }))
  const asOf = (): string => dataClock().frozen_at ?? head().as_of
  const cookies = dependencies.cookies ?? { prefixed: false, secure: true }
  const monotonic = dependencies.monotonic ?? (() => performance.now())
  const trusts = addressList(options.trustedProxies)
  const proxies = options.trustedProxies.length === 0 ? null : trusts
  const addressOf = (request: IncomingMessage): string => clientAddress(request, proxies)
  const anonymousCaller = anonymousCallers(addressOf)
  const callerOf = (request: FastifyRequest): Caller => {
    const { credential = null, session = null } = request.passage ?? {}
    return credential?.caller ?? (session ? callerOfSession(session) : anonymousCaller(request.raw))
  }
  /** Whose share of queues a request takes: that of the account, else of the address. */
  const partyOf = (request: FastifyRequest): Party => {
    const { credential = null, session = null } = request.passage ?? {}
    const address = addressPartition(addressOf(request.raw))
    return { account: session?.user_id ?? credential?.account ?? address, address }
  }
  const nextId = requestIds()
  const docsOf = (operation: Operation | null): string => `${baseUrl()}/api/v1/public/docs${operation?.curated ? `#${operation.id}` : ''}`

  const cache = new AnswerCache(options.cacheBytes)
  dependencies.onSigningKeys?.(() => cache.clear())
  const keys = createKeys(dependencies.keys, now, monotonic)
  const limiter = createLimiter({
    ...dependencies.limits,
    now,
    monotonic,
    warn: (message, error) => app.log.warn({ reason: reasonOf(error) }, message),
  })
  const handlers = new Map<string, AnyHandler>(
    Object.entries({ ...ownHandlers(dependencies, table), ...dependencies.handlers }) as [string, AnyHandler][],
  )
  const people = pageRoutes(register, dependencies.formTokens ?? (async () => null))
  for (const [id, handler] of people.handlers) handlers.set(id, handler)
  const routes = [...table, ...people.operations]
  const missing = table.filter(each => !handlers.has(each.id)).map(each => each.id)
  if (missing.length > 0) throw new TypeError(`operations without a handler: ${missing.join(', ')}`)
  const answering = createAnswering({ cache, handlers, monotonic, baseUrl, dataClock, version: dependencies.version })
  const { legacyRateHeaders } = options
  const lane = createExpressLane({
    answering,
    keys,
    limiter,
    head,
    addressOf,
    callerOf: anonymousCaller,
    nextId,
    legacyRateHeaders,
    served: (operation, status, keyId) => {
      // Answered from memory, before timing starts: it takes less than the smallest measured interval.
      observe?.({ operation, status, seconds: 0, policy: null })
      if (options.accessLog === 'all') app.log.info({ method: operation.method, route: operation.path, status, ms: 0, key_id: keyId }, 'request')
    },
  })
  const sockets = createSockets({
    express: lane.serve,
    docs: () => docsOf(null),
    nextId: () => nextId(null),
    connectionsPerAddress: options.connectionsPerAddress,
    manyClients: trusts,
  })

  const app: FastifyInstance = Fastify({
    logger: options.logLevel === false ? false : { level: options.logLevel, base: null, ...(options.logStream ? { stream: options.logStream } : {}) },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: request => nextId(request as IncomingMessage),
    bodyLimit: 64 * 1024,
    requestTimeout: serverBounds.requestTimeout,
    // A request that still arrives while the service stops is answered, with `Connection: close`; what it needs is closed after it.
    return503OnClosing: false,
    keepAliveTimeout: serverBounds.keepAliveTimeout,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // The query is read where the question is read: an answer from memory needs no parameters.
    routerOptions: { maxParamLength: maxPartLength, querystringParser: text => ({ text }) },
    clientErrorHandler: (error, socket) => sockets.clientError(error, socket),
    frameworkErrors: (error, request, reply) => answerError(error, request as FastifyRequest, reply as FastifyReply),
    serverFactory: handle => sockets.serve(handle),
  })
  const calls = createOperationCalls({
    table,
    answering,
    limiter,
    head,
    now,
    dataNow: () => dataNow(dataClock(), now()),
    asOf,
    baseUrl,
    docsOf,
    anonymous: address => ({ partition: addressPartition(address), tier: 'anonymous' }),
    logFailure: (error, operation, request_id) => {
      if (error instanceof Damaged || error instanceof Overloaded) return
      const cause = error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : undefined
      app.log.error({ request_id, operation: operation?.id ?? null, reason: reasonOf(error), cause }, 'operation call failed')
    },
  })
  app.decorate('operationCalls', calls)
  app.decorateRequest('passage', null)
  readBodies(app, { partyOf, ...(dependencies.stalledMs === undefined ? {} : { stalledMs: dependencies.stalledMs }) })
  const countShed = createShedLog(requests => app.log.info({ requests }, 'requests refused to shed load, at most one line a minute'), monotonic)

  const unknown = unknownRoutes(routes)
  app.addHook('onRequest', (request, reply, next) => {
    request.passage = { query: {}, credential: null, session: null, allowance: null, started: monotonic() }
    const passage = request.passage
    const { operation } = request.routeOptions.config
    const { raw } = request
    try {
      if (request.url.length > maxUrlLength) throw longAddress(request.url.length)
      if (raw.headers.host === undefined && raw.httpVersion === '1.1') throw noHost()
      checkSingleHeaders(raw.rawHeaders)
      if (!operation) return void answerUnknown(request, reply).catch(next)
      const origin = operation.agent === null ? null : originRefusal(raw.headers, baseUrl())
      if (origin) return charge(origin)
      const mark = request.url.indexOf('?')
      passage.query = mark < 0 ? {} : readQuery(request.url.slice(mark + 1))
      if (operation.tag === 'Pages') passage.query = pageQuery(operation, passage.query)
      const presented = presentedKey(raw.headers, passage.query['apikey'])
      // A request with a key does not come from another site's page in a user's browser.
      const crossSite = presented === null ? crossSiteRefusal(operation, raw.headers, [baseUrl()]) : null
      if (crossSite) return charge(crossSite)
      // A file of a page is the same for everybody: no session is looked up.
      if (operation.cache === 'file' && operation.access === 'public') return admit(operation)
      const token = presented?.sent_as === 'bearer' && isSessionText(presented.text) ? presented.text : null
      const cookie = presented === null ? sessionCookie(raw.headers, operation.access === 'admin' ? 'admin' : 'user', cookies) : null
      if (token !== null || cookie !== null) return void signIn(operation, (token ?? cookie) as string, token !== null)
      if (presented === null) return admit(operation)
      const address = addressOf(raw)
      const known = keys.recall(presented, address)
      if (known) {
        passage.credential = known
        return admit(operation)
      }
      keys.check(presented, address).then(
        credential => {
          passage.credential = credential
          admit(operation)
        },
        (error: Error) => charge(error),
      )
    } catch (error) {
      charge(error as Error)
    }
    function admit(wanted: Operation): void {
      const error = wanted.agent === null ? refusal(wanted, passage.credential, passage.session) : agentRefusal(wanted, passage.credential, baseUrl())
      if (error) charge(wanted.access === 'key' && passage.session === null ? withMisplacedKey(error, passage, raw.headers) : error)
      else next()
    }
    /** An invalid token is refused; an invalid cookie is ignored, and the request is anonymous. */
    async function signIn(wanted: Operation, text: string, sent: boolean): Promise<void> {
      try {
        passage.session = isSessionText(text) ? ((await dependencies.sessions?.find(text, now())) ?? null) : null
        if (passage.session === null && sent) throw new Unauthorized('this session has ended', { hint: 'POST /api/v1/auth/login signs in' })
      } catch (cause) {
        const known = cause instanceof CrossfileError
        return charge(
          known ? cause : new Upstream('sessions cannot be checked at the moment', { cause, retryAfterSeconds: 2, hint: 'repeat the request' }),
        )
      }
      admit(wanted)
    }
    /**
     * Counts requests refused before they are counted against the address, so that guessing keys is bounded too. Faults of the
     * service are not counted: otherwise clients that retry while the database is unavailable would get 429.
     */
    function charge(error: Error): void {
      if (error instanceof Upstream) {
        next(error)
        return
      }
      const caller = anonymousCaller(raw)
      Promise.resolve(limiter.take(caller, 'reads', 1)).then(
        allowance => {
          passage.allowance = allowance
          next(allowance.allowed ? error : tooMany(allowance, caller))
        },
        () => next(error),
      )
    }
  })
  await app.register(
    rateLimit,
    rateLimitOptions({
      limiter,
      callerOf,
      note: (request, allowance) => {
        passageOf(request).allowance = allowance
      },
      noted: request => request.passage?.allowance ?? null,
    }),
  )
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  app.setNotFoundHandler((request, reply) => answerUnknown(request, reply))
  registerRoutes(app, routes, {
    answering,
    cache,
    lane,
    limiter,
    calls,
    head,
    now,
    dataNow: () => dataNow(dataClock(), now()),
    asOf,
    baseUrl,
    callerOf,
    addressOf: request => addressOf(request.raw),
    cookies,
    legacyRateHeaders,
    done: note,
  })

  const flushing = setInterval(() => void flushUses(), flushUsesMs)
  flushing.unref()
  app.addHook('onClose', async () => {
    clearInterval(flushing)
    await flushUses()
  })
  return app

  async function flushUses(): Promise<void> {
    try {
      await keys.flush()
    } catch (error) {
      app.log.warn({ reason: reasonOf(error) }, 'keys: last use not written')
    }
  }

  async function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const mark = request.url.indexOf('?')
    const [path, query] = mark < 0 ? [request.url, ''] : [request.url.slice(0, mark), request.url.slice(mark + 1)]
    const found: Unknown = unknown(request.method, path, query)
    const keyed = request.headers.authorization !== undefined || request.headers['x-api-key'] !== undefined
    // An agent's client that opens a stream with GET learns here where keys are described.
    const challenge = found.operation?.agent && !keyed && request.method !== 'OPTIONS' ? agentRefusal(found.operation, null, baseUrl()) : null
    const caller = anonymousCaller(request.raw)
    const allowance = await limiter.take(caller, 'reads', 1)
    passageOf(request).allowance = allowance
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
      page: shownAsPage ? shown => failurePage(shown, request, operation) : null,
    })
    const allowance = request.passage?.allowance ?? null
    const caller = callerOf(request)
    const limits =
      allowance === null
        ? []
        : [
            'RateLimit',
            `"${allowance.policy}";r=${allowance.remaining};t=${allowance.reset_seconds}`,
            'RateLimit-Policy',
            limiter.policy(caller.tier, allowance.limit_class),
            ...(legacyRateHeaders ? legacyHeaders(allowance) : []),
          ]
    const policy = shownAsPage ? pagePolicy : apiPolicy
    const headers = pairs([...securityHeaders, 'Content-Security-Policy', policy, ...crossOrigin(operation), ...limits])
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
    const session = request.passage?.session ?? null
    // The token needs the database, which may be why the request failed.
    const person = session === null ? null : { email: session.email, token: null }
    return withClockNotice(renderFailure({ ...shown, docs }, people.navigation, person).toString(), dataClock())
  }

  /** Method, route pattern, status, milliseconds and key id: an allow-list. No address, no query, no header reaches the log. */
  function note(request: FastifyRequest, operation: Operation | null, status: number, isShed = false): void {
    const took = monotonic() - (request.passage?.started ?? monotonic())
    const ms = Math.round(took)
    const policy = status === 429 ? (request.passage?.allowance?.policy ?? null) : null
    observe?.({ operation, status, seconds: took / 1000, policy })
    if (options.accessLog === 'problems' && (isShed || (status < 500 && ms < 1000))) return
    const key_id = request.passage?.credential?.key_id ?? null
    app.log.info({ request_id: request.id, method: request.method, route: operation?.path ?? null, status, ms, key_id }, 'request')
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
    app.log[error instanceof Damaged ? 'debug' : 'error'](facts, 'request failed')
  }
}

/** A client without a key: counted per address. */
function anonymousCallers(addressOf: (request: IncomingMessage) => string): (request: IncomingMessage) => Caller {
  const known = new Map<string, Caller>()
  return request => {
    const address = addressOf(request)
    let caller = known.get(address)
    if (!caller) {
      if (known.size > 50_000) known.clear()
      caller = { partition: addressPartition(address), tier: 'anonymous' }
      known.set(address, caller)
    }
    return caller
  }
}

/** Request ids: the client's if it is plain, else this process's random name and a serial number. */
function requestIds(): (request: IncomingMessage | null) => string {
  const name = randomBytes(4).toString('hex')
  let serial = 0
  return request => {
    const sent = request?.headers['x-request-id']
    if (typeof sent === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(sent)) return sent
    serial += 1
    return `${name}-${serial.toString(36)}`
  }
}

/** The parameters that a page knows. Fields that were left empty, and what other sites append to links, are ignored. */
function pageQuery(operation: Operation, query: Query): Query {
  const known = parameterNames(operation)
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => known.includes(name) && value.trim() !== ''))
}
function longAddress(length: number): BadRequest {
  return new BadRequest(`the URL has ${length} characters, the maximum is ${maxUrlLength}`, {
    status: 414,
    code: 'uri_too_long',
    hint: 'shorten the query, or split it into several requests',
  })
}
/** Whether the client closed its connection within its body: not a failure of the service. */
function leftEarly(error: unknown, { raw }: FastifyRequest): boolean {
  if (!(raw.destroyed || raw.socket.destroyed) || !(error instanceof Error)) return false
  return error.name === 'AbortError' || error.message === 'aborted' || ('code' in error && error.code === 'ECONNRESET')
}
function noHost(): BadRequest {
  return new BadRequest('the Host header is missing', { hint: 'HTTP/1.1 needs a Host header' })
}
function pairs(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? ''
  return headers
}
function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
