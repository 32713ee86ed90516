// What alerts are judged by: of each listing the last price and the closes before it, read once for all alerts of a release.
import { addDays } from '#schemas/days.ts'
import { type ExchangeCode, exchangeOf } from '#schemas/spelling.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { Ground } from '../answers/answer.ts'
import { type FactorRow, spansOf } from '../bars/bars.ts'
import { type Snapshot, usablePrice } from '../indicators/alerts.ts'
import { findQuotes, findSplits, pickQuotes, type QuoteRow } from '../quotes/quotes.ts'
import { hoursOf, instantText, stateAt, zone } from '../quotes/venue-time.ts'
import { calendarYears, dateIn, previousSession } from '../rulesets/exchange-calendars/calendar.ts'
import { indicatorRules } from '../rulesets/indicators/rules.ts'
import { adjusted, findCloses, findLast, newest, ofInstrument, type Series, splitsOf } from './closes.ts'
import type { SplitOn } from './tables.ts'

export const priceDatasets = ['quotes', 'bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const

export type Told = {
  readonly price: string
  readonly price_basis: 'quote' | 'last_bar'
  readonly price_at: string
  readonly session_date: string
  readonly source: string | null
}
export type Picture = {
  /** The symbol that the instrument wears today. */
  readonly symbol: string
  readonly snapshot: Snapshot
  /** The same whatever the age of its prices: an alert that is armed between sessions starts from it, and nothing fires by it. */
  readonly known: Snapshot
  /** The last price whatever its age; null: none is held. */
  readonly told: Told | null
  /** The day in whose shares prices and closes are; null where nothing is held. */
  readonly day: string | null
  /** The close of the newest daily bar in shares of that day, whatever its age: what a baseline is where none is given. */
  readonly last_close: string | null
  /** Days of the closes. */
  readonly days: readonly string[]
  /** Those with an ex-date up to `day`, from `since` on. */
  readonly splits: readonly SplitOn[]
}
export type Asked = {
  readonly symbol: string
  /** Closes behind the last price are wanted: for indicators. */
  readonly history: boolean
  /** Splits are wanted from this day on. */
  readonly since: string | null
  /** A last close is wanted however old it is: for a baseline. */
  readonly stale: boolean
}

/** Calendar days that hold as many sessions as an RSI reads, and the few in which a last price is looked for. */
const historyDays = 400
const lastDays = 30

/** The newest session of an exchange that has closed; a day outside of the calendar's years counts as one. */
export function lastSession(exchange: ExchangeCode, at: number): string {
  const date = dateIn(zone, new Date(at).toISOString())
  const { from, to } = calendarYears(exchange)
  if (date <= from || date > to) return date
  const hours = hoursOf(exchange, date)
  return hours && at >= hours.close ? date : previousSession(exchange, date)
}

/** The close of a bar's session; of a day that no calendar knows midnight after it. */
const closedAt = (symbol: string, date: string): number => hoursOf(exchangeOf(symbol), date)?.close ?? Date.parse(`${addDays(date, 1)}T00:00:00Z`)

/** The pictures of listings at an instant, by symbol; nothing is read twice, whatever number of alerts ask. */
export async function findPictures(ground: Ground, asked: readonly Asked[], now: string): Promise<ReadonlyMap<string, Picture>> {
  const { lake, symbols: index } = ground
  const wanted = asked.map(each => ({ ...each, spans: spansOf(index, each.symbol) }))
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
 * The picture of one listing. A bar is of the close: a quote from before it, or without a price above zero, gives way to it. During
 * a session, and after it until its bar is there, the last price stands for the day's close; before the open it does not.
 */
export function pictureOf({ symbol, spans, closes: series, source, factors, quote, now }: Held): Picture {
  const exchange = exchangeOf(symbol)
  const at = Date.parse(now)
  const bar = series.dates.length === 0 ? undefined : { date: series.dates.at(-1) as string, close: series.closes.at(-1) as number }
  const speaks = quote && quote.price !== null && quote.price > 0 && !(bar && Date.parse(quote.quoted_at) < closedAt(symbol, bar.date))
  const told: Told | null = speaks
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
  const day = told?.session_date ?? null
  const splits = day === null ? [] : splitsOf(factors, spans, day)
  const stands =
    told !== null && told.price_basis === 'quote' && (quote?.session ?? 'pre') !== 'pre' && (bar === undefined || told.session_date > bar.date)
  const read = newest(series, indicatorRules.rsi.bars)
  const own = adjusted(read, splits)
  const last = lastSession(exchange, at)
  const fresh = (session: string | undefined): boolean => session !== undefined && session >= last
  const closes = stands ? [...own, told.price] : own
  const days = stands ? [...read.dates, told.session_date] : read.dates
  const isFresh = fresh(days.at(-1))
  const known: Snapshot = {
    price: told?.price ?? null,
    closes,
    intraday: stands && stateAt(exchange, at) === 'regular' && told.session_date === dateIn(zone, now),
  }
  const snapshot: Snapshot = { ...known, price: told && usablePrice(told.price, told.session_date, last), closes: isFresh ? closes : [] }
  return { symbol, snapshot, known, told, day, last_close: own.at(-1) ?? told?.price ?? null, days: isFresh ? days : [], splits }
}
