// Quotes: the newest quote of a listing from any source, or the last daily bar if that has more. The age of a price is counted from the
// answer's as_of.

import { addDays, dayMs, dayStart } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { type Built, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { type BarRow, type FactorRow, factorOrigins, findLastBars } from '../datasets/bars/bars.ts'
import { findQuotes, findSplits, pickQuotes, type QuoteRow } from '../datasets/quotes/quotes.ts'
import { hoursOf, lastTradingInstant, sessionOf, stateAt } from '../datasets/quotes/venue-time.ts'
import { dateIn } from '../rulesets/exchange-calendars/calendar.ts'
import { quoteRules } from '../rulesets/quotes/rules.ts'
import { atTheSecond } from './complete.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['quotes', 'bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const

type Held = {
  readonly quote: QuoteRow | undefined
  /** The newest bar and the one before it. */
  readonly bars: readonly BarRow[]
  readonly splits: readonly FactorRow[]
}

/** The close of a bar's session; midnight UTC after a day that the calendar does not cover. */
function barAt(bar: BarRow): number {
  return hoursOf(exchangeOf(bar.symbol), bar.date)?.close ?? dayStart(bar.date) + dayMs
}
const instant = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z')

const isUnclear = (bar: BarRow): boolean => bar.basis === 'split_adjusted_unknown'
/** The day up to which a source had divided a bar whose splits are not all known; the bar's day if its prices are as traded. */
const dividedUntil = (bar: BarRow): string => (isUnclear(bar) ? dateIn('America/New_York', bar.known_from) : bar.date)

/**
 * The close before a session, in shares of that session: it is divided by a split on that day. `last`: the bar of the price, null for a
 * quote. Null if the two prices may count different shares, because one was divided by splits that are not all known.
 */
function closeBefore({ bars, splits }: Held, date: string, last: BarRow | null): number | null {
  const before = bars.find(bar => bar.date < date)
  if (!before) return null
  const scale = last === null ? date : dividedUntil(last)
  // One source divided both up to the same day: both use the same share basis.
  if (isUnclear(before) && scale === dividedUntil(before)) return before.close
  if (scale > date || dividedUntil(before) > date) return null
  const since = splits.filter(split => split.ex_date > dividedUntil(before) && split.ex_date <= date)
  const shares = since.reduce((product, split) => (product * Number(split.split_numerator)) / Number(split.split_denominator), 1)
  return shares === 1 ? before.close : rounded(before.close / shares)
}

const unclearNote =
  'The last bar was divided by its source by splits that are not all known: the price is not as traded, and previous_close is null unless both are in the same shares.'

/** The quote of a listing at `at` (an instant), in the answer's order. Null if nothing is stored. */
function printed(symbol: string, held: Held, at: string) {
  const { quote } = held
  const [bar] = held.bars
  // A bar is as of the close: it replaces an earlier quote, or one without a price.
  const last = quote && bar && (quote.price === null || Date.parse(quote.quoted_at) < barAt(bar)) ? undefined : quote
  if (!last && !bar) return null
  const chosen = last ? { ...last, date: last.session_date } : { ...(bar as BarRow), price: (bar as BarRow).close }
  const quotedAt = last ? Date.parse(last.quoted_at) : barAt(bar as BarRow)
  const previous = last?.previous_close ?? closeBefore(held, chosen.date, last ? null : (bar as BarRow))
  const unclear = !last && bar !== undefined && isUnclear(bar)
  const change = chosen.price === null || previous === null ? null : chosen.price - previous
  const lag = Math.max(0, Math.round((Date.parse(at) - quotedAt) / 1000))
  const { bid = null, ask = null, bid_size = null, ask_size = null, book_at = null, regular_price = null } = last ?? {}
  const { halted = null, delay_seconds = null, minor_unit = null } = last ?? {}
  return {
    symbol,
    price: chosen.price,
    currency: chosen.currency,
    bid,
    ask,
    bid_size,
    ask_size,
    book_at,
    open: chosen.open,
    high: chosen.high,
    low: chosen.low,
    regular_price,
    previous_close: previous,
    change: change === null ? null : rounded(change),
    change_pct: change === null || previous === null || previous === 0 ? null : rounded((change / previous) * 100),
    volume: chosen.volume,
    session_date: chosen.date,
    price_session: last ? last.session : sessionOf(exchangeOf(symbol), quotedAt).session,
    session: stateAt(exchangeOf(symbol), Date.parse(at)),
    halted,
    quoted_at: last ? last.quoted_at : instant(quotedAt),
    time_basis: last ? last.time_basis : 'day',
    data_lag_seconds: lag,
    ...(lag > quoteRules.stale_seconds ? { stale: true } : {}),
    delay_seconds,
    minor_unit,
    basis: last ? 'quote' : 'last_bar',
    ...(last || bar === undefined || bar.basis === 'as_traded' ? {} : { price_basis: bar.basis }),
    ...(unclear ? { basis_note: unclearNote } : {}),
    source: chosen.source,
  }
}

type Found = { readonly bySymbol: ReadonlyMap<string, Held>; readonly quotes: readonly QuoteRow[]; readonly bars: readonly BarRow[] }

const grouped = <R extends { readonly symbol: string }>(rows: readonly R[]): ReadonlyMap<string, readonly R[]> => Map.groupBy(rows, row => row.symbol)

/**
 * False if no bar can change the answer of the quote: it has a price and the previous close, and no session closed between it and `at`.
 * While a session runs, that holds for every quote of it, and no bar has to be read.
 */
function needsBars(symbol: string, quote: QuoteRow | undefined, at: number): boolean {
  if (!quote || quote.price === null || quote.previous_close === null) return true
  const exchange = exchangeOf(symbol)
  const { session_date } = sessionOf(exchange, at)
  const today = hoursOf(exchange, session_date)
  const lastClose = today && at >= today.open && at < today.close ? lastTradingInstant(exchange, today.open - 1) : lastTradingInstant(exchange, at)
  return Date.parse(quote.quoted_at) < lastClose
}

const none = async (): Promise<never[]> => []

/** Quotes first, then bars and splits of the symbols that need them: of the last weeks, and of all years if there is nothing since. */
async function find({ lake }: ReleaseContext, symbols: readonly string[], at: string, asOf: string | null): Promise<Found> {
  const since = addDays(at.slice(0, 10), -quoteRules.look_back_days)
  const recent = await findQuotes(lake, symbols, at, asOf)
  const speaking = pickQuotes(recent)
  const open = symbols.filter(symbol => needsBars(symbol, speaking.get(symbol), Date.parse(at)))
  const [lately, splits] = await Promise.all(
    open.length === 0 ? [none(), none()] : [findLastBars(lake, open, asOf, since), findSplits(lake, open, since, asOf)],
  )
  const counted = grouped(lately)
  const without = open.filter(symbol => (counted.get(symbol)?.length ?? 0) < 2 && !(speaking.has(symbol) && counted.has(symbol)))
  const unquoted = without.filter(symbol => !speaking.has(symbol))
  const [older, earlier] = await Promise.all([
    findQuotes(lake, unquoted, at, asOf, true),
    without.length === 0 ? none() : findLastBars(lake, without, asOf),
  ])
  const sought = new Set(without)
  const quotes = [...recent, ...older]
  const bars = [...lately.filter(bar => !sought.has(bar.symbol)), ...earlier]
  const picked = pickQuotes(quotes)
  const [barsOf, splitsOf] = [grouped<BarRow>(bars), grouped<FactorRow>(splits)]
  const bySymbol = new Map(
    symbols.map(symbol => [symbol, { quote: picked.get(symbol), bars: barsOf.get(symbol) ?? [], splits: splitsOf.get(symbol) ?? [] }]),
  )
  return { bySymbol, quotes, bars }
}

/** Every document that was considered, including quotes that were not selected. */
async function originsBehind({ lake }: ReleaseContext, { bySymbol, quotes, bars }: Found, asOf: string | null) {
  const splits = [...bySymbol.values()].flatMap(held => held.splits)
  const spans = [...new Set(splits.map(split => split.symbol))].map(symbol => ({ symbol, from: null, to: null }))
  return originsOf([...quotes, ...bars, ...splits, ...(splits.length === 0 ? [] : await factorOrigins(lake, spans, splits, asOf))])
}

/** `now` is the instant of the request: the answer's instant if the request gives no as_of. */
export async function buildQuotes(context: ReleaseContext, question: QuestionOf<'get_quotes'>, now: string): Promise<Built> {
  const at = question.as_of ?? now
  const asOf = question.as_of ?? null
  const found = await find(context, question.symbols, at, asOf)
  const quotes = question.symbols.flatMap(symbol => printed(symbol, found.bySymbol.get(symbol) as Held, at) ?? [])
  const silent = question.symbols.filter(symbol => printed(symbol, found.bySymbol.get(symbol) as Held, at) === null)
  return {
    body: {
      count: quotes.length,
      quotes,
      unknown: silent.filter(symbol => context.symbols.find(symbol) === null),
      without_price: silent.filter(symbol => context.symbols.find(symbol) !== null),
      ruleset: quoteRules.ruleset,
    },
    sources: upstreamSources([...found.quotes, ...found.bars]),
    origins: () => originsBehind(context, found, asOf),
    datasets,
    as_of: at,
  }
}

/** One quote; null if no price of the symbol is stored. */
export async function buildQuote(context: ReleaseContext, question: QuestionOf<'get_quote'>, now: string): Promise<Built | null> {
  const at = question.as_of ?? now
  const asOf = question.as_of ?? null
  const found = await find(context, [question.ticker], at, asOf)
  const quote = printed(question.ticker, found.bySymbol.get(question.ticker) as Held, at)
  if (quote === null) return null
  return {
    body: { ...quote, ruleset: quoteRules.ruleset },
    sources: upstreamSources([...found.quotes, ...found.bars]),
    origins: () => originsBehind(context, found, asOf),
    datasets,
    as_of: at,
  }
}

/** The last stored price of a listing: of a quote, or of the newest daily bar. */
export type LastPrice = {
  readonly price: number
  readonly currency: string
  readonly session_date: string
  readonly quoted_at: string
  readonly basis: 'quote' | 'last_bar'
  readonly source: string
}
const symbolsAtOnce = 250

/** The last prices of many symbols at `at` (an instant); a symbol without one, or whose last bar counts unknown shares, is missing. */
export async function findLastPrices(context: ReleaseContext, symbols: readonly string[], at: string): Promise<Map<string, LastPrice>> {
  const prices = new Map<string, LastPrice>()
  for (let from = 0; from < symbols.length; from += symbolsAtOnce) {
    const some = symbols.slice(from, from + symbolsAtOnce)
    const { bySymbol } = await find(context, some, at, null)
    for (const symbol of some) {
      const last = printed(symbol, bySymbol.get(symbol) as Held, at)
      // A price that counts unknown shares must not be multiplied by a number of shares.
      if (last === null || last.price === null || last.basis_note !== undefined) continue
      const { price, currency, session_date, quoted_at, basis, source } = last
      prices.set(symbol, { price, currency, session_date, quoted_at, basis: basis as LastPrice['basis'], source })
    }
  }
  return prices
}

export const quoteAnswers = {
  get_quotes: { build: buildQuotes, complete: atTheSecond },
  get_quote: { build: buildQuote, complete: atTheSecond, needs_symbol: true },
} satisfies Answers
