import type { BarBasis } from '#schemas/bars.ts'
import { addDays } from '#schemas/days.ts'
import { type Holding, type HoldingsReport, holdingsBySecurity } from '#schemas/holdings.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, [
  'find-reports',
  'find-quarters',
  'find-rows',
  'find-securities',
  'find-holders',
  'find-managers',
  'find-closes',
  'find-splits',
])

/** A report without the parts of the cover that no answer prints. */
export type FoundReport = Pick<
  HoldingsReport,
  | 'filing_id'
  | 'accession'
  | 'manager_cik'
  | 'manager_name'
  | 'quarter'
  | 'period_of_report'
  | 'form'
  | 'filed_date'
  | 'report_type'
  | 'amendment_number'
  | 'amendment_type'
  | 'confidential_denied_or_expired'
  | 'confidential_omitted'
  | 'cover_managers'
  | 'included_managers'
  | 'entry_total'
  | 'value_total'
  | 'table'
  | 'rows_read'
  | 'rows_refused'
  | 'placeholders'
  | 'put_rows'
  | 'call_rows'
  | 'value_sum'
  | 'entry_difference'
  | 'value_difference'
  | 'unit'
  | 'unit_source'
  | 'unit_by_rule'
  | 'implied_price_median'
  | 'flags'
  | 'known_from'
  | 'known_basis'
  | 'source'
  | 'raw_sha256'
>
export type FoundRow = Omit<Holding, 'quarter' | 'manager_cik' | 'period_of_report' | 'known_from' | 'known_basis' | 'withdrawn'>
export type FoundHolder = Pick<
  Holding,
  | 'filing_id'
  | 'line'
  | 'issuer_name'
  | 'issuer_key'
  | 'class_title'
  | 'cusip'
  | 'value'
  | 'value_usd'
  | 'shares'
  | 'shares_type'
  | 'put_call'
  | 'discretion'
  | 'placeholder'
  | 'flags'
> & { readonly manager_cik: string }
export type FoundSecurity = {
  readonly cusip: string | null
  readonly issuer_key: string
  readonly issuer_name: string
  readonly class_title: string | null
  readonly rows: number
}
export type FoundManager = {
  readonly manager_cik: string
  readonly manager_name: string | null
  readonly filings: number
  readonly amendments: number
  readonly first_period: string | null
  readonly last_quarter: string | null
  readonly last_period: string | null
  readonly last_filed_date: string | null
}
export type FoundClose = {
  readonly symbol: string
  readonly date: string
  readonly close: number
  readonly basis: BarBasis
  readonly source: string
  readonly known_from: string
  readonly raw_sha256: string
}
export type FoundSplit = {
  readonly symbol: string
  readonly ex_date: string
  readonly split_numerator: string
  readonly split_denominator: string
  readonly source: string
  readonly known_from: string
  readonly raw_sha256: string
}

/** All reports of some managers, every quarter's. */
export async function findReports(lake: Lake, managers: readonly string[], asOf: string | null): Promise<FoundReport[]> {
  return await lake.query<FoundReport>(statements['find-reports'], { as_of: asOf }, { holdings_reports: managers })
}

/** Quarters with their number of filings, newest first. */
export async function findQuarters(lake: Lake, asOf: string | null): Promise<{ readonly quarter: string; readonly filings: number }[]> {
  return await lake.query(statements['find-quarters'], { as_of: asOf }, { holdings_reports_history: 'all' })
}

export async function findRows(lake: Lake, manager: string, quarter: string, filings: readonly string[], asOf: string | null): Promise<FoundRow[]> {
  if (filings.length === 0) return []
  return await lake.query<FoundRow>(statements['find-rows'], { quarter, manager, filings, as_of: asOf }, { holdings: [quarter] })
}

/** Securities by CUSIP, by its first characters (`issuer`), by keys of the issuer's name, or by the beginning of a key. */
export type SecurityQuestion =
  | { readonly cusip: string }
  | { readonly issuer: string }
  | { readonly keys: readonly string[] }
  | { readonly prefix: string }

/** Up to this number, values become a list in the statement, by which row groups are skipped. */
const listedValues = 64
type Condition = { readonly sql: string; readonly parameters: Readonly<Record<string, string | readonly string[]>> }

/** The condition that a column has one of some values. */
function isOneOf(column: 'cusip' | 'issuer_key', values: readonly string[]): Condition {
  if (values.length > listedValues) return { sql: `list_contains($${column}s, ${column})`, parameters: { [`${column}s`]: values } }
  if (values.length === 0) return { sql: 'false', parameters: {} }
  const named = values.map((value, at) => [`${column}_${at}`, value] as const)
  return { sql: `${column} in (${named.map(([name]) => `$${name}`).join(', ')})`, parameters: Object.fromEntries(named) }
}

function isNamed(requested: SecurityQuestion): Condition {
  if ('cusip' in requested) return isOneOf('cusip', [requested.cusip])
  if ('keys' in requested) return isOneOf('issuer_key', requested.keys)
  if ('prefix' in requested) return { sql: 'starts_with(issuer_key, $prefix)', parameters: { prefix: requested.prefix } }
  return { sql: "cusip like $issuer || '%'", parameters: { issuer: requested.issuer } }
}

/** Securities of a quarter, those with the most rows first. */
export async function findSecurities(lake: Lake, quarter: string, requested: SecurityQuestion, asOf: string | null): Promise<FoundSecurity[]> {
  const { sql, parameters } = isNamed(requested)
  return await lake.query<FoundSecurity>(
    statements['find-securities'].replace(':named', sql),
    { quarter, ...parameters, as_of: asOf },
    { holdings: [quarter] },
    { copy: holdingsBySecurity },
  )
}

/** The rows of a quarter on some CUSIPs, and those without a CUSIP on some issuers' keys, by manager, filing and line. */
export async function findHolders(
  lake: Lake,
  quarter: string,
  cusips: readonly string[],
  keys: readonly string[],
  asOf: string | null,
): Promise<FoundHolder[]> {
  const find = async ({ sql, parameters }: Condition): Promise<FoundHolder[]> =>
    await lake.query<FoundHolder>(
      statements['find-holders'].replace(':named', sql),
      { quarter, ...parameters, as_of: asOf },
      { holdings: [quarter] },
      { copy: holdingsBySecurity },
    )
  const [withCusip, named] = [isOneOf('cusip', cusips), isOneOf('issuer_key', keys)]
  // A condition on one column skips row groups; joined by `or`, neither does.
  const parts = [
    ...(cusips.length > 0 ? [find(withCusip)] : []),
    ...(keys.length > 0 ? [find({ ...named, sql: `cusip is null and ${named.sql}` })] : []),
  ]
  const found = (await Promise.all(parts)).filter(part => part.length > 0)
  return found.length > 1 ? found.flat().sort(inFilingOrder) : (found[0] ?? [])
}

type InFiling = Pick<FoundHolder, 'manager_cik' | 'filing_id' | 'line'>
/** The order of the statement: by manager, filing and line. Both identifiers are of ASCII characters. */
function inFilingOrder(a: InFiling, b: InFiling): number {
  if (a.manager_cik !== b.manager_cik) return a.manager_cik < b.manager_cik ? -1 : 1
  if (a.filing_id !== b.filing_id) return a.filing_id < b.filing_id ? -1 : 1
  return a.line - b.line
}

export async function findManagers(lake: Lake, words: string | null, after: string, limit: number, asOf: string | null): Promise<FoundManager[]> {
  return await lake.query<FoundManager>(statements['find-managers'], { words, after, limit, as_of: asOf }, { holdings_reports: 'all' })
}

/** False for a close that was divided by splits that are not all known: it must not be compared with a filing's value per share. */
export const isAsTraded = ({ basis }: Pick<FoundClose, 'basis'>): boolean => basis !== 'split_adjusted_unknown'

/** The last close of each symbol in the ten days up to a day; `isAsTraded`: whether it is comparable with a filing's value per share. */
export async function findCloses(lake: Lake, symbols: readonly string[], day: string, asOf: string | null): Promise<FoundClose[]> {
  if (symbols.length === 0) return []
  const from = addDays(day, -10)
  return await lake.query<FoundClose>(statements['find-closes'], { from, to: day, as_of: asOf }, { bars: symbols, bar_corrections: symbols })
}

/** Splits with an ex-date after `after` and up to `to`. */
export async function findSplits(lake: Lake, symbols: readonly string[], after: string, to: string, asOf: string | null): Promise<FoundSplit[]> {
  if (symbols.length === 0 || !(await lake.holds('adjustment_factors', symbols))) return []
  return await lake.query<FoundSplit>(statements['find-splits'], { after, to, as_of: asOf }, { adjustment_factors: symbols })
}
