// The API as one function of its dependencies: tests call it with fakes, server.ts with the warehouse.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { Damaged, Overloaded } from '#schemas/errors.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import type { Party } from '#warehouse/people/users/fair-queue.ts'
import { onBeat, turnMs } from '#warehouse/store/beat.ts'
import { dataNow } from '#warehouse/store/data-clock.ts'
import { AnswerCache } from './answer-cache.ts'
import { type AnyHandler, createAnswering } from './answering.ts'
import { createFailures, reasonOf } from './error-responses.ts'
import { createFastPath } from './fast-path.ts'
import { type Dependencies, defaultOptions } from './handler.ts'
import { createOperationCalls, type OperationCalls } from './operation-calls.ts'
import { ownHandlers } from './own-handlers.ts'
import type { Page } from './pages/page.ts'
import { pages } from './pages/register.ts'
import { pageRoutes } from './pages/serve.ts'
import { addressList, addressPartition, clientAddress, type Trusted } from './plugins/addresses.ts'
import { createAdmission } from './plugins/admission.ts'
import { callerOfSession, createKeys, type Keys } from './plugins/auth.ts'
import { readBodies } from './plugins/bodies.ts'
import { type Allowance, type Caller, createLimiter } from './plugins/limiter.ts'
import { rateLimitOptions } from './plugins/limits.ts'
import { createSockets, type Sockets, serverBounds } from './plugins/sockets.ts'
import { createRepeatedMessages } from './repeated-messages.ts'
import { registerRoutes, stateOf } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Calls operations inside this process, as a given caller. */
    operationCalls: OperationCalls
  }
}

const flushUsesMs = 30_000
/** Longest part of a path: the name of a bulk file is a SHA-256 and an ending. */
const maxPartLength = 128

/** Builds the API and its pages; the caller starts listening. Throws TypeError if an operation of the table has no handler. */
export async function buildApp(
  dependencies: Dependencies,
  table: readonly Operation[] = operations,
  register: readonly Page[] = pages,
): Promise<FastifyInstance> {
  const { now, baseUrl, head } = dependencies
  const log = (): FastifyBaseLogger => app.log
  const people = pageRoutes(register, dependencies.formTokens ?? (async () => null))
  const routes = [...table, ...people.operations]
  const parts = partsOf(dependencies, handlersOf(dependencies, table, people.handlers), log)
  const { options, cookies, monotonic, limiter, answering, cache, fastPath, repeatedMessages, keys, clients, nextId, docsOf, sockets } = parts
  const failures = createFailures({
    ...parts,
    ...clients,
    routes,
    navigation: people.navigation,
    log,
    baseUrl,
    observe: dependencies.observe,
    count: keys.count,
  })
  const app = fastifyOf(parts.options, sockets, nextId, failures.answerError)
  const currentDataTime = (): Date => dataNow(parts.dataClock(), now())
  const calls = createOperationCalls({
    table,
    answering,
    limiter,
    head,
    now,
    dataNow: currentDataTime,
    asOf: parts.asOf,
    baseUrl,
    docsOf,
    anonymous: address => ({ partition: addressPartition(address), tier: 'anonymous' }),
    logFailure: (error, operation, request_id) => {
      if (error instanceof Damaged || error instanceof Overloaded) return
      const cause = error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : undefined
      log().error({ request_id, operation: operation?.id ?? null, reason: reasonOf(error), cause }, 'operation call failed')
    },
  })
  app.decorate('operationCalls', calls)
  app.decorateRequest('state', null)
  readBodies(app, { partyOf: clients.partyOf, ...(dependencies.stalledMs === undefined ? {} : { stalledMs: dependencies.stalledMs }) })
  app.addHook('onRequest', createAdmission({ ...dependencies, ...clients, keys, limiter, cookies, monotonic, answerUnknown: failures.answerUnknown }))
  const note = (request: FastifyRequest, allowance: Allowance): void => {
    stateOf(request).allowance = allowance
  }
  await app.register(rateLimit, rateLimitOptions({ limiter, callerOf: clients.callerOf, note, noted: request => request.state?.allowance ?? null }))
  app.setErrorHandler((error, request, reply) => failures.answerError(error, request, reply))
  app.setNotFoundHandler((request, reply) => failures.answerUnknown(request, reply))
  registerRoutes(app, routes, {
    answering,
    heldTag: dependencies.heldTag,
    cache,
    fastPath,
    repeatedMessages,
    limiter,
    calls,
    head,
    now,
    dataNow: currentDataTime,
    asOf: parts.asOf,
    baseUrl,
    callerOf: clients.callerOf,
    addressOf: request => clients.addressOf(request.raw),
    cookies,
    legacyRateHeaders: options.legacyRateHeaders,
    done: failures.note,
  })
  flushWhileOpen(app, keys)
  return app
}

/** What the hooks and routes share. */
function partsOf(dependencies: Dependencies, handlers: ReadonlyMap<string, AnyHandler>, log: () => FastifyBaseLogger) {
  const { now, baseUrl, head, observe } = dependencies
  const options = { ...defaultOptions, ...dependencies.options }
  const dataClock = dependencies.dataClock ?? (() => ({ frozen_at: null }))
  const asOf = (): string => dataClock().frozen_at ?? head().as_of
  const cookies = dependencies.cookies ?? { prefixed: false, secure: true }
  const monotonic = dependencies.monotonic ?? (() => performance.now())
  const trusts = addressList(options.trustedProxies)
  const clients = clientsOf(options.trustedProxies.length === 0 ? null : trusts)
  const nextId = requestIds()
  const docsOf = (operation: Operation | null): string => `${baseUrl()}/api/v1/public/docs${operation?.curated ? `#${operation.id}` : ''}`
  const cache = new AnswerCache(options.cacheBytes)
  dependencies.onSigningKeys?.(() => cache.clear())
  const keys = createKeys(dependencies.keys, now, monotonic)
  const warn = (message: string, error: unknown): void => log().warn({ reason: reasonOf(error) }, message)
  const limiter = createLimiter({ ...dependencies.limits, now, monotonic, warn })
  const answering = createAnswering({ cache, handlers, monotonic, baseUrl, dataClock, version: dependencies.version })
  const served = (operation: Operation, status: number, keyId: string | null): void => {
    // Answered from memory, before timing starts: it takes less than the smallest measured interval.
    observe?.({ operation, status, seconds: 0, policy: null })
    if (keyId !== null) keys.count(keyId, operation, status)
    if (options.accessLog === 'all') log().info({ method: operation.method, route: operation.path, status, ms: 0, key_id: keyId }, 'request')
  }
  const shared = { answering, keys, limiter, head, addressOf: clients.addressOf, nextId, served }
  const fastPath = createFastPath({ ...shared, callerOf: clients.anonymousCaller, legacyRateHeaders: options.legacyRateHeaders })
  const repeatedMessages = createRepeatedMessages({ ...shared, baseUrl })
  const sockets = createSockets({
    answerFast: fastPath.serve,
    repeatedMessages,
    docs: () => docsOf(null),
    nextId: () => nextId(null),
    connectionsPerAddress: options.connectionsPerAddress,
    manyClients: trusts,
  })
  return {
    options,
    dataClock,
    asOf,
    cookies,
    monotonic,
    clients,
    nextId,
    docsOf,
    cache,
    keys,
    limiter,
    answering,
    fastPath,
    repeatedMessages,
    sockets,
  }
}

function handlersOf(
  dependencies: Dependencies,
  table: readonly Operation[],
  ofPages: Iterable<readonly [string, AnyHandler]>,
): ReadonlyMap<string, AnyHandler> {
  const handlers = new Map<string, AnyHandler>(
    Object.entries({ ...ownHandlers(dependencies, table), ...dependencies.handlers }) as [string, AnyHandler][],
  )
  for (const [id, handler] of ofPages) handlers.set(id, handler)
  const missing = table.filter(each => !handlers.has(each.id)).map(each => each.id)
  if (missing.length > 0) throw new TypeError(`operations without a handler: ${missing.join(', ')}`)
  return handlers
}

/** Who sends a request: its address, whose limits and whose share of queues it takes. */
function clientsOf(proxies: Trusted | null) {
  const addressOf = (request: IncomingMessage): string => clientAddress(request, proxies)
  const anonymousCaller = anonymousCallers(addressOf)
  return {
    addressOf,
    anonymousCaller,
    callerOf: (request: FastifyRequest): Caller => {
      const { credential = null, session = null } = request.state ?? {}
      return credential?.caller ?? (session ? callerOfSession(session) : anonymousCaller(request.raw))
    },
    /** The share of the account, else of the address. */
    partyOf: (request: FastifyRequest): Party => {
      const { credential = null, session = null } = request.state ?? {}
      const address = addressPartition(addressOf(request.raw))
      return { account: session?.user_id ?? credential?.account ?? address, address }
    },
  }
}

function fastifyOf(
  options: ReturnType<typeof partsOf>['options'],
  sockets: Sockets,
  nextId: (request: IncomingMessage) => string,
  answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): FastifyInstance {
  return Fastify({
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
}

/** Writes when and how keys were last used: regularly, and when the API closes. */
function flushWhileOpen(app: FastifyInstance, keys: Keys): void {
  const flush = async (): Promise<void> => {
    try {
      await keys.flush()
    } catch (error) {
      app.log.warn({ reason: reasonOf(error) }, 'keys: last use not written')
    }
  }
  const flushing = onBeat(flushUsesMs, turnMs.third, () => void flush())
  app.addHook('onClose', async () => {
    flushing.stop()
    await flush()
  })
}

/** A client without a key: counted per address. */
function anonymousCallers(addressOf: (request: IncomingMessage) => string): (request: IncomingMessage) => Caller {
  const known = new Map<string, Caller>()
  return request => {
    const address = addressOf(request)
    let caller = known.get(address)
    if (!caller) {
      if (known.size >= cacheLimits.anonymousClients) known.clear()
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
