// The 13F reports of one quarter in memory, by manager: which rows of a security are in effect depends on all reports of their managers,
// and the same reports answer for every security of the quarter.
import type { HoldingsReport } from '#schemas/holdings.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { type Placed, placeReports } from './effective.ts'

const statements = sqlIn(import.meta.dirname, ['find-quarter-reports'])

/** The fields of a report that classify it and name its filer. */
export type QuarterReport = Pick<
  HoldingsReport,
  | 'filing_id'
  | 'accession'
  | 'manager_cik'
  | 'manager_name'
  | 'quarter'
  | 'form'
  | 'report_type'
  | 'amendment_type'
  | 'table'
  | 'rows_read'
  | 'placeholders'
  | 'value_sum'
  | 'unit'
  | 'unit_source'
  | 'known_from'
  | 'source'
  | 'raw_sha256'
>

export type QuarterReports = {
  /** The reports of a manager, in the order in which they became known; none if it filed none for the quarter. */
  of(manager: string): readonly QuarterReport[]
  /** The same with their roles (`placeReports`), which are decided once. */
  placedOf(manager: string): readonly Placed<QuarterReport>[]
}

/** The reports of no quarter. */
export const noReports: QuarterReports = { of: () => [], placedOf: () => [] }

/** Reads the reports of a quarter: at most about 9,000, with 1 KB of memory each. `asOf`: as they were known then, null for the release. */
export async function loadQuarterReports(lake: Lake, quarter: string, asOf: string | null): Promise<QuarterReports> {
  const rows = await lake.query<QuarterReport & { readonly manager_cik: string }>(
    statements['find-quarter-reports'],
    { quarter, as_of: asOf },
    { holdings_reports_history: 'all' },
    { streamed: true },
  )
  return quarterReportsOf(rows)
}

/** Groups reports by their managers; they are in the order of the statement. */
export function quarterReportsOf(rows: readonly (QuarterReport & { readonly manager_cik: string })[]): QuarterReports {
  const byManager = Map.groupBy(rows, report => report.manager_cik)
  const of = (manager: string): readonly QuarterReport[] => byManager.get(manager) ?? []
  const placed = new Map<string, readonly Placed<QuarterReport>[]>()
  return {
    of,
    placedOf(manager) {
      const known = placed.get(manager)
      if (known !== undefined) return known
      const decided = placeReports(of(manager))
      if (byManager.has(manager)) placed.set(manager, decided)
      return decided
    },
  }
}
