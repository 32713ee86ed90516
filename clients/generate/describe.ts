// What the clients are generated from: the operations that a program calls, with their parameters, bodies and answers as JSON Schema.
import { buildOpenapi } from '../../api/plugins/openapi.ts'
import { hasClientMethod } from '../../schemas/operations/client-names.ts'
import { type Operation, operations } from '../../schemas/operations.ts'

/** A JSON Schema as OpenAPI 3.1 describes it; only the keywords that the generators read. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly const?: string | number | boolean | null
  readonly default?: unknown
}
type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}
/** `json` is parsed; `text` and `bytes` are returned as they are; `none` has no body. */
type AnswerKind = 'json' | 'text' | 'bytes' | 'none'
export type ClientOperation = {
  readonly id: string
  readonly method: Operation['method']
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly access: Operation['access']
  /** Path parameters first, in the order of the path. */
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: Schema; readonly media: readonly string[] } | null
  readonly answer: { readonly kind: AnswerKind; readonly type: string | null }
  /** The member of the answer whose items are the rows. */
  readonly rows: string | null
  readonly paged: boolean
  /** Takes `as_of` and `release`. */
  readonly data: boolean
  readonly idempotent: boolean
}
export type Description = { readonly operations: readonly ClientOperation[]; readonly schemas: Readonly<Record<string, Schema>> }

type OpenapiOperation = {
  readonly parameters: readonly { name: string; in: string; required: boolean; description: string; schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Every operation that a client library offers, in the order of the table, and the schemas of their answers. */
export function describeClients(): Description {
  const document = buildOpenapi(operations, { baseUrl: '', curated: false }) as {
    paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>
    components: { schemas: Readonly<Record<string, Schema>> }
  }
  const all = document.components.schemas
  const offered = operations.filter(hasClientMethod).map(each => describe(each, document.paths, all))
  return { operations: offered, schemas: reachable(offered, all) }
}

function describe(
  operation: Operation,
  paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>,
  schemas: Readonly<Record<string, Schema>>,
): ClientOperation {
  const { id, method, path, tag, summary, description, access, rows, data } = operation
  const described = paths[path]?.[method.toLowerCase()]
  if (described === undefined) throw new TypeError(`${id} is not in the description`)
  const parameters = described.parameters
    .filter(each => (each.in === 'path' || each.in === 'query') && each.name !== 'format')
    .map(({ name, in: place, required, description: about, schema }) => ({
      name,
      in: place as 'path' | 'query',
      required,
      description: about,
      schema,
    }))
  const order = (name: string): number => (path.includes(`{${name}}`) ? path.indexOf(`{${name}}`) : Number.MAX_SAFE_INTEGER)
  const content = described.requestBody?.content
  const media = Object.keys(content ?? {})
  const answerType = `${id.replaceAll(/(^|_)([a-z0-9])/g, (_all, _dash: string, letter: string) => letter.toUpperCase())}Answer`
  return {
    id,
    method,
    path,
    tag,
    summary,
    description,
    access,
    parameters: parameters.toSorted((a, b) => order(a.name) - order(b.name)),
    body: content === undefined ? null : { schema: content[media[0] as string]?.schema ?? {}, media },
    answer: answerOf(operation, schemas[answerType] === undefined ? null : answerType),
    rows: rows !== null && schemas[answerType] !== undefined ? rows : null,
    paged: parameters.some(each => each.name === 'cursor'),
    data,
    idempotent: described.parameters.some(each => each.name === 'Idempotency-Key'),
  }
}

function answerOf(operation: Operation, type: string | null): ClientOperation['answer'] {
  if (operation.success === 204) return { kind: 'none', type: null }
  if (type !== null || operation.media_type.startsWith('application/json')) return { kind: 'json', type }
  if (operation.media_type.startsWith('text/') || operation.media_type.includes('xml')) return { kind: 'text', type: null }
  return { kind: 'bytes', type: null }
}

/** The components that the answers of the offered operations use, directly or through another, by name. */
function reachable(offered: readonly ClientOperation[], all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    else if (typeof node === 'object' && node !== null)
      for (const [key, value] of Object.entries(node)) {
        if (key === '$ref' && typeof value === 'string') add(componentOf(value))
        else visit(value)
      }
  }
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    visit(all[name])
  }
  for (const { answer, body } of offered) {
    if (answer.type !== null) add(answer.type)
    visit(body?.schema)
  }
  return Object.fromEntries([...found].sort().map(name => [name, all[name] as Schema]))
}

/** `#/components/schemas/Source` gives `Source`. */
export const componentOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
