// The snapshots that alerts are evaluated on: for each listing the last price and earlier closes, read once for all alerts of a release.
import { addDays, dayStart } from '#schemas/days.ts'
import { type ExchangeCode, exchangeOf } from '#schemas/spelling.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import { type FactorRow, spansOf } from '../../datasets/bars/bars.ts'
import { findQuotes, findSplits, pickQuotes, type QuoteRow } from '../../datasets/quotes/quotes.ts'
import { hoursOf, instantText, stateAt, zone } from '../../datasets/quotes/venue-time.ts'
import { type Snapshot, usablePrice } from '../../rules/indicators/alerts.ts'
import { calendarYears, dateIn, previousSession } from '../../rulesets/exchange-calendars/calendar.ts'
import { indicatorRules } from '../../rulesets/indicators/rules.ts'
import { adjusted, findCloses, findLast, newest, ofInstrument, type Series, splitsOf } from './closes.ts'
import type { SplitOn } from './tables.ts'

export const priceDatasets = ['quotes', 'bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const

type Report = {
  readonly price: string
  readonly price_basis: 'quote' | 'last_bar'
  readonly price_at: string
  readonly session_date: string
  readonly source: string | null
}
export type Picture = {
  /** The instrument's current symbol. */
  readonly symbol: string
  readonly snapshot: Snapshot
  /** Independent of the age of its prices: an alert armed between sessions starts from it, and nothing fires by it. */
  readonly known: Snapshot
  /** The last price, of any age; null: none is stored. */
  readonly reported: Report | null
  /** The day whose share basis prices and closes use; null if nothing is stored. */
  readonly day: string | null
  /** The close of the newest daily bar in shares of that day, of any age: the default baseline. */
  readonly last_close: string | null
  /** Days of the closes. */
  readonly days: readonly string[]
  /** Those with an ex-date up to `day`, from `since` on. */
  readonly splits: readonly SplitOn[]
}
export type Query = {
  readonly symbol: string
  /** Earlier closes are needed, for indicators. */
  readonly history: boolean
  /** Splits are needed from this day on. */
  readonly since: string | null
  /** A last close is needed however old it is: for a baseline. */
  readonly stale: boolean
}

/** Calendar days that contain enough sessions for an RSI, plus the few in which a last price is searched. */
const historyDays = 400
const lastDays = 30

/** The newest closed session of an exchange; a day outside the calendar's years counts as one. */
export function lastSession(exchange: ExchangeCode, at: number): string {
  const date = dateIn(zone, new Date(at).toISOString())
  const { from, to } = calendarYears(exchange)
  if (date <= from || date > to) return date
  const hours = hoursOf(exchange, date)
  return hours && at >= hours.close ? date : previousSession(exchange, date)
}

/** The close of a bar's session; midnight after the day if no calendar covers it. */
const closedAt = (symbol: string, date: string): number => hoursOf(exchangeOf(symbol), date)?.close ?? dayStart(addDays(date, 1))

/** The snapshots of listings at an instant, by symbol; each listing is read once, however many alerts need it. */
export async function findPictures(context: ReleaseContext, requested: readonly Query[], now: string): Promise<ReadonlyMap<string, Picture>> {
  const { lake, symbols: index } = context
  const wanted = requested.map(each => ({ ...each, spans: spansOf(index, each.symbol) }))
  const keysOf = (some: typeof wanted): string[] => [...new Set(some.flatMap(({ spans }) => spans.map(span => span.symbol)))]
  const today = now.slice(0, 10)
  const since = wanted.map(each => each.since ?? today).reduce((a, b) => (a < b ? a : b), addDays(today, -historyDays))
  const all = keysOf(wanted)
  const recent = addDays(today, -lastDays)
  const [long, short, lasts, splits, quotes] = await Promise.all([
    findCloses(lake, keysOf(wanted.filter(each => each.history)), addDays(today, -historyDays)),
    findCloses(lake, keysOf(wanted.filter(each => !each.history)), recent),
    findLast(lake, all, recent),
    all.length === 0 ? [] : findSplits(lake, all, since, null),
    findQuotes(
      lake,
      wanted.map(each => each.symbol),
      now,
      null,
    ),
  ])
  const old = keysOf(wanted.filter(({ stale, history, spans }) => stale && ofInstrument(history ? long : short, spans).dates.length === 0))
  const [before, lastsBefore] = await Promise.all([findCloses(lake, old, '0001-01-01'), findLast(lake, old, '0001-01-01')])
  const picked = pickQuotes(quotes)
  const factorsOf = Map.groupBy(splits, row => row.symbol)
  return new Map(
    wanted.map(({ symbol, history, spans }) => {
      const factors = spans.flatMap(span => factorsOf.get(span.symbol) ?? [])
      const held = ofInstrument(history ? long : short, spans)
      const closes = held.dates.length > 0 ? held : ofInstrument(before, spans)
      const source = spans.map(span => (lasts.get(span.symbol) ?? lastsBefore.get(span.symbol))?.source).findLast(name => name !== undefined) ?? null
      return [symbol, pictureOf({ symbol, spans, closes, source, factors, quote: picked.get(symbol), now })]
    }),
  )
}

type Held = {
  readonly symbol: string
  readonly spans: Parameters<typeof splitsOf>[1]
  readonly closes: Series
  /** Of the newest close. */
  readonly source: string | null
  readonly factors: readonly FactorRow[]
  readonly quote: QuoteRow | undefined
  readonly now: string
}

/**
 * The snapshot of one listing. A bar is of the close: it replaces a quote from before it or one without a price above zero. During a
 * session, and after it until its bar is stored, the last price is used as the day's close; before the open it is not.
 */
export function pictureOf({ symbol, spans, closes: series, source, factors, quote, now }: Held): Picture {
  const exchange = exchangeOf(symbol)
  const at = Date.parse(now)
  const bar = series.dates.length === 0 ? undefined : { date: series.dates.at(-1) as string, close: series.closes.at(-1) as number }
  const quoteApplies = quote && quote.price !== null && quote.price > 0 && !(bar && Date.parse(quote.quoted_at) < closedAt(symbol, bar.date))
  const reported: Report | null = quoteApplies
    ? {
        price: plainDecimal(quote.price as number),
        price_basis: 'quote',
        price_at: quote.quoted_at,
        session_date: quote.session_date,
        source: quote.source_name,
      }
    : bar
      ? {
          price: plainDecimal(bar.close),
          price_basis: 'last_bar',
          price_at: instantText(closedAt(symbol, bar.date)),
          session_date: bar.date,
          source,
        }
      : null
  const day = reported?.session_date ?? null
  const splits = day === null ? [] : splitsOf(factors, spans, day)
  const quoteIsLater =
    reported !== null &&
    reported.price_basis === 'quote' &&
    (quote?.session ?? 'pre') !== 'pre' &&
    (bar === undefined || reported.session_date > bar.date)
  const read = newest(series, indicatorRules.rsi.bars)
  const own = adjusted(read, splits)
  const last = lastSession(exchange, at)
  const fresh = (session: string | undefined): boolean => session !== undefined && session >= last
  const closes = quoteIsLater ? [...own, reported.price] : own
  const days = quoteIsLater ? [...read.dates, reported.session_date] : read.dates
  const isFresh = fresh(days.at(-1))
  const known: Snapshot = {
    price: reported?.price ?? null,
    closes,
    intraday: quoteIsLater && stateAt(exchange, at) === 'regular' && reported.session_date === dateIn(zone, now),
  }
  const snapshot: Snapshot = { ...known, price: reported && usablePrice(reported.price, reported.session_date, last), closes: isFresh ? closes : [] }
  return { symbol, snapshot, known, reported, day, last_close: own.at(-1) ?? reported?.price ?? null, days: isFresh ? days : [], splits }
}
