// Daily closes of many instruments at once: read in one statement, put together over the symbols that each wore, adjusted for splits.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainDecimal } from '#schemas/values.ts'
import { type FactorRow, within } from '../bars/bars.ts'
import type { Lake } from '../lake/lake.ts'
import { decimalOf, one, over, type Ratio, ratioOf, times } from '../prices/ratio.ts'
import type { Span } from '../symbols/symbol-index.ts'
import type { SplitOn } from './tables.ts'

const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8')
const findClosesSql = sqlOf('find-closes')
const findUncorrectedSql = sqlOf('find-uncorrected-closes')

export type Close = { readonly date: string; readonly close: number; readonly currency: string; readonly source: string }
type Found = Close & { readonly symbol: string; readonly corrected: boolean }

/** Closes of the symbols from a day on, by symbol, oldest first, one a day. */
export async function findCloses(lake: Lake, symbols: readonly string[], since: string): Promise<ReadonlyMap<string, readonly Close[]>> {
  if (symbols.length === 0) return new Map()
  const { count, columns } = (await lake.holds('bar_corrections', symbols))
    ? await lake.columns<Found>(findClosesSql, { since }, { bars: symbols, bar_corrections: symbols })
    : await lake.columns<Found>(findUncorrectedSql, { since }, { bars: symbols })
  const { symbol, date, close, currency, source, corrected } = columns
  const bySymbol = new Map<string, Found[]>()
  for (let at = 0; at < count; at += 1) {
    const row = {
      symbol: symbol[at],
      date: date[at],
      close: close[at],
      currency: currency[at],
      source: source[at],
      corrected: corrected[at],
    } as Found
    const list = bySymbol.get(row.symbol)
    if (list) list.push(row)
    else bySymbol.set(row.symbol, [row])
  }
  for (const [name, rows] of bySymbol) bySymbol.set(name, oneADay(rows))
  return bySymbol
}

/** In the order of days; a correction takes the place of the bar that it corrects. */
function oneADay(rows: Found[]): Found[] {
  const inOrder = (a: Found, b: Found): number => (a.date < b.date ? -1 : a.date > b.date ? 1 : Number(a.corrected) - Number(b.corrected))
  if (rows.some((row, at) => at > 0 && inOrder(rows[at - 1] as Found, row) > 0)) rows.sort(inOrder)
  return rows.filter((row, at) => rows[at + 1]?.date !== row.date)
}

/** An instrument's closes over the symbols that it wore; of one day the symbol worn last. */
export function ofInstrument(bySymbol: ReadonlyMap<string, readonly Close[]>, spans: readonly Span[]): readonly Close[] {
  const [only] = spans
  if (spans.length === 1 && only?.from === null && only.to === null) return bySymbol.get(only.symbol) ?? []
  const byDay = new Map<string, Close>()
  for (const span of spans)
    for (const row of bySymbol.get(span.symbol) ?? []) if (within([span], { symbol: span.symbol, date: row.date })) byDay.set(row.date, row)
  return [...byDay.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
}

/** Splits of an instrument up to a day, oldest first, one an ex-date. */
export function splitsOf(rows: readonly FactorRow[], spans: readonly Span[], upTo: string): readonly SplitOn[] {
  const byDay = new Map<string, SplitOn>()
  for (const row of rows)
    if (row.ex_date <= upTo && within(spans, { symbol: row.symbol, date: row.ex_date }))
      byDay.set(row.ex_date, { ex_date: row.ex_date, numerator: row.split_numerator, denominator: row.split_denominator })
  return [...byDay.values()].sort((a, b) => (a.ex_date < b.ex_date ? -1 : 1))
}

/** Old shares per new one over splits after a day: what a price of that day is multiplied by. */
function factorAfter(splits: readonly SplitOn[], day: string): Ratio {
  return splits
    .filter(({ ex_date }) => ex_date > day)
    .map(({ numerator, denominator }) => over(ratioOf(denominator), ratioOf(numerator)))
    .reduce(times, one)
}

/** Closes as decimals in shares of the day that the splits run to. */
export function adjusted(closes: readonly Close[], splits: readonly SplitOn[]): readonly string[] {
  if (splits.length === 0) return closes.map(({ close }) => plainDecimal(close))
  const last = splits.at(-1)?.ex_date ?? ''
  const factors = new Map<number, Ratio>()
  return closes.map(({ date, close }) => {
    if (date >= last) return plainDecimal(close)
    const later = splits.filter(({ ex_date }) => ex_date > date).length
    const factor = factors.get(later) ?? factorAfter(splits, date)
    factors.set(later, factor)
    return decimalOf(times(ratioOf(plainDecimal(close)), factor))
  })
}
