// Holders by the 13F reports of the last quarter that was due: names are matched as in the operations by issuer.
import { addDays } from '#schemas/days.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import { countedFilings, type PlacedReport, placeReports } from '../../datasets/holdings/effective.ts'
import { lastDayOf, quarterBefore, requestedQuarter } from '../../datasets/holdings/quarter.ts'
import { symbolMatcher } from '../../datasets/holdings/symbol-match.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'
import type { Listed } from './listings.ts'
import type { Moment } from './moment.ts'
import { sqlOf } from './sql.ts'

/** Days after a quarter's end in which managers report (Rule 13f-1). */
const dueDays = 45

/** The last quarter whose reports were due on the day before `date`. */
export function dueQuarter(date: string): string {
  let quarter = quarterBefore(requestedQuarter(date))
  while (addDays(date, -dueDays) <= lastDayOf(quarter)) quarter = quarterBefore(quarter)
  return quarter
}

type Report = PlacedReport & { readonly manager_cik: string }
type Security = {
  readonly issuer_name: string | null
  readonly class_title: string | null
  readonly managers: readonly string[]
  readonly shares: number | null
}

/** Fills `holders`: one row per listing in the United States that matches a 13F row of the quarter. */
export async function fillHolders(shop: ScratchDatabase, context: ReleaseContext, listed: readonly Listed[], { date, asOf }: Moment): Promise<void> {
  const quarter = dueQuarter(date)
  const reports = await shop.query<Report>(sqlOf('reports-13f'), { quarter, as_of: asOf }, { holdings_reports: 'all' })
  const counted = [...Map.groupBy(reports, report => report.manager_cik).values()].flatMap(own => {
    const placed = placeReports(own)
    const holding = new Set(countedFilings(placed))
    return placed.flatMap(({ report, role }, place) => (holding.has(report.filing_id) ? [{ filing_id: report.filing_id, place, role }] : []))
  })
  await shop.fill('counted_13f', { filing_id: 'VARCHAR', place: 'INTEGER', role: 'VARCHAR' }, counted)
  const securities = await shop.query<Security>(sqlOf('securities-13f'), { quarter, as_of: asOf }, { holdings: [quarter] })
  const matcher = symbolMatcher(context)
  const held = new Map<string, { managers: Set<string>; shares: number }>()
  for (const { issuer_name, class_title, managers, shares } of securities) {
    const match = matcher.match(issuer_name, class_title)
    if (match === null) continue
    const own = held.get(match.symbol) ?? { managers: new Set<string>(), shares: 0 }
    for (const manager of managers) own.managers.add(manager)
    own.shares += shares ?? 0
    held.set(match.symbol, own)
  }
  const rows = listed.flatMap(({ id, code }) => {
    const own = held.get(code)
    return own ? [{ id, quarter, holders: own.managers.size, shares: own.shares }] : []
  })
  await shop.fill('holders', { id: 'INTEGER', quarter: 'VARCHAR', holders: 'INTEGER', shares: 'DOUBLE' }, rows)
  await shop.fill('quarter_13f', { quarter: 'VARCHAR', reports: 'INTEGER' }, [{ quarter, reports: counted.length }])
}
