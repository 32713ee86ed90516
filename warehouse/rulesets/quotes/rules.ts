// Quotes as data: source priority for a listing, when a price is stale, and which symbols are requested, how many at a time.

import { z } from 'zod'
import { addDays } from '#schemas/days.ts'
import { BarInterval } from '#schemas/intraday.ts'
import { parseOnce } from '#schemas/once.ts'
import type { ExchangeCode } from '#schemas/spelling.ts'
import { Currency, Exchange, IsoDate, Text } from '#schemas/values.ts'
import data from './rules.json' with { type: 'json' }

const whole = z.int().min(0)
const stated = { source: Text, confidence: z.enum(['high', 'medium', 'low']) }
const Rules = z.strictObject({
  ruleset: Text,
  valid_from: IsoDate,
  source: Text,
  /** An older price is marked: quotes are delayed by up to 15 minutes. */
  stale_seconds: whole,
  /** A source of higher precedence is passed over if its quote is older by more than this than the newest one. */
  gives_way_seconds: whole,
  /** Quotes of earlier sessions are only read if nothing else is stored for a symbol. */
  look_back_days: whole,
  /** A time so far ahead of the instant of asking is a clock that is off, more is no time. */
  time_tolerance_seconds: whole,
  precedence: z.array(z.strictObject({ exchange: Exchange, quotes: z.array(Text), intraday: z.array(Text), ...stated })),
  extended_hours: z.array(
    z.strictObject({
      exchange: Exchange,
      pre_opens: z
        .string()
        .regex(/^\d\d:\d\d$/)
        .nullable(),
      post_minutes: whole,
      ...stated,
    }),
  ),
  /** Trades of the closing auction are printed some seconds after the close and are of the regular session. */
  closing_seconds: whole,
  minor_units: z.array(z.strictObject({ printed: Text, currency: Currency, per_unit: z.literal(100), ...stated })),
  tracked: z.strictObject({
    liquidity_days: whole,
    most_liquid: z.strictObject({ US: whole, TO: whole, V: whole }),
    sources: z.array(z.strictObject({ source: Text, quotes: whole, intraday: whole, per_request: z.int().min(1), reason: Text })),
  }),
  intraday_requests: z.array(
    z.strictObject({
      source: Text,
      exchanges: z.array(Exchange),
      interval: BarInterval,
      days_per_request: z.int().min(1),
      days_back: whole,
      reason: Text,
    }),
  ),
})
export type QuoteRules = z.infer<typeof Rules>

export const quoteRules: QuoteRules = parseOnce(Rules, data)

const byExchange = new Map(quoteRules.precedence.map(row => [row.exchange, row]))

/** The rank of a source for an exchange, 0 the first; a source without a rank comes after all others. */
export function rankOf(kind: 'quotes' | 'intraday', exchange: ExchangeCode, source: string): number {
  const order = byExchange.get(exchange)?.[kind] ?? []
  const at = order.indexOf(source)
  return at < 0 ? order.length : at
}

/** Maximum number of symbols requested from a source, in total and per request. Throws `TypeError` for a source without an entry. */
export function trackingOf(source: string): QuoteRules['tracked']['sources'][number] {
  const found = quoteRules.tracked.sources.find(row => row.source === source)
  if (!found) throw new TypeError(`rulesets/quotes: no limits for the source ${source}`)
  return found
}

/** The unit that a printed currency is: itself, or the currency of which it is the hundredth part. Null if it is neither. */
export function unitOf(printed: string): { readonly currency: string; readonly minor: string | null } | null {
  const minor = quoteRules.minor_units.find(row => row.printed === printed)
  if (minor) return { currency: minor.currency, minor: minor.printed }
  return Currency.safeParse(printed).success ? { currency: printed, minor: null } : null
}

export type IntradayRequest = { readonly interval: BarInterval; readonly from: string; readonly to: string }

/**
 * The requests that cover `from` to `to` (days, both included) at a source, newest first: at the finest interval that the source has for
 * those days, split as it requires. Days that it no longer has are omitted.
 */
export function intradayRequests(source: string, exchange: ExchangeCode, from: string, to: string, today: string): IntradayRequest[] {
  const requests: IntradayRequest[] = []
  let last = to
  for (const { interval, days_per_request, days_back } of quoteRules.intraday_requests.filter(
    row => row.source === source && row.exchanges.includes(exchange),
  )) {
    const earliest = addDays(today, -days_back)
    const first = from > earliest ? from : earliest
    if (last < first) continue
    for (; last >= first; last = addDays(last, -days_per_request)) {
      const begin = addDays(last, 1 - days_per_request)
      requests.push({ interval, from: begin > first ? begin : first, to: last })
    }
    last = addDays(first, -1)
    if (last < from) break
  }
  return requests
}
