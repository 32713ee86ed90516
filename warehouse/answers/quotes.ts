// Quotes: what the sources last said of a listing, or where they said less than the last daily bar, that bar. The age of a price
// is counted from the answer's as_of.

import { addDays } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { type BarRow, type FactorRow, factorOrigins, findLastBars } from '../bars/bars.ts'
import { findQuotes, findSplits, pickQuotes, type QuoteRow } from '../quotes/quotes.ts'
import { hoursOf, lastTradingInstant, sessionOf, stateAt } from '../quotes/venue-time.ts'
import { quoteRules } from '../rulesets/quotes/rules.ts'
import { type Built, type Ground, originsOf, rounded, upstreamSources } from './answer.ts'
import type { QuestionOf } from './types.ts'

const datasets = ['quotes', 'bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const

type Held = {
  readonly quote: QuoteRow | undefined
  /** The newest bar and the one before it. */
  readonly bars: readonly BarRow[]
  readonly splits: readonly FactorRow[]
}

/** The close of a bar's session; a day that the calendar does not know stands at midnight UTC after it. */
function barAt(bar: BarRow): number {
  return hoursOf(exchangeOf(bar.symbol), bar.date)?.close ?? Date.parse(`${bar.date}T00:00:00Z`) + 86_400_000
}
const instant = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z')

/** The close before a session, in shares of that session: what a split on the day divided is divided here too. */
function closeBefore({ bars, splits }: Held, date: string): number | null {
  const before = bars.find(bar => bar.date < date)
  if (!before) return null
  const since = splits.filter(split => split.ex_date > before.date && split.ex_date <= date)
  const shares = since.reduce((product, split) => (product * Number(split.split_numerator)) / Number(split.split_denominator), 1)
  return shares === 1 ? before.close : rounded(before.close / shares)
}

/** What stands for the listing at `at` (an instant), in the answer's order. Null where nothing is held. */
function printed(symbol: string, held: Held, at: string) {
  const { quote } = held
  const [bar] = held.bars
  // A bar is of the close: a quote from before it, or one that has no price, gives way to it.
  const last = quote && bar && (quote.price === null || Date.parse(quote.quoted_at) < barAt(bar)) ? undefined : quote
  if (!last && !bar) return null
  const told = last ? { ...last, date: last.session_date } : { ...(bar as BarRow), price: (bar as BarRow).close }
  const quotedAt = last ? Date.parse(last.quoted_at) : barAt(bar as BarRow)
  const previous = last?.previous_close ?? closeBefore(held, told.date)
  const change = told.price === null || previous === null ? null : told.price - previous
  const lag = Math.max(0, Math.round((Date.parse(at) - quotedAt) / 1000))
  return {
    symbol,
    price: told.price,
    currency: told.currency,
    bid: last?.bid ?? null,
    ask: last?.ask ?? null,
    bid_size: last?.bid_size ?? null,
    ask_size: last?.ask_size ?? null,
    book_at: last?.book_at ?? null,
    open: told.open,
    high: told.high,
    low: told.low,
    regular_price: last?.regular_price ?? null,
    previous_close: previous,
    change: change === null ? null : rounded(change),
    change_pct: change === null || previous === null || previous === 0 ? null : rounded((change / previous) * 100),
    volume: told.volume,
    session_date: told.date,
    price_session: last ? last.session : sessionOf(exchangeOf(symbol), quotedAt).session,
    session: stateAt(exchangeOf(symbol), Date.parse(at)),
    halted: last?.halted ?? null,
    quoted_at: last ? last.quoted_at : instant(quotedAt),
    time_basis: last ? last.time_basis : 'day',
    data_lag_seconds: lag,
    ...(lag > quoteRules.stale_seconds ? { stale: true } : {}),
    delay_seconds: last?.delay_seconds ?? null,
    minor_unit: last?.minor_unit ?? null,
    basis: last ? 'quote' : 'last_bar',
    source: told.source,
  }
}

type Found = { readonly bySymbol: ReadonlyMap<string, Held>; readonly quotes: readonly QuoteRow[]; readonly bars: readonly BarRow[] }

const grouped = <R extends { readonly symbol: string }>(rows: readonly R[]): ReadonlyMap<string, readonly R[]> => Map.groupBy(rows, row => row.symbol)

/**
 * False where no bar can change what the quote says: it has a price and the close before, and there is no close between it and `at`
 * that a bar could be of. While a session runs that is so of every quote of it, and no bar has to be read.
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

/** Quotes first, then bars and splits of the symbols that need them: of the last weeks, and of all years where there is nothing since. */
async function find({ lake }: Ground, symbols: readonly string[], at: string, asOf: string | null): Promise<Found> {
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

/** Every document that was weighed: a quote that gave way to another is a part of the answer too. */
async function originsBehind({ lake }: Ground, { bySymbol, quotes, bars }: Found, asOf: string | null) {
  const splits = [...bySymbol.values()].flatMap(held => held.splits)
  const spans = [...new Set(splits.map(split => split.symbol))].map(symbol => ({ symbol, from: null, to: null }))
  return originsOf([...quotes, ...bars, ...splits, ...(splits.length === 0 ? [] : await factorOrigins(lake, spans, splits, asOf))])
}

/** `now` is the instant of asking: it dates the answer where the question gives no as_of. */
export async function buildQuotes(ground: Ground, question: QuestionOf<'get_quotes'>, now: string): Promise<Built> {
  const at = question.as_of ?? now
  const asOf = question.as_of ?? null
  const found = await find(ground, question.symbols, at, asOf)
  const quotes = question.symbols.flatMap(symbol => printed(symbol, found.bySymbol.get(symbol) as Held, at) ?? [])
  const silent = question.symbols.filter(symbol => printed(symbol, found.bySymbol.get(symbol) as Held, at) === null)
  return {
    body: {
      count: quotes.length,
      quotes,
      unknown: silent.filter(symbol => ground.symbols.find(symbol) === null),
      without_price: silent.filter(symbol => ground.symbols.find(symbol) !== null),
      ruleset: quoteRules.ruleset,
    },
    sources: upstreamSources([...found.quotes, ...found.bars]),
    origins: () => originsBehind(ground, found, asOf),
    datasets,
    as_of: at,
  }
}

/** One quote; null where we hold no price of the symbol. */
export async function buildQuote(ground: Ground, question: QuestionOf<'get_quote'>, now: string): Promise<Built | null> {
  const at = question.as_of ?? now
  const asOf = question.as_of ?? null
  const found = await find(ground, [question.ticker], at, asOf)
  const quote = printed(question.ticker, found.bySymbol.get(question.ticker) as Held, at)
  if (quote === null) return null
  return {
    body: { ...quote, ruleset: quoteRules.ruleset },
    sources: upstreamSources([...found.quotes, ...found.bars]),
    origins: () => originsBehind(ground, found, asOf),
    datasets,
    as_of: at,
  }
}

/** The last price that we hold of a listing: of a quote, or of the newest daily bar. */
export type LastPrice = {
  readonly price: number
  readonly currency: string
  readonly session_date: string
  readonly quoted_at: string
  readonly basis: 'quote' | 'last_bar'
  readonly source: string
}
const symbolsAtOnce = 250

/** The last prices of many symbols at `at` (an instant); a symbol without one is not there. */
export async function findLastPrices(ground: Ground, symbols: readonly string[], at: string): Promise<Map<string, LastPrice>> {
  const prices = new Map<string, LastPrice>()
  for (let from = 0; from < symbols.length; from += symbolsAtOnce) {
    const some = symbols.slice(from, from + symbolsAtOnce)
    const { bySymbol } = await find(ground, some, at, null)
    for (const symbol of some) {
      const last = printed(symbol, bySymbol.get(symbol) as Held, at)
      if (last === null || last.price === null) continue
      const { price, currency, session_date, quoted_at, basis, source } = last
      prices.set(symbol, { price, currency, session_date, quoted_at, basis: basis as LastPrice['basis'], source })
    }
  }
  return prices
}
