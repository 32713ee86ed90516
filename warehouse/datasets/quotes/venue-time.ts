// The phase of a venue's day at an instant: the calendar has the regular session, the ruleset of quotes the sessions before and after it.
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { QuoteSession } from '#schemas/quotes.ts'
import type { ExchangeCode } from '#schemas/spelling.ts'
import { calendarYears, dateIn, previousSession, sessionHours } from '../../rulesets/exchange-calendars/calendar.ts'
import { instantIn } from '../../rulesets/exchange-calendars/zone.ts'
import { quoteRules } from '../../rulesets/quotes/rules.ts'

/** All three exchanges keep Eastern time. */
export const zone = 'America/New_York'

type Hours = { readonly pre: number | null; readonly open: number; readonly close: number; readonly post: number }
const days = new Map<string, Hours | null>()

/** The bounds of a day's sessions in ms since 1970; null if the exchange does not trade, or no calendar covers the year. */
export function hoursOf(exchange: ExchangeCode, date: string): Hours | null {
  const key = exchange + date
  const known = days.get(key)
  if (known !== undefined) return known
  const { from, to } = calendarYears(exchange)
  const regular = date < from || date > to ? null : sessionHours(exchange, date)
  const around = quoteRules.extended_hours.find(row => row.exchange === exchange)
  const close = regular ? Date.parse(regular.close_at) : 0
  const hours = regular && {
    pre: around?.pre_opens ? Date.parse(instantIn(zone, date, around.pre_opens)) : null,
    open: Date.parse(regular.open_at),
    close,
    post: close + (around?.post_minutes ?? 0) * 60_000,
  }
  if (days.size >= cacheLimits.venueDays) days.clear()
  days.set(key, hours)
  return hours
}

/** The state of the venue at an instant. */
export function stateAt(exchange: ExchangeCode, at: number): QuoteSession {
  const hours = hoursOf(exchange, dateIn(zone, new Date(at).toISOString()))
  if (!hours || at >= hours.post || at < (hours.pre ?? hours.open)) return 'closed'
  return at < hours.open ? 'pre' : at < hours.close ? 'regular' : 'post'
}

/**
 * The session that a trade belongs to: as `stateAt`, but prints of the closing auction belong to the session that they close. A
 * time outside of all sessions keeps its own day and is of none.
 */
export function sessionOf(exchange: ExchangeCode, at: number): { readonly session_date: string; readonly session: QuoteSession } {
  const session_date = dateIn(zone, new Date(at).toISOString())
  const hours = hoursOf(exchange, session_date)
  const closing = hours !== null && at >= hours.close && at <= hours.close + quoteRules.closing_seconds * 1000
  return { session_date, session: closing ? 'regular' : stateAt(exchange, at) }
}

/** The newest instant up to `at` at which the regular session traded: `at` itself while it does, else the last close. */
export function lastTradingInstant(exchange: ExchangeCode, at: number): number {
  const date = dateIn(zone, new Date(at).toISOString())
  const hours = hoursOf(exchange, date)
  if (hours && at >= hours.open) return Math.min(at, hours.close)
  const { from } = calendarYears(exchange)
  const before = date > from ? hoursOf(exchange, previousSession(exchange, date)) : null
  return before ? before.close : at
}

/** An instant as records have it: whole seconds, or milliseconds if there are some. */
export const instantText = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z')
