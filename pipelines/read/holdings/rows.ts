// Converts the cells of a line to the facts of a holding: reads numbers and CUSIP, resolves managers, flags irregularities. An unreadable
// cell becomes null and is listed; the row stays.
import { readCusip } from '#schemas/cusip.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { decimalText } from '#schemas/values.ts'
import type { Fact, Refused } from '../parsed.ts'
import type { Manager } from './cover.ts'
import type { TableRow } from './table-row.ts'

/** A holding before its report's unit is known. */
export type HoldingDraft = Omit<Fact<'holdings'>, 'value_usd'> & { value_usd: string | null }
export type RowHeading = Pick<Fact<'holdings'>, 'quarter' | 'manager_cik' | 'filing_id' | 'accession' | 'period_of_report'> & {
  /** The numbered managers of the summary page by their number without leading zeros; null if no cover was read. */
  readonly managers: ReadonlyMap<string, Manager> | null
}

export const managerNumber = (text: string): string => text.replace(/^0+(?=.)/, '').toUpperCase()

/** A line without a holding: names that managers write if a position is withheld or if they have none. */
const placeholderName =
  /^(?:\**\s*)?(?:confidential|no (?:reportable )?(?:holdings?|securities|positions?|entries)|none|n\/?a|nil|not applicable|intentionally (?:left )?blank|placeholder|omitted)\b/i
const discretions: Readonly<Record<string, string>> = {
  SOLE: 'SOLE',
  DFND: 'DFND',
  DEFINED: 'DFND',
  'SHARED-DEFINED': 'DFND',
  SHARED: 'DFND',
  OTR: 'OTR',
  OTHER: 'OTR',
  'SHARED-OTHER': 'OTR',
}
/** No amount on earth has more digits; one of millions would cost minutes to add up. */
const mostDigits = 40
/** A filing that is garbage throughout is not listed cell by cell. */
const mostRefusals = 200

export function holdingOf(cells: TableRow, line: number, heading: RowHeading, refused: Refused[]): HoldingDraft {
  const flags: string[] = cells.oddities.length === 0 ? [] : [...cells.oddities]
  const number = (text: string | null, field: string): string | null => {
    if (text === null) return null
    const read = text.length > mostDigits ? null : decimalText(text)
    if (read === null) {
      flags.push(`${field}_unreadable`)
      if (refused.length < mostRefusals) refused.push(cellRefusal(heading.filing_id, line, field, text))
    }
    return read
  }
  const value = number(cells.value, 'value')
  const shares = number(cells.amount, 'shares')
  const type = capitals(cells.amountType ?? '')
  const putCall = capitals(cells.putCall ?? '')
  const read = readCusip(cells.cusip ?? '')
  if (read.flag !== null) flags.push(read.flag)
  if (read.cusip === null) flags.push('cusip_missing')
  if (type !== 'SH' && type !== 'PRN') flags.push(type === '' ? 'shares_type_missing' : 'shares_type_unknown')
  const placeholder = isPlaceholder(cells.issuer, read.cusip, value, shares)
  if (placeholder) flags.push('placeholder')
  else if (isZero(shares) && !isZero(value)) flags.push('no_shares')
  // Some filers copy the value into the share column: every implied price is then 1, or 0.001 (Equibles PR 3499).
  if (type === 'SH' && putCall === '' && !isZero(value) && value === shares) flags.push('value_in_shares')
  return {
    quarter: heading.quarter,
    manager_cik: heading.manager_cik,
    filing_id: heading.filing_id,
    line,
    accession: heading.accession,
    period_of_report: heading.period_of_report,
    issuer_name: cells.issuer,
    issuer_key: issuerKey(cells.issuer ?? ''),
    class_title: cells.title,
    cusip: read.cusip,
    cusip_filed: cells.cusip === null || cells.cusip === read.cusip ? null : cells.cusip,
    figi: cells.figi,
    value,
    value_usd: null,
    shares,
    shares_type: type === 'SH' || type === 'PRN' ? type : null,
    put_call: putCall === 'PUT' ? 'put' : putCall === 'CALL' ? 'call' : putCall === '' ? null : flagged(flags, 'put_call_unknown'),
    discretion: cells.discretion === null ? null : (discretions[capitals(cells.discretion)] ?? capitals(cells.discretion)),
    other_managers_filed: cells.otherManager,
    other_managers: managersOf(cells.otherManager, heading.managers, flags),
    voting_sole: number(cells.sole, 'voting_sole'),
    voting_shared: number(cells.shared, 'voting_shared'),
    voting_none: number(cells.none, 'voting_none'),
    placeholder,
    flags,
  }
}

const flagged = (flags: string[], name: string): null => {
  flags.push(name)
  return null
}
/** Codes that are capital letters already are most of them. */
const capitals = (text: string): string => (text === 'SH' || text === 'SOLE' || text === 'DFND' || text === '' ? text : text.toUpperCase())
const startsWithDigit = (decimal: string): boolean => decimal.charCodeAt(0) >= 49 && decimal.charCodeAt(0) <= 57 // 1 to 9
const isZero = (decimal: string | null): boolean => decimal === null || (!startsWithDigit(decimal) && /^-?[0.]+$/.test(decimal))

/** Zero value and zero shares, or words that say so: kept, marked, and never counted as a holding. */
function isPlaceholder(issuer: string | null, cusip: string | null, value: string | null, shares: string | null): boolean {
  if (isZero(value) && isZero(shares)) return true
  const unnamed = cusip === null || (!startsWithDigit(cusip) && /^[0X]+$/.test(cusip))
  return unnamed && issuer !== null && placeholderName.test(issuer)
}

/** The numbers of a cell (`01,04`, `1 4`, `1;4`) with their managers; `0` and NONE mean no manager, an unknown number is flagged. */
function managersOf(filed: string | null, managers: RowHeading['managers'], flags: string[]): HoldingDraft['other_managers'] {
  if (filed === null) return none
  if (cellsOfReport.managers !== managers || cellsOfReport.known.size > 1000) cellsOfReport = { managers, known: new Map() }
  let read = cellsOfReport.known.get(filed)
  if (read === undefined) {
    read = resolved(filed, managers)
    cellsOfReport.known.set(filed, read)
  }
  if (read.unknown) flags.push('manager_unresolved')
  return read.found
}

type Resolved = { readonly found: HoldingDraft['other_managers']; readonly unknown: boolean }
/** The cells that were read with the managers of one report: its lines repeat them. */
let cellsOfReport: { readonly managers: RowHeading['managers']; readonly known: Map<string, Resolved> } = { managers: null, known: new Map() }

function resolved(filed: string, managers: RowHeading['managers']): Resolved {
  const found: HoldingDraft['other_managers'] = []
  let unknown = false
  for (const part of filed.slice(0, 400).split(/[\s,;/&]+/)) {
    const number = managerNumber(part)
    if (number === '' || number === '0' || /^(?:NONE|N|A|NA|-+)$/.test(number)) continue
    if (found.some(each => each.number === number)) continue
    const manager = managers?.get(number)
    if (manager === undefined && managers !== null) unknown = true
    found.push({ number, name: manager?.name ?? null, cik: manager?.cik ?? null })
  }
  return { found: found.length === 0 ? none : found, unknown }
}
const none: HoldingDraft['other_managers'] = []

function cellRefusal(filingId: string, line: number, field: string, text: string): Refused {
  return {
    dataset: 'holdings',
    reason: 'unreadable_cell',
    detail: `13F ${filingId}: line ${line} has ${field} ${JSON.stringify(text.slice(0, 80))}, expected a decimal number; kept as null`,
    subject: filingId,
    record: { line, field, text: text.slice(0, 200) },
  }
}
