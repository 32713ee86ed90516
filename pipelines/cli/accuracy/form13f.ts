// FACTS.md, folder form13f: cover and table of a 13F as filed, each fact as a separate field.
import { sumOf } from '#schemas/decimals.ts'
import { Unreadable } from '#schemas/errors.ts'
import type { Fact } from '../../read/parsed.ts'
import { isEqual, isEqualAmount } from '../accuracy-equality.ts'
import type { Entry, Evaluator, Outcome } from './compare.ts'

type Report = Fact<'holdings_reports'>
type Holding = Fact<'holdings'>

/** The facts print days in the form's notation. */
const formDay = (day: string | null): string | null => (day === null ? null : `${day.slice(5, 7)}-${day.slice(8, 10)}-${day.slice(0, 4)}`)

function coverFacts(report: Report): Entry {
  return {
    type: report.form,
    period: formDay(report.period_of_report),
    mgr: report.manager_name,
    reportType: report.report_type,
    isAmendment: report.is_amendment,
    amendNo: report.amendment_number,
    amendType: report.amendment_type_filed,
    entryTotal: report.entry_total,
    valueTotal: report.value_total,
    otherIncl: report.included_managers_count,
    otherMgrs2: report.included_managers.length,
    otherMgrsCover: report.cover_managers.length,
    confOmitted: report.confidential_omitted,
    fileNo: report.file_number,
    cik: report.manager_cik,
  }
}

function counted(rows: readonly Holding[], valueOf: (row: Holding) => string | null): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const value = valueOf(row)
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return counts
}
const summed = (rows: readonly Holding[], valueOf: (row: Holding) => string | null): string => sumOf(rows.flatMap(row => valueOf(row) ?? []))
const corner = (row: Holding | undefined) => (row === undefined ? null : [row.issuer_name, row.cusip_filed ?? row.cusip, row.value, row.shares])
const putCalls = { put: 'Put', call: 'Call' } as const

function tableFacts(rows: readonly Holding[]): Entry {
  const managers = counted(rows, row => row.other_managers_filed ?? 'null')
  return {
    rows: rows.length,
    sumValue: summed(rows, row => row.value),
    sumSH: summed(rows, row => (row.shares_type === 'SH' ? row.shares : null)),
    sumPRN: summed(rows, row => (row.shares_type === 'PRN' ? row.shares : null)),
    types: Object.fromEntries(counted(rows, row => row.shares_type)),
    putCall: Object.fromEntries(counted(rows, row => (row.put_call === null ? null : putCalls[row.put_call]))),
    cusips: counted(rows, row => row.cusip_filed ?? row.cusip).size,
    otherMgr: Object.fromEntries(managers),
    nOtherMgrCombos: managers.size,
    discretion: Object.fromEntries(counted(rows, row => row.discretion)),
    vote: [summed(rows, row => row.voting_sole), summed(rows, row => row.voting_shared), summed(rows, row => row.voting_none)],
    first: corner(rows[0]),
    last: corner(rows.at(-1)),
    figi: rows.filter(row => row.figi !== null).length,
  }
}

/** An element that is empty in the form is an empty text in the facts and null in the rows. */
const given = (value: unknown): unknown => (value === '' ? null : value)
const isMember = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const sums = new Set(['sumValue', 'sumSH', 'sumPRN'])

function equal(name: string, expected: unknown, got: unknown): boolean {
  if (sums.has(name)) return isEqualAmount(expected, got)
  if (name === 'vote') return Array.isArray(expected) && Array.isArray(got) && expected.every((part, at) => isEqualAmount(part, got[at]))
  // The facts give only the six most common; any of several equally common ones is accepted.
  if (name === 'otherMgr' && isMember(expected) && isMember(got))
    return (
      Object.keys(expected).length === Math.min(6, Object.keys(got).length) &&
      Object.entries(expected).every(([key, count]) => isEqual(count, got[key]))
    )
  return isEqual(expected, got)
}

/** A part (cover or table) fact by fact; one outcome if only one side has it. */
function evaluated(part: string, expected: unknown, read: Entry | null): Outcome[] {
  if (!isMember(expected) || read === null) {
    const got = read === null ? null : part
    return [{ field: part, equal: expected === null && read === null, expected: expected === null ? null : part, got }]
  }
  return Object.entries(expected).map(([name, value]) => {
    const got = read[name]
    return {
      field: `${part}.${name}`,
      equal: got !== undefined && equal(name, given(value), got),
      expected: value,
      got: got === undefined ? 'not read' : got,
    }
  })
}

export const form13f: Evaluator = ({ document, reader }, entry, fields) => {
  if (reader === null) throw new Unreadable('unknown_kind', 'no reader recognises this kind of document')
  const { facts, refused } = reader.parse(document)
  const [report] = facts.holdings_reports ?? []
  const rows = facts.holdings ?? []
  const [refusal] = refused.filter(each => each.dataset === 'holdings' || each.dataset === 'holdings_reports')
  if (report === undefined && rows.length === 0 && refusal !== undefined) throw new Unreadable(refusal.reason, refusal.detail)
  const hasTable = rows.length > 0 || report?.table === 'xml' || report?.table === 'text'
  return [
    ...(fields.includes('cover') ? evaluated('cover', entry['cover'], report === undefined ? null : coverFacts(report)) : []),
    ...(fields.includes('table') ? evaluated('table', entry['table'], hasTable ? tableFacts(rows) : null) : []),
  ]
}
