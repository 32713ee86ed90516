// The responses of an operation in OpenAPI: every status and media type. `default` covers what the server refuses before it knows the
// operation (405, 408, 414, 417, 431), and 500.
import type { Operation } from '#schemas/operations.ts'
import { binaryFormats, formatsOf, mediaTypes } from './formats.ts'

type Node = { [key: string]: unknown }

const headerRef = (name: string): Node => ({ $ref: `#/components/headers/${name}` })
const responseRef = (name: string): Node => ({ $ref: `#/components/responses/${name}` })
/** Schemas of answers without a separate one, by media type: YAML is text on the wire and an object after parsing. */
const textSchemas: Readonly<Record<string, Node>> = { 'application/json': { type: 'object' }, 'application/yaml': {} }
const binary: Node = { type: 'string', contentEncoding: 'binary' }
/** A media type without its parameters, as OpenAPI lists them. */
const bare = (type: string): string => type.split(';', 1)[0] ?? ''

export const headerDescriptions: Readonly<Record<string, Node>> = {
  ETag: { description: 'of these bytes in this format and coding', schema: { type: 'string' } },
  'X-Request-Id': { description: 'name it when you report a problem', schema: { type: 'string' } },
  'X-Receipt-Id': { description: 'receipt of the answer, if it is signed', schema: { type: 'string' } },
  RateLimit: { description: 'units left and seconds until all are back (draft-ietf-httpapi-ratelimit-headers)', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'the policies that count this request', schema: { type: 'string' } },
  'Retry-After': { description: 'seconds after which the same request can succeed', schema: { type: 'integer', minimum: 1 } },
}

/** Content of an error in both forms; `problem+json` is sent if Accept names it. */
const errorContent: Node = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}
const errorWith = (description: string, ...headers: string[]): Node => ({
  description,
  headers: Object.fromEntries(['X-Request-Id', ...headers].map(name => [name, headerRef(name)])),
  content: errorContent,
})

/** `components.responses`. */
export const sharedResponses: Readonly<Record<string, Node>> = {
  Error: errorWith('Any error, in the one error shape'),
  RateLimited: errorWith('A limit is used up; the detail names it', 'Retry-After', 'RateLimit', 'RateLimit-Policy'),
  Unavailable: errorWith(
    'The database, a data file or the worker cannot be reached, or a source did not answer; the same request can succeed later',
    'Retry-After',
  ),
  NotModified: { description: 'You hold this answer already (If-None-Match, If-Modified-Since)' },
}

/** RFC 9457, with the members of the API's errors in addition. */
export const problemSchema: Node = {
  type: 'object',
  description: 'An error as RFC 9457 writes it, with the same values as Error',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'the X-Request-Id' },
    code: { type: 'string' },
    hint: { type: 'string' },
    docs: { type: 'string' },
    errors: { type: 'array', items: { type: 'object' }, description: 'of 422: what is wrong with each member of the body' },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'docs'],
}
/** The responses of an operation by status. `answer`: name of the schema of its JSON answer. */
export function responsesOf(operation: Operation, answer: string): Node {
  const { access, body, cost, method } = operation
  const responses: Node = { [operation.success]: success(operation, answer) }
  for (const [status, description] of operation.other_successes)
    responses[status] =
      status === 204 ? { description, headers: { 'X-Request-Id': headerRef('X-Request-Id') } } : { ...success(operation, answer), description }
  if (operation.served_from === 'file') {
    responses['206'] = { description: 'The range that was requested', content: { [bare(operation.media_type)]: { schema: binary } } }
    for (const status of ['412', '416']) responses[status] = responseRef('Error')
  }
  if (method === 'GET' && operation.success === 200) responses['304'] = responseRef('NotModified')
  for (const status of ['400', '401', '403']) if (status === '400' || access !== 'public') responses[status] = responseRef('Error')
  if (operation.can_be_missing) responses['404'] = responseRef('Error')
  responses['406'] = responseRef('Error')
  if (operation.idempotency_key) responses['409'] = responseRef('Error')
  // A body that is too long or has an unknown media type is refused even if the operation reads none.
  if (method !== 'GET') for (const status of ['413', '415']) responses[status] = responseRef('Error')
  if (body !== null) responses['422'] = responseRef('Error')
  if (cost > 0) responses['429'] = responseRef('RateLimited')
  if (operation.can_be_unavailable) responses['503'] = responseRef('Unavailable')
  responses['default'] = responseRef('Error')
  return responses
}

function success(operation: Operation, answer: string): Node {
  const description = operation.summary
  const request = { 'X-Request-Id': headerRef('X-Request-Id') }
  if (operation.success === 204) return { description, headers: request }
  const headers = { ETag: headerRef('ETag'), ...request, ...(operation.cost > 0 ? { RateLimit: headerRef('RateLimit') } : {}) }
  const texts = formatsOf(operation).filter(format => format !== 'json')
  const rows = Object.fromEntries(
    texts.map(format => [bare(mediaTypes[format]), { schema: binaryFormats.has(format) ? binary : { type: 'string' } }]),
  )
  if (operation.answer === null) {
    const schema = operation.served_from === 'file' ? binary : (textSchemas[bare(operation.media_type)] ?? { type: 'string' })
    const example = operation.example.answer === null ? {} : { example: operation.example.answer }
    return { description, headers, content: { [bare(operation.media_type)]: { schema, ...example }, ...rows } }
  }
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${answer}` }, example: operation.example.answer }, ...rows }
  return { description, headers: operation.data ? { ...headers, 'X-Receipt-Id': headerRef('X-Receipt-Id') } : headers, content }
}
