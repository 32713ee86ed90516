// The day of a screen: the newest session in the release, not the day of the clock.
import { addDays } from '#schemas/days.ts'
import { findNewestBarDay } from '../../datasets/bars/newest-day.ts'
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
  const bar = await findNewestBarDay(shop, asOf)
  const [filed] = await shop.query<{ day: string | null }>('select max(filed_date)::varchar as day from filings', { as_of: asOf }, { filings: 'all' })
  const date = bar ?? filed?.day ?? '1970-01-01'
  return { date, oldest: addDays(date, -(5 * 366 + 21)), asOf }
}
