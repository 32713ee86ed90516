// Intraday bars: raw bars, adjusted here by the factor of their session's date, page by page.
import type { Coverage } from '#schemas/coverage.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { type BarInterval, intervalSeconds } from '#schemas/intraday.ts'
import { type Built, effectiveInstant, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { type FactorRow, factorOrigins, findFactors, spansOf } from '../datasets/bars/bars.ts'
import {
  barsOf,
  findAllBars,
  findHeld,
  findSeries,
  findSeriesBars,
  type IntradayBar,
  makes,
  pickSeries,
  type Series,
} from '../datasets/intraday/intraday.ts'
import { type AdjustMode, adjustBars, adjustedCloses } from '../datasets/prices/adjust.ts'
import { sessionOf } from '../datasets/quotes/venue-time.ts'
import { convention, type PrintedPrices } from './eod.ts'
import { resolveHeld } from './listed.ts'
import type { Answers, QuestionOf } from './types.ts'

export type IntradayQuestion = QuestionOf<'get_intraday'>
const intradayDatasets = ['intraday_bars', 'adjustment_factors', 'symbols'] as const

export type PrintedIntraday = PrintedPrices & {
  readonly start_at: string
  readonly session_date: string
  readonly session: IntradayBar['session']
  readonly partial: boolean
}

/** Bars as printed; factors count up to the answer's day. A partial bar is adjusted like any other. */
export function printedIntraday(bars: readonly IntradayBar[], factors: readonly FactorRow[], adjust: AdjustMode, asOfDay: string): PrintedIntraday[] {
  const closes = adjustedCloses(
    bars.map(bar => bar.session_date),
    bars.map(bar => bar.close),
    factors,
    { asOf: asOfDay },
  )
  const number = (value: number | null): number | null => (value === null ? null : rounded(value))
  const shown =
    adjust === 'none' || factors.length === 0
      ? bars
      : adjustBars(
          bars.map(bar => ({ ...bar, date: bar.session_date })),
          factors,
          adjust,
          { asOf: asOfDay },
        ).map(bar => ({
          ...bar,
          open: number(bar.open),
          high: number(bar.high),
          low: number(bar.low),
          close: rounded(bar.close),
          volume: number(bar.volume),
        }))
  return shown.map((bar, at) => ({
    start_at: bar.start_at,
    session_date: bar.session_date,
    session: bar.session,
    open: bar.open,
    high: bar.high,
    low: bar.low,
    close: bar.close,
    adjusted_close: rounded(closes[at] as number),
    volume: bar.volume,
    partial: bar.partial,
  }))
}

/** Sessions in order of their days, enough for one bar more than a page; the session in which the page continues is not counted. */
function sessionsOfPage(picked: ReadonlyMap<string, Series>, goesOnIn: string | null, interval: BarInterval, limit: number): Map<string, Series> {
  const taken = new Map<string, Series>()
  let bars = 0
  for (const [date, series] of [...picked].sort(([a], [b]) => (a < b ? -1 : 1))) {
    taken.set(date, series)
    // The maximum number of stored bars that make one bar.
    if (date !== goesOnIn) bars += Math.ceil((series.bars * intervalSeconds[series.interval]) / intervalSeconds[interval])
    if (bars > limit) break
  }
  return taken
}

type Held = { readonly first: string; readonly last: string } | null

function coverageOf(symbol: string, interval: BarInterval, held: Held, series: readonly Series[], printed: readonly string[]): Coverage {
  const [first, last] = [printed[0], printed.at(-1)]
  if (first !== undefined) {
    const days = first === last ? first : `${first} to ${last}`
    return { status: 'read', sentence: `bars of ${symbol} that are held of ${days}; a minute without a trade has none`, from: first }
  }
  if (!held) {
    const sentence = `no intraday bars of ${symbol} were loaded: they are kept for tracked symbols of a configured source only`
    return { status: 'not_loaded', sentence, from: null }
  }
  const stored = [...new Set(series.map(each => each.interval))].sort()
  const days = `from ${held.first} to ${held.last}`
  const sentence =
    stored.length > 0 && !stored.some(each => makes(each, interval))
      ? `bars of ${symbol} are held of ${stored.join(', ')} on these days, of which none of ${interval} can be made`
      : `no bars of these days: intraday bars of ${symbol} are held ${days}`
  return { status: 'none', sentence, from: held.first }
}

/** The New York date of a bar's instant: no session is open at midnight there. */
const dayOf = (instant: string): string => sessionOf('US', Date.parse(instant)).session_date
export async function buildIntraday(context: ReleaseContext, question: IntradayQuestion): Promise<Built> {
  const { lake, symbols } = context
  const asOf = question.as_of ?? null
  const { symbol, interval, session, adjust, limit } = question
  await resolveHeld(context, symbol)
  const { cursor, limit: _limit, as_of: _asOf, release: _release, receipt: _receipt, ...filters } = question
  const after = cursor === undefined ? null : String(decodeCursor(cursor, 'get_intraday', filters).after[0])
  const spans = spansOf(symbols, symbol)
  const version = lake.versionOf(intradayDatasets)
  const asOfDay = effectiveInstant(asOf, version).slice(0, 10)
  const [held, factors] = await Promise.all([findHeld(lake, spans, session, asOf), findFactors(lake, spans, asOfDay, asOf)])
  const isOpen = question.from === undefined && question.to === undefined
  const from = after === null ? (isOpen ? held?.last : question.from) : dayOf(after)
  const to = isOpen ? held?.last : question.to
  const series = held ? await findSeries(lake, spans, { from: from ?? held.first, to: to ?? held.last, session }, asOf) : []
  const picked = pickSeries(series, interval)
  const page = sessionsOfPage(picked, after === null ? null : dayOf(after), interval, limit)
  const rows = await findSeriesBars(lake, page, session, asOf)
  const bars = barsOf(rows, page, interval).filter(bar => after === null || bar.start_at > after)
  const shown = bars.slice(0, limit)
  const beyond = [...picked.keys()].sort().find(date => !page.has(date))
  const isMore = bars.length > limit || beyond !== undefined
  const last = shown.at(-1)
  const printed = [...new Set(shown.map(bar => bar.session_date))]
  return {
    body: {
      symbol,
      interval,
      made_from: [...new Set(printed.map(date => page.get(date)?.interval))].sort(),
      currency: last?.currency ?? null,
      convention,
      adjust,
      count: shown.length,
      bars: printedIntraday(shown, factors, adjust, asOfDay),
      coverage: coverageOf(symbol, interval, held, series, printed),
      next_cursor: isMore && last ? encodeCursor('get_intraday', filters, version.release, [last.start_at]) : null,
    },
    sources: upstreamSources([...rows.filter(row => printed.includes(row.session_date)), ...factors]),
    origins: async () => {
      // The receipt also covers whether there is a next page and, for an empty answer, where bars begin and end.
      const empty = shown.length === 0 && held ? [held.first, held.last, ...series.map(each => each.session_date)] : []
      const days = [...new Set([...page.keys(), ...(beyond ? [beyond] : []), ...empty])]
      return originsOf([...(await findAllBars(lake, spans, days, asOf)), ...(await factorOrigins(lake, spans, factors, asOf))])
    },
    datasets: intradayDatasets,
  }
}

export const intradayAnswers = {
  get_intraday: { build: buildIntraday },
} satisfies Answers
