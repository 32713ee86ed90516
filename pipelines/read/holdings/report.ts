// The report around the rows: compares them with the cover, and determines the unit that converts the values to dollars.
import { difference, Sum, shiftDecimal } from '#schemas/decimals.ts'
import type { Fact, Refused } from '../parsed.ts'
import type { Cover } from './cover.ts'
import { type HoldingDraft, holdingOf, managerNumber, type RowHeading } from './rows.ts'
import type { TableRow } from './table-row.ts'
import { decideUnit, type UnitDecision } from './unit.ts'

export type ReportContext = {
  readonly filing_id: string
  readonly accession: string | null
  readonly form: string | null // in the submission's header
  readonly filed_date: string | null
  readonly period_of_report: string | null
  readonly manager_cik: string | null
}
export type Table = {
  readonly kind: Fact<'holdings_reports'>['table']
  readonly rows: Iterable<TableRow>
  readonly refused: readonly Refused[]
  /** Lines of a text-era table that look like rows and could not be read. */
  readonly unread?: number
}
export type Holdings = {
  readonly report: Fact<'holdings_reports'>
  readonly rows: readonly Fact<'holdings'>[]
  readonly refused: readonly Refused[]
}

/** The calendar quarter of a day: `2024Q4`; `unknown` without one. */
const quarterOf = (day: string | null): string => (day === null ? 'unknown' : `${day.slice(0, 4)}Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`)

/** `managerCik`: of the cover, or of the header. Rows keep their order; values are in dollars if the unit is known. */
export function buildReport(context: ReportContext, cover: Cover, table: Table, managerCik: string): Holdings {
  const period = cover.period_of_report ?? context.period_of_report
  const heading: RowHeading = {
    quarter: quarterOf(period),
    manager_cik: managerCik,
    filing_id: context.filing_id,
    accession: context.accession,
    period_of_report: period,
    managers: new Map(cover.included_managers.flatMap(manager => (manager.number === null ? [] : [[managerNumber(manager.number), manager]]))),
  }
  const refused: Refused[] = [...table.refused]
  const read = readRows(table.rows, heading, refused)
  const unit = decideUnit({
    ...read,
    filed_date: context.filed_date,
    schema_version: cover.schema_version,
    signature_date: cover.signature_date,
    rows: read.rows.length,
    sum: Number(read.sum),
    cover: cover.value_total === null ? null : Number(cover.value_total),
  })
  inDollars(read.rows, unit)
  const { form: coverForm, manager_cik: coverCik, flags: coverFlags, ...coverRest } = cover
  const form = context.form ?? coverForm ?? '13F-HR'
  const hasTable = table.kind === 'xml' || table.kind === 'text'
  const flags = [...coverFlags, ...unit.flags, ...read.flags]
  if (context.form !== null && coverForm !== null && coverForm !== context.form) flags.push('form_differs_from_header')
  if (coverCik !== null && coverCik !== managerCik) flags.push('cik_differs_from_header')
  if (period === null) flags.push('period_missing')
  else if (context.period_of_report !== null && context.period_of_report !== period) flags.push('period_differs_from_header')
  const { flags: _unitFlags, ...unitFacts } = unit
  const entries = hasTable && /^\d{1,9}$/.test(cover.entry_total ?? '') ? read.rows.length - Number(cover.entry_total) : null
  const values = hasTable && cover.value_total !== null ? difference(read.sum, cover.value_total) : null
  if (entries !== null && entries !== 0) flags.push('entry_total_differs')
  if (values !== null && !/^-?[0.]+$/.test(values)) flags.push('value_total_differs')
  const amendment = amendmentType(cover.amendment_type_filed)
  if (form.endsWith('/A') && amendment === null) flags.push('amendment_type_missing')
  const report: Fact<'holdings_reports'> = {
    filing_id: context.filing_id,
    accession: context.accession,
    manager_cik: managerCik,
    quarter: heading.quarter,
    form,
    filed_date: context.filed_date,
    amendment_type: amendment,
    ...coverRest,
    period_of_report: period,
    table: table.kind,
    rows_read: read.rows.length,
    rows_refused: table.unread ?? 0,
    placeholders: read.placeholders,
    put_rows: read.puts,
    call_rows: read.calls,
    value_sum: read.sum,
    entry_difference: entries,
    value_difference: values,
    ...unitFacts,
    flags: [...new Set(flags)],
  }
  return { report, rows: read.rows, refused }
}

/** RESTATEMENT and NEW HOLDINGS in any case and spelling; null for anything else. */
function amendmentType(filed: string | null): 'restatement' | 'new_holdings' | null {
  if (filed === null) return null
  return /restate/i.test(filed) ? 'restatement' : /new\s*holdings|adds?\s+new/i.test(filed) ? 'new_holdings' : null
}

function readRows(source: Iterable<TableRow>, heading: RowHeading, refused: Refused[]) {
  const rows: HoldingDraft[] = []
  const sum = new Sum()
  const prices: number[] = []
  const flags = new Set<string>()
  let [placeholders, puts, calls, copied] = [0, 0, 0, 0]
  for (const cells of source) {
    const row = holdingOf(cells, rows.length + 1, heading, refused)
    rows.push(row)
    if (row.value !== null) sum.add(row.value)
    if (row.placeholder) placeholders += 1
    if (row.put_call === 'put') puts += 1
    else if (row.put_call === 'call') calls += 1
    if (row.flags.length > 0) for (const flag of row.flags) if (raised.has(flag)) flags.add(flag)
    if (row.flags.includes('value_in_shares')) copied += 1
    else if (row.put_call === null && row.shares_type !== 'PRN') {
      const price = Number(row.value ?? 0) / Number(row.shares ?? 0)
      if (price > 0 && Number.isFinite(price)) prices.push(price)
    }
  }
  // One share at a dollar is a price; half a table of them is a column copied.
  if (copied > 1 && copied * 2 > rows.length - placeholders) flags.add('values_in_shares')
  return { rows, sum: sum.toString(), prices: [...Float64Array.from(prices).sort()], placeholders, puts, calls, flags: [...flags] }
}
/** Flags of rows that the report shows too. */
const raised = new Set(['manager_unresolved', 'cusip_missing', 'value_unreadable', 'shares_unreadable', 'security_from_line_above'])

function inDollars(rows: readonly HoldingDraft[], { unit }: UnitDecision): void {
  for (const row of rows) row.value_usd = row.value === null || unit === null ? null : unit === 'dollars' ? row.value : shiftDecimal(row.value, 3)
}
