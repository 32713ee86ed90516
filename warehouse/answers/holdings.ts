// A manager's holdings by Form 13F, and the list of managers.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { shiftDecimal } from '#schemas/decimals.ts'
import { NotFound } from '#schemas/errors.ts'
import { type Built, digits, type ReleaseContext } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { type Corrections, findCorrections } from '../datasets/corrections/corrections.ts'
import type { Placed } from '../datasets/holdings/effective.ts'
import { placeReports } from '../datasets/holdings/effective.ts'
import { type FoundReport, findManagers, findReports } from '../datasets/holdings/holdings.ts'
import { requestedQuarter } from '../datasets/holdings/quarter.ts'
import { filingSources } from './filings.ts'
import { coverageOf } from './holdings-coverage.ts'
import {
  byValue,
  filingUrl,
  type ManagerQuarter,
  managerName,
  managerQuarter,
  originOf,
  reportsAndQuarter,
  sumUsd,
  type ValuedRow,
} from './holdings-quarter.ts'
import { holdingsPage, managersPage } from './paged/holdings.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['holdings', 'holdings_reports', 'symbols', 'issuer_tickers', 'bars', 'bar_corrections'] as const

export const unknownManager = (cik: string): NotFound =>
  new NotFound(`no 13F of a manager with CIK ${cik} is known`, { hint: 'GET /api/v1/data/13f/managers?q= finds managers by name' })

export const printedMatch = (match: ValuedRow['match']) => (match === null ? null : { method: match.method, confidence: match.confidence })

type Filed = Pick<FoundReport, 'manager_cik' | 'accession' | 'source' | 'known_from' | 'raw_sha256'>
export const sourcesOf = (reports: readonly Filed[]) =>
  filingSources(reports.map(report => ({ ...report, url: filingUrl(report.manager_cik, report.accession) })))

function printedReport({ report, role, reasons }: Placed<FoundReport>, quarter: ManagerQuarter, corrections: Corrections): object {
  const check = quarter.checks.get(report.filing_id)
  const corrected = check !== undefined && check.places !== 0
  return {
    filing_id: report.filing_id,
    accession: report.accession,
    form: report.form,
    filed_date: report.filed_date,
    report_type: report.report_type,
    amendment_number: report.amendment_number,
    amendment_type: report.amendment_type,
    role,
    reasons,
    unit: corrected ? (check.places === 3 ? 'thousands' : 'dollars') : report.unit,
    unit_source: corrected ? 'price' : report.unit_source,
    table: report.table,
    rows_read: report.rows_read,
    rows_refused: report.rows_refused,
    placeholders: report.placeholders,
    entry_total: digits(report.entry_total),
    entry_difference: report.entry_difference,
    value_sum: digits(report.value_sum),
    value_total: digits(report.value_total),
    value_difference: digits(report.value_difference),
    flags: report.flags,
    unit_check: {
      compared: check?.compared ?? 0,
      median_ratio: check?.median_ratio == null ? null : rounded(check.median_ratio),
      value_unit_corrected: corrected,
    },
    confidential_omitted: report.confidential_omitted,
    confidential_denied_or_expired: report.confidential_denied_or_expired,
    url: filingUrl(report.manager_cik, report.accession),
    known_from: report.known_from,
    known_basis: report.known_basis,
    ...corrections.of(report.filing_id, ['holdings_reports']),
  }
}

const printedRow = (row: ValuedRow, corrections: Corrections): object => ({
  filing_id: row.filing_id,
  line: row.line,
  accession: row.accession,
  issuer_name: row.issuer_name,
  class_title: row.class_title,
  cusip: row.cusip,
  cusip_filed: row.cusip_filed,
  figi: row.figi,
  shares: digits(row.shares),
  shares_type: row.shares_type,
  put_call: row.put_call,
  discretion: row.discretion,
  other_managers_filed: row.other_managers_filed,
  other_managers: row.other_managers,
  voting_sole: digits(row.voting_sole),
  voting_shared: digits(row.voting_shared),
  voting_none: digits(row.voting_none),
  flags: row.flags,
  value: digits(row.value),
  value_usd: digits(row.value_usd),
  unit_source: row.unit_source,
  symbol: row.match?.symbol ?? null,
  match: printedMatch(row.match),
  placeholder: row.placeholder,
  ...corrections.of(row.filing_id, ['holdings', row.line]),
})

function totalsOf(rows: readonly ValuedRow[]): object {
  const held = rows.filter(row => !row.placeholder)
  return {
    holdings_count: held.length,
    positions_count: new Set(held.map(row => `${row.cusip ?? row.issuer_key}|${row.put_call ?? ''}|${row.shares_type ?? ''}`)).size,
    value_usd: digits(sumUsd(held.filter(row => row.put_call === null))),
    put_value_usd: digits(sumUsd(held.filter(row => row.put_call === 'put'))),
    call_value_usd: digits(sumUsd(held.filter(row => row.put_call === 'call'))),
    unmatched_count: held.filter(row => row.match === null).length,
    placeholders: rows.length - held.length,
  }
}

/** Managers of several filings, each once. */
function managersOf(lists: readonly FoundReport['included_managers'][]): FoundReport['included_managers'] {
  const once = new Map(lists.flat().map(manager => [`${manager.number}|${manager.file_number}|${manager.name}`, manager]))
  return [...once.values()]
}

/** Throws `NotFound` if no 13F of the manager is known. */
async function buildManagerHoldings(context: ReleaseContext, question: QuestionOf<'get_13f_manager'>): Promise<Built> {
  const { cursor, limit, release: _release, receipt: _receipt, ...filters } = question
  const asOf = question.as_of ?? null
  const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'get_13f_manager', filters).after[0])
  const requested = question.period === undefined ? null : requestedQuarter(question.period)
  const { reports, quarters, quarter } = await reportsAndQuarter(context, question.cik, requested, asOf)
  if (quarter === null) throw unknownManager(question.cik)
  const read = await managerQuarter(context, question.cik, quarter, reports, question.view, asOf)
  // Placeholders are only in the raw view, because they are not holdings.
  const rows = question.view === 'raw' ? read.rows : byValue(read.rows.filter(row => !row.placeholder))
  const page = rows.slice(from, from + limit)
  const own = read.placed.map(({ report }) => report)
  const corrections = await findCorrections(
    context.lake,
    own.map(report => report.filing_id),
    asOf,
  )
  return {
    body: {
      cik: question.cik,
      manager: managerName(own) ?? managerName(reports),
      quarter,
      period_of_report: own.at(-1)?.period_of_report ?? null,
      view: question.view,
      holdings_count: read.rows.filter(row => !row.placeholder).length,
      totals: totalsOf(read.rows),
      coverage: coverageOf(read.placed, quarter),
      reports: read.placed.map(placed => printedReport(placed, read, corrections)),
      other_managers: managersOf(own.map(report => report.included_managers)),
      reported_by: managersOf(own.map(report => report.cover_managers)),
      quarters,
      holdings: page.map(row => printedRow(row, corrections)),
      next_cursor:
        from + limit < rows.length ? encodeCursor('get_13f_manager', filters, context.lake.versionOf(datasets).release, [from + limit]) : null,
    },
    sources: sourcesOf(own),
    // The list of quarters depends on every filing of the manager.
    origins: distinctOrigins([...read.origins, ...reports.map(originOf)]),
    datasets,
  }
}

export function distinctOrigins(origins: ManagerQuarter['origins']): ManagerQuarter['origins'] {
  const once = new Map(origins.map(origin => [origin.raw_sha256, origin]))
  return [...once.values()].sort((a, b) => (a.raw_sha256 < b.raw_sha256 ? -1 : 1))
}

async function buildManagers(context: ReleaseContext, question: QuestionOf<'list_13f_managers'>): Promise<Built> {
  const { cursor, limit, release: _release, receipt: _receipt, ...filters } = question
  const asOf = question.as_of ?? null
  const after = cursor === undefined ? '' : String(decodeCursor(cursor, 'list_13f_managers', filters).after[0] ?? '')
  const words = question.q === undefined ? null : /^\d{1,10}$/.test(question.q) ? question.q.padStart(10, '0') : question.q
  const found = await findManagers(context.lake, words, after, limit + 1, asOf)
  const page = found.slice(0, limit)
  const reports =
    page.length === 0
      ? []
      : await findReports(
          context.lake,
          page.map(manager => manager.manager_cik),
          asOf,
        )
  const byManager = Map.groupBy(reports, report => report.manager_cik)
  const corrections = await findCorrections(
    context.lake,
    reports.map(report => report.filing_id),
    asOf,
  )
  const last = page.at(-1)
  return {
    body: {
      count: page.length,
      managers: page.map(manager => {
        const own = (byManager.get(manager.manager_cik) ?? []).filter(report => report.quarter === manager.last_quarter)
        const placed = placeReports(own)
        const counted = placed.filter(({ role }) => role === 'base' || role === 'adds').map(({ report }) => report)
        const overlapping = placed.some(({ role }) => role === 'restates_part') || counted.length === 0
        return {
          cik: manager.manager_cik,
          manager: manager.manager_name,
          filings: manager.filings,
          amendments: manager.amendments,
          first_period: manager.first_period,
          last_period: manager.last_period,
          last_quarter: manager.last_quarter,
          last_filed_date: manager.last_filed_date,
          last_status: coverageOf(placed, manager.last_quarter ?? '').status,
          holdings_count: overlapping ? null : counted.reduce((sum, report) => sum + report.rows_read - report.placeholders, 0),
          value_usd: overlapping ? null : digits(sumUsd(counted.map(report => ({ value_usd: inDollars(report) })))),
          ...corrections.ofLines(own.map(report => ({ dataset: 'holdings_reports', filing: report.filing_id, line: '' }))),
        }
      }),
      next_cursor:
        found.length > limit && last
          ? encodeCursor('list_13f_managers', filters, context.lake.versionOf(['holdings_reports']).release, [last.manager_cik])
          : null,
    },
    sources: sourcesOf([...byManager.values()].flatMap(list => list.at(-1) ?? [])),
    // Whether there is a next page depends on the first manager after this one.
    origins: async () =>
      distinctOrigins(
        [...reports, ...(found.length > limit ? await findReports(context.lake, [found.at(-1)?.manager_cik ?? ''], asOf) : [])].map(originOf),
      ),
    datasets: ['holdings_reports'],
  }
}

const inDollars = (report: FoundReport): string | null =>
  report.unit === null ? null : report.unit === 'dollars' ? report.value_sum : shiftDecimal(report.value_sum, 3)

export const holdingsAnswers = {
  list_13f_managers: { build: buildManagers, page: managersPage },
  get_13f_manager: { build: buildManagerHoldings, page: holdingsPage },
} satisfies Answers
