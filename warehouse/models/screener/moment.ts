// The day of a screen: the newest session in the release, not the day of the clock.
import { addDays } from '#schemas/days.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'

export type Moment = {
  /** The newest session of any bar; without bars the newest filing's day. */
  readonly date: string
  /** First day of bars that are read: five years and three weeks back. */
  readonly oldest: string
  /** Facts that became known after this instant do not count; null: all facts of the release. */
  readonly asOf: string | null
}

/** Bars that a vendor dates after the requested day do not count. */
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
