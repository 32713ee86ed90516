// The newest day of any bar.
import { utcDay } from '#schemas/days.ts'
import type { Lake } from '../../store/lake/lake.ts'

/**
 * The newest day with a bar that is in effect at `asOf` (null: at the release), as an ISO date; null if there is none. Bars that a vendor
 * dates after the day of `asOf` do not count.
 */
export async function findNewestBarDay(lake: Pick<Lake, 'query'>, asOf: string | null): Promise<string | null> {
  const [found] = await lake.query<{ day: string | null }>(
    'select max(date)::varchar as day from bars where date <= $last::date',
    { last: asOf === null ? '9999-12-31' : utcDay(new Date(asOf)), as_of: asOf },
    { bars: 'all' },
  )
  return found?.day ?? null
}
