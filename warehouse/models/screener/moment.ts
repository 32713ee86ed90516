// The day that a screen stands at: no clock, but the newest session that the release holds.
import { addDays } from '#schemas/days.ts'
import type { Workshop } from '../../lake/workshop.ts'

export type Moment = {
  /** The newest session of any bar; without bars the newest filing's day. */
  readonly date: string
  /** First day of bars that are read: five years and three weeks back. */
  readonly oldest: string
  /** Nothing known after this instant counts; null: all that the release knows. */
  readonly asOf: string | null
}

/** Bars that a vendor dates after the day asked about are not of it. */
export async function momentOf(shop: Workshop, asOf: string | null): Promise<Moment> {
  const [found] = await shop.query<{ bar: string | null; filed: string | null }>(
    `select (select max(date)::varchar from bars where $as_of is null or date <= $as_of::timestamptz::date) as bar,
      (select max(filed_date)::varchar from filings) as filed`,
    { as_of: asOf },
    { bars: 'all', filings: 'all' },
  )
  const date = found?.bar ?? found?.filed ?? '1970-01-01'
  return { date, oldest: addDays(date, -(5 * 366 + 21)), asOf }
}
