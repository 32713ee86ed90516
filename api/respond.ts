// Writes a finished answer. Header lists are built once per answer, coding and kind of caller, and sent unchanged.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '#schemas/operations.ts'
import { type Coding, codingFor, codings, compress, type Finished } from './answer-cache.ts'
import { isHeld } from './conditional.ts'
import { apiPolicy, cacheControl, crossOrigin, docsPolicy, exposedOf, reportingEndpoints, securityHeaders, varyOf } from './plugins/headers.ts'
import type { Allowance } from './plugins/limiter.ts'

/** The values that differ between responses. */
export type ResponseContext = {
  readonly request_id: string
  readonly keyed: boolean
  readonly inQuery: boolean
  /** The request names the release, so an immutable answer is marked as immutable. */
  readonly releaseNamed: boolean
  /** null if the operation is not counted. */
  readonly allowance: Allowance | null
  readonly policy: string
  readonly legacyRateHeaders: boolean
  readonly clamped: string | null
}

/** The coding to send; the answer is compressed first if it is not yet. */
export async function prepareCoding(request: IncomingMessage, answer: Finished): Promise<boolean> {
  const identity = bodyOf(answer, 'identity')
  const coding = codingFor(request.headers['accept-encoding'], identity.length)
  if (coding === 'identity' || answer.bodies.has(coding)) return false
  answer.bodies.set(coding, await compress(identity, coding))
  return true
}

/** True if every byte for this request is available. */
export function isPrepared(request: IncomingMessage, answer: Finished): boolean {
  return answer.bodies.has(codingFor(request.headers['accept-encoding'], bodyOf(answer, 'identity').length))
}

/** Writes the answer, or 304 if the client has it. Returns the status. Synchronous: it is the fast path. */
export function sendFinished(
  request: IncomingMessage,
  response: ServerResponse,
  operation: Operation,
  answer: Finished,
  context: ResponseContext,
): number {
  const coding = codingFor(request.headers['accept-encoding'], bodyOf(answer, 'identity').length)
  // Conditions apply to reads only: a POST has already taken effect (RFC 9110, 13.1.2 and 13.1.3).
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const held = reads && answer.status === 200 && isHeld(request.headers, answer)
  const headers = headersOf(operation, answer, coding, held, context)
  if (held) return sendNotModified(response, headers)
  response.writeHead(answer.status, headers)
  response.end(bodyOf(answer, coding))
  return answer.status
}

/** Writes 304 for an answer that was not built, because the client has the one of this tag. Returns the status. */
export function sendHeld(response: ServerResponse, operation: Operation, etag: string, context: ResponseContext): number {
  const facts = { status: 200, media_type: operation.media_type, last_modified: null, receipt_id: null, release: null, headers: [], policy: null }
  const answer = { ...facts, etag, immutable: context.releaseNamed, bodies: new Map(), lists: [], expires: 0, isShared: true }
  return sendNotModified(response, headersOf(operation, answer, 'identity', true, context))
}

function sendNotModified(response: ServerResponse, headers: string[]): number {
  response.writeHead(304, headers)
  response.end()
  return 304
}

function headersOf(operation: Operation, answer: Finished, coding: Coding, held: boolean, context: ResponseContext): string[] {
  const list = listFor(operation, answer, coding, held, context)
  // The first entries of the list belong to this response; writeHead copies the list before other code can run.
  list[1] = context.request_id
  const { allowance } = context
  if (allowance !== null) {
    list[3] = `"${allowance.policy}";r=${allowance.remaining};t=${allowance.reset_seconds}`
    list[5] = context.policy
  }
  return context.legacyRateHeaders || context.clamped !== null ? [...list, ...rareHeaders(context)] : list
}

function rareHeaders({ clamped, legacyRateHeaders, allowance }: ResponseContext): string[] {
  const headers = clamped === null ? [] : ['X-Clamped', clamped]
  return legacyRateHeaders && allowance !== null ? [...headers, ...legacyHeaders(allowance)] : headers
}
export function legacyHeaders(allowance: Allowance): string[] {
  return [
    'X-RateLimit-Limit',
    String(allowance.limit),
    'X-RateLimit-Remaining',
    String(allowance.remaining),
    'X-RateLimit-Reset',
    String(allowance.reset_seconds),
  ]
}

/** Headers of a streamed answer: they are not part of a cached list. */
export function commonHeaders(
  operation: Operation,
  { request_id, keyed, inQuery, allowance, policy }: Omit<ResponseContext, 'releaseNamed' | 'clamped' | 'legacyRateHeaders'>,
): string[] {
  const limits =
    allowance === null
      ? []
      : [
          'RateLimit',
          `"${allowance.policy}";r=${allowance.remaining};t=${allowance.reset_seconds}`,
          'RateLimit-Policy',
          policy,
          'X-Cost',
          String(operation.cost),
        ]
  return [
    'X-Request-Id',
    request_id,
    ...limits,
    'Cache-Control',
    cacheControl(operation, keyed, inQuery, false),
    'Vary',
    varyOf(operation),
    ...crossOrigin(operation),
    ...securityHeaders,
    'Content-Security-Policy',
    apiPolicy,
  ]
}

function bodyOf(answer: Finished, coding: Coding): Buffer {
  const body = answer.bodies.get(coding) ?? answer.bodies.get('identity')
  if (!body) throw new TypeError('a finished answer has a body')
  return body
}

function listFor(operation: Operation, answer: Finished, coding: Coding, held: boolean, context: ResponseContext): string[] {
  const kinds = [held, context.keyed, context.inQuery, context.allowance !== null, context.releaseNamed && answer.immutable]
  const place = kinds.reduce((sum, kind) => sum * 2 + (kind ? 1 : 0), codings.indexOf(coding))
  let list = answer.lists[place]
  if (!list) {
    list = makeList(operation, answer, coding, held, context)
    answer.lists[place] = list
  }
  return list
}

function makeList(operation: Operation, answer: Finished, coding: Coding, held: boolean, context: ResponseContext): string[] {
  const { keyed, inQuery, releaseNamed } = context
  const counted = context.allowance !== null
  const list = ['X-Request-Id', '']
  if (counted) list.push('RateLimit', '', 'RateLimit-Policy', '', 'X-Cost', String(operation.cost))
  if (answer.etag !== '') list.push('ETag', `"${answer.etag}${coding === 'identity' ? '' : `-${coding}`}"`)
  list.push('Cache-Control', cacheControl(operation, keyed, inQuery, releaseNamed && answer.immutable), 'Vary', varyOf(operation))
  // A 304 repeats the headers that freshness depends on (RFC 9110, 15.4.5); the client already has the rest.
  if (held) return [...list, ...crossOrigin(operation).slice(0, 2)]
  if (answer.last_modified !== null) list.push('Last-Modified', new Date(answer.last_modified).toUTCString())
  if (answer.receipt_id !== null) list.push('X-Receipt-Id', answer.receipt_id)
  if (answer.status !== 204) list.push('Content-Type', answer.media_type, 'Content-Length', String(bodyOf(answer, coding).length))
  if (coding !== 'identity') list.push('Content-Encoding', coding)
  list.push(...answer.headers, ...crossOrigin(operation, exposedOf(answer.headers)), ...securityHeaders)
  const page = answer.policy === null && answer.media_type.startsWith('text/html')
  if (page || answer.policy?.includes('report-to') === true) list.push(...reportingEndpoints)
  list.push('Content-Security-Policy', answer.policy ?? (page ? docsPolicy : apiPolicy))
  return list
}
