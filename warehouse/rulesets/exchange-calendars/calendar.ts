// Trading days and hours of a venue, out of the ruleset. A venue is named by its MIC (`XNAS`), a symbol's exchange by its
// code (`US`, `TO`, `V`); `BOC` is the Bank of Canada's calendar of days with an exchange rate.
import { dayMs } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { ExchangeCode } from '#schemas/spelling.ts'
import { dayNumber, daysOfYear, dayText, weekdayOf, type YearOfDays } from './days.ts'
import { type Calendar, exchangeCalendars } from './rules.ts'
import { dateIn, instantIn } from './zone.ts'

export { dateIn }
/** The name of the ruleset that answered; an answer that used a calendar quotes it. */
export const exchangeCalendarsRuleset = exchangeCalendars.ruleset
/** The day of its publication, YYYY-MM-DD. */
export const exchangeCalendarsPublished = exchangeCalendars.published

const calendarsById = new Map(exchangeCalendars.calendars.map(calendar => [calendar.id, calendar]))
const calendarByVenue = new Map<string, Calendar>()
for (const calendar of exchangeCalendars.calendars) calendarByVenue.set(calendar.id, calendar)
for (const { mic, calendar } of exchangeCalendars.venues) calendarByVenue.set(mic, calendarsById.get(calendar)!)
for (const { exchange, calendar } of exchangeCalendars.exchanges) calendarByVenue.set(exchange, calendarsById.get(calendar)!)

function calendarFor(venue: string): Calendar {
  const calendar = calendarByVenue.get(venue)
  if (calendar) return calendar
  throw new BadRequest(`exchange calendar ${venue}: no such venue`, { hint: `known: ${[...calendarByVenue.keys()].join(', ')}` })
}

const years = new Map<string, YearOfDays>()
function yearOf(calendar: Calendar, year: number): YearOfDays {
  if (year < calendar.from_year || year > calendar.to_year) {
    const limits = `${calendar.from_year} to ${calendar.to_year}`
    throw new BadRequest(`exchange calendar ${calendar.id}: ${year} is outside its years ${limits}`, { hint: `ask for a day of ${limits}` })
  }
  const key = `${calendar.id}-${year}`
  const known = years.get(key)
  if (known) return known
  const days = daysOfYear(calendar, year)
  years.set(key, days)
  return days
}
const yearOfDay = (day: number): number => new Date(day * dayMs).getUTCFullYear()

/** Years that the calendar answers for; every other function here throws `BadRequest` outside of them. */
export function calendarYears(venue: string): { readonly from: string; readonly to: string } {
  const { from_year, to_year } = calendarFor(venue)
  return { from: `${from_year}-01-01`, to: `${to_year}-12-31` }
}

function opensOn(calendar: Calendar, day: number): boolean {
  const { closed } = yearOf(calendar, yearOfDay(day))
  return weekdayOf(day) % 6 !== 0 && !closed.has(day)
}

/** True if the venue trades on that calendar day. */
export const isSession = (venue: string, date: string): boolean => opensOn(calendarFor(venue), dayNumber(date))

/** Every session from `from` to `to`, both included; empty if `from` is after `to`. */
export function sessionsOf(venue: string, from: string, to: string): string[] {
  const calendar = calendarFor(venue)
  const sessions: string[] = []
  for (let day = dayNumber(from), last = dayNumber(to); day <= last; day += 1) if (opensOn(calendar, day)) sessions.push(dayText(day))
  return sessions
}

function step(venue: string, date: string, by: 1 | -1): string {
  const calendar = calendarFor(venue)
  let day = dayNumber(date) + by
  while (!opensOn(calendar, day)) day += by
  return dayText(day)
}
/** The last session strictly before the day. */
export const previousSession = (venue: string, date: string): string => step(venue, date, -1)
/** The first session strictly after the day. */
export const nextSession = (venue: string, date: string): string => step(venue, date, 1)

export type SessionHours = { readonly open_at: string; readonly close_at: string; readonly early_close: boolean }

/** Opening and closing of that day's session as instants in UTC; null if the venue is closed. */
export function sessionHours(venue: string, date: string): SessionHours | null {
  const calendar = calendarFor(venue)
  const day = dayNumber(date)
  if (!opensOn(calendar, day)) return null
  const regular = calendar.hours.findLast(hours => hours.valid_from <= date) ?? calendar.hours[0]!
  const special = yearOf(calendar, yearOfDay(day)).special.get(day)
  const close = special?.close ?? regular.close
  return {
    open_at: instantIn(calendar.time_zone, date, special?.open ?? regular.open),
    close_at: instantIn(calendar.time_zone, date, close),
    early_close: close < regular.close,
  }
}

export type DayOff = { readonly date: string; readonly name: string; readonly scheduled: boolean }
export type HalfDay = { readonly date: string; readonly name: string; readonly close: string }

/** Weekdays of the year on which the venue is closed, in order; `scheduled` false for unscheduled closings. */
export function holidaysOf(venue: string, year: number): DayOff[] {
  const { closed } = yearOf(calendarFor(venue), year)
  return [...closed].sort(([a], [b]) => a - b).map(([day, { name, scheduled }]) => ({ date: dayText(day), name, scheduled }))
}
/** Sessions of the year that end early, with the local time of the close. */
export function halfDaysOf(venue: string, year: number): HalfDay[] {
  const { special } = yearOf(calendarFor(venue), year)
  const early = [...special].flatMap(([day, { name, close }]) => (close === null ? [] : [{ date: dayText(day), name, close }]))
  return early.sort((a, b) => (a.date < b.date ? -1 : 1))
}

/** The id of the calendar that an exchange code follows: `XNYS` for US, `XTSE` for TO and V. */
export function calendarOf(exchange: ExchangeCode): string {
  return calendarFor(exchange).id
}

/** The MIC for a bare exchange code, if a directory has no more detail. */
export function micOf(exchange: ExchangeCode): string {
  return exchangeCalendars.exchanges.find(row => row.exchange === exchange)!.mic
}

export type Venue = {
  readonly mic: string
  readonly name: string
  readonly exchange: ExchangeCode
  readonly suffix: string
  readonly country: string
  readonly currency: string
  readonly calendar: string
  readonly time_zone: string
  readonly open: string
  readonly close: string
}

/** Every venue with its suffix, country, currency and regular local hours, in the ruleset's order. */
export function venues(): Venue[] {
  return exchangeCalendars.venues.map(({ mic, name, exchange, calendar }) => {
    const { suffix, country, currency } = exchangeCalendars.exchanges.find(row => row.exchange === exchange)!
    const { time_zone, hours } = calendarsById.get(calendar)!
    const { open, close } = hours.at(-1)!
    return { mic, name, exchange, suffix, country, currency, calendar, time_zone, open, close }
  })
}
