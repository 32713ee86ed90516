// The days that a calendar's rules give for one year. Days are counted since 1970-01-01, so that arithmetic is addition.
import { dayMs, dayStart, utcDay } from '#schemas/days.ts'
import { type Calendar, type DayRule, weekdayNumber } from './rules.ts'

/** Days since 1970-01-01 of a calendar day. */
export const dayNumber = (date: string): number => dayStart(date) / dayMs
export const dayText = (number: number): string => utcDay(number * dayMs)
/** 0 Sunday to 6 Saturday; 1970-01-01 was a Thursday. */
export const weekdayOf = (number: number): number => (((number + 4) % 7) + 7) % 7
const on = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / dayMs

/** Easter Sunday by the Gregorian computus (Meeus, Jones and Butcher). */
export function easterSunday(year: number): number {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114
  return on(year, Math.floor(f / 31), (f % 31) + 1)
}

function dayOf(rule: DayRule, year: number): number {
  if (rule.kind === 'fixed') return on(year, rule.month, rule.day)
  if (rule.kind === 'easter') return easterSunday(year) + rule.plus_days
  const weekday = weekdayNumber(rule.weekday)
  if (rule.kind === 'last_before') return lastOf(weekday, on(year, rule.month, rule.day) - 1)
  const plus = rule.plus_days ?? 0
  if (rule.nth < 0) return lastOf(weekday, on(year, rule.month + 1, 1) - 1) + plus
  return lastOf(weekday, on(year, rule.month, 7)) + 7 * (rule.nth - 1) + plus
}
/** The last such weekday on or before the day. */
const lastOf = (weekday: number, day: number): number => day - ((weekdayOf(day) - weekday + 7) % 7)
const isWeekend = (day: number): boolean => weekdayOf(day) % 6 === 0

type Years = { readonly from_year?: number | undefined; readonly to_year?: number | undefined }
const holdsIn = (year: number, { from_year, to_year }: Years): boolean => year >= (from_year ?? year) && year <= (to_year ?? year)

type ClosedDay = { readonly name: string; readonly scheduled: boolean }
type SpecialDay = { readonly name: string; readonly open: string | null; readonly close: string | null }
export type YearOfDays = { readonly closed: ReadonlyMap<number, ClosedDay>; readonly special: ReadonlyMap<number, SpecialDay> }

/** Closed weekdays and days with other hours of one year, by day number. */
export function daysOfYear(calendar: Calendar, year: number): YearOfDays {
  const closed = new Map<number, ClosedDay>()
  for (const holiday of calendar.holidays) {
    if (!holdsIn(year, holiday)) continue
    let day = dayOf(holiday.rule, year)
    const move = weekdayOf(day) === 6 ? holiday.saturday : weekdayOf(day) === 0 ? holiday.sunday : 'forward'
    if (move === 'back') day -= 1
    // A Christmas on a Sunday is observed on Monday, which then pushes Boxing Day to Tuesday.
    if (move === 'forward') while (isWeekend(day) || closed.has(day)) day += 1
    if (!isWeekend(day)) closed.set(day, { name: holiday.name, scheduled: true })
  }
  for (const { date, name } of calendar.closings) {
    if (date.startsWith(`${year}-`)) closed.set(dayNumber(date), { name, scheduled: false })
  }
  const special = new Map<number, SpecialDay>()
  for (const { name, rule, weekdays, close, ...years } of calendar.half_days) {
    if (!holdsIn(year, years)) continue
    const day = dayOf(rule, year)
    if (isWeekend(day) || closed.has(day)) continue
    if (weekdays && !weekdays.some(weekday => weekdayNumber(weekday) === weekdayOf(day))) continue
    special.set(day, { name, open: null, close })
  }
  for (const { date, open, close, name } of calendar.special_hours) {
    if (date.startsWith(`${year}-`)) special.set(dayNumber(date), { name, open: open ?? null, close: close ?? null })
  }
  return { closed, special }
}
