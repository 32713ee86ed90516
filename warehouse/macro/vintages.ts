// From the versions of observations to what stands: which value counts, when it came, and what stood before it. Pure.
import { addDays } from '#schemas/days.ts'
import type { ObservationRow } from './macro.ts'

/** One value of a period, from the first version that told it to the next one that told another. */
export type Told = ObservationRow
export type Standing = {
  readonly date: string
  /** The values that the period was given, oldest first; a version that repeats the value before it is none. */
  readonly told: readonly [Told, ...Told[]]
}

/** The periods of rows that are ordered by period and then by when they became known. */
export function standingOf(rows: readonly ObservationRow[]): Standing[] {
  const periods: { date: string; told: [Told, ...Told[]] }[] = []
  for (const row of rows) {
    const period = periods.at(-1)
    if (period?.date !== row.date) periods.push({ date: row.date, told: [row] })
    else if (period.told.at(-1)?.value !== row.value) period.told.push(row)
  }
  return periods
}

export const newestOf = ({ told }: Standing): Told => told.at(-1) as Told
/** True where a value was told, and then another one. */
export const isRevised = ({ told }: Standing): boolean => told.filter(each => each.value !== null).length > 1
/** The day on which the period's first value came out, where the source tells it: a value that was merely seen may be older. */
export const firstPublished = ({ told: [first] }: Standing): string | null => (first.vintage_basis === 'released' ? first.vintage : null)

export type Carried = { readonly date: string; readonly observed: Standing; readonly carried: boolean }
/** A rate stands for at most so many days after its own: more than any holiday, less than a lost feed. */
export const carryDays = 10

/** Every day of a range with the newest value at or before it; days for which none is near enough are left out. */
export function carryForward(standing: readonly Standing[], from: string, to: string): Carried[] {
  const valued = standing.filter(each => newestOf(each).value !== null)
  const days: Carried[] = []
  let at = -1
  for (let day = from; day <= to; day = addDays(day, 1)) {
    while (at + 1 < valued.length && (valued[at + 1] as Standing).date <= day) at += 1
    const observed = valued[at]
    if (observed && addDays(observed.date, carryDays) >= day) days.push({ date: day, observed, carried: observed.date !== day })
  }
  return days
}
export const carryFrom = (from: string): string => addDays(from, -carryDays)
