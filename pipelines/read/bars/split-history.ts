// Records documents that list every split of a symbol over some days. With them, bars of other documents are restored to traded prices.
import { daysBetween } from '#schemas/days.ts'
import type { Parsed } from '../parsed.ts'

/** Shorter ranges explain almost nothing and would add a row for every day's response. */
const leastDays = 365

/** The parsed document with the stretch of days for which it lists every split, if that is long enough to be stored. */
export function withSplitHistory(parsed: Parsed, symbol: string, source_name: string, from_date: string, to_date: string): Parsed {
  if (from_date === '' || to_date === '' || daysBetween(from_date, to_date) < leastDays) return parsed
  const history = { symbol, source_name, from_date, to_date }
  return { ...parsed, facts: { ...parsed.facts, split_histories: [...(parsed.facts.split_histories ?? []), history] } }
}
