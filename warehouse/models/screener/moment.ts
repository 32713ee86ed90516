// The day of a screen: not the clock's, but the newest session in the release.
import { addDays } from '#schemas/days.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'

export type Moment = {
  /** The newest session of any bar; without bars the newest filing's day. */
  readonly date: string
  /** First day of bars that are read: five years and three weeks back. */
  readonly oldest: string
  /** Nothing known after this instant counts; null: all that the release knows. */
  readonly asOf: string | null
}

/** Bars that a vendor dates after the day asked about are not of it. */
export async function momentOf(shop: Pick<ScratchDatabase, 'query'>, asOf: string | null): Promise<Moment> {
  const [found] = await shop.query<{ bar: string | null; filed: string | null }>(
    `select (select max(date)::varchar from bars where $as_of is null or date <= $as_of::timestamptz::date) as bar,
      (select max(filed_date)::varchar from filings) as filed`,
    { as_of: asOf },
    { bars: 'all', filings: 'all' },
  )
  const date = found?.bar ?? found?.filed ?? '1970-01-01'
  return { date, oldest: addDays(date, -(5 * 366 + 21)), asOf }
}
