// End-of-day bars and charts: raw bars, adjusted here and nowhere else.
import type { timeframes } from '#schemas/operations/market.ts'
import type { FactorRow, PriceRow } from '../bars/bars.ts'
import { factorOrigins, findBars, findFactors, findPrices, spansOf } from '../bars/bars.ts'
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

type Priced = Pick<PriceRow, 'date' | 'open' | 'high' | 'low' | 'close' | 'volume'>

/** Bars as printed: adjusted for all in `adjusted_close`, and in the other columns as `adjust` asks. `asOf` is a day. */
export function printedBars(bars: readonly Priced[], factors: readonly FactorRow[], adjust: AdjustMode, asOf: string): PrintedBar[] {
  const closes = adjustedCloses(bars, factors, { asOf })
  const shown = adjust === 'none' ? bars : adjustBars(bars, factors, adjust, { asOf })
  const plain = adjust === 'none' || factors.length === 0
  const number = (value: number | null): number | null => (value === null || plain ? value : rounded(value))
  return shown.map((bar, at) => ({
    date: bar.date,
    open: number(bar.open),
    high: number(bar.high),
    low: number(bar.low),
    close: number(bar.close) as number,
    adjusted_close: rounded(closes[at] as number),
    volume: number(bar.volume),
  }))
}

export async function buildEod(ground: Ground, question: EodQuestion): Promise<Built> {
  const { lake, symbols } = ground
  const asOf = question.as_of ?? null
  const spans = spansOf(symbols, question.symbol)
  // The factors of later ex-dates restate earlier bars, so the range never limits them; the day we stand at does.
  const stands = standsAt(asOf, lake.versionOf(datasets)).slice(0, 10)
  const days = { from: question.from ?? null, to: question.to ?? null }
  const [bars, factors] = await Promise.all([findPrices(lake, spans, days, asOf), findFactors(lake, spans, stands, asOf)])
  const take = <Row>(rows: readonly Row[]): readonly Row[] => {
    const ordered = question.order === 'desc' ? rows.toReversed() : rows
    return question.limit === undefined ? ordered : ordered.slice(0, question.limit)
  }
  const taken = take(bars)
  return {
    body: {
      symbol: question.symbol,
      currency: taken.at(-1)?.currency ?? null,
      convention,
      adjust: question.adjust,
      order: question.order,
      count: taken.length,
      bars: printedBars(taken, factors, question.adjust, stands),
    },
    sources: upstreamSources([...taken, ...factors]),
    origins: async () => originsOf([...take(await findBars(lake, spans, days, asOf)), ...(await factorOrigins(lake, spans, factors, asOf))]),
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
  const last = all.at(-1)
  if (!last) return null
  const months = monthsBack[question.timeframe]
  const sessions = question.timeframe === '1d' ? 1 : question.timeframe === '5d' ? 5 : all.length
  const bars = months === null ? all.slice(-sessions) : all.filter(bar => bar.date > daysBefore(last.date, months))
  const interval = intervalOf(question.timeframe)
  const printed = grouped(printedBars(bars, factors, 'none', stands), interval)
  return {
    body: {
      symbol: question.symbol,
      timeframe: question.timeframe,
      interval,
      currency: last.currency,
      convention,
      count: printed.length,
      bars: printed,
    },
    sources: upstreamSources([...bars, ...factors]),
    origins: async () => originsOf([...(await findBars(lake, spans, days, asOf)), ...(await factorOrigins(lake, spans, factors, asOf))]),
    datasets,
  }
}
