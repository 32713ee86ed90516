// Which filings of a manager and quarter are in effect, and how: the report, its restatements and its additions. The decision uses the
// reports only, so the view by manager and the view by issuer agree.
import type { HoldingsReport } from '#schemas/holdings.ts'

/** The fields of a report that its classification needs. */
export type PlacedReport = Pick<
  HoldingsReport,
  'filing_id' | 'form' | 'amendment_type' | 'table' | 'rows_read' | 'placeholders' | 'value_sum' | 'unit' | 'known_from' | 'report_type'
>
/**
 * `base` is the whole portfolio; `adds` adds rows; `restates_part` replaces the securities that it names and no other; `superseded` no
 * longer counts; the others have no rows.
 */
type Role = 'base' | 'adds' | 'restates_part' | 'superseded' | 'notice' | 'no_table' | 'unreadable'
export type Placed<R extends PlacedReport> = { readonly report: R; readonly role: Role; readonly reasons: readonly string[] }

/** Sorted by the instant at which it became known, then by accession number. */
const inOrder = (a: PlacedReport, b: PlacedReport): number =>
  Date.parse(a.known_from) - Date.parse(b.known_from) || (a.filing_id < b.filing_id ? -1 : a.filing_id > b.filing_id ? 1 : 0)

/**
 * Classifies the reports of one manager and quarter: RESTATEMENT replaces, NEW HOLDINGS adds. Filers confuse the two, so size decides if
 * the stated type is implausible: a "restatement" with at most half the rows and a far smaller value is partial and keeps the other rows;
 * "new holdings" as large as the portfolio repeat it and replace it.
 */
export function placeReports<R extends PlacedReport>(reports: readonly R[]): Placed<R>[] {
  const placed: { report: R; role: Role; reasons: string[] }[] = []
  let base: R | null = null
  const supersede = (report: R, reasons: string[]): void => {
    for (const each of placed) if (['base', 'adds', 'restates_part'].includes(each.role)) each.role = 'superseded'
    base = report
    placed.push({ report, role: 'base', reasons })
  }
  for (const report of [...reports].sort(inOrder)) {
    const amends = report.form.endsWith('/A')
    if (report.table !== 'xml' && report.table !== 'text') {
      const role =
        report.table === 'unreadable' ? 'unreadable' : /NT/.test(report.form) || /NOTICE/i.test(report.report_type ?? '') ? 'notice' : 'no_table'
      placed.push({ report, role, reasons: amends && role === 'unreadable' ? ['amendment_unreadable'] : [] })
    } else if (base === null) {
      if (amends && report.amendment_type === 'new_holdings') placed.push({ report, role: 'adds', reasons: ['original_missing'] })
      else supersede(report, amends ? ['original_missing'] : [])
    } else if (report.amendment_type === 'new_holdings') {
      if (repeats(report, base)) supersede(report, ['new_holdings_repeat_portfolio'])
      else placed.push({ report, role: 'adds', reasons: [] })
    } else {
      const reasons = amends ? (report.amendment_type === null ? ['amendment_type_inferred'] : []) : ['several_originals']
      if (isPartial(report, base)) placed.push({ report, role: 'restates_part', reasons: [...reasons, 'partial_restatement'] })
      else supersede(report, reasons)
    }
  }
  return placed
}

const rowsOf = (report: PlacedReport): number => report.rows_read - report.placeholders
/** Dollars; null if the unit is unknown. */
const dollars = (report: PlacedReport): number | null =>
  report.unit === null ? null : Number(report.value_sum) * (report.unit === 'thousands' ? 1000 : 1)

/** With few rows, half of them is a small number: then only a restatement to no rows counts as partial. */
const smallPortfolio = 4

function isPartial(report: PlacedReport, base: PlacedReport): boolean {
  const [rows, before] = [rowsOf(report), rowsOf(base)]
  if (before > 0 && rows === 0) return true
  if (before < smallPortfolio || rows > before / 2) return false
  const [value, held] = [dollars(report), dollars(base)]
  return value === null || held === null || held === 0 || value <= held * 0.7
}

function repeats(report: PlacedReport, base: PlacedReport): boolean {
  const [rows, before] = [rowsOf(report), rowsOf(base)]
  if (before < smallPortfolio || rows < before * 0.8) return false
  const [value, held] = [dollars(report), dollars(base)]
  return value === null || held === null || (value >= held * 0.8 && value <= held * 1.5)
}

type Row = {
  readonly filing_id: string
  readonly cusip: string | null
  readonly put_call: string | null
  readonly shares_type: string | null
  readonly issuer_key: string
}
/** What makes two rows the same security, held the same way. */
export const securityKey = (row: Omit<Row, 'filing_id'>): string => `${row.cusip ?? row.issuer_key}|${row.put_call ?? ''}|${row.shares_type ?? ''}`

/** Whether rows of a filing in this role can be in effect. */
const counts = (role: Role): boolean => role === 'base' || role === 'adds' || role === 'restates_part'

/** The rows in effect, in the order of the filings: a partial restatement replaces the securities that it names, all others remain. */
export function effectiveRows<T extends Row>(placed: readonly Placed<PlacedReport>[], rows: readonly T[]): T[] {
  // Most managers file one report for a quarter.
  const [only, ...others] = placed
  if (only === undefined) return []
  if (others.length === 0) return counts(only.role) ? rows.filter(row => row.filing_id === only.report.filing_id) : []
  const byFiling = Map.groupBy(rows, row => row.filing_id)
  let held: T[] = []
  for (const { report, role } of placed) {
    const own = byFiling.get(report.filing_id) ?? []
    if (role === 'base') held = [...own]
    else if (role === 'adds') held = [...held, ...own]
    else if (role === 'restates_part') {
      const restated = new Set(own.map(securityKey))
      held = [...held.filter(row => !restated.has(securityKey(row))), ...own]
    }
  }
  return held
}
/** Filings whose rows can be in the effective view. */
export const countedFilings = (placed: readonly Placed<PlacedReport>[]): string[] =>
  placed.filter(({ role }) => counts(role)).map(({ report }) => report.filing_id)
