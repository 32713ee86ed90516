// What a block holds of one symbol: its bars, the corrections of bars, its factors and its held actions. A part of the model that only
// has the changes of some releases leaves a section out if nothing in it changed; one that it has replaces the older one, except for
// bars, of which a release only adds some.
import type { BarBasis } from '#schemas/bars.ts'
import { dayMs, dayStart } from '#schemas/days.ts'
import { Broken } from '#schemas/errors.ts'
import { firstPlace } from '#schemas/ordered.ts'
import type { Factor, FoundPrices, Prices } from '../../datasets/bars/bars.ts'
import type { HeldAction } from '../../datasets/corporate-actions/corporate-actions.ts'
import { dayText } from '../../store/duckdb-values.ts'
import { Bytes, Reader, readNumbers, readWords, writeNumbers, writeWords } from './column.ts'

/** Bars of one symbol, oldest first, one a day. `day`: days since 1970-01-01; `known_us`: microseconds since then. */
export type Table = Omit<Prices, 'date'> & { readonly day: readonly number[] }
export type Entry = {
  readonly bars?: Table
  readonly corrections?: Table
  readonly factors?: readonly Omit<Factor, 'symbol'>[]
  readonly held?: readonly HeldAction[]
}

export const dayNumber = (date: string): number => dayStart(date) / dayMs

const sections = ['bars', 'corrections', 'factors', 'held'] as const
export const numbersOf = ['open', 'high', 'low', 'close', 'volume', 'known_us'] as const
export const wordsOf = ['currency', 'basis', 'source'] as const

/** The bytes of an entry. Throws `Broken` if the days of a table are not ascending. */
export function encodeEntry(entry: Entry): Buffer {
  const into = new Bytes()
  for (const section of sections) {
    const value = entry[section]
    if (value === undefined) {
      into.uint(0, 4)
      continue
    }
    const bytes = section === 'bars' || section === 'corrections' ? encodeTable(entry[section] as Table) : Buffer.from(JSON.stringify(value))
    // The length is one more than that of the section, so that 0 is a section that is left out.
    into.uint(bytes.length + 1, 4)
    into.raw(bytes)
  }
  return into.copy()
}

function encodeTable(table: Table): Buffer {
  const into = new Bytes()
  for (let at = 1; at < table.day.length; at += 1)
    if ((table.day[at - 1] as number) >= (table.day[at] as number))
      throw new Broken(`the bars of a symbol are not in ascending order at day ${dayText(table.day[at] as number)}`)
  into.uint(table.day.length, 4)
  writeNumbers(into, table.day)
  for (const name of numbersOf) writeNumbers(into, table[name])
  for (const name of wordsOf) writeWords(into, table[name])
  return into.copy()
}

/** An entry whose sections are decoded when they are read. */
export type Encoded = { readonly [S in (typeof sections)[number]]: Buffer | null }

/** Finds the sections of an entry's bytes. */
export function sectionsOf(bytes: Buffer): Encoded {
  const reader = new Reader(bytes)
  const next = (): Buffer | null => {
    const length = reader.uint(4)
    return length === 0 ? null : reader.raw(length - 1)
  }
  return { bars: next(), corrections: next(), factors: next(), held: next() }
}

/** Begins to read a table: its days, and the places of those between two days, both included. None if the first day is after the second. */
export function openTable(bytes: Buffer, from: number, to: number) {
  const reader = new Reader(bytes)
  const count = reader.uint(4)
  const days = readNumbers(reader, count)
  const firstFrom = (day: number): number => firstPlace(count, place => (days.at(place) as number) < day)
  const begin = firstFrom(from)
  return { reader, count, days, begin, end: Math.max(begin, firstFrom(to + 1)) }
}

/** The rows of a table between two days, both included. */
export function decodeTable(bytes: Buffer, from: number, to: number): Table {
  const { reader, count, days, begin, end } = openTable(bytes, from, to)
  const numbers = (): (number | null)[] => readNumbers(reader, count).slice(begin, end)
  const words = (): string[] => readWords(reader, count)(begin, end)
  const table = {
    day: days.slice(begin, end) as number[],
    open: numbers(),
    high: numbers(),
    low: numbers(),
    close: numbers() as number[],
    volume: numbers(),
    known_us: numbers() as number[],
    currency: words(),
    basis: words() as BarBasis[],
    source: words(),
  }
  return table
}

export const everyDay = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const

const parsed = <T>(bytes: Buffer | null): readonly T[] => (bytes === null ? [] : (JSON.parse(bytes.toString()) as readonly T[]))
export const factorsIn = (bytes: Buffer | null): readonly Omit<Factor, 'symbol'>[] => parsed(bytes)
export const heldIn = (bytes: Buffer | null): readonly HeldAction[] => parsed(bytes)

/** The bytes of two entries of one symbol, the second of later releases, as one entry. */
export function mergeEntries(older: Buffer, newer: Buffer): Buffer {
  const [a, b] = [sectionsOf(older), sectionsOf(newer)]
  const into = new Bytes()
  for (const section of sections) {
    const bytes = section === 'bars' && a.bars !== null && b.bars !== null ? mergeBars(a.bars, b.bars) : (b[section] ?? a[section])
    into.uint(bytes === null ? 0 : bytes.length + 1, 4)
    if (bytes !== null) into.raw(bytes)
  }
  return into.copy()
}

const mergeBars = (older: Buffer, newer: Buffer): Buffer =>
  encodeTable(joinTables([decodeTable(older, ...everyDay), decodeTable(newer, ...everyDay)]))

const joined = <T>(columns: readonly (readonly T[])[]): T[] => ([] as T[]).concat(...columns)

/** The rows of several tables in order of their days. */
export function joinTables(tables: readonly Table[]): Table {
  const [only] = tables
  if (only && tables.length === 1) return only
  const pick = <K extends keyof Table>(name: K): Table[K][number][] => joined(tables.map(table => table[name] as readonly Table[K][number][]))
  const all = {
    day: pick('day'),
    open: pick('open'),
    high: pick('high'),
    low: pick('low'),
    close: pick('close'),
    volume: pick('volume'),
    known_us: pick('known_us'),
    currency: pick('currency'),
    basis: pick('basis'),
    source: pick('source'),
  }
  const { day } = all
  if (day.every((value, at) => at === 0 || (day[at - 1] as number) <= value)) return all
  const order = day.map((_, at) => at).sort((a, b) => (day[a] as number) - (day[b] as number))
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, order.map(at => values[at])])) as unknown as Table
}

/** The columns of a query for prices: bars, then corrections. */
export function foundPrices(parts: readonly { readonly symbol: string; readonly table: Table; readonly corrected: boolean }[]): FoundPrices {
  const tables = parts.map(part => part.table)
  const pick = <K extends keyof Table>(name: K): Table[K][number][] => joined(tables.map(table => table[name] as readonly Table[K][number][]))
  const isCorrected = parts.some(part => part.corrected && part.table.day.length > 0)
  const labels = <T>(of: (part: (typeof parts)[number]) => T): T[] => joined(parts.map(part => new Array<T>(part.table.day.length).fill(of(part))))
  const date = pick('day').map(dayText)
  return {
    count: date.length,
    columns: {
      date,
      open: pick('open'),
      high: pick('high'),
      low: pick('low'),
      close: pick('close'),
      volume: pick('volume'),
      currency: pick('currency'),
      basis: pick('basis'),
      source: pick('source'),
      known_us: pick('known_us'),
      symbol: labels(part => part.symbol),
      ...(isCorrected ? { corrected: labels(part => part.corrected) } : {}),
    },
  }
}
