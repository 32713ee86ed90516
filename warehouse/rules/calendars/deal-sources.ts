import type { IpoEvent } from '#schemas/calendars.ts'
import type { RowOrigin } from '../../context/answer.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { type Deal, type DealFiling, dealsOf, firstOfferings, type Withdrawal } from './deals.ts'
import type { LoadedCalendar } from './earnings.ts'

const statements = sqlIn(import.meta.dirname, ['find-deal-filings', 'find-withdrawals', 'find-ipo-events', 'find-ipo-sources'])

/** Every deal that a filing or a calendar mentions on the days from `from` to `to`. */
export async function findDeals(
  lake: Lake,
  requested: { readonly from: string; readonly to: string; readonly as_of: string | null },
): Promise<Deal[]> {
  const [filings, events] = await Promise.all([
    // Streams a dataset without its texts, so no text is held in memory.
    lake.query<DealFiling>(statements['find-deal-filings'], requested, { offerings: 'all' }, { streamed: true }),
    lake.query<IpoEvent>(statements['find-ipo-events'], requested, { ipo_events: 'all' }),
  ])
  const ciks = [...new Set(firstOfferings(filings).map(({ cik }) => cik))]
  const requests =
    ciks.length === 0 ? [] : await lake.query<Withdrawal>(statements['find-withdrawals'], { ciks, as_of: requested.as_of }, { filings: ciks })
  return dealsOf(filings, requests, events)
}

/** The calendars of offerings of which any data is loaded. */
export const findIpoCalendars = async (lake: Lake, asOf: string | null): Promise<LoadedCalendar[]> =>
  await lake.query<LoadedCalendar>(statements['find-ipo-sources'], { as_of: asOf }, { ipo_events: 'all' })

export const originsOfDeal = ({ registration, withdrawal, events }: Deal): (RowOrigin & { readonly accession?: string })[] => [
  ...(registration?.filings ?? []),
  ...(withdrawal === null ? [] : [withdrawal]),
  ...events,
]
