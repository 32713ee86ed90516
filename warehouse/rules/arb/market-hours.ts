// Whether a venue is in its regular session at an instant, and if not, why; and whether foreign exchange trades. Uses only the calendars.

import { addDays, midnight, weekdayOf } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import type { ArbRules } from '../../rulesets/arb/rules.ts'
import {
  calendarOf,
  calendarYears,
  dateIn,
  halfDaysOf,
  holidaysOf,
  previousSession,
  sessionHours,
} from '../../rulesets/exchange-calendars/calendar.ts'
import { instantIn } from '../../rulesets/exchange-calendars/zone.ts'

const eastern = 'America/New_York'
export type Hours = { readonly open: boolean; readonly why: string }

const venueName = (symbol: string): string => ({ US: 'the US exchanges', TO: 'Toronto', V: 'TSX Venture' })[exchangeOf(symbol)]

/** The day of an instant in the time zone of both exchanges. */
export const easternDay = (instant: string): string => dateIn(eastern, instant)

/** The close of a session as an instant; the end of the day in UTC if the calendar has no session on it. */
export function closeOf(symbol: string, date: string): string {
  const hours = covers(calendarOf(exchangeOf(symbol)), date) ? sessionHours(calendarOf(exchangeOf(symbol)), date) : null
  return hours?.close_at ?? midnight(addDays(date, 1))
}

function covers(calendar: string, date: string): boolean {
  const { from, to } = calendarYears(calendar)
  return date >= from && date <= to
}

/** No exchange stays closed for longer. */
const longestPauseDays = 20

/** The last close of a symbol's exchange up to an instant; the instant itself if no calendar covers the days before it. */
export function lastClose(symbol: string, at: string): string {
  const calendar = calendarOf(exchangeOf(symbol))
  const date = easternDay(at)
  const before = addDays(date, -longestPauseDays)
  if (!covers(calendar, date) || !covers(calendar, before)) return at
  const today = sessionHours(calendar, date)
  if (today && Date.parse(today.close_at) <= Date.parse(at)) return today.close_at
  return sessionHours(calendar, previousSession(calendar, date))?.close_at ?? at
}

/** Whether a symbol's exchange is in its regular session at an instant, opening and closing moment included. */
export function hoursAt(symbol: string, instant: string): Hours {
  const name = venueName(symbol)
  const calendar = calendarOf(exchangeOf(symbol))
  const date = easternDay(instant)
  if (!covers(calendar, date)) return { open: false, why: `${name}: no calendar for ${date}` }
  const session = sessionHours(calendar, date)
  if (session === null) {
    const holiday = holidaysOf(calendar, Number(date.slice(0, 4))).find(each => each.date === date)
    return { open: false, why: `${name} is closed on ${date}${holiday ? `: ${holiday.name}` : ', a weekend'}` }
  }
  const at = Date.parse(instant)
  if (at < Date.parse(session.open_at)) return { open: false, why: `${name} opens at ${session.open_at}` }
  if (at <= Date.parse(session.close_at)) return { open: true, why: `${name} is open` }
  const half = session.early_close ? halfDaysOf(calendar, Number(date.slice(0, 4))).find(each => each.date === date) : undefined
  return { open: false, why: `${name} closed at ${session.close_at}${half ? `, early: ${half.name}` : ''}` }
}

/** Whether foreign exchange trades at an instant: from Sunday evening to Friday evening in New York. */
export function fxOpenAt(instant: string, { time_zone, opens, closes }: ArbRules['fx_week']): boolean {
  const date = dateIn(time_zone, instant)
  const weekday = weekdayOf(date)
  const isAfter = (clock: string): boolean => Date.parse(instant) >= Date.parse(instantIn(time_zone, date, clock))
  if (weekday === opens.weekday) return isAfter(opens.clock)
  if (weekday === closes.weekday) return !isAfter(closes.clock)
  return weekday > opens.weekday && weekday < closes.weekday
}
