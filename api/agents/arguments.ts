// Describes the tools to clients of the protocol, and converts the arguments of a call into a request to an operation.
import { z } from 'zod'
import type { AgentTool, AgentView } from '#schemas/agent-tools.ts'
import { maxResultTokens, mostResultTokens } from '#schemas/agent-tools.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { OperationCall } from '#schemas/operation-calls.ts'
import { factsOf, printable } from '#schemas/operations/parameters.ts'
import { type Operation, operationOf } from '#schemas/operations.ts'
import { nearest } from '../plugins/nearest.ts'

type Node = Readonly<Record<string, unknown>>
export type DescribedTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly outputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly annotations: { readonly readOnlyHint: true; readonly idempotentHint: true; readonly openWorldHint: false }
}
/** One argument of a view: the parameter or body member behind it. */
type Taken = { readonly argument: string; readonly parameter: string; readonly inBody: boolean; readonly required: boolean; readonly schema: Node }
export type NamedArgument = { readonly parameter: string; readonly kind: 'listing' | 'manager'; readonly text: string }
export type ReadCall = {
  readonly view: AgentView
  readonly operation: Operation
  readonly call: OperationCall
  /** Members that the agent requested; null: those of the view. */
  readonly fields: readonly string[] | null
  readonly maxTokens: number
  readonly signed: boolean
}

const common: Readonly<Record<string, Node>> = {
  as_of: { type: 'string', description: 'only what was known at this day or instant' },
  fields: { type: 'string', description: 'members of each row to return, by comma' },
  max_tokens: { type: 'integer', description: `up to ${mostResultTokens}, default ${maxResultTokens}` },
  receipt: { type: 'boolean', description: 'sign the answer' },
}
/** Maximum length of the description of an argument. */
const longest = 150

/** The tool with JSON Schemas of its arguments and results. */
export function describeTool(tool: AgentTool): DescribedTool {
  const views = tool.views.map(view => ({ view, operation: operationOf(view.operation), taken: takenBy(view) }))
  const properties: Record<string, Node> = {}
  if (views.length > 1) properties['view'] = { type: 'string', enum: tool.views.map(view => view.view) }
  for (const { view, taken } of views)
    for (const { argument, parameter, schema } of taken) {
      const fallback = view.defaults?.[parameter] ?? schema['default']
      properties[argument] ??= { ...schema, ...(fallback === undefined ? {} : { default: fallback }) }
    }
  const dated = views.some(({ operation }) => 'as_of' in operation.question.shape)
  for (const [name, schema] of Object.entries(common)) if (dated || (name !== 'as_of' && name !== 'receipt')) properties[name] = schema
  const required = (views[0]?.taken ?? [])
    .map(each => each.argument)
    .filter(name => views.every(({ taken }) => taken.some(each => each.argument === name && each.required)))
  const rows = [...new Set(views.map(({ operation }) => operation.rows).filter(each => each !== null))]
  const arrays = Object.fromEntries(rows.map(name => [name, { type: 'array' }]))
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: { ...arrays, as_of: { type: 'string' }, url: { type: 'string' }, truncated: { type: 'array' } },
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  }
}

const takenViews = new WeakMap<AgentView, readonly Taken[]>()
/** The arguments of a view. Throws `TypeError` if the table names a parameter that its operation lacks. */
function takenBy(view: AgentView): readonly Taken[] {
  const known = takenViews.get(view)
  if (known) return known
  const operation = operationOf(view.operation)
  const body = operation.body === null ? null : (z.toJSONSchema(operation.body, { io: 'input' }) as Node)
  const members = (body?.['properties'] ?? {}) as Readonly<Record<string, Node>>
  const taken = view.takes.map((entry): Taken => {
    const [argument = '', parameter = argument] = entry.split('=')
    const schema = operation.question.shape[parameter]
    if (schema) {
      const { wire, description } = factsOf(schema)
      const { type, default: fallback } = wire
      const facts: Node = {
        type,
        description: brief(description),
        ...(wire.enum ? { enum: wire.enum } : {}),
        ...(fallback === undefined ? {} : { default: fallback }),
      }
      return { argument, parameter, inBody: false, required: !schema.safeParse(undefined).success, schema: facts }
    }
    const member = members[parameter]
    if (!member) throw new TypeError(`agent tools: ${operation.id} has no parameter ${parameter}`)
    const { type = 'string', description = '', default: fallback, items, enum: words } = member
    const facts: Node = {
      type,
      description: brief(String(description)),
      ...(words ? { enum: words } : {}),
      ...(items ? { items: { type: (items as Node)['type'] ?? 'object' } } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
    }
    return { argument, parameter, inBody: true, required: ((body?.['required'] ?? []) as string[]).includes(parameter), schema: facts }
  })
  takenViews.set(view, taken)
  return taken
}

/** A description up to its first semicolon, at most `longest` characters. */
function brief(description: string): string {
  const [first = ''] = description.split(';', 1)
  return first.length <= longest ? first : `${first.slice(0, first.lastIndexOf(' ', longest))} …`
}

/** The operation's parameter behind an argument that names a listing or a manager, for `names.ts`. */
export function namesIn({ view, call }: Pick<ReadCall, 'view' | 'call'>): readonly NamedArgument[] {
  const { shape } = operationOf(view.operation).question
  return takenBy(view).flatMap(({ argument, parameter, inBody }): NamedArgument[] => {
    const text = call.parameters[parameter]
    const schema = shape[parameter]
    if (inBody || typeof text !== 'string' || !schema) return []
    if (argument === 'manager') return [{ parameter, kind: 'manager', text }]
    return factsOf(schema).expects.startsWith('a symbol such as') ? [{ parameter, kind: 'listing', text }] : []
  })
}

/** Reads the arguments of a call. Throws `BadRequest` that names the argument, what was found and what is expected. */
export function readArguments(tool: AgentTool, given: Readonly<Record<string, unknown>>): ReadCall {
  const named = given['view']
  const own = Object.keys(given).filter(name => name !== 'view' && !(name in common) && given[name] !== null && given[name] !== undefined)
  const view = chooseView(tool, named, own)
  const operation = operationOf(view.operation)
  const parameters: Record<string, string | number | boolean> = { ...view.defaults }
  const body: Record<string, unknown> = {}
  for (const { argument, parameter, inBody } of takenBy(view)) {
    const value = given[argument]
    if (value === undefined || value === null) continue
    if (inBody) body[parameter] = value
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') parameters[parameter] = value
    else
      throw new BadRequest(`${argument} is ${Array.isArray(value) ? 'an array' : 'an object'}`, {
        hint: `${argument} is a text, a number or a boolean`,
      })
  }
  const { as_of, receipt } = given
  if (as_of !== undefined && as_of !== null) {
    if (!('as_of' in operation.question.shape))
      throw new BadRequest(`as_of does not apply to view ${view.view}`, { hint: 'leave as_of out: this view answers about the present' })
    parameters['as_of'] = String(as_of)
  }
  return {
    view,
    operation,
    call: { operation: view.operation, parameters, ...(operation.body === null ? {} : { body }) },
    fields: fieldsOf(given['fields']),
    maxTokens: tokensOf(given['max_tokens']),
    signed: receipt === true || receipt === 'true' || receipt === 1,
  }
}

function chooseView(tool: AgentTool, named: unknown, given: readonly string[]): AgentView {
  const names = tool.views.map(view => view.view)
  const takes = (view: AgentView): readonly string[] => takenBy(view).map(each => each.argument)
  if (named !== undefined && named !== null) {
    const view = tool.views.find(each => each.view === named)
    if (!view)
      throw new BadRequest(`view: expected one of ${names.join(', ')}, got "${printable(String(named))}"`, {
        hint: `the first, ${names[0]}, is usual`,
      })
    const odd = given.find(name => !takes(view).includes(name))
    if (odd !== undefined) throw unknownArgument(tool, odd, view)
    return view
  }
  const fitting = tool.views.filter(view => given.every(name => takes(view).includes(name)))
  const complete = fitting.find(view => takenBy(view).every(each => !each.required || given.includes(each.argument)))
  const view = complete ?? fitting[0]
  if (view) return view
  const odd = given.find(name => !tool.views.some(each => takes(each).includes(name)))
  throw unknownArgument(tool, odd ?? given[0] ?? '', null)
}

function unknownArgument(tool: AgentTool, name: string, view: AgentView | null): BadRequest {
  const known = [...new Set((view ? [view] : tool.views).flatMap(each => takenBy(each).map(taken => taken.argument))), ...Object.keys(common)]
  const near = nearest(name, known)
  const where = view ? `view ${view.view} of ${tool.name}` : tool.name
  const perView = tool.views
    .map(
      each =>
        `${each.view}: ${takenBy(each)
          .map(taken => taken.argument)
          .join(', ')}`,
    )
    .join('; ')
  return new BadRequest(
    known.includes(name) ? `no view of ${tool.name} takes these arguments together` : `${where} takes no argument "${printable(name)}"`,
    {
      hint: `${near === null || near === name ? '' : `did you mean ${near}? `}views and their arguments: ${perView}`,
    },
  )
}

function fieldsOf(value: unknown): readonly string[] | null {
  if (value === undefined || value === null || value === '') return null
  const list = Array.isArray(value) ? value.map(String) : String(value).split(',')
  return list.map(name => name.trim()).filter(name => name !== '')
}

function tokensOf(value: unknown): number {
  if (value === undefined || value === null) return maxResultTokens
  const tokens = Number(value)
  if (!Number.isInteger(tokens) || tokens < 500 || tokens > mostResultTokens)
    throw new BadRequest(`max_tokens=${printable(String(value))} is outside 500 to ${mostResultTokens}`, {
      hint: `leave max_tokens out for ${maxResultTokens}`,
    })
  return tokens
}
