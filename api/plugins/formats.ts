// Renderings of a finished JSON body: csv, excel (tab-separated) and ndjson, from its main array, with every digit kept.
import { BadRequest } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { ownFormat } from './other-names.ts'

export const formats = ['json', 'csv', 'excel', 'ndjson'] as const
export type Format = (typeof formats)[number]
export const mediaTypes: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  excel: 'text/tab-separated-values; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
}
const extensions: Readonly<Record<Format, string>> = { json: 'json', csv: 'csv', excel: 'tsv', ndjson: 'ndjson' }

/** Formats that an operation answers in; empty for those that answer no JSON and no rows. */
export function formatsOf(operation: Operation): readonly Format[] {
  if (operation.id === 'get_bulk_file') return ['csv', 'excel']
  if (operation.answer === null || operation.media_type !== mediaTypes.json) return []
  return operation.data || operation.rows !== null || operation.tag === 'Developer Data API' ? formats : ['json']
}

const accepted: readonly (readonly [string, Format])[] = [
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'excel'],
  ['application/x-ndjson', 'ndjson'],
]

/**
 * The format asked for: `format=` wins, else the first media type in Accept that we write, else JSON. Throws BadRequest (406)
 * for a format that the operation has not.
 */
export function chooseFormat(operation: Operation, asked: string | undefined, accept: string | undefined): Format {
  const possible = formatsOf(operation)
  if (asked !== undefined) {
    const named = formats.find(each => each === asked.toLowerCase())
    if (named && possible.includes(named)) return named
    const own = possible.find(each => each === ownFormat(asked))
    throw new BadRequest('this operation does not support the format', {
      status: 406,
      code: 'not_acceptable',
      hint:
        possible.length === 0
          ? `leave format out: this operation answers ${operation.media_type}`
          : `${own === undefined ? '' : `did you mean format=${own}? `}format is one of ${possible.join(', ')}`,
    })
  }
  return acceptedFormat(accept, possible)
}

/** What Accept alone asks for; JSON where it names nothing that we write. */
export function acceptedFormat(accept: string | undefined, possible: readonly Format[]): Format {
  if (accept === undefined || accept === '*/*' || possible.length < 2) return 'json'
  for (const part of accept.slice(0, 1024).split(',')) {
    const type = part.split(';', 1)[0]?.trim().toLowerCase()
    const found = accepted.find(([name, format]) => name === type && possible.includes(format))
    if (found) return found[1]
    if (type === '*/*' || type === 'application/problem+json') return 'json'
  }
  return 'json'
}

/** A number as its source printed it. It is distinguished from text, because only text can be a formula. */
export class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type Cell = string | boolean | null | Digits
export type Rendered = { readonly body: Buffer; readonly headers: readonly string[] }

type Json = null | boolean | string | Digits | readonly Json[] | { readonly [name: string]: Json }

/** Parses a body with its numbers as they are written. */
function parseDigits(body: string): Json {
  // The reviver's third argument carries the source text of primitives (ECMAScript 2026, in V8 for years).
  const revive = (_name: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' ? new Digits(context.source ?? String(value)) : value
  return JSON.parse(body, revive as (this: unknown, key: string, value: unknown) => unknown) as Json
}

/** The body in another format. Scalars outside the rows go to X-Meta headers; without a main array the object is one row. */
export function renderFormat(operation: Operation, format: Exclude<Format, 'json'>, body: Buffer, name: string): Rendered {
  const whole = parseDigits(body.toString('utf8'))
  if (!isObject(whole)) throw new TypeError(`${operation.id}: the body is no object`)
  const found = operation.rows === null ? undefined : whole[operation.rows]
  const rows = Array.isArray(found) ? found : [whole]
  const meta = Array.isArray(found) ? metaHeaders(whole, operation.rows ?? '') : []
  const headers = [...meta, 'Content-Disposition', `attachment; filename="${filenameOf(operation, name)}.${extensions[format]}"`]
  if (format === 'ndjson') return { body: Buffer.from(rows.map(row => `${printJson(row)}\n`).join('')), headers }
  const flat = rows.map(row => flatten(row))
  const columns = columnsOf(operation, flat)
  const lines = [
    headerLine(format, columns),
    ...flat.map(row =>
      rowLine(
        format,
        columns.map(column => row.get(column) ?? null),
      ),
    ),
  ]
  return { body: Buffer.from(lines.join('')), headers }
}

/** The first line of a csv or excel text: column names, guarded as text is. */
export function headerLine(format: 'csv' | 'excel', columns: readonly string[]): string {
  return rowLine(format, columns)
}
/** One line, CRLF included. csv as RFC 4180; excel with tabs and line breaks in text replaced by a space. */
export function rowLine(format: 'csv' | 'excel', cells: readonly Cell[]): string {
  return `${cells.map(cell => (format === 'csv' ? csvCell(cell) : excelCell(cell))).join(format === 'csv' ? ',' : '\t')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell instanceof Digits ? cell.text : String(cell)
  const safe = guard(cell)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
function excelCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell instanceof Digits ? cell.text : String(cell)
  return guard(cell).replaceAll(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, ' ')
}

/** What a spreadsheet would run as a formula (full-width forms too) gets a leading apostrophe; numbers never come here. */
function guard(text: string): string {
  return /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text
}

/** Nested objects become columns with dots; lists of plain values one cell with semicolons, lists of objects JSON. */
function flatten(row: Json): Map<string, Cell> {
  const cells = new Map<string, Cell>()
  const visit = (value: Json, path: string): void => {
    if (isObject(value)) for (const [name, inner] of Object.entries(value)) visit(inner, path === '' ? name : `${path}.${name}`)
    else if (Array.isArray(value)) cells.set(path, value.every(isPlain) ? value.map(plainText).join('; ') : printJson(value))
    else cells.set(path, value as Cell)
  }
  if (isObject(row)) visit(row, '')
  else visit(row, 'value')
  return cells
}

/** Columns of all rows in order of appearance; where there is no row, the plain members that the schema names. */
function columnsOf(operation: Operation, rows: readonly Map<string, Cell>[]): string[] {
  const columns = new Set<string>()
  for (const row of rows) for (const column of row.keys()) columns.add(column)
  // An object that is null in one row does not become a column in addition to its members' columns.
  const parents = new Set([...columns].flatMap(column => column.split('.').map((_, at, parts) => parts.slice(0, at).join('.'))))
  for (const column of parents) if (rows.every(row => (row.get(column) ?? null) === null)) columns.delete(column)
  if (columns.size === 0 && operation.rows !== null) for (const name of schemaColumns(operation)) columns.add(name)
  return [...columns]
}
function schemaColumns(operation: Operation): string[] {
  const main = (operation.answer as { shape?: Record<string, { element?: { shape?: Record<string, unknown> } }> } | null)?.shape?.[
    operation.rows ?? ''
  ]
  return Object.keys(main?.element?.shape ?? {})
}

function metaHeaders(whole: { readonly [name: string]: Json }, rows: string): string[] {
  const headers: string[] = []
  for (const [name, value] of Object.entries(whole)) {
    if (name === rows || (value !== null && typeof value === 'object' && !(value instanceof Digits))) continue
    const pascal = name.replaceAll(/(^|_)([a-z0-9])/g, (_all, dash: string, letter: string) => (dash ? '-' : '') + letter.toUpperCase())
    headers.push(`X-Meta-${pascal}`, headerText(value === null ? '' : plainText(value)))
  }
  return headers
}
/** Header values are visible ASCII: anything else is percent-encoded. */
function headerText(text: string): string {
  return text.slice(0, 512).replaceAll(/[^\x20-\x7e]+/gu, each => encodeURIComponent(each.toWellFormed()))
}

/** `get_eod_NRTH.TO`: operation with path and first parameters, safe in any file system. */
function filenameOf(operation: Operation, name: string): string {
  const [path = '', query = ''] = name.slice(name.indexOf(' ') + 1).split('?')
  const fixed = operation.path.split('/')
  const values = path.split('/').filter((part, at) => part !== fixed[at])
  const asked = query.split('&').filter(part => /^(ticker|symbols|timeframe|from|to)=/.test(part))
  const parts = [operation.id, ...values, ...asked.map(part => part.slice(part.indexOf('=') + 1))]
  return parts
    .join('_')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 96)
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits)
}
function isPlain(value: Json): boolean {
  return value === null || typeof value !== 'object' || value instanceof Digits
}
function plainText(value: Json): string {
  return value instanceof Digits ? value.text : value === null ? '' : String(value)
}
function printJson(value: Json): string {
  if (value instanceof Digits) return value.text
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${printJson(inner)}`)
      .join(',')}}`
  return JSON.stringify(value)
}
