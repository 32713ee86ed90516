// Calendar days as ISO texts (YYYY-MM-DD): arithmetic in UTC, where every day has the same length.

export const dayMs = 86_400_000

/** The date so many calendar days after another, before it where `days` is negative. Throws `RangeError` for a text that is no date. */
export const addDays = (date: string, days: number): string => new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)

/** Calendar days from one date to another, negative where the second is earlier. */
export const daysBetween = (from: string, to: string): number => (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs
