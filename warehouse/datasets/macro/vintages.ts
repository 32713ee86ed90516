// From versions of observations to the current values: which value applies, when it was published, and the previous one. Pure.
import { addDays } from '#schemas/days.ts'
import type { ObservationRow } from './macro.ts'

/** One value of a period, from the first version with it to the next version with another. */
export type Report = ObservationRow
export type PeriodValues = {
  readonly date: string
  /** The values of the period, oldest first; a version that repeats the previous value does not count. */
  readonly values: readonly [Report, ...Report[]]
}

/** The periods of rows that are ordered by period and then by the instant at which they became known. */
export function periodValues(rows: readonly ObservationRow[]): PeriodValues[] {
  const periods: { date: string; values: [Report, ...Report[]] }[] = []
  for (const row of rows) {
    const period = periods.at(-1)
    if (period?.date !== row.date) periods.push({ date: row.date, values: [row] })
    else if (period.values.at(-1)?.value !== row.value) period.values.push(row)
  }
  return periods
}

export const newestOf = ({ values }: PeriodValues): Report => values.at(-1) as Report
/** True if a value was published, and then another one. */
export const isRevised = ({ values }: PeriodValues): boolean => values.filter(each => each.value !== null).length > 1
/** The day on which the period's first value was published, if the source states it: a value that was merely seen may be older. */
export const firstPublished = ({ values: [first] }: PeriodValues): string | null => (first.vintage_basis === 'released' ? first.vintage : null)

export type Carried = { readonly date: string; readonly observed: PeriodValues; readonly carried: boolean }
/** Maximum number of days for which a rate is used after its own: longer than any holiday, shorter than an outage of the feed. */
const carryDays = 10

/** Every day of a range with the newest value at or before it; omits days without a recent enough value. */
export function carryForward(periods: readonly PeriodValues[], from: string, to: string): Carried[] {
  const valued = periods.filter(each => newestOf(each).value !== null)
  const days: Carried[] = []
  let at = -1
  for (let day = from; day <= to; day = addDays(day, 1)) {
    while (at + 1 < valued.length && (valued[at + 1] as PeriodValues).date <= day) at += 1
    const observed = valued[at]
    if (observed && addDays(observed.date, carryDays) >= day) days.push({ date: day, observed, carried: observed.date !== day })
  }
  return days
}
export const carryFrom = (from: string): string => addDays(from, -carryDays)
