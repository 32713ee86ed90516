// Renders the types and operations of the Python client.
import { isPythonWord, pascal, pythonName } from '../../schemas/operations/client-names.ts'
import { type ClientOperation, componentOf, type Description, type Schema } from './describe.ts'

const header = '# Generated from the table of operations: npm run clients. Do not edit.\n'
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
const text = (value: string): string => JSON.stringify(value)
const literal = (value: unknown): string => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value))
/** Text inside a docstring of three double quotes. */
const doc = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')

/** Collects the TypedDicts that nested objects need; each has the name of its place. */
class Types {
  private readonly classes: string[] = []
  private readonly names = new Set<string>()

  of(schema: Schema, place: string): string {
    if (schema.$ref !== undefined) return `"${componentOf(schema.$ref)}"`
    if (schema.const !== undefined) return schema.const === null ? 'None' : `Literal[${literal(schema.const)}]`
    if (schema.enum !== undefined) return this.enumOf(schema.enum)
    const union = schema.anyOf ?? schema.oneOf
    if (union !== undefined) {
      const parts = [...new Set(union.map((each, n) => this.of(each, union.filter(isObjectSchema).length > 1 ? `${place}${n + 1}` : place)))]
      return parts.length === 1 ? (parts[0] as string) : `Union[${parts.join(', ')}]`
    }
    if (schema.allOf !== undefined) return schema.allOf.length === 1 ? this.of(schema.allOf[0] as Schema, place) : 'Dict[str, Any]'
    switch (schema.type) {
      case 'string':
        return 'str'
      case 'integer':
        return 'int'
      case 'number':
        return 'Number'
      case 'boolean':
        return 'bool'
      case 'null':
        return 'None'
      case 'array':
        return schema.prefixItems === undefined
          ? `List[${this.of(schema.items ?? {}, `${place}Item`)}]`
          : `List[${this.of({ anyOf: schema.prefixItems }, `${place}Item`)}]`
      case 'object':
        return this.objectOf(schema, place)
      default:
        return 'Any'
    }
  }

  private enumOf(values: readonly (string | number | boolean | null)[]): string {
    const some = values.filter(value => value !== null)
    const given = `Literal[${some.map(literal).join(', ')}]`
    return some.length === values.length ? given : `Optional[${given}]`
  }

  private objectOf(schema: Schema, place: string): string {
    const { properties = {}, additionalProperties } = schema
    if (Object.keys(properties).length > 0) return `"${this.add(place, schema)}"`
    return `Dict[str, ${typeof additionalProperties === 'object' ? this.of(additionalProperties, `${place}Value`) : 'Any'}]`
  }

  /** Adds the TypedDict of an object under this name, or the next free one. */
  add(name: string, { properties = {}, required = [], description }: Schema, partial = false): string {
    let free = name
    for (let n = 2; this.names.has(free); n += 1) free = `${name}${n}`
    this.names.add(free)
    const members = Object.entries(properties).map(([key, schema]) => {
      const type = this.of(schema, `${free}${pascal(key.replaceAll(/[^A-Za-z0-9_]/g, '_'))}`)
      const optional = !required.includes(key) || (partial && schema.default !== undefined)
      return { key, type: optional ? `NotRequired[${type}]` : type, about: schema.description }
    })
    const about = description === undefined ? '' : `    """${doc(description)}"""\n`
    if (members.every(({ key }) => identifier.test(key) && !isPythonWord(key))) {
      const lines = members.map(({ key, type, about: note }) => `    ${key}: ${type}\n${note === undefined ? '' : `    """${doc(note)}"""\n`}`)
      this.classes.push(`class ${free}(TypedDict):\n${about}${lines.join('') || '    pass\n'}`)
    } else {
      // Keys such as `from` cannot be attributes of a class. Types are quoted here, since the functional form evaluates them.
      const lines = members.map(({ key, type }) => `        ${text(key)}: ${type},\n`)
      this.classes.push(`${free} = TypedDict(\n    ${text(free)},\n    {\n${lines.join('')}    },\n)\n`)
    }
    return free
  }

  alias(name: string, schema: Schema): void {
    this.names.add(name)
    this.classes.push(`${name}: TypeAlias = ${this.of(schema, `${name}Of`)}\n`)
  }
  reserve(name: string): void {
    this.names.add(name)
  }
  free(name: string): void {
    this.names.delete(name)
  }
  get source(): string {
    return this.classes.join('\n\n')
  }
}
const isObjectSchema = (schema: Schema): boolean => schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0

const bodyName = (id: string): string => `${pascal(id)}Body`
const isMultipart = ({ body }: ClientOperation): boolean => body?.media[0]?.startsWith('multipart/') ?? false

/** The source text of `crossfile/types.py`. */
export function renderPythonTypes({ operations, schemas }: Description): string {
  const types = new Types()
  for (const name of Object.keys(schemas)) types.reserve(name)
  for (const [name, schema] of Object.entries(schemas)) {
    types.free(name)
    if (isObjectSchema(schema)) types.add(name, schema)
    else types.alias(name, schema)
  }
  for (const operation of operations) {
    if (operation.body === null || isMultipart(operation)) continue
    if (isObjectSchema(operation.body.schema)) types.add(bodyName(operation.id), operation.body.schema, true)
    else types.alias(bodyName(operation.id), operation.body.schema)
  }
  return `${header}"""The answers and bodies of the service as typed dictionaries."""

from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import NotRequired, TypeAlias, TypedDict

Number = Union[int, Decimal, float]
"""A JSON number: int, or Decimal with the printed digits (float if the client was made with numbers="float")."""


${types.source}`
}

function parameterType(schema: Schema): string {
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
  if (schema.type === 'integer') return 'int'
  if (schema.type === 'number') return 'Union[int, float, Decimal, str]'
  if (schema.type === 'boolean') return 'bool'
  return 'Value'
}

function signatureOf(operation: ClientOperation): string[] {
  const { parameters, body, id } = operation
  const needed = parameters.filter(each => each.required).map(each => `${pythonName(each.name)}: ${parameterType(each.schema)}`)
  const optional = parameters.filter(each => !each.required).map(each => `${pythonName(each.name)}: Optional[${parameterType(each.schema)}] = None`)
  const bodies = body === null ? [] : [isMultipart(operation) ? 'body: bytes' : `body: types.${bodyName(id)}`]
  return [...needed, ...bodies, '*', ...optional, 'options: Optional[CallOptions] = None']
}

function methodsOf(operation: ClientOperation, isAsync: boolean): string {
  const { id, parameters, body, answer, summary, description, path, method, rows, paged, access } = operation
  const list = `        self,\n${signatureOf(operation)
    .map(each => `        ${each},\n`)
    .join('')}`
  const values = `{${parameters.map(each => `${text(each.name)}: ${pythonName(each.name)}`).join(', ')}}`
  const sent = body === null ? 'None' : 'body'
  const type =
    answer.kind === 'json' ? (answer.type === null ? 'Any' : `types.${answer.type}`) : { text: 'str', bytes: 'bytes', none: 'None' }[answer.kind]
  const about = parameters.filter(each => each.description !== '').map(each => `        ${pythonName(each.name)}: ${doc(each.description)}`)
  const docstring = [
    `        """${doc(summary)}`,
    '',
    ...description.split('\n').map(line => (line === '' ? '' : `        ${doc(line)}`)),
    ...(about.length === 0 ? [] : ['', ...about]),
    '',
    `        \`\`${method} ${path}\`\`; access: ${access}.`,
    '        """',
  ].join('\n')
  const [def, wait] = isAsync ? ['async def', 'await '] : ['def', '']
  const call = `    ${def} ${id}(\n${list}    ) -> Answer[${type}]:\n${docstring}\n        return ${wait}self._call(_table[${text(id)}], ${values}, ${sent}, options)\n`
  if (!paged || answer.type === null) return call
  const iterator = isAsync ? 'AsyncIterator' : 'Iterator'
  const pages = `    def ${id}_pages(\n${list}    ) -> ${iterator}[Answer[${type}]]:\n        """The pages of \`\`${id}\`\`, one after the other."""\n        return self._pages(_table[${text(id)}], ${values}, ${sent}, options)\n`
  if (rows === null) return `${call}\n${pages}`
  const each = `    def ${id}_rows(\n${list}    ) -> ${iterator}[Dict[str, Any]]:\n        """The rows of all pages of \`\`${id}\`\`."""\n        return self._rows(_table[${text(id)}], ${values}, ${sent}, options)\n`
  return `${call}\n${pages}\n${each}`
}

const row = (operation: ClientOperation): string => {
  const { id, method, path, parameters, answer, rows, data, idempotent, body } = operation
  const named = parameters.filter(each => each.in === 'path').map(each => text(each.name))
  return `    ${text(id)}: OperationRow(${text(method)}, ${text(path)}, (${named.join(', ')}${named.length === 1 ? ',' : ''}), ${text(answer.kind)}, ${literal(rows)}, ${literal(data)}, ${literal(idempotent)}, ${literal(body?.media[0] ?? null)}),\n`
}

/** The source text of `crossfile/operations.py`. */
export function renderPythonOperations({ operations }: Description): string {
  return `${header}"""One method for each operation of the service, with and without asyncio."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, AsyncIterator, Dict, Iterator, Literal, Optional, Union

from . import types
from ._core import Answer, CallOptions, OperationRow, Value
from ._callers import AsyncCaller, SyncCaller

_table: Dict[str, OperationRow] = {
${operations.map(row).join('')}}


class Operations(SyncCaller):
    _rows_by_id = _table

${operations.map(each => methodsOf(each, false)).join('\n')}

class AsyncOperations(AsyncCaller):
    _rows_by_id = _table

${operations.map(each => methodsOf(each, true)).join('\n')}`
}
