// An instant against the hours of an exchange.
import type { ExchangeCode } from '#schemas/spelling.ts'
import { calendarYears, dateIn, micOf, sessionHours, venues } from '../../rulesets/exchange-calendars/calendar.ts'

export type ReportSession = 'before_open' | 'during_market' | 'after_close' | 'no_session'

const zones = new Map(venues().map(venue => [venue.mic, venue.time_zone]))

/** The calendar day of an instant in the exchange's time zone. */
export const dayAt = (exchange: ExchangeCode, instant: string): string => dateIn(zones.get(micOf(exchange)) ?? 'America/New_York', instant)

/** The phase of the exchange's day at an instant; null for years that its calendar does not cover. */
export function sessionAt(exchange: ExchangeCode, instant: string): ReportSession | null {
  const date = dayAt(exchange, instant)
  const known = calendarYears(exchange)
  if (date < known.from || date > known.to) return null
  const hours = sessionHours(exchange, date)
  if (hours === null) return 'no_session'
  if (Date.parse(instant) < Date.parse(hours.open_at)) return 'before_open'
  return Date.parse(instant) < Date.parse(hours.close_at) ? 'during_market' : 'after_close'
}
