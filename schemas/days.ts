// Calendar days as ISO texts (YYYY-MM-DD) and instants. Day arithmetic is in UTC, where every day has the same length.

export const dayMs = 86_400_000
export const daySeconds = 86_400

/** Milliseconds since 1970 at the start of a day, in UTC; NaN for a text that is no date. */
export const dayStart = (day: string): number => Date.parse(`${day}T00:00:00Z`)
/** The same as the text of an instant. */
export const midnight = (day: string): string => `${day}T00:00:00Z`
/** The day of an instant in UTC: a Date, or milliseconds since 1970. */
export const utcDay = (at: Date | number): string => new Date(at).toISOString().slice(0, 10)
/** The instant so many times 24 hours before another. */
export const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * dayMs)

/** The date `days` calendar days after another, or before it if `days` is negative. Throws `RangeError` for a text that is not a date. */
export const addDays = (date: string, days: number): string => utcDay(dayStart(date) + days * dayMs)

/** Calendar days from one date to another, negative if the second is earlier. */
export const daysBetween = (from: string, to: string): number => (dayStart(to) - dayStart(from)) / dayMs

/** Every day from one date to another, both included. */
export function daysFrom(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = dayStart(from); at <= dayStart(to); at += dayMs) days.push(utcDay(at))
  return days
}

/** 0 Sunday to 6 Saturday. */
export const weekdayOf = (day: string): number => new Date(dayStart(day)).getUTCDay()

/** A day of a month, 1 to 12. Months and days beyond their range go on counting: day 0 is the last day of the month before. */
export const dayOfMonth = (year: number, month: number, day: number): string => utcDay(Date.UTC(year, month - 1, day))

/** The same day so many months later (earlier if negative); the last day of a month that has no such day. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return dayOfMonth(year, month + months, Math.min(day, last))
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** The number that two digits of a text print; NaN if one is no digit. */
function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** True for a day that the Gregorian calendar has; `text` is already shaped YYYY-MM-DD. */
export function isCalendarDay(text: string): boolean {
  const [year, month, day] = [twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8)]
  if (text.length === 10 && text[4] === '-' && text[7] === '-' && !Number.isNaN(year + month + day)) {
    const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
    return day >= 1 && day <= (month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0))
  }
  const at = dayStart(text)
  return !Number.isNaN(at) && utcDay(at) === text
}
/** The text of a day from its parts; null for a day that the calendar does not have. */
export function calendarDay(year: number | string, month: number | string, day: number | string): string | null {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return isCalendarDay(text) ? text : null
}

/**
 * The first and the last day that a parameter, a member of a body, or an option of a command may name, in UTC. Every registered source
 * begins later: US consumer prices in 1913, daily bars of vendors in 1960 or after. ISO 8601, Postgres and DuckDB write years before 1000
 * and after 9999 in different ways. The limits are centuries away from those years, so calculations with earlier days are safe too.
 */
export const earliestDay = '1900-01-01'
export const latestDay = '2199-12-31'
const [earliestMs, endMs] = [Date.parse(earliestDay), Date.parse(latestDay) + dayMs]

/** A JSON Schema pattern (in every regular-expression dialect) for the days from `earliestDay` to `latestDay`. */
export const dayPattern = '^(?:19|2[01])[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$'

/**
 * Why an instant (milliseconds since 1970, UTC) is not supported: `is before the earliest supported date 1900-01-01`, for a message after
 * the parameter and its value. Null if it is supported.
 */
export function outsideDays(ms: number): string | null {
  if (ms < earliestMs) return `is before the earliest supported date ${earliestDay}`
  return ms >= endMs ? `is after the latest supported date ${latestDay}` : null
}
