import { plainDecimal } from '#schemas/values.ts'
import { type FactorRow, within } from '../../datasets/bars/bars.ts'
import { decimalOf, one, over, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { Span } from '../../datasets/symbols/symbol-index.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import type { SplitOn } from './tables.ts'

const statements = sqlIn(import.meta.dirname, ['find-closes', 'find-uncorrected-closes', 'find-last', 'find-held-back'])

/** One close for each day, oldest first: columns, because a release has a million closes for its alerts. */
export type Series = {
  readonly dates: readonly string[]
  readonly closes: readonly number[]
  /** The last day of a close that was held back: an indicator does not skip it. */
  readonly after?: string
}
type Found = { readonly symbol: string; readonly date: string; readonly close: number; readonly corrected?: boolean }
const none: Series = { dates: [], closes: [] }

/** Closes of the symbols from a day on, by symbol. */
export async function findCloses(lake: Lake, symbols: readonly string[], since: string): Promise<ReadonlyMap<string, Series>> {
  if (symbols.length === 0) return new Map()
  const { count, columns } = (await lake.holds('bar_corrections', symbols))
    ? await lake.columns<Found>(statements['find-closes'], { since }, { bars: symbols, bar_corrections: symbols })
    : await lake.columns<Found>(statements['find-uncorrected-closes'], { since }, { bars: symbols })
  const { symbol, date, close, corrected = [] } = columns
  const parts = new Map<string, { dates: string[]; closes: number[]; corrected: (boolean | undefined)[] }>()
  for (let from = 0; from < count; ) {
    // Rows of a symbol are contiguous, one run per file.
    let to = from + 1
    while (to < count && symbol[to] === symbol[from]) to += 1
    const name = symbol[from] as string
    const held = parts.get(name)
    const part = { dates: date.slice(from, to), closes: close.slice(from, to), corrected: corrected.slice(from, to) }
    if (held) {
      for (const key of ['dates', 'closes', 'corrected'] as const) (held[key] as unknown[]).push(...part[key])
    } else parts.set(name, part)
    from = to
  }
  const heldBack = await lake.query<{ symbol: string; date: string }>(
    statements['find-held-back'],
    { since },
    { bars: symbols, bar_corrections: symbols },
  )
  const after = new Map(heldBack.map(row => [row.symbol, row.date]))
  return new Map([...parts].map(([name, part]) => [name, behind(oneADay(part), after.get(name))]))
}

/** The closes before a day. */
function behind(series: Series, after: string | undefined): Series {
  if (after === undefined) return series
  const first = series.dates.findIndex(date => date > after)
  const [dates, closes] = first < 0 ? [[], []] : [series.dates.slice(first), series.closes.slice(first)]
  return { dates, closes, after }
}

export type Last = { readonly symbol: string; readonly date: string; readonly source: string }
/** The day of each symbol's newest close from a day on, and its source. */
export async function findLast(lake: Lake, symbols: readonly string[], since: string): Promise<ReadonlyMap<string, Last>> {
  if (symbols.length === 0) return new Map()
  const rows = await lake.query<Last>(statements['find-last'], { since }, { bars: symbols })
  return new Map(rows.map(row => [row.symbol, row]))
}

/** In the order of days; a correction replaces the bar that it corrects. */
function oneADay({ dates, closes, corrected }: Series & { readonly corrected: readonly (boolean | undefined)[] }): Series {
  if (dates.every((date, at) => at === 0 || (dates[at - 1] as string) < date)) return { dates, closes }
  const places = dates.map((_, at) => at)
  places.sort((a, b) => {
    const [left, right] = [dates[a] as string, dates[b] as string]
    return left < right ? -1 : left > right ? 1 : Number(corrected[a] ?? false) - Number(corrected[b] ?? false)
  })
  return picked(
    { dates, closes },
    places.filter((place, at) => dates[places[at + 1] ?? -1] !== dates[place]),
  )
}
const picked = ({ dates, closes }: Series, places: readonly number[]): Series => ({
  dates: places.map(at => dates[at] as string),
  closes: places.map(at => closes[at] as number),
})

/** An instrument's closes over its symbols; of one day the latest symbol's. */
export function ofInstrument(bySymbol: ReadonlyMap<string, Series>, spans: readonly Span[]): Series {
  const [only] = spans
  if (spans.length === 1 && only?.from === null && only.to === null) return bySymbol.get(only.symbol) ?? none
  const byDay = new Map<string, number>()
  for (const span of spans) {
    const { dates, closes } = bySymbol.get(span.symbol) ?? none
    for (const [at, date] of dates.entries()) if (within([span], { symbol: span.symbol, date })) byDay.set(date, closes[at] as number)
  }
  const days = [...byDay].sort(([a], [b]) => (a < b ? -1 : 1))
  const after = spans
    .flatMap(span => {
      const date = bySymbol.get(span.symbol)?.after
      return date !== undefined && within([span], { symbol: span.symbol, date }) ? [date] : []
    })
    .sort()
    .at(-1)
  return behind({ dates: days.map(([date]) => date), closes: days.map(([, close]) => close) }, after)
}

/** The newest closes of a series. */
export const newest = ({ dates, closes }: Series, count: number): Series => ({ dates: dates.slice(-count), closes: closes.slice(-count) })

/** Splits of an instrument up to a day, oldest first, one per ex-date. */
export function splitsOf(rows: readonly FactorRow[], spans: readonly Span[], upTo: string): readonly SplitOn[] {
  const byDay = new Map<string, SplitOn>()
  for (const row of rows)
    if (row.ex_date <= upTo && within(spans, { symbol: row.symbol, date: row.ex_date }))
      byDay.set(row.ex_date, { ex_date: row.ex_date, numerator: row.split_numerator, denominator: row.split_denominator })
  return [...byDay.values()].sort((a, b) => (a.ex_date < b.ex_date ? -1 : 1))
}

/** Old shares per new one over splits after a day: the factor for a price of that day. */
function factorAfter(splits: readonly SplitOn[], day: string): Ratio {
  return splits
    .filter(({ ex_date }) => ex_date > day)
    .map(({ numerator, denominator }) => over(ratioOf(denominator), ratioOf(numerator)))
    .reduce(times, one)
}

/** Closes as decimals in shares of the last day of the splits. */
export function adjusted({ dates, closes }: Series, splits: readonly SplitOn[]): readonly string[] {
  const last = splits.at(-1)?.ex_date ?? ''
  const factors = new Map<number, Ratio>()
  return closes.map((close, at) => {
    const date = dates[at] as string
    if (date >= last) return plainDecimal(close)
    const later = splits.filter(({ ex_date }) => ex_date > date).length
    const factor = factors.get(later) ?? factorAfter(splits, date)
    factors.set(later, factor)
    return decimalOf(times(ratioOf(plainDecimal(close)), factor))
  })
}
