// Calls operations inside this process, with the schemas, access checks, limits, cache and handlers of the HTTP routes, so that the bytes
// are the same. Nothing is sent over the network.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import {
  type CallOperation,
  isCallable,
  isCallableByPage,
  type OperationCall,
  type OperationOutcome,
  type StoredAnswer,
} from '#schemas/operation-calls.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { printable } from '#schemas/operations/parameters.ts'
import type { Operation, OperationId } from '#schemas/operations.ts'
import type { LimitClass } from '#schemas/plans.ts'
import { checkIdempotencyKey } from '#warehouse/people/users/idempotency.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { type Finished, giveBackBodies } from './answer-cache.ts'
import { type Answering, keepable } from './answering.ts'
import { checkBody } from './check-body.ts'
import type { Context } from './handler.ts'
import { addressPartition } from './plugins/addresses.ts'
import { type Credential, callerOfSession, refusal } from './plugins/auth.ts'
import { refuseUnstorable } from './plugins/body-limits.ts'
import { errorResponse } from './plugins/errors.ts'
import type { Caller, Limiter } from './plugins/limiter.ts'
import { tooMany } from './plugins/limits.ts'
import { visitorOf } from './plugins/visitor.ts'
import { type Query, type Read, readQuestion } from './question.ts'

/** The caller of the operations. */
export type CallingFor = {
  readonly credential: Credential | null
  readonly session: Session | null
  /** The address of the client, as `clientAddress` returns it. */
  readonly address: string
  readonly request_id: string
  /**
   * Operations that the endpoint permits after its check of tier and scope; others are checked as over HTTP. The assistant and the agent
   * endpoints use operations that need a key, for users without one.
   */
  readonly opens?: ReadonlySet<OperationId>
  /** The limit class that counts the calls; null or absent: the class of each operation. */
  readonly counted_in?: LimitClass | null
  /** A page calls for the person who looks at it: also operations on their own records, with the facts of their request. */
  readonly page?: PageCaller
}
/** Facts of a page's request about its browser, as the handlers of accounts need them. */
type PageCaller = Pick<Context, 'visitor' | 'client' | 'plain_http'>
export type OperationCalls = (caller: CallingFor) => CallOperation

/** What an operation needs to be answered, called by a request or from within the service. */
export type AnswerSettings = {
  readonly answering: Answering
  readonly limiter: Limiter
  readonly head: () => { readonly release: number | null }
  readonly now: () => Date
  readonly dataNow: () => Date
  readonly asOf: () => string
  readonly baseUrl: () => string
}
type Settings = AnswerSettings & {
  readonly table: readonly Operation[]
  readonly docsOf: (operation: Operation | null) => string
  readonly anonymous: (address: string) => Caller
  /** Logs a failure of the service; the caller receives its status without internals. */
  readonly logFailure: (error: unknown, operation: Operation | null, requestId: string) => void
}
/** Longest value of a path and longest address, as the HTTP server allows them. */
const maxPartLength = 128
const maxUrlLength = 8192

/** Returns a function that calls operations as a given caller. */
export function createOperationCalls(settings: Settings): OperationCalls {
  const { table, answering, limiter, head, now, dataNow, asOf, baseUrl, docsOf, anonymous, logFailure } = settings
  const callable = new Map(table.filter(isCallable).map(operation => [operation.id, operation]))
  const callableByPage = new Map(table.filter(isCallableByPage).map(operation => [operation.id, operation]))

  const callsOf: OperationCalls = callerRequest => {
    const { credential, session, address, request_id, opens, counted_in, page } = callerRequest
    const open = page ? callableByPage : callable
    const caller = credential?.caller ?? (session ? callerOfSession(session) : anonymous(address))

    async function answerOf(operation: Operation, call: OperationCall, options: Parameters<CallOperation>[1]): Promise<OperationOutcome> {
      const refused = opens?.has(operation.id as OperationId) ? null : refusal(operation, credential, session)
      if (refused) throw refused
      const allowance = operation.cost === 0 ? null : await limiter.take(caller, counted_in ?? operation.limit_class, operation.cost)
      if (allowance?.allowed === false) throw tooMany(allowance, caller)
      const release = head().release
      const { path, query } = textsOf(operation, call.parameters, options.signed)
      const read = readQuestion(operation, path, query, undefined, { release, now: now() })
      const context: Context = {
        operation,
        name: read.name,
        parameters: { ...path, ...query },
        body: bodyOf(operation, call.body),
        credential,
        user: session,
        visitor: page?.visitor ?? visitorOf(address, undefined),
        address: addressPartition(address),
        client: page?.client ?? { origin: { address: addressPartition(address), devices: [] }, gone: options.signal },
        idempotency_key: operation.idempotency_key ? checkIdempotencyKey(call.idempotency_key ?? null) : null,
        headers: null,
        signature: null,
        last_event_id: null,
        release: read.release ?? release,
        as_of: asOf(),
        format: 'json',
        now,
        dataNow,
        base_url: baseUrl(),
        plain_http: page?.plain_http ?? false,
        request_id,
        remaining: limitClass => limiter.peek(caller, limitClass).remaining,
        // An operation that a page calls may call others, as over HTTP: as the same person, and none of those that only pages may call.
        operation_calls: (opened, countedIn = null) => {
          if (page === undefined) throw new TypeError(`${operation.id} was called by a call and may not make calls`)
          const nested = { credential, session, address, request_id, counted_in: countedIn }
          return callsOf(opened === undefined ? nested : { ...nested, opens: opened })
        },
      }
      const key = answering.keyOf(read, context.release)
      const answer = await answering.answer(key, read, context)
      if ('kind' in answer) throw new TypeError(`${operation.id} answers a ${answer.kind}, which no call can take`)
      const stored = keepable(operation) ? { key, answer, cost: operation.cost } : null
      const outcome = outcomeOf(answer, read, stored, page !== undefined)
      // Its text is a copy.
      if (!answer.isShared) giveBackBodies(answer)
      return outcome
    }

    return async (call, options) => {
      options.signal.throwIfAborted()
      const operation = open.get(call.operation)
      try {
        if (!operation) {
          throw new NotFound(`no operation "${printable(String(call.operation))}" can be called here`, {
            hint: 'operations that read can be called; GET /api/v1/data/catalog lists them',
          })
        }
        // Other callers share the work: it continues, and only this caller stops waiting.
        return await untilAborted(answerOf(operation, call, options), options.signal)
      } catch (error) {
        options.signal.throwIfAborted()
        const outcome = failure(error, request_id, docsOf(operation ?? null), page !== undefined)
        if (!outcome.ok && outcome.status >= 500) logFailure(error, operation ?? null, request_id)
        return outcome
      }
    }
  }
  return callsOf
}

/** The parameters as the text of an address. Throws `BadRequest` for parameters that a call cannot have. */
function textsOf(operation: Operation, parameters: OperationCall['parameters'], signed: boolean): { readonly path: Query; readonly query: Query } {
  const path: Record<string, string> = Object.create(null) as Record<string, string>
  const query: Record<string, string> = Object.create(null) as Record<string, string>
  let length = operation.path.length
  for (const [name, value] of Object.entries(parameters)) {
    if (name === 'apikey' || name === 'format')
      throw new BadRequest(`${name} is no parameter of a call`, { hint: `leave ${name} out: a call is made by its caller and answers JSON` })
    const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
    length += name.length + text.length + 2
    const inPath = operation.path.includes(`{${name}}`)
    if (length > maxUrlLength || (inPath && text.length > maxPartLength)) {
      throw new BadRequest(`${printable(name)} is longer than ${inPath ? maxPartLength : maxUrlLength} characters`, {
        status: 414,
        code: 'uri_too_long',
        hint: `shorten ${printable(name)}`,
      })
    }
    if (inPath) path[name] = text
    else query[name] = text
  }
  if (signed && 'receipt' in operation.question.shape) query['receipt'] = '1'
  return { path, query }
}

function bodyOf(operation: Operation, body: unknown): unknown {
  if (operation.body === null) {
    if (body === undefined) return undefined
    throw new BadRequest(`${operation.id} takes no body`, { hint: 'leave body out' })
  }
  refuseUnstorable(body)
  const bytes = Buffer.byteLength(JSON.stringify(body) ?? '')
  if (bytes > operation.body_bytes) {
    throw new BadRequest(`the body has ${bytes} bytes, ${operation.id} reads at most ${operation.body_bytes}`, {
      status: 413,
      code: 'payload_too_large',
      hint: 'send a shorter body',
    })
  }
  return checkBody(operation, body)
}

function outcomeOf(answer: Finished, read: Read, stored: StoredAnswer | null, forPage: boolean): OperationOutcome {
  const body = answer.bodies.get('identity')
  if (!body) throw new TypeError('a finished answer has a body')
  return {
    ok: true,
    name: read.name,
    url: urlOf(read),
    text: body.toString('utf8'),
    release: answer.release,
    as_of: answer.last_modified,
    receipt_id: answer.receipt_id,
    ...(stored === null ? {} : { stored }),
    ...(forPage ? { cookies: cookiesOf(answer.headers) } : {}),
  }
}
/** The `Set-Cookie` headers of a list of names and values. */
const cookiesOf = (headers: readonly string[]): string[] =>
  headers.flatMap((name, at) => (at % 2 === 0 && name === 'Set-Cookie' ? [name, headers[at + 1] ?? ''] : []))

/** The address that returns the same answer over HTTP, with `release` and `receipt` if they were requested. */
function urlOf({ operation, question, name }: Read): string {
  const path = name.slice(operation.method.length + 1).split('?', 1)[0] ?? ''
  const query: Record<string, unknown> = { ...question }
  for (const each of Object.keys(query)) if (operation.path.includes(`{${each}}`)) delete query[each]
  if (typeof query['receipt'] === 'boolean') query['receipt'] = query['receipt'] ? 1 : undefined
  const text = canonicalQuery(query)
  return text === '' ? path : `${path}?${text}`
}

function failure(error: unknown, id: string, docs: string, forPage: boolean): OperationOutcome {
  const response = errorResponse(error, { id, accept: undefined, docs })
  const failure = JSON.parse(response.body) as { detail: unknown; code: string; hint?: string; docs: string }
  if (typeof failure.detail === 'string') return { ok: false, status: response.status, error: { ...failure, detail: failure.detail } }
  const items = failure.detail as { loc: (string | number)[]; msg: string }[]
  const detail = items.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  return { ok: false, status: response.status, error: { ...failure, detail, ...(forPage ? { items } : {}) } }
}

/** The promise's value, unless the signal is aborted first: then its reason is thrown. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (abort) signal.removeEventListener('abort', abort)
  }
}
