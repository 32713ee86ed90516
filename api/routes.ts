// One route per row of schemas/operations.ts. A route reads its question, gets a finished answer, and sends it.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '#schemas/operations.ts'
import { checkIdempotencyKey } from '#warehouse/people/users/idempotency.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { type AnswerCache, giveBackBodies } from './answer-cache.ts'
import type { AnswerTags } from './answer-tags.ts'
import { keepable, type Unbuffered } from './answering.ts'
import { checkBody } from './check-body.ts'
import type { FastPath } from './fast-path.ts'
import type { Context } from './handler.ts'
import type { AnswerSettings, OperationCalls } from './operation-calls.ts'
import { addressPartition } from './plugins/addresses.ts'
import type { Credential } from './plugins/auth.ts'
import { bodyOf } from './plugins/bodies.ts'
import { type CookieSettings, deviceCookie, isPlainHttp } from './plugins/cookies.ts'
import type { Allowance, Caller } from './plugins/limiter.ts'
import { withoutSent } from './plugins/sent.ts'
import { visitorOf } from './plugins/visitor.ts'
import { type Query, readQuestion } from './question.ts'
import type { RepeatedMessages } from './repeated-messages.ts'
import { commonHeaders, isPrepared, prepareCoding, type ResponseContext, sendFinished, sendHeld } from './respond.ts'
import { sendFile } from './send-file.ts'

/** The state of a request that the hooks determine before the route. */
export type RequestState = {
  query: Query
  credential: Credential | null
  session: Session | null
  allowance: Allowance | null
  readonly started: number
}
declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState | null
  }
}
type Settings = AnswerSettings & {
  readonly heldTag: AnswerTags['heldTag'] | undefined
  readonly cache: AnswerCache
  readonly fastPath: FastPath
  readonly repeatedMessages: Pick<RepeatedMessages, 'learn'>
  readonly calls: OperationCalls
  readonly callerOf: (request: FastifyRequest) => Caller
  readonly addressOf: (request: FastifyRequest) => string
  readonly cookies: CookieSettings
  readonly legacyRateHeaders: boolean
  readonly done: (request: FastifyRequest, operation: Operation, status: number) => void
}

export function registerRoutes(app: FastifyInstance, table: readonly Operation[], settings: Settings): void {
  for (const operation of table) {
    app.route({
      method: operation.method,
      url: urlOf(operation),
      config: { operation },
      bodyLimit: operation.body_bytes,
      // A HEAD would run the GET with its effects and discard the answer.
      exposeHeadRoute: operation.method === 'GET' && !operation.effects,
      handler: (request, reply) => answerRoute(operation, request, reply, settings),
    })
  }
}

const urlOf = ({ path, rest }: Operation): string => path.replace(`{${rest}}`, '*').replaceAll(/\{(\w+)\}/g, ':$1')

/** The parameters of the path by their names. */
function pathParameters({ rest }: Operation, request: FastifyRequest): Query {
  const { '*': remaining, ...named } = request.params as Query
  return rest === null || remaining === undefined ? named : { ...named, [rest]: remaining }
}

/** The state of a request; its first hook creates it. */
export function stateOf(request: FastifyRequest): RequestState {
  if (!request.state) throw new TypeError('a request passes onRequest first')
  return request.state
}

async function answerRoute(operation: Operation, request: FastifyRequest, reply: FastifyReply, settings: Settings): Promise<void> {
  const { answering, cache, fastPath, limiter, calls, head, now, dataNow, asOf, baseUrl, callerOf, addressOf } = settings
  const state = stateOf(request)
  const release = head().release
  const inPath = pathParameters(operation, request)
  const read = readQuestion(operation, inPath, state.query, request.headers.accept, { release, now: now() })
  const caller = callerOf(request)
  const parameters = { ...inPath, ...state.query }
  delete parameters['apikey']
  const address = addressPartition(addressOf(request))
  const context: Context = {
    operation,
    name: read.name,
    parameters,
    body: checkBody(operation, bodyOf(operation, request)),
    credential: state.credential,
    user: state.session,
    visitor: visitorOf(addressOf(request), request.headers['user-agent']),
    address,
    client: { origin: { address, devices: deviceCookie(request.headers, settings.cookies) }, gone: goneSignal(request, reply) },
    idempotency_key: operation.idempotency_key ? checkIdempotencyKey((request.headers['idempotency-key'] as string | undefined) ?? null) : null,
    headers: operation.agent === null ? null : request.headers,
    signature: operation.raw_body ? ((request.headers['stripe-signature'] as string | undefined) ?? null) : null,
    last_event_id: operation.media_type.startsWith('text/event-stream') ? ((request.headers['last-event-id'] as string | undefined) ?? null) : null,
    release: read.release ?? release,
    as_of: asOf(),
    format: read.format,
    now,
    dataNow,
    base_url: baseUrl(),
    plain_http: isPlainHttp(request.headers),
    request_id: request.id,
    remaining: limitClass => limiter.peek(caller, limitClass).remaining,
    operation_calls: (opens, counted_in = null, forPage = false) => {
      const { credential, session } = state
      const { visitor, client, plain_http } = context
      const page = forPage ? { page: { visitor, client, plain_http } } : {}
      return calls({ credential, session, address: addressOf(request), request_id: request.id, ...(opens ? { opens } : {}), counted_in, ...page })
    },
  }
  const inQuery = state.credential?.sent_as === 'query'
  const responseContext: ResponseContext = {
    request_id: request.id,
    keyed: state.credential !== null || state.session !== null,
    inQuery,
    releaseNamed: read.releaseNamed,
    allowance: state.allowance,
    policy: state.allowance === null ? '' : limiter.policy(caller.tier, operation.limit_class),
    legacyRateHeaders: settings.legacyRateHeaders,
    clamped: read.clamped,
  }
  const held = settings.heldTag?.(context, read.receipt, request.headers) ?? null
  if (held !== null) {
    reply.hijack()
    settings.done(request, operation, sendHeld(reply.raw, operation, held, responseContext))
    return
  }
  const key = answering.keyOf(read, context.release)
  const answer = await answering.answer(key, read, context)
  if ('kind' in answer) {
    if (answer.kind === 'message') settings.repeatedMessages.learn(operation, request.headers, request.rawText ?? '', answer, release)
    settings.done(request, operation, await sendUnbuffered(operation, request, reply, answer, responseContext))
    return
  }
  if (!isPrepared(request.raw, answer) && (await prepareCoding(request.raw, answer))) cache.recount(key, answer)
  reply.hijack()
  const status = sendFinished(request.raw, reply.raw, operation, answer, responseContext)
  // The event follows when the kernel has all bytes, or the connection is closed.
  if (!answer.isShared) reply.raw.once('close', () => giveBackBodies(answer))
  if (keepable(operation) && state.session === null && state.query['apikey'] === undefined) fastPath.learn(request.url, read)
  settings.done(request, operation, status)
}

/** Aborted when the client closes its connection before the response. Only for requests that change data, because reads are short. */
function goneSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (request.method !== 'GET' && request.method !== 'HEAD')
    reply.raw.once('close', () => {
      if (!reply.raw.writableEnded) controller.abort()
    })
  return controller.signal
}

/** Files and streams. After the first bytes, an error can only close the connection; before, it is handled like all errors. */
async function sendUnbuffered(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Unbuffered,
  responseContext: ResponseContext,
): Promise<number> {
  const headers = commonHeaders(operation, responseContext)
  try {
    if (answer.kind === 'file') return await sendFile(request.raw, reply.raw, answer, headers, () => reply.hijack())
    if (answer.kind === 'message') return await sendMessage(reply, answer, headers)
    reply.hijack()
    if (answer.kind === 'events') return await sendEvents(reply, operation, answer.stream, headers)
    const name = answer.filename.replaceAll(/[^A-Za-z0-9._-]/g, '-')
    reply.raw.writeHead(200, [...headers, 'Content-Type', answer.media_type, 'Content-Disposition', `attachment; filename="${name}"`])
    if (request.method === 'HEAD') {
      answer.stream.destroy()
      reply.raw.end()
    } else await pipeline(answer.stream, reply.raw)
    return 200
  } catch (error) {
    if (!reply.raw.headersSent) throw error
    // A connection closed by the client is not a failure of the service.
    if (!isHangUp(error))
      request.log.warn(
        { request_id: request.id, reason: withoutSent(error instanceof Error ? error.message : String(error), request) },
        'response cut',
      )
    reply.raw.destroy()
    return 499
  }
}

/** The answer to a message of an agent: complete, or a stream of events. */
async function sendMessage(reply: FastifyReply, answer: Extract<Unbuffered, { kind: 'message' }>, headers: readonly string[]): Promise<number> {
  reply.hijack()
  const type = answer.media_type === null ? [] : ['Content-Type', answer.media_type]
  const length = Buffer.isBuffer(answer.body) ? ['Content-Length', String(answer.body.length)] : []
  reply.raw.writeHead(answer.status, [...headers, ...answer.headers, ...type, ...length])
  if (Buffer.isBuffer(answer.body)) reply.raw.end(answer.body)
  else await pipeline(answer.body, reply.raw)
  return answer.status
}

/** Sends events when they occur, with a header that asks proxies not to buffer them. */
async function sendEvents(reply: FastifyReply, operation: Operation, stream: Readable, headers: readonly string[]): Promise<number> {
  // A persistent connection would delay the end of this process.
  reply.raw.writeHead(200, [...headers, 'Content-Type', operation.media_type, 'X-Accel-Buffering', 'no', 'Connection', 'close'])
  // The client sees the status before the first event.
  reply.raw.flushHeaders()
  await pipeline(stream, reply.raw)
  return 200
}

const isHangUp = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
