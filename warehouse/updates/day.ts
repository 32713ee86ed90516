// A day of an update: from midnight to midnight in New York, where filings are accepted and both exchanges trade.
import { addDays } from '#schemas/days.ts'
import { easternDay } from '../rules/arb/market-hours.ts'

const atOffset = (day: string, hours: number): string => `${day}T0${hours}:00:00Z`

/** The last whole second of a day in New York, as an instant in UTC. */
export function endOfDay(day: string): string {
  const next = addDays(day, 1)
  const midnight = easternDay(atOffset(next, 4)) === next ? atOffset(next, 4) : atOffset(next, 5)
  return new Date(Date.parse(midnight) - 1000).toISOString().replace('.000Z', 'Z')
}

/** Rows that became known on a day have known_from after `since` and up to `until`. */
export type DayWindow = { readonly day: string; readonly since: string; readonly until: string }
export const windowOf = (day: string): DayWindow => ({ day, since: endOfDay(addDays(day, -1)), until: endOfDay(day) })

/** `10 November 2026`. */
export function longDay(day: string): string {
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']
  return `${Number(day.slice(8))} ${months[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`
}
