// An answer as an Excel workbook: its rows on one sheet, where they come from on another. No cell is a formula.

import writeXlsxFile, { type Cell as SheetCell } from 'write-excel-file/node'
import { dayMs, utcDay } from '#schemas/days.ts'
import type { Fact, Json } from './rows.ts'
import { Digits, isObject, plainText, printJson } from './rows.ts'
import { dayNumber, microseconds, type Table, type TypedColumn, type Value } from './table.ts'
import { byteOrderMark, looksLikeFormula } from './text.ts'
import { fixZipTimes } from './zip-times.ts'

export type About = {
  /** `GET /api/v1/…?…` and what the operation is. */
  readonly question: string
  readonly summary: string
  /** Scalars of the answer outside its rows: `release`, `as_of`, `receipt_id` … */
  readonly facts: readonly Fact[]
  /** Members that are neither rows nor scalars, such as `sources`. */
  readonly nested: readonly (readonly [string, Json])[]
  /** Address at which the receipt is verified; null for an answer without one. */
  readonly verify: string | null
  readonly notes: readonly string[]
}

/** Excel's limits: rows of a sheet with the header, and UTF-16 units of a cell. */
const mostRows = 1_048_575
const longestText = 32_767
/** Digits that Excel keeps of a number. */
const mostDigits = 15
/** From this day on the calendar of Excel is right: it has a 29th of February 1900. */
const firstDay = -25_508 // 1900-03-01
const widest = 60
const bold = { fontWeight: 'bold' } as const

/** The bytes of the workbook. `name` is that of the sheet with the rows. Throws RangeError for more rows than a sheet has. */
export async function writeWorkbook(table: Table, name: string, about: About): Promise<Uint8Array> {
  if (table.rows > mostRows) throw new RangeError(`a sheet has at most ${mostRows} rows, found ${table.rows}`)
  const cuts = { count: 0 }
  const columns = table.columns.map(column => column.values.map(value => cellOf(column, value, cuts)))
  const rows = Array.from({ length: table.rows }, (_, at) => columns.map(cells => cells[at] ?? null))
  const header = table.columns.map(column => textCell(column.name, { count: 0 }, bold))
  const data = { data: [header, ...rows], sheet: sheetName(name), columns: table.columns.map(widthOf), stickyRowsCount: 1 }
  const aboutSheet = { data: aboutRows(about, table, cuts.count), sheet: 'about', columns: [{ width: 22 }, { width: 90 }] }
  return fixZipTimes(await writeXlsxFile([data, aboutSheet]).toBuffer())
}

function cellOf(column: TypedColumn, value: Value, cuts: { count: number }): SheetCell {
  if (value === null) return null
  switch (column.kind) {
    case 'boolean':
      return { value: value as boolean, type: Boolean }
    case 'day':
      return (value as number) < firstDay ? textCell(dayText(value as number), cuts) : dateCell((value as number) * dayMs, 'yyyy-mm-dd')
    case 'instant':
      return instantCell(value as bigint, cuts)
    case 'text':
      return textCell(String(value), cuts)
    default:
      return numberCell(String(value), cuts)
  }
}

/** A number if Excel keeps all of its digits, with the zeros that the source printed at its end; else text. */
function numberCell(text: string, cuts: { count: number }): SheetCell {
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/[^\d]/g, '')
    .replace(/^0+/, '')
  const value = Number(text)
  if (digits.length > mostDigits || !Number.isFinite(value) || Math.abs(value) >= 1e300) return textCell(text, cuts)
  const places = /^-?\d+\.(\d*0)$/.exec(text)?.[1]?.length
  return { value, type: Number, ...(places === undefined ? {} : { format: `0.${'0'.repeat(places)}` }) }
}

const dateCell = (ms: number, format: string): SheetCell => ({ value: new Date(ms), type: Date, format })

/** UTC, to the millisecond; an instant with microseconds is text. */
function instantCell(at: bigint, cuts: { count: number }): SheetCell {
  const ms = Number(at / 1000n)
  if (at % 1000n !== 0n || ms < firstDay * dayMs) return textCell(instantText(at), cuts)
  return dateCell(ms, ms % 1000 === 0 ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd hh:mm:ss.000')
}

const dayText = (days: number): string => utcDay(days * dayMs)
function instantText(at: bigint): string {
  const seconds = at / 1_000_000n - (at % 1_000_000n < 0n ? 1n : 0n)
  const fraction = String(at - seconds * 1_000_000n).padStart(6, '0')
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`
}

/** The format of text keeps Excel from reading a cell as a number, a date or a formula when a person edits it. */
function textCell(text: string, cuts: { count: number }, style: object = {}): SheetCell {
  const clean = storable(text)
  const short = clean.length <= longestText ? clean : `${clean.slice(0, longestText - 2).toWellFormed()} …`
  if (short !== clean) cuts.count += 1
  // Excel shows a long text of this format as number signs.
  const format = short.length <= 255 || looksLikeFormula(short) ? { format: '@' } : {}
  return { value: short, type: String, ...format, ...style }
}

/** Control characters become spaces, since XML has none; `_x0041_` would be read as the letter A. */
function storable(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(byteOrderMark, '')
    .replaceAll(/[^\t\n\r\P{Cc}]|[\ufffe\uffff]/gu, ' ')
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  // The library finds texts by name in an object, in which `constructor` and the like are there already: the first letter is written as its code.
  return clean in Object.prototype ? `_x${clean.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_${clean.slice(1)}` : clean
}

function widthOf({ name, kind, values }: TypedColumn): { readonly width: number } {
  const usual = { day: 11, instant: 20, boolean: 8, integer: 8, real: 10, decimal: 10, text: 8 }[kind]
  const longest =
    kind === 'text' || kind === 'decimal' ? values.slice(0, 1000).reduce((most: number, value) => Math.max(most, String(value ?? '').length), 0) : 0
  return { width: Math.min(widest, Math.max(usual, name.length + 2, longest + 2)) }
}

/** At most 31 characters without those that Excel refuses in the name of a sheet. */
const sheetName = (name: string): string => name.replaceAll(/[\\/?*[\]:']/g, ' ').slice(0, 31) || 'rows'

function aboutRows(about: About, table: Table, cut: number): SheetCell[][] {
  const none = { count: 0 }
  const line = (name: string, value: SheetCell): SheetCell[] => [textCell(name, none, bold), value]
  const text = (value: string): SheetCell => textCell(value, none)
  const notes = [
    ...about.notes,
    'Times are in UTC. An empty cell is an unknown value, never zero.',
    `Excel keeps ${mostDigits} digits of a number: numbers with more are text.`,
    ...(table.textColumns.length > 0 ? [`Columns that are text because a value does not fit their type: ${table.textColumns.join(', ')}.`] : []),
    ...(cut > 0 ? [`Texts that were cut at ${longestText} characters, the most that a cell holds: ${cut}. The JSON answer has them whole.`] : []),
  ]
  return [
    line('question', text(about.question)),
    line('about', text(about.summary)),
    line('rows', { value: table.rows, type: Number }),
    ...about.facts.map(fact => line(fact.name, factCell(fact))),
    ...(about.verify === null ? [] : [line('verify', text(about.verify))]),
    ...about.nested.flatMap(([name, value]) => nestedLines(name, value, line)),
    ...notes.map(note => line('note', text(note))),
  ]
}

function factCell({ value }: Fact): SheetCell {
  const none = { count: 0 }
  if (value === null) return null
  if (typeof value === 'boolean') return { value, type: Boolean }
  if (value instanceof Digits) return numberCell(value.text, none)
  const day = dayNumber(value)
  if (day !== undefined) return cellOf({ name: '', kind: 'day', values: [] }, day, none)
  const at = microseconds(value)
  return at === undefined ? textCell(value, none) : instantCell(at, none)
}

/** One line for each element of a list: a source is `name, accession, url, retrieved_at, sha256`. */
function nestedLines(name: string, value: Json, line: (name: string, value: SheetCell) => SheetCell[]): SheetCell[][] {
  const none = { count: 0 }
  const one = (each: Json): string =>
    isObject(each)
      ? Object.entries(each)
          .filter(([, inner]) => inner !== null)
          .map(([inner, held]) => `${inner}: ${typeof held === 'object' && !(held instanceof Digits) ? printJson(held) : plainText(held)}`)
          .join(', ')
      : typeof each === 'object' && each !== null && !(each instanceof Digits)
        ? printJson(each)
        : plainText(each)
  return (Array.isArray(value) ? value : [value]).map(each => line(name, textCell(one(each), none)))
}
