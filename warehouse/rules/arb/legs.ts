// Chooses the price of each line for a spread: a recent two-sided quote, else the newest price (a quote's or a close's).

import { dollarSymbol } from '#schemas/fx.ts'
import type { QuoteSession, QuoteTimeBasis } from '#schemas/quotes.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { plainDecimal } from '#schemas/values.ts'
import { decimalOf, one, over, ratioOf } from '../../datasets/prices/ratio.ts'
import { type ArbRules, arbRules } from '../../rulesets/arb/rules.ts'
import { instantIn } from '../../rulesets/exchange-calendars/zone.ts'
import { rankOf } from '../../rulesets/quotes/rules.ts'
import type { ArbInputs, CloseRow, QuoteRow, RateRow } from './inputs.ts'
import { closeOf } from './market-hours.ts'
import { isTwoSided, type Prices } from './spread.ts'
import { ageSeconds, apartSeconds, skewLimit } from './status.ts'

export type Leg = Prices & {
  readonly symbol: string
  readonly currency: string
  readonly observed_at: string
  readonly session_date: string
  readonly session: QuoteSession
  readonly halted: boolean | null
  readonly delay_seconds: number | null
  /** `quote`: the newest quote of a source; `last_close`: the close of the last daily bar. */
  readonly basis: 'quote' | 'last_close'
  /** `trade`, `asked` and `day` as in quotes; `close`: of the session's end. */
  readonly time_basis: QuoteTimeBasis | 'close'
  readonly source: string
  readonly row: QuoteRow | CloseRow
  /** A newer price of the line from pre-market or post-market trading in progress; null: none. */
  readonly outside: { readonly session: 'pre' | 'post'; readonly row: QuoteRow } | null
  /** The quote that shows whether the line is halted, if it is another one. */
  readonly halted_by: QuoteRow | null
}
export type Rate = Prices & {
  readonly observed_at: string
  readonly date: string
  /** `reference_rate`: one published rate a day, not a tradable price; `identity`: both lines trade in one currency. */
  readonly basis: 'quote' | 'reference_rate' | 'identity'
  readonly series: string | null
  readonly source: string | null
  readonly row: QuoteRow | CloseRow | RateRow | null
}

const decimal = (value: number | null): string | null => (value === null || !Number.isFinite(value) || value <= 0 ? null : plainDecimal(value))

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
    outside: null,
    halted_by: null,
  }
}
/** A leg whose last trade is compared, not its book: it is as old as the trade. */
const asTraded = (leg: Leg): Leg =>
  isTwoSided(leg) && leg.last !== null && 'quoted_at' in leg.row ? { ...leg, observed_at: leg.row.quoted_at } : leg

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
  outside: null,
  halted_by: null,
})

const usable = (leg: Leg): boolean => leg.last !== null || isTwoSided(leg)
/** Newest first. Of one instant, the preferred source for the exchange comes first. */
const newestFirst = (a: Leg, b: Leg): number =>
  Date.parse(b.observed_at) - Date.parse(a.observed_at) ||
  (a.basis === b.basis ? 0 : a.basis === 'quote' ? -1 : 1) ||
  rankOf('quotes', exchangeOf(a.symbol), a.source) - rankOf('quotes', exchangeOf(b.symbol), b.source) ||
  (a.source < b.source ? -1 : 1)

const isExtended = (leg: Leg): boolean => leg.session === 'pre' || leg.session === 'post'
/** The regular session's last price from a quote that was made after the session; its time is the session's end. */
function regularOf(row: QuoteRow): Leg | null {
  const last = decimal(row.regular_price)
  if (row.session !== 'post' || last === null) return null
  return { ...quoteLeg(row), bid: null, ask: null, last, observed_at: closeOf(row.symbol, row.session_date), session: 'regular', time_basis: 'close' }
}

/** The prices of a line that can be compared, newest first. */
function candidatesOf(symbol: string, inputs: ArbInputs): Leg[] {
  const close = inputs.closes.get(symbol)
  const rows = inputs.quotes.get(symbol) ?? []
  const regular = rows.map(regularOf).filter(leg => leg !== null)
  return [...rows.map(quoteLeg), ...regular, ...(close ? [closeLeg(close)] : [])].filter(usable).sort(newestFirst)
}

const limitOf = (leg: Leg, rules: ArbRules): number => rules.max_age_seconds[leg.delay_seconds === 0 ? 'live' : 'delayed']

/** Two-sided and recent enough to trade on, newest first. */
const freshOf = (candidates: readonly Leg[], at: string, rules: ArbRules): Leg[] =>
  candidates.filter(leg => isTwoSided(leg) && ageSeconds(leg.observed_at, at) <= limitOf(leg, rules))

/**
 * The newest two-sided prices that were observed close together, because one source's live line and another's delayed one are of
 * two moments. Otherwise the newest two-sided price of each line, else its newest price.
 */
function chosenOf([here = [], there = []]: readonly (readonly Leg[])[], at: string, rules: ArbRules): readonly [Leg | null, Leg | null] {
  const [tsx, us] = [freshOf(here, at, rules), freshOf(there, at, rules)]
  const older = ([a, b]: readonly [Leg, Leg]): number => Math.min(Date.parse(a.observed_at), Date.parse(b.observed_at))
  const together = tsx
    .flatMap(a => us.map(b => [a, b] as const))
    .filter(([a, b]) => apartSeconds(a.observed_at, b.observed_at) <= skewLimit(a, b, rules))
    .reduce<readonly [Leg, Leg] | null>((best, each) => (best === null || older(each) > older(best) ? each : best), null)
  return together ?? [tsx[0] ?? here[0] ?? null, us[0] ?? there[0] ?? null]
}

/** The newest price, if it was made outside the compared session and is recent enough to show that trading continues. */
function outsideOf(newest: Leg | null, compared: Leg, at: string, rules: ArbRules): Leg['outside'] {
  if (!newest || isExtended(compared) || !('quoted_at' in newest.row)) return null
  const { session } = newest
  if (session !== 'pre' && session !== 'post') return null
  return ageSeconds(newest.observed_at, at) <= limitOf(newest, rules) ? { session, row: newest.row } : null
}

/** A halt reported by the newest quote of the leg's session or later. */
function withHalt(leg: Leg | null, inputs: ArbInputs): Leg | null {
  if (!leg) return null
  const halts = (inputs.quotes.get(leg.symbol) ?? []).filter(row => row.halted !== null && row.session_date >= leg.session_date)
  const [halt] = halts.map(quoteLeg).sort(newestFirst)
  return halt && 'quoted_at' in halt.row ? { ...leg, halted: halt.halted, halted_by: halt.row } : leg
}

/**
 * The two prices that a spread compares at an instant; null if a line has none. Each line uses a recent two-sided quote, else its newest
 * price. A price from outside the regular session is not compared with a regular one if its line has a regular price too.
 * If not both are two-sided, the last trades are compared, and each has the age of its trade.
 */
export function legsOf(symbols: readonly [toronto: string, us: string], inputs: ArbInputs, at: string, rules: ArbRules = arbRules) {
  const candidates = symbols.map(symbol => candidatesOf(symbol, inputs))
  const newest = chosenOf(candidates, at, rules)
  const mixed = newest.some(leg => leg && isExtended(leg)) && newest.some(leg => leg && !isExtended(leg))
  const ofSession = mixed
    ? chosenOf(
        candidates.map(list => list.filter(leg => !isExtended(leg))),
        at,
        rules,
      )
    : newest
  const regular = newest.map((leg, side) => ofSession[side] ?? leg)
  const mid = regular.every(leg => leg !== null && isTwoSided(leg))
  const [toronto = null, us = null] = regular.map(leg => {
    const compared = withHalt(leg === null || mid ? leg : asTraded(leg), inputs)
    return (
      compared && { ...compared, outside: outsideOf(candidates.flat().find(each => each.symbol === compared.symbol) ?? null, compared, at, rules) }
    )
  })
  return { toronto, us }
}

/** Published once a day by 16:30 Eastern (Bank of Canada, daily exchange rates). */
const publishedAt = (date: string): string => instantIn('America/Toronto', date, '16:30')

/** The rate that converts the US line's currency to the Toronto line's; null if none is known. A quote takes precedence over an older reference rate. */
export function rateOf(toronto: Leg | null, us: Leg | null, inputs: ArbInputs, at: string): Rate | null {
  const own = toronto?.currency
  if (own !== undefined && own === us?.currency) {
    return { bid: '1', ask: '1', last: '1', observed_at: at, date: at.slice(0, 10), basis: 'identity', series: null, source: null, row: null }
  }
  const quote = (inputs.quotes.get(dollarSymbol) ?? [])
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
