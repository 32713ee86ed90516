// When a bar is final: the close of its session, from the exchange calendars.
import type { ExchangeCode } from '#schemas/spelling.ts'
import { calendarYears, sessionHours } from '#warehouse/rulesets/exchange-calendars/calendar.ts'

/** The instant of a session's close; null if the exchange does not trade that day; undefined outside the calendar's years. */
export type SessionClose = (exchange: ExchangeCode, date: string) => string | null | undefined

/** Caches its results: a bulk day requests one session fifty thousand times. */
export function sessionCloses(): SessionClose {
  const known = new Map<string, string | null | undefined>()
  return (exchange, date) => {
    const key = exchange + date
    if (known.has(key)) return known.get(key)
    const { from, to } = calendarYears(exchange)
    const close = date < from || date > to ? undefined : (sessionHours(exchange, date)?.close_at ?? null)
    known.set(key, close)
    return close
  }
}
