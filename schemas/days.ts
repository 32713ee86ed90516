// Calendar days as ISO texts (YYYY-MM-DD): arithmetic in UTC, where every day has the same length.

export const dayMs = 86_400_000

/** The date `days` calendar days after another, or before it if `days` is negative. Throws `RangeError` for a text that is not a date. */
export const addDays = (date: string, days: number): string => new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)

/** Calendar days from one date to another, negative if the second is earlier. */
export const daysBetween = (from: string, to: string): number => (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs

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
