// End-of-day bars: raw bars, adjusted here and nowhere else.
import type { Source } from '#schemas/answer.ts'
import { type FactorRow, factorOrigins, findBars, findFactors, findPrices, type Prices, pickPrices, spansOf } from '../bars/bars.ts'
import { instantOf } from '../duckdb.ts'
import { type AdjustMode, adjustBars, adjustedCloses } from '../prices/adjust.ts'
import { type Built, type Ground, originsOf, rounded, standsAt, upstreamSources } from './answer.ts'
import type { QuestionOf } from './types.ts'

export type EodQuestion = QuestionOf<'get_eod'>

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
export function sourcesOf({ source, known_us }: Prices, factors: readonly FactorRow[]): Source[] {
  const newest = new Map<string, number>()
  for (let at = 0; at < source.length; at += 1) {
    const [name, known] = [source[at] as string, known_us[at] as number]
    const held = newest.get(name)
    if (held === undefined || held < known) newest.set(name, known)
  }
  return upstreamSources([...[...newest].map(([name, known]) => ({ source: name, known_from: instantOf(BigInt(known)) })), ...factors])
}

/** The places of `count` rows from the oldest or the newest on, `limit` of them at most. */
export const placesOf = (count: number, order: 'asc' | 'desc', limit: number | undefined): number[] =>
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
