// Renders the operations of the TypeScript client.
import { camel, pascal } from '../../schemas/operations/client-names.ts'
import { type ClientOperation, componentOf, type Description, type Schema } from './describe.ts'

const header = '// Generated from the table of operations: npm run clients. Do not edit.\n'
const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const property = (name: string): string => (identifier.test(name) ? name : JSON.stringify(name))
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value)

/** A comment of one or more lines, at `indent`. Its text cannot end the comment. */
function comment(lines: readonly string[], indent: string): string {
  const safe = lines.map(line => line.replaceAll('*/', '*\\/'))
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`
  return `${indent}/**\n${safe.map(line => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`
}

/** The TypeScript type of a schema. `partial`: members with a default may be left out, as in a request. */
function typeOf(schema: Schema, indent = '', partial = false): string {
  if (schema.$ref !== undefined) return componentOf(schema.$ref)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (union !== undefined) return [...new Set(union.map(each => typeOf(each, indent, partial)))].join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map(each => `(${typeOf(each, indent, partial)})`).join(' & ')
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      if (schema.prefixItems !== undefined) return `readonly [${schema.prefixItems.map(each => typeOf(each, indent, partial)).join(', ')}]`
      return arrayOf(schema.items ?? {}, indent, partial)
    case 'object':
      return objectOf(schema, indent, partial)
    default:
      return 'unknown'
  }
}
function arrayOf(item: Schema, indent: string, partial: boolean): string {
  const type = typeOf(item, indent, partial)
  const compound = item.$ref === undefined && (item.anyOf ?? item.oneOf ?? item.allOf ?? item.enum ?? (item.type === 'array' ? [] : undefined))
  return compound ? `readonly (${type})[]` : `readonly ${type}[]`
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string, partial: boolean): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = !required.includes(name) || (partial && schema.default !== undefined) ? '?' : ''
    const about = schema.description === undefined ? '' : comment(schema.description.split('\n'), inner)
    return `${about}${inner}readonly ${property(name)}${optional}: ${typeOf(schema, inner, partial)}\n`
  })
  const rest = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent, partial) : 'unknown'
  if (members.length === 0) return `Readonly<Record<string, ${rest}>>`
  return `{\n${members.join('')}${indent}}`
}

/** Parameters and body of an operation as one object; path parameters are required. */
function paramsOf({ id, parameters, body }: ClientOperation): string {
  const members = parameters.map(
    each =>
      `${comment(each.description.split('\n'), '  ')}  readonly ${property(each.name)}${each.required ? '' : '?'}: ${parameterType(each.schema)}\n`,
  )
  const bodyType = body === null ? '' : `export type ${pascal(id)}Body = ${bodyOf(body)}\n`
  return members.length === 0 ? bodyType : `export type ${pascal(id)}Params = {\n${members.join('')}}\n${bodyType}`
}
const parameterType = (schema: Schema): string => (schema.type === 'boolean' ? 'boolean' : typeOf(schema))
function bodyOf({ schema, media }: NonNullable<ClientOperation['body']>): string {
  if (media[0]?.startsWith('multipart/')) return 'FormData'
  const own = typeOf(schema, '', true)
  return media.length > 1 ? `${own} | string` : own
}

function method(operation: ClientOperation): string {
  const { id, parameters, body, answer, summary, description, path, method: verb, rows, paged, access } = operation
  const needs = parameters.some(each => each.required)
  const given = parameters.length === 0 ? [] : [`params: ${pascal(id)}Params${needs ? '' : ' = {}'}`]
  const parts = body === null ? given : [...(needs ? given : []), `body: ${pascal(id)}Body`, ...(needs ? [] : given)]
  const type = answer.kind === 'json' ? (answer.type ?? 'unknown') : { text: 'string', bytes: 'Uint8Array<ArrayBuffer>', none: 'null' }[answer.kind]
  const values = `${parameters.length === 0 ? '{}' : 'params'}, ${body === null ? 'undefined' : 'body'}`
  const about = [summary, '', ...description.split('\n'), '', `\`${verb} ${path}\`; access: ${access}.`]
  const call = `${comment(about, '  ')}  ${camel(id)}(${[...parts, 'options: CallOptions = {}'].join(', ')}): Promise<Answer<${type}>> {
    return this.call(table.${id}, ${values}, options)
  }
`
  if (!paged || answer.type === null) return call
  const list = [...parts, 'options: CallOptions = {}'].join(', ')
  const item = rows === null ? null : `NonNullable<${answer.type}[${literal(rows)}]>[number]`
  const pages = `${comment([`The pages of \`${camel(id)}\`, one after the other.`], '  ')}  ${camel(id)}Pages(${list}): AsyncGenerator<Answer<${type}>, void, undefined> {
    return this.pages(table.${id}, ${values}, options)
  }
`
  if (item === null) return `${call}\n${pages}`
  return `${call}
${pages}
${comment([`The rows of all pages of \`${camel(id)}\`.`], '  ')}  ${camel(id)}Rows(${list}): AsyncGenerator<${item}, void, undefined> {
    return this.rows(table.${id}, ${values}, options)
  }
`
}

const row = ({ id, method: verb, path, parameters, answer, rows, data, idempotent, body }: ClientOperation): string => {
  const named = parameters.filter(each => each.in === 'path').map(each => literal(each.name))
  return `  ${id}: { method: '${verb}', path: ${literal(path)}, inPath: [${named.join(', ')}], answer: '${answer.kind}', rows: ${literal(rows)}, data: ${data}, idempotent: ${idempotent}, media: ${literal(body?.media[0] ?? null)} },\n`
}

/** The source text of `src/operations.ts`. */
export function renderTypescript({ operations, schemas }: Description): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) =>
      `${schema.description === undefined ? '' : comment(schema.description.split('\n'), '')}export type ${name} = ${typeOf(schema)}\n`,
  )
  return `${header}import { type Answer, Caller, type CallOptions, type OperationRow } from './caller.ts'

${types.join('\n')}
${operations
  .map(paramsOf)
  .filter(text => text !== '')
  .join('\n')}
const table = {
${operations.map(row).join('')}} as const satisfies Readonly<Record<string, OperationRow>>
export const operationTable: Readonly<Record<string, OperationRow>> = table

/** One method for each operation of the service. */
export class Operations extends Caller {
${operations.map(method).join('\n')}}
`
}
