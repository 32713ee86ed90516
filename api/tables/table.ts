// A table with typed columns, from a body and the columns of its operation: what workbooks, Parquet and Arrow files are written from.
import { dayMs, dayStart, isCalendarDay } from '#schemas/days.ts'
import type { Column, Kind } from './columns.ts'
import { type BodyRows, type Cell, columnsIn, Digits, flatten, type Json, printJson } from './rows.ts'

/** A cell in the type of its column: `day` in days and `instant` in microseconds since 1970; `decimal` and `integer` as printed. */
export type Value = string | number | bigint | boolean | null
export type TypedColumn = Column & { readonly values: readonly Value[] }
export type Table = {
  readonly columns: readonly TypedColumn[]
  readonly rows: number
  /** Columns that became text because a value does not fit their kind. */
  readonly textColumns: readonly string[]
}

/** Digits of a decimal column: `DECIMAL(38, 12)`. */
export const decimalPrecision = 38
export const decimalScale = 12

/**
 * The rows of a body as columns: those of the schema in its order, then those that only the rows have. A column with a value that its kind cannot
 * carry digit for digit is text.
 */
export function buildTable(body: BodyRows, schemaColumns: readonly Column[]): Table {
  const flat = body.rows.map(row => flatten(row, list => printJson(list)))
  const named = new Set(schemaColumns.map(column => column.name))
  const isParent = (name: string): boolean => schemaColumns.some(column => column.name.startsWith(`${name}.`))
  const more = columnsIn(flat)
    .filter(name => !named.has(name) && !isParent(name))
    .map((name): Column => ({ name, kind: inferredKind(flat.map(row => row.get(name) ?? null)) }))
  const textColumns: string[] = []
  const columns = [...schemaColumns, ...more].map((column): TypedColumn => {
    const cells = flat.map(row => row.get(column.name) ?? null)
    const values = cells.map(cell => valueOf(cell, column.kind))
    if (!values.includes(undefined)) return { ...column, values: values as Value[] }
    textColumns.push(column.name)
    return { name: column.name, kind: 'text', values: cells.map(textOf) }
  })
  return { columns, rows: flat.length, textColumns }
}

const textOf = (cell: Cell): string | null => (cell === null ? null : cell instanceof Digits ? cell.text : String(cell))

function inferredKind(cells: readonly Cell[]): Kind {
  const held = cells.filter(cell => cell !== null)
  if (held.length > 0 && held.every(cell => cell instanceof Digits)) return 'decimal'
  return held.length > 0 && held.every(cell => typeof cell === 'boolean') ? 'boolean' : 'text'
}

/** The cell as a value of its column's kind; undefined if it does not fit. */
function valueOf(cell: Cell, kind: Kind): Value | undefined {
  if (cell === null) return null
  switch (kind) {
    case 'text':
      return textOf(cell)
    case 'boolean':
      return typeof cell === 'boolean' ? cell : undefined
    case 'day':
      return typeof cell === 'string' ? dayNumber(cell) : undefined
    case 'instant':
      return typeof cell === 'string' ? microseconds(cell) : undefined
    case 'integer':
      return cell instanceof Digits && /^-?\d{1,18}$/.test(cell.text) ? BigInt(cell.text) : undefined
    case 'real':
      return cell instanceof Digits && isDouble(cell.text) ? Number(cell.text) : undefined
    case 'decimal':
      return cell instanceof Digits && unscaled(cell.text) !== null ? cell.text : undefined
  }
}

/** Days since 1970; undefined if the text is no calendar day. */
export function dayNumber(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isCalendarDay(text) ? dayStart(text) / dayMs : undefined
}

/** Microseconds since 1970 of an instant in UTC; undefined if the text is none. */
export function microseconds(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(text)
  const at = match ? Date.parse(`${match[1]}Z`) : Number.NaN
  return Number.isNaN(at) ? undefined : BigInt(at) * 1000n + BigInt((match?.[2] ?? '').padEnd(6, '0'))
}

/** The text of a number is that of a double, apart from zeros and exponent. */
export function isDouble(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && significant(String(value)) === significant(text)
}

/** Sign, digits and place of the point of a number, in one spelling. */
function significant(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!match) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  if (kept === '') return '0'
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

/** A decimal as an integer of `10^-12`; null if it needs more digits than the column has. */
export function unscaled(text: string): bigint | null {
  const match = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/.exec(text)
  if (!match) return null
  const [, sign = '', whole = '', fraction = ''] = match
  const places = fraction.replace(/0+$/, '')
  if (places.length > decimalScale || whole.replace(/^0+/, '').length > decimalPrecision - decimalScale) return null
  return BigInt(`${sign}${whole}${places.padEnd(decimalScale, '0')}`)
}

/** The members of the answer that are neither rows nor scalars, such as `sources`. */
export function nestedOf({ whole, separate }: BodyRows, main: string | null): readonly (readonly [string, Json])[] {
  if (!separate) return []
  return Object.entries(whole).filter(([name, value]) => name !== main && value !== null && typeof value === 'object' && !(value instanceof Digits))
}
