// Rows a week or a month apart are sums over days, not daily bars, even in a table of daily bars.

import { daysBetween } from '#schemas/days.ts'

/**
 * `weekly` or `monthly` if three or more days (YYYY-MM-DD, any order) all lie that far apart; null otherwise.
 * An illiquid share has gaps too, but never of constant length.
 */
export function cadenceOf(dates: readonly string[]): 'weekly' | 'monthly' | null {
  const sorted = [...new Set(dates)].sort()
  if (sorted.length < 3) return null
  const gaps = sorted.slice(1).map((date, at) => daysBetween(sorted[at]!, date))
  // A week that ends on a holiday is dated a day early, the next one is longer; months have 28 to 31 days and end on sessions.
  if (gaps.every(gap => gap >= 5 && gap <= 9)) return 'weekly'
  return gaps.every(gap => gap >= 26 && gap <= 35) ? 'monthly' : null
}
