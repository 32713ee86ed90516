// The columns of an operation's rows and their kinds, from the schema of its answer: the same for every answer of the operation.
import { z } from 'zod'
import type { Operation } from '#schemas/operations.ts'

/** `real`: a binary float; `decimal`: a number whose digits are kept. */
export type Kind = 'text' | 'day' | 'instant' | 'integer' | 'real' | 'decimal' | 'boolean'
export type Column = { readonly name: string; readonly kind: Kind }

const known = new WeakMap<Operation, readonly Column[]>()

/** Leaf columns in the order of the schema, with dots between the names of nested members; lists are text. */
export function columnsOf(operation: Operation): readonly Column[] {
  const held = known.get(operation)
  if (held) return held
  const columns = operation.answer === null ? [] : leaves(rowSchema(operation.answer, operation.rows), '', [])
  known.set(operation, columns)
  return columns
}

function rowSchema(answer: z.ZodType, rows: string | null): z.ZodType {
  if (rows === null) return answer
  const list = plain(plain(answer) instanceof z.ZodObject ? ((plain(answer) as z.ZodObject).shape[rows] as z.ZodType) : answer)
  return list instanceof z.ZodArray ? (list.element as z.ZodType) : answer
}

/** The schema behind `optional()`, `nullable()`, `default()` and references. */
function plain(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) return plain(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodLazy) return plain(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return plain(schema.out as z.ZodType)
  return schema
}

function leaves(schema: z.ZodType, path: string, above: readonly z.ZodType[]): Column[] {
  const inner = plain(schema)
  if (inner instanceof z.ZodObject && !above.includes(inner))
    return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, member]) =>
      leaves(member, path === '' ? name : `${path}.${name}`, [...above, inner]),
    )
  // Members that the schema does not name are found in the rows.
  if (
    inner instanceof z.ZodRecord ||
    (inner instanceof z.ZodUnion && inner.options.some(option => plain(option as z.ZodType) instanceof z.ZodObject))
  )
    return []
  return [{ name: path === '' ? 'value' : path, kind: kindOf(inner) }]
}

const kinds: Readonly<Record<string, Kind>> = {
  DATE: 'day',
  'TIMESTAMP WITH TIME ZONE': 'instant',
  BIGINT: 'integer',
  INTEGER: 'integer',
  DOUBLE: 'real',
  BOOLEAN: 'boolean',
}

/** The kind by the DuckDB type that a schema of schemas/values.ts states, else by what the schema checks. */
function kindOf(schema: z.ZodType): Kind {
  const column = z.globalRegistry.get(schema)?.['column']
  const stated = typeof column === 'string' ? kinds[column] : undefined
  if (stated !== undefined) return stated
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'integer' : 'decimal'
  return schema instanceof z.ZodBoolean ? 'boolean' : 'text'
}
