// Charts of eleven time frames: intraday bars for the last session and the last five if they are stored, else daily bars and groups of
// them.
import { addDays, addMonths, dayMs, dayStart } from '#schemas/days.ts'
import type { BarInterval } from '#schemas/intraday.ts'
import type { timeframes } from '#schemas/operations/market.ts'
import { type Built, effectiveInstant, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { type FactorRow, factorOrigins, findBars, findFactors, findPrices, type Prices, pickPrices, spansOf } from '../datasets/bars/bars.ts'
import { barsOf, findAllBars, findSeries, findSeriesBars, pickSeries, type Series } from '../datasets/intraday/intraday.ts'
import type { AdjustMode } from '../datasets/prices/adjust.ts'
import type { Span } from '../datasets/symbols/symbol-index.ts'
import type { Lake } from '../store/lake/lake.ts'
import { basisOf, convention, type PrintedBar, placesOf, printedBars, sourcesOf } from './eod.ts'
import { printedIntraday } from './intraday.ts'
import { symbolCoverage } from './listed.ts'
import type { Answers, QuestionOf } from './types.ts'

export type ChartQuestion = QuestionOf<'get_chart'>
type Timeframe = ChartQuestion['timeframe']
const datasets = ['bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const

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

function intervalOf(timeframe: ChartQuestion['timeframe']): '1d' | '1wk' | '1mo' {
  if (timeframe === '5y' || timeframe === '10y') return '1wk'
  return timeframe === '20y' || timeframe === 'max' ? '1mo' : '1d'
}

/** The adjustment engine's name for a chart's `adjust`. */
const modes = { none: 'none', splits: 'split', all: 'all' } as const satisfies Record<ChartQuestion['adjust'], AdjustMode>
const scales = { none: 'as_of_each_candle', splits: 'as_of_now_splits', all: 'as_of_now_all' } as const

/**
 * Candles of a day, a week (Monday to Sunday) or a month: first open, highest high, lowest low, last close, all the volume. Every candle
 * is on one scale: unadjusted, that of its last bar, so that the bars before a split within it are divided by that split, and their
 * volume multiplied; else that of today.
 */
function candlesOf(
  prices: Prices,
  factors: readonly FactorRow[],
  { adjust, interval, asOfDay }: { readonly adjust: ChartQuestion['adjust']; readonly interval: '1d' | '1wk' | '1mo'; readonly asOfDay: string },
): PrintedBar[] {
  const printed = printedBars(prices, factors, modes[adjust], asOfDay)
  if (interval === '1d') return printed
  return [...Map.groupBy(prices.date.keys(), at => periodOf(prices.date[at] as string, interval)).values()].map(places => {
    const [first, last] = [printed[places[0] as number] as PrintedBar, printed[places.at(-1) as number] as PrintedBar]
    const within = factors.filter(factor => factor.ex_date > first.date && factor.ex_date <= last.date)
    const rescaled = adjust === 'none' && within.some(factor => factor.split_numerator !== factor.split_denominator)
    const bars = rescaled ? printedBars(pickPrices(prices, places), within, 'split', last.date) : places.map(at => printed[at] as PrintedBar)
    return candle(bars, last)
  })
}

/** The week or month of a day, as a key. */
const periodOf = (date: string, interval: '1wk' | '1mo'): string =>
  interval === '1mo' ? date.slice(0, 7) : String(Math.floor((dayStart(date) / dayMs + 3) / 7))

const known = (values: readonly (number | null)[]): number[] => values.filter(value => value !== null)

/** Bars of one scale as one. */
function candle(bars: readonly PrintedBar[], last: PrintedBar): PrintedBar {
  const [highs, lows, volumes] = [known(bars.map(bar => bar.high)), known(bars.map(bar => bar.low)), known(bars.map(bar => bar.volume))]
  const bases = new Set(bars.map(bar => bar.basis))
  const basis = (['split_adjusted_unknown', 'reconstructed'] as const).find(each => bases.has(each))
  return {
    date: (bars[0] as PrintedBar).date,
    open: bars[0]?.open ?? null,
    high: highs.length === 0 ? null : Math.max(...highs),
    low: lows.length === 0 ? null : Math.min(...lows),
    close: last.close,
    adjusted_close: last.adjusted_close,
    volume: volumes.length === 0 ? null : rounded(volumes.reduce((sum, value) => sum + value, 0)),
    ...(basis === undefined ? {} : { basis }),
  }
}

/** Intervals below a day for a time frame, the preferred one first, and the number of sessions. */
const fine: Readonly<Partial<Record<Timeframe, { readonly sessions: number; readonly intervals: readonly BarInterval[] }>>> = {
  '1d': { sessions: 1, intervals: ['5m', '15m', '1h'] },
  '5d': { sessions: 5, intervals: ['15m', '1h'] },
}
/** Days before the last daily bar that contain the sessions of a short chart: five sessions and the longest closing. */
const reachDays = 16

type Fine = {
  readonly interval: BarInterval
  readonly picked: ReadonlyMap<string, Series>
  /** Sessions of the time frame without stored intraday bars; empty if the chart can be drawn from intraday bars. */
  readonly missing: readonly string[]
  readonly sessions: readonly string[]
}

/**
 * The last sessions of the time frame, and the coarsest possible interval: every session on which the symbol traded must have bars below a
 * day, so that a chart of five days never shows three of them.
 */
async function fineChart(lake: Lake, spans: readonly Span[], all: Prices, question: ChartQuestion): Promise<Fine | null> {
  const wanted = fine[question.timeframe]
  if (!wanted) return null
  const since = addDays(all.date.at(-1) ?? '1970-01-01', -reachDays)
  const series = await findSeries(lake, spans, { from: since, to: '9999-12-31', session: 'regular' }, question.as_of ?? null)
  if (series.length === 0) return null
  const traded = all.date.filter((_, at) => (all.volume[at] as number | null) !== 0)
  const sessions = [...new Set([...traded.slice(-wanted.sessions), ...series.map(each => each.session_date)])].sort().slice(-wanted.sessions)
  const options = wanted.intervals.map(interval => {
    const picked = pickSeries(series, interval)
    return {
      interval,
      sessions,
      picked: new Map([...picked].filter(([date]) => sessions.includes(date))),
      missing: sessions.filter(date => !picked.has(date)),
    }
  })
  return options.find(option => option.missing.length === 0) ?? options[0] ?? null
}

/** The chart of a known symbol: back from its last session, null if it has no bars. */
export async function buildChart(context: ReleaseContext, question: ChartQuestion): Promise<Built | null> {
  const { lake, symbols } = context
  const asOf = question.as_of ?? null
  const spans = spansOf(symbols, question.symbol)
  const read = fine[question.timeframe] ? ([...datasets, 'intraday_bars'] as const) : datasets
  const asOfDay = effectiveInstant(asOf, lake.versionOf(read)).slice(0, 10)
  const days = { from: null, to: null }
  const [all, factors] = await Promise.all([findPrices(lake, spans, days, asOf), findFactors(lake, spans, asOfDay, asOf)])
  const drawn = await fineChart(lake, spans, all, question)
  const origins = async () =>
    originsOf([
      ...(await findBars(lake, spans, days, asOf)),
      ...(await factorOrigins(lake, spans, factors, asOf)),
      ...(drawn ? await findAllBars(lake, spans, drawn.sessions, asOf) : []),
    ])
  if (drawn && drawn.missing.length === 0) return { ...(await ofMinutes(context, drawn, factors, question, asOfDay)), origins, datasets: read }
  const last = all.date.at(-1)
  if (last === undefined) return null
  const count = all.date.length
  const months = monthsBack[question.timeframe]
  const sessions = fine[question.timeframe]?.sessions ?? count
  const since = months === null ? null : addMonths(last, -months)
  const from = since === null ? Math.max(0, count - sessions) : all.date.findIndex(day => day > since)
  const bars = pickPrices(
    all,
    placesOf(count, 'asc', undefined).filter(at => at >= from),
  )
  const interval = intervalOf(question.timeframe)
  const printed = candlesOf(bars, factors, { adjust: question.adjust, interval, asOfDay })
  return {
    body: {
      symbol: question.symbol,
      timeframe: question.timeframe,
      interval,
      interval_note: fine[question.timeframe] ? whyDaily(drawn) : null,
      currency: all.currency.at(-1) as string,
      convention,
      adjust: question.adjust,
      scale: scales[question.adjust],
      ...basisOf(bars.basis),
      count: printed.length,
      bars: printed,
      coverage: symbolCoverage(context, question.symbol, printed.length),
    },
    sources: sourcesOf(bars, factors),
    origins,
    datasets: read,
  }
}

const whyDaily = (drawn: Fine | null): string =>
  drawn ? `daily bars: no bars below a day are held of ${drawn.missing.join(', ')}` : 'daily bars: no bars below a day are held of the symbol'

/** A chart of bars below a day, in regular hours. */
async function ofMinutes(
  context: ReleaseContext,
  drawn: Fine,
  factors: readonly FactorRow[],
  question: ChartQuestion,
  asOfDay: string,
): Promise<Pick<Built, 'body' | 'sources'>> {
  const { interval, picked } = drawn
  const rows = await findSeriesBars(context.lake, picked, 'regular', question.as_of ?? null)
  const bars = barsOf(rows, picked, interval)
  const printed = printedIntraday(bars, factors, modes[question.adjust], asOfDay).map(({ session_date, session: _regular, start_at, ...bar }) => ({
    date: session_date,
    start_at,
    ...bar,
  }))
  return {
    body: {
      symbol: question.symbol,
      timeframe: question.timeframe,
      interval,
      interval_note: null,
      currency: bars.at(-1)?.currency as string,
      convention,
      adjust: question.adjust,
      scale: scales[question.adjust],
      ...basisOf(['as_traded']),
      count: printed.length,
      bars: printed,
      coverage: symbolCoverage(context, question.symbol, printed.length),
    },
    sources: upstreamSources([...rows, ...factors]),
  }
}

export const chartAnswers = {
  get_chart: { build: buildChart, needs_symbol: true },
} satisfies Answers
