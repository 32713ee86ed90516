// Which price of a line a spread is made of: a two-sided quote that is young enough, else the newest price, a quote's or a close's.
import type { QuoteSession, QuoteTimeBasis } from '#schemas/quotes.ts'
import { plainDecimal } from '#schemas/values.ts'
import { decimalOf, one, over, ratioOf } from '../prices/ratio.ts'
import { type ArbRules, arbRules } from '../rulesets/arb/rules.ts'
import { instantIn } from '../rulesets/exchange-calendars/zone.ts'
import { rankOf } from '../rulesets/quotes/rules.ts'
import { type ArbInputs, type CloseRow, fxSymbol, type QuoteRow, type RateRow } from './inputs.ts'
import { closeOf } from './market-hours.ts'
import { isTwoSided, type Prices } from './spread.ts'
import { ageSeconds } from './status.ts'

export type Leg = Prices & {
  readonly symbol: string
  readonly currency: string
  readonly observed_at: string
  readonly session_date: string
  readonly session: QuoteSession
  readonly halted: boolean | null
  readonly delay_seconds: number | null
  /** `quote`: what a source last said; `last_close`: the close of the last daily bar. */
  readonly basis: 'quote' | 'last_close'
  /** `trade`, `asked` and `day` as in quotes; `close`: of the session's end. */
  readonly time_basis: QuoteTimeBasis | 'close'
  readonly source: string
  readonly row: QuoteRow | CloseRow
  /** The quote that tells whether it is halted, where that is another one. */
  readonly halted_by: QuoteRow | null
}
export type Rate = Prices & {
  readonly observed_at: string
  readonly date: string
  /** `reference_rate`: one rate a day, which nobody deals at; `identity`: both lines trade in one currency. */
  readonly basis: 'quote' | 'reference_rate' | 'identity'
  readonly series: string | null
  readonly source: string | null
  readonly row: QuoteRow | CloseRow | RateRow | null
}

const decimal = (value: number | null): string | null => (value === null || !Number.isFinite(value) || value <= 0 ? null : plainDecimal(value))
const exchangeOf = (symbol: string): 'US' | 'TO' | 'V' => (symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US')

function quoteLeg(row: QuoteRow): Leg {
  const prices = { bid: decimal(row.bid), ask: decimal(row.ask), last: decimal(row.price) }
  return {
    symbol: row.symbol,
    ...prices,
    currency: row.currency,
    observed_at: isTwoSided(prices) ? (row.book_at ?? row.quoted_at) : row.quoted_at,
    session_date: row.session_date,
    session: row.session,
    halted: row.halted,
    delay_seconds: row.delay_seconds,
    basis: 'quote',
    time_basis: row.time_basis,
    source: row.source,
    row,
    halted_by: null,
  }
}
/** A leg whose last trade is compared, not its book: it is as old as the trade. */
export const asTraded = (leg: Leg): Leg => (leg.last !== null && 'quoted_at' in leg.row ? { ...leg, observed_at: leg.row.quoted_at } : leg)

const closeLeg = (row: CloseRow): Leg => ({
  symbol: row.symbol,
  bid: null,
  ask: null,
  last: decimal(row.close),
  currency: row.currency,
  observed_at: closeOf(row.symbol, row.date),
  session_date: row.date,
  session: 'regular',
  halted: null,
  delay_seconds: null,
  basis: 'last_close',
  time_basis: 'close',
  source: row.source,
  row,
  halted_by: null,
})

const usable = (leg: Leg): boolean => leg.last !== null || isTwoSided(leg)
/** Newest first; of one instant the source that is asked first for the exchange. */
const newestFirst = (a: Leg, b: Leg): number =>
  Date.parse(b.observed_at) - Date.parse(a.observed_at) ||
  (a.basis === b.basis ? 0 : a.basis === 'quote' ? -1 : 1) ||
  rankOf('quotes', exchangeOf(a.symbol), a.source) - rankOf('quotes', exchangeOf(b.symbol), b.source) ||
  (a.source < b.source ? -1 : 1)

/** The price of a line at an instant; null where there is none. A halt that any source of the same session tells holds. */
export function legOf(symbol: string, inputs: ArbInputs, at: string, rules: ArbRules = arbRules): Leg | null {
  const close = inputs.closes.get(symbol)
  const quotes = (inputs.quotes.get(symbol) ?? []).map(quoteLeg)
  const all = [...quotes, ...(close ? [closeLeg(close)] : [])].filter(usable).sort(newestFirst)
  const limit = (leg: Leg): number => rules.max_age_seconds[leg.delay_seconds === 0 ? 'live' : 'delayed']
  const chosen = all.find(leg => isTwoSided(leg) && ageSeconds(leg.observed_at, at) <= limit(leg)) ?? all[0]
  if (!chosen) return null
  const said = quotes.filter(leg => leg.halted !== null && leg.session_date >= chosen.session_date).sort(newestFirst)[0]
  return said && 'quoted_at' in said.row ? { ...chosen, halted: said.halted, halted_by: said.row } : chosen
}

/** Published once a day by 16:30 Eastern (Bank of Canada, daily exchange rates). */
const publishedAt = (date: string): string => instantIn('America/Toronto', date, '16:30')

/** The rate that turns the US line's currency into the Toronto line's; null where none is known. A quote goes before a reference rate that is older. */
export function rateOf(toronto: Leg | null, us: Leg | null, inputs: ArbInputs, at: string): Rate | null {
  const own = toronto?.currency
  if (own !== undefined && own === us?.currency) {
    return { bid: '1', ask: '1', last: '1', observed_at: at, date: at.slice(0, 10), basis: 'identity', series: null, source: null, row: null }
  }
  const quote = (inputs.quotes.get(fxSymbol) ?? [])
    .map(quoteLeg)
    .filter(leg => usable(leg) && leg.currency === 'CAD')
    .sort(newestFirst)[0]
  const { rate } = inputs
  if (quote && (rate === null || quote.observed_at >= publishedAt(rate.date))) {
    const { bid, ask, last, observed_at, session_date, source, row } = quote
    return { bid, ask, last, observed_at, date: session_date, basis: 'quote', series: null, source, row }
  }
  if (rate === null) return null
  const last = rate.base_currency === 'USD' ? rate.rate : decimalOf(over(one, ratioOf(rate.rate)))
  return {
    bid: null,
    ask: null,
    last,
    observed_at: publishedAt(rate.date),
    date: rate.date,
    basis: 'reference_rate',
    series: rate.series,
    source: rate.source,
    row: rate,
  }
}
