// End-of-day bars and charts: raw bars, adjusted here and nowhere else.
import type { Source } from '#schemas/answer.ts'
import type { timeframes } from '#schemas/operations/market.ts'
import { type FactorRow, factorOrigins, findBars, findFactors, findPrices, type Prices, pickPrices, spansOf } from '../bars/bars.ts'
import { instantOf } from '../duckdb.ts'
import { type AdjustMode, adjustBars, adjustedCloses } from '../prices/adjust.ts'
import { type Built, type Ground, originsOf, rounded, standsAt, upstreamSources } from './answer.ts'
import type { QuestionOf } from './types.ts'

export type EodQuestion = QuestionOf<'get_eod'>
export type ChartQuestion = QuestionOf<'get_chart'>

const datasets = ['bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const
export const convention = 'yahoo_crsp'

export type PrintedBar = {
  readonly date: string
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number
  readonly adjusted_close: number
  readonly volume: number | null
}

/** Bars as printed: adjusted for all in `adjusted_close`, and in the other columns as `adjust` asks. `asOf` is a day. */
export function printedBars(prices: Prices, factors: readonly FactorRow[], adjust: AdjustMode, asOf: string): PrintedBar[] {
  const { date, open, high, low, close, volume } = prices
  const closes = adjustedCloses(date, close, factors, { asOf })
  const raw = date.map((day, at) => ({
    date: day,
    open: open[at] as number | null,
    high: high[at] as number | null,
    low: low[at] as number | null,
    close: close[at] as number,
    adjusted_close: rounded(closes[at] as number),
    volume: volume[at] as number | null,
  }))
  if (adjust === 'none' || factors.length === 0) return raw
  const number = (value: number | null): number | null => (value === null ? value : rounded(value))
  return adjustBars(raw, factors, adjust, { asOf }).map(bar => ({
    date: bar.date,
    open: number(bar.open),
    high: number(bar.high),
    low: number(bar.low),
    close: number(bar.close) as number,
    adjusted_close: bar.adjusted_close,
    volume: number(bar.volume),
  }))
}

/** The upstreams of bars and factors, each with its newest retrieval. */
function sourcesOf({ source, known_us }: Prices, factors: readonly FactorRow[]): Source[] {
  const newest = new Map<string, number>()
  for (let at = 0; at < source.length; at += 1) {
    const [name, known] = [source[at] as string, known_us[at] as number]
    const held = newest.get(name)
    if (held === undefined || held < known) newest.set(name, known)
  }
  return upstreamSources([...[...newest].map(([name, known]) => ({ source: name, known_from: instantOf(BigInt(known)) })), ...factors])
}

/** The places of `count` rows from the oldest or the newest on, `limit` of them at most. */
const placesOf = (count: number, order: 'asc' | 'desc', limit: number | undefined): number[] =>
  Array.from({ length: Math.min(count, limit ?? count) }, (_, at) => (order === 'desc' ? count - 1 - at : at))

export async function buildEod(ground: Ground, question: EodQuestion): Promise<Built> {
  const { lake, symbols } = ground
  const asOf = question.as_of ?? null
  const spans = spansOf(symbols, question.symbol)
  // The factors of later ex-dates restate earlier bars, so the range never limits them; the day we stand at does.
  const stands = standsAt(asOf, lake.versionOf(datasets)).slice(0, 10)
  const days = { from: question.from ?? null, to: question.to ?? null }
  const [bars, factors] = await Promise.all([findPrices(lake, spans, days, asOf), findFactors(lake, spans, stands, asOf)])
  const whole = question.order === 'asc' && question.limit === undefined
  const taken = whole ? bars : pickPrices(bars, placesOf(bars.date.length, question.order, question.limit))
  return {
    body: {
      symbol: question.symbol,
      currency: taken.currency.at(-1) ?? null,
      convention,
      adjust: question.adjust,
      order: question.order,
      count: taken.date.length,
      bars: printedBars(taken, factors, question.adjust, stands),
    },
    sources: sourcesOf(taken, factors),
    origins: async () => {
      const rows = await findBars(lake, spans, days, asOf)
      const printed = placesOf(rows.length, question.order, question.limit).map(at => rows[at] as (typeof rows)[number])
      return originsOf([...printed, ...(await factorOrigins(lake, spans, factors, asOf))])
    },
    datasets,
  }
}

const monthsBack: Readonly<Record<(typeof timeframes)[number], number | null>> = {
  '1d': null,
  '5d': null,
  '1mo': 1,
  '3mo': 3,
  '6mo': 6,
  '1y': 12,
  '2y': 24,
  '5y': 60,
  '10y': 120,
  '20y': 240,
  max: null,
}

/** The day `months` before `date`, its last one where that month is shorter. */
function daysBefore(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const first = new Date(Date.UTC(year, month - 1 - months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), Math.min(day, last))).toISOString().slice(0, 10)
}

export function intervalOf(timeframe: ChartQuestion['timeframe']): '1d' | '1wk' | '1mo' {
  if (timeframe === '5y' || timeframe === '10y') return '1wk'
  return timeframe === '20y' || timeframe === 'max' ? '1mo' : '1d'
}

/** Bars of a week (Monday to Sunday) or month as one: first open, highest high, lowest low, last close, all the volume. */
export function grouped(bars: readonly PrintedBar[], interval: '1d' | '1wk' | '1mo'): PrintedBar[] {
  if (interval === '1d') return [...bars]
  const groups = new Map<string, PrintedBar[]>()
  for (const bar of bars) {
    const key = interval === '1mo' ? bar.date.slice(0, 7) : String(Math.floor((Date.parse(`${bar.date}T00:00:00Z`) / 86_400_000 + 3) / 7))
    const group = groups.get(key)
    if (group) group.push(bar)
    else groups.set(key, [bar])
  }
  const known = (values: readonly (number | null)[]): number[] => values.filter(value => value !== null)
  return [...groups.values()].map(group => {
    const highs = known(group.map(bar => bar.high))
    const lows = known(group.map(bar => bar.low))
    const volumes = known(group.map(bar => bar.volume))
    const last = group.at(-1) as PrintedBar
    return {
      date: (group[0] as PrintedBar).date,
      open: group[0]?.open ?? null,
      high: highs.length === 0 ? null : Math.max(...highs),
      low: lows.length === 0 ? null : Math.min(...lows),
      close: last.close,
      adjusted_close: last.adjusted_close,
      volume: volumes.length === 0 ? null : volumes.reduce((sum, value) => sum + value, 0),
    }
  })
}

/** The chart of a known symbol: back from its last session, null where it has no bars. */
export async function buildChart(ground: Ground, question: ChartQuestion): Promise<Built | null> {
  const { lake, symbols } = ground
  const asOf = question.as_of ?? null
  const spans = spansOf(symbols, question.symbol)
  const stands = standsAt(asOf, lake.versionOf(datasets)).slice(0, 10)
  const days = { from: null, to: null }
  const [all, factors] = await Promise.all([findPrices(lake, spans, days, asOf), findFactors(lake, spans, stands, asOf)])
  const last = all.date.at(-1)
  if (last === undefined) return null
  const count = all.date.length
  const months = monthsBack[question.timeframe]
  const sessions = question.timeframe === '1d' ? 1 : question.timeframe === '5d' ? 5 : count
  const since = months === null ? null : daysBefore(last, months)
  const from = since === null ? Math.max(0, count - sessions) : all.date.findIndex(day => day > since)
  const bars = pickPrices(
    all,
    placesOf(count, 'asc', undefined).filter(at => at >= from),
  )
  const interval = intervalOf(question.timeframe)
  const printed = grouped(printedBars(bars, factors, 'none', stands), interval)
  return {
    body: {
      symbol: question.symbol,
      timeframe: question.timeframe,
      interval,
      currency: all.currency.at(-1) as string,
      convention,
      count: printed.length,
      bars: printed,
    },
    sources: sourcesOf(bars, factors),
    origins: async () => originsOf([...(await findBars(lake, spans, days, asOf)), ...(await factorOrigins(lake, spans, factors, asOf))]),
    datasets,
  }
}
