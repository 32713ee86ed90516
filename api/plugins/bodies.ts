// Bodies by their media type: JSON is the framework's; what browsers and forms send is read here, where an operation takes it.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequest } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { Operation } from '#schemas/operations.ts'
import { refuseUnstorable } from './body-limits.ts'

const jsonLike = ['application/csp-report', 'application/reports+json', 'text/plain'] as const
const form = 'application/x-www-form-urlencoded'
const csv = 'text/csv'
declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came, of an operation with `raw_body` or `exact_numbers`. */
    rawText: string | null
  }
}

/** Reads the further media types as text, and keeps the text of bodies that are signed. */
export function readBodies(app: FastifyInstance): void {
  app.decorateRequest('rawText', null)
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser([...jsonLike, form, csv], { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.addHook('preParsing', async (request, _reply, payload) => {
    const operation = request.routeOptions.config.operation
    if (!operation?.raw_body && !operation?.exact_numbers) return payload
    const parts: Buffer[] = []
    let bytes = 0
    // Left open where it is cut short: the refusal is still to be sent on this connection.
    for await (const part of (payload as Readable).iterator({ destroyOnReturn: false })) {
      bytes += (part as Buffer).length
      if (bytes > operation.body_bytes) throw new BadRequest('the body is too long', { status: 413, code: 'payload_too_large' })
      parts.push(part as Buffer)
    }
    const whole = Buffer.concat(parts)
    request.rawText = whole.toString('utf8')
    // What is read as text needs to be no JSON: the framework gets something that it can read, of the length that was announced.
    if (!operation.raw_body) return Readable.from([whole])
    const something = Buffer.from('null')
    request.raw.headers['content-length'] = String(something.length)
    return Readable.from([something])
  })
}

const typeOf = (request: FastifyRequest): string => (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * The body as its operation's schema takes it. Throws 415 for a media type that the operation does not read, 400 for broken JSON, 422 for what no
 * body may hold.
 */
export function bodyOf(operation: Operation, request: FastifyRequest): unknown {
  const body = readBody(operation, request)
  if (!operation.raw_body) refuseUnstorable(body)
  return body
}

function readBody(operation: Operation, request: FastifyRequest): unknown {
  if (operation.body === null) return undefined
  if (operation.raw_body) return request.rawText ?? ''
  const type = typeOf(request)
  if (request.body === undefined) return undefined
  if (!operation.body_media.includes(type))
    throw new BadRequest(`a body of ${type.slice(0, 64) || 'no media type'} is not read here`, {
      status: 415,
      code: 'unsupported_media_type',
      hint: `send Content-Type: ${operation.body_media.join(' or ')}`,
    })
  if (type === form) return formOf(String(request.body))
  if (type === csv) return { csv: request.body }
  // The nesting is limited before the reader of exact numbers, which is recursive.
  if (operation.exact_numbers && type === 'application/json') refuseUnstorable(request.body)
  if (operation.exact_numbers && type === 'application/json') return parseExactly((request.rawText ?? '').replace(/^\uFEFF/, ''))
  if (typeof request.body !== 'string' || type === 'application/json') return request.body
  try {
    return JSON.parse(request.body) as unknown
  } catch (cause) {
    throw new BadRequest('the body is no JSON', { cause, hint: 'send one JSON value' })
  }
}

/** The fields of a form; one that is there twice is a list. */
function formOf(text: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name]
    fields[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return { ...fields }
}
