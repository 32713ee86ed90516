// Reads bodies by their media type. The framework reads JSON; this module reads what browsers and forms send.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequest } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { Operation } from '#schemas/operations.ts'
import { refuseUnstorable } from './body-limits.ts'
import { createLongBodies, type LongBodySettings, shortBytes, tooLong } from './long-bodies.ts'
import { formFile } from './multipart.ts'

const jsonLike = ['application/csp-report', 'application/reports+json', 'text/plain'] as const
const form = 'application/x-www-form-urlencoded'
const csv = 'text/csv'
const multipart = 'multipart/form-data'
const read: readonly string[] = [...jsonLike, form, csv, multipart, 'application/json']
declare module 'fastify' {
  interface FastifyRequest {
    /** The unchanged body of an operation with `raw_body` or `exact_numbers`. */
    rawText: string | null
  }
}

/** Reads the further media types as text, keeps the text of bodies that are signed, and limits how many long bodies are read at a time. */
export function readBodies(app: FastifyInstance, settings: LongBodySettings): void {
  const readLong = createLongBodies(settings)
  app.decorateRequest('rawText', null)
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser([...jsonLike, form, csv], { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser(multipart, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('preParsing', async (request, reply, incoming) => {
    const operation = request.routeOptions.config.operation
    const type = typeOf(request)
    // For an unknown media type, the framework's error would recommend JSON here.
    if (operation && type !== '' && operation.body_media[0] === multipart && !read.includes(type)) throw wrongMedia(operation, type)
    // A body of an announced length cannot be longer: Node ends it there. Without one, the comparison with NaN is false.
    const announced = Number(request.headers['content-length'])
    const isLong = operation !== undefined && operation.body_bytes > shortBytes && !(announced <= shortBytes)
    const payload = isLong ? readLong(operation, request, reply, incoming as Readable) : (incoming as Readable)
    if (!operation?.raw_body && !operation?.exact_numbers) return payload
    const whole = await wholeOf(payload, announced, operation.body_bytes)
    request.rawText = whole.toString('utf8')
    // A body that is read as text may not be JSON, so the framework receives a valid text of the announced length.
    if (!operation.raw_body) return Readable.from([whole])
    const something = Buffer.from('null')
    request.raw.headers['content-length'] = String(something.length)
    return Readable.from([something])
  })
}

/** All bytes of a body. Throws 413 if there are more than `most`. The stream stays open then: the error response uses its connection. */
async function wholeOf(payload: Readable, announced: number, most: number): Promise<Buffer> {
  // A short body has usually arrived together with its headers.
  if (payload.readableLength === announced && announced > 0 && announced <= most) return payload.read() as Buffer
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of payload.iterator({ destroyOnReturn: false })) {
    bytes += (part as Buffer).length
    if (bytes > most) throw tooLong(most)
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts)
}

const typeOf = (request: FastifyRequest): string => (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * The body for the schema of its operation. Throws 415 for a media type that the operation does not read, 400 for invalid JSON, 422 for
 * content that no body may have.
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
  if (!operation.body_media.includes(type)) throw wrongMedia(operation, type)
  if (type === form) return formOf(String(request.body))
  if (type === csv) return { csv: request.body }
  if (type === multipart) {
    const { filename, bytes } = formFile(request.headers['content-type'] ?? '', request.body as Buffer, 'file')
    return { file: new File([bytes as Buffer<ArrayBuffer>], filename, { type: 'application/pdf' }) }
  }
  // The nesting is limited before the reader of exact numbers, which is recursive.
  if (operation.exact_numbers && type === 'application/json') refuseUnstorable(request.body)
  if (operation.exact_numbers && type === 'application/json') return parseExactly((request.rawText ?? '').replace(/^\uFEFF/, ''))
  if (typeof request.body !== 'string' || type === 'application/json') return request.body
  try {
    return JSON.parse(request.body) as unknown
  } catch (cause) {
    throw new BadRequest('the body is not JSON', { cause, hint: 'send one JSON value' })
  }
}

const wrongMedia = (operation: Operation, type: string): BadRequest =>
  new BadRequest(`a body of ${type.slice(0, 64) || 'no media type'} is not read here`, {
    status: 415,
    code: 'unsupported_media_type',
    hint: mediaHint(operation),
  })
const mediaHint = ({ body_media }: Operation): string =>
  body_media[0] === multipart
    ? 'send multipart/form-data with one file in the part file, for example curl -F file=@release.pdf'
    : `send Content-Type: ${body_media.join(' or ')}`

/** The fields of a form; a repeated field is a list. */
function formOf(text: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name]
    fields[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return { ...fields }
}
