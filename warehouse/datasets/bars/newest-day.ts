// The newest day of any bar, without ranking the versions of every bar of the market.
import { addDays, utcDay } from '#schemas/days.ts'
import type { Lake } from '../../store/lake/lake.ts'

/** Days before the newest stored one in which a bar that was not withdrawn is searched first. */
const searchedDays = 30

/**
 * The newest day with a bar that is in effect at `asOf` (null: at the release), as an ISO date; null if there is none. Bars that a vendor
 * dates after the day of `asOf` do not count.
 */
export async function findNewestBarDay(lake: Pick<Lake, 'query'>, asOf: string | null): Promise<string | null> {
  const newest = async (table: 'bars' | 'bars_history', first: string, last: string): Promise<string | null> => {
    const [found] = await lake.query<{ day: string | null }>(
      `select max(date)::varchar as day from ${table} where date between $first::date and $last::date`,
      { first, last, as_of: asOf },
      { [table]: 'all' },
    )
    return found?.day ?? null
  }
  const last = await newest('bars_history', '0001-01-01', asOf === null ? '9999-12-31' : utcDay(new Date(asOf)))
  if (last === null) return null
  // The newest stored bars may all be withdrawn.
  return (await newest('bars', addDays(last, -searchedDays), last)) ?? (await newest('bars', '0001-01-01', last))
}
