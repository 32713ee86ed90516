// What the page of an operation and its Markdown twin are made from, so that both state the same.
import { type Operation, operations } from '#schemas/operations.ts'
import { formatsOf } from '../../plugins/formats.ts'
import { idempotencyHeader, parametersOf } from '../../plugins/openapi.ts'
import { responsesOf } from '../../plugins/openapi-responses.ts'

export type ParameterRow = {
  readonly name: string
  readonly place: string
  readonly required: boolean
  readonly type: string
  readonly values: readonly string[]
  readonly bounds: string | null
  readonly standard: string | null
  readonly meaning: string
  readonly example: string | null
}
type Schema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
}
const grouped = (value: number): string => value.toLocaleString('en-US')

export function parameterRows(operation: Operation): ParameterRow[] {
  const all = [...parametersOf(operation), ...(operation.idempotency_key ? [idempotencyHeader] : [])]
  return all.map(each => {
    const given = each as { name: string; in: string; required: boolean; description: string; schema: Schema; example?: unknown }
    const { schema } = given
    const { minimum, maximum } = schema
    const type =
      schema.format === 'date'
        ? 'date'
        : schema.format === 'date-time'
          ? 'instant'
          : ({ integer: 'whole number', boolean: '0 or 1' }[schema.type ?? ''] ?? 'text')
    // The type and the default show these already.
    const shownElsewhere = schema.enum !== undefined || schema.type === 'boolean' || schema.default !== undefined
    return {
      name: given.name,
      place: given.in,
      required: given.required,
      type: schema.enum === undefined ? type : 'one of',
      values: schema.enum ?? [],
      bounds: maximum !== undefined && maximum < 1e8 ? `${grouped(minimum ?? 0)} to ${grouped(maximum)}` : null,
      standard: schema.default === undefined ? null : String(schema.default),
      meaning: given.description,
      example: shownElsewhere || given.example === undefined ? null : String(given.example),
    }
  })
}

export type ErrorRow = { readonly status: string; readonly code: string; readonly meaning: string }
const errorWords: Readonly<Record<string, readonly [code: string, meaning: string]>> = {
  '400': ['bad_request', 'A parameter is unknown, sent twice, malformed or out of range. The hint names what to change.'],
  '401': ['unauthorized', 'The credential is missing, not valid or expired.'],
  '403': ['forbidden, tier_required', 'The credential is valid, but does not open this operation.'],
  '404': ['not_found', 'What the request names does not exist, or did not exist in the release that it names.'],
  '406': ['not_acceptable', 'The operation does not have the requested format.'],
  '408': ['request_timeout', 'The body did not arrive in time.'],
  '409': ['conflict', 'The state does not allow the request, or its Idempotency-Key was used with another body.'],
  '412': ['bad_request', 'The file is not the one that If-Match names.'],
  '413': ['payload_too_large', 'The body is too large.'],
  '415': ['unsupported_media_type', 'The body has another media type than those of this operation.'],
  '416': ['bad_request', 'The requested range is outside of the file.'],
  '422': ['validation_error', 'Members of the body are wrong. detail lists every one with its place.'],
  '429': ['rate_limited', 'A limit is used up. Retry-After gives the seconds to wait.'],
  '500': ['internal_error', 'The service failed. Report the X-Request-Id.'],
  '503': ['upstream_unavailable', 'A part of the service does not respond at the moment. Repeat the request after Retry-After.'],
}
/** The errors that an operation can answer, by status. 500 is possible everywhere. */
export function errorRows(operation: Operation): ErrorRow[] {
  const statuses = new Set([...Object.keys(responsesOf(operation, 'Answer')), '500'])
  return Object.entries(errorWords).flatMap(([status, [code, meaning]]) => (statuses.has(status) ? [{ status, code, meaning }] : []))
}

const accessWords: Readonly<Record<Operation['access'], string>> = {
  public: 'No key needed',
  session: 'API key, or a signed-in user',
  key: 'API key',
  user: 'Signed-in user',
  admin: 'Administrator',
  agent: 'API key with a scope for agents',
}
export const accessOf = ({ access }: Operation): string => accessWords[access]
const cacheWords: Readonly<Record<Operation['cache'], string>> = {
  live: 'not cached',
  quotes: 'for seconds',
  history: 'until the next release; with release= permanently',
  steady: 'for minutes: the answer does not depend on the data',
  file: 'permanently: the address names the content',
}

/** Name and value of what holds for the operation as a whole. */
export function operationFacts(operation: Operation): readonly (readonly [string, string])[] {
  const { cost, limit_class, freshness, cache, rows, idempotency_key, body, body_bytes, agents } = operation
  const formats = formatsOf(operation)
  const tools = [...new Set(agents.map(each => `${each.endpoint === 'research' ? '/mcp' : '/mcp/mineral'} ${each.tool}`))]
  return [
    ['Access', accessOf(operation)],
    ['Freshness', freshness],
    ['Cost', cost === 0 ? 'not counted' : `${cost} ${cost === 1 ? 'unit' : 'units'} of “${limit_class}”`],
    ['Caching', cacheWords[cache]],
    ...(formats.length > 1 ? ([['Formats', formats.join(', ')]] as const) : []),
    ...(rows === null ? [] : ([['Rows', `the member “${rows}”`]] as const)),
    ...('cursor' in operation.question.shape ? ([['Paging', 'next_cursor, passed back as cursor']] as const) : []),
    ...(body === null ? [] : ([['Body', `${operation.body_media.join(' or ')}, up to ${sizeOf(body_bytes)}`]] as const)),
    ...(idempotency_key ? ([['Repeating', 'safe with the header Idempotency-Key']] as const) : []),
    ...(tools.length > 0 ? ([['Agent tools', tools.join(', ')]] as const) : []),
  ]
}
const sizeOf = (bytes: number): string => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${Math.round(bytes / 1024)} KiB`)

/** The example answer as text; null if the operation has none. JSON is indented. */
export function exampleAnswer({ example }: Operation): { readonly text: string; readonly language: string } | null {
  if (example.answer === null || example.answer === '') return null
  if (typeof example.answer === 'string') return { text: example.answer, language: '' }
  return { text: JSON.stringify(example.answer, null, 2), language: 'json' }
}

/** Operations of the same tag, without the operation. */
export const siblingsOf = ({ tag, id }: Operation): readonly Operation[] => operations.filter(each => each.tag === tag && each.id !== id)
