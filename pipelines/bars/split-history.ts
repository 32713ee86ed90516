// Documents that show every split of a symbol over some days say so: by them, bars of other documents are taken back to what was traded.
import { daysBetween } from '#schemas/days.ts'
import type { Parsed } from '../parsed.ts'

/** Shorter stretches explain next to nothing and would make a row of every day's answer. */
const leastDays = 365

/** The parsed document with the stretch of days of which it lists every split, where that is long enough to be kept. */
export function withSplitHistory(parsed: Parsed, symbol: string, source_name: string, from_date: string, to_date: string): Parsed {
  if (from_date === '' || to_date === '' || daysBetween(from_date, to_date) < leastDays) return parsed
  const told = { symbol, source_name, from_date, to_date }
  return { ...parsed, facts: { ...parsed.facts, split_histories: [...(parsed.facts.split_histories ?? []), told] } }
}
