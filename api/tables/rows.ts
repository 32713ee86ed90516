// The rows of a finished JSON body with every digit kept: one map from column to cell for each element of its main array.

/** A number as its source printed it. It is distinguished from text, because only text can be a formula. */
export class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type Cell = string | boolean | null | Digits
export type Json = null | boolean | string | Digits | readonly Json[] | { readonly [name: string]: Json }
export type Row = ReadonlyMap<string, Cell>
/** A scalar of the answer outside its rows. */
export type Fact = { readonly name: string; readonly value: Cell }
/** `separate`: the rows are elements of the main array, so the rest of the answer is in `whole` alone. */
export type BodyRows = { readonly whole: { readonly [name: string]: Json }; readonly rows: readonly Json[]; readonly separate: boolean }

/** The rows of a body, which is one row itself if it has no main array. Throws TypeError for a body that is no object. */
export function readBody(body: Uint8Array, main: string | null): BodyRows {
  const whole = parseDigits(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  if (!isObject(whole)) throw new TypeError('the body is no object')
  const found = main === null ? undefined : whole[main]
  return Array.isArray(found) ? { whole, rows: found, separate: true } : { whole, rows: [whole], separate: false }
}

/** Parses a body with its numbers as they are written. */
function parseDigits(body: string): Json {
  // The reviver's third argument carries the source text of primitives (ECMAScript 2026, in V8 for years).
  const revive = (_name: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' ? new Digits(context.source ?? String(value)) : value
  return JSON.parse(body, revive as (this: unknown, key: string, value: unknown) => unknown) as Json
}

/** Scalars outside the rows, in the order of the answer. */
export function factsOf({ whole, separate }: BodyRows): readonly Fact[] {
  if (!separate) return []
  return Object.entries(whole).flatMap(([name, value]) => (isPlain(value) ? [{ name, value: value as Cell }] : []))
}

/** Nested objects become columns with dots; `listText` prints a list as one cell. */
export function flatten(row: Json, listText: (list: readonly Json[]) => string): Row {
  const cells = new Map<string, Cell>()
  const visit = (value: Json, path: string): void => {
    if (isObject(value)) for (const [name, inner] of Object.entries(value)) visit(inner, path === '' ? name : `${path}.${name}`)
    else cells.set(path, Array.isArray(value) ? listText(value) : (value as Cell))
  }
  if (isObject(row)) visit(row, '')
  else visit(row, 'value')
  return cells
}

/** The columns of rows in order of appearance; an object that is null in one row is no column in addition to those of its members. */
export function columnsIn(rows: readonly Row[]): string[] {
  const columns = new Set<string>()
  for (const row of rows) for (const column of row.keys()) columns.add(column)
  const parents = new Set([...columns].flatMap(column => column.split('.').map((_, at, parts) => parts.slice(0, at).join('.'))))
  for (const column of parents) if (rows.every(row => (row.get(column) ?? null) === null)) columns.delete(column)
  return [...columns]
}

export function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits)
}
export function isPlain(value: Json): boolean {
  return value === null || typeof value !== 'object' || value instanceof Digits
}
/** A plain value as text; null is empty. */
export function plainText(value: Json): string {
  return value instanceof Digits ? value.text : value === null ? '' : String(value)
}
export function printJson(value: Json): string {
  if (value instanceof Digits) return value.text
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${printJson(inner)}`)
      .join(',')}}`
  return JSON.stringify(value)
}
