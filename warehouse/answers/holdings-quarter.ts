// One manager's quarter for answers about 13Fs: the filings classified, their units checked against the stored closes, the counted rows
// with their values in dollars, and the listings that match their names.
import type { z } from 'zod'
import { Sum } from '#schemas/decimals.ts'
import type { UnitSource } from '#schemas/holdings.ts'
import type { ReleaseContext, RowOrigin } from '../context/answer.ts'
import { countedFilings, effectiveRows, type Placed, placeReports } from '../datasets/holdings/effective.ts'
import { type FoundClose, type FoundReport, type FoundRow, findCloses, findReports, findRows, isAsTraded } from '../datasets/holdings/holdings.ts'
import { lastDayOf } from '../datasets/holdings/quarter.ts'
import { type SymbolMatch, symbolMatcher } from '../datasets/holdings/symbol-match.ts'
import { checkUnit, movedValue, priceRatio, type UnitCheck } from '../datasets/holdings/unit-check.ts'

export type ValuedRow = FoundRow & { readonly unit_source: z.infer<typeof UnitSource> | null; readonly match: SymbolMatch | null }
export type ManagerQuarter = {
  readonly quarter: string
  readonly placed: readonly Placed<FoundReport>[]
  readonly checks: ReadonlyMap<string, UnitCheck>
  /** Of the view, including placeholders. */
  readonly rows: readonly ValuedRow[]
  /** Filings and prices that it was derived from. */
  readonly origins: readonly RowOrigin[]
}
export type View = 'effective' | 'raw'

/** How many of the largest positions of a filing are compared with closes. */
const compared = 40
const sure = 0.85

/** Reads a quarter; `reports` are all of the manager's, from which those of the quarter are selected. */
export async function managerQuarter(
  context: ReleaseContext,
  manager: string,
  quarter: string,
  reports: readonly FoundReport[],
  view: View,
  asOf: string | null,
): Promise<ManagerQuarter> {
  const placed = placeReports(reports.filter(report => report.quarter === quarter))
  const filings = view === 'raw' ? placed.map(({ report }) => report.filing_id) : countedFilings(placed)
  const found = await findRows(context.lake, manager, quarter, filings, asOf)
  const matcher = symbolMatcher(context)
  const matches = found.map(row => matcher.match(row.issuer_name, row.class_title))
  const closes = await closesOf(context, quarter, found, matches, asOf)
  const checks = checksOf(found, matches, new Map([...closes].filter(([, close]) => isAsTraded(close))))
  const units = new Map(placed.map(({ report }) => [report.filing_id, report.unit_source]))
  const valued = found.map((row, at): ValuedRow => {
    const check = checks.get(row.filing_id)
    const moved = check !== undefined && check.places !== 0
    return {
      ...row,
      value_usd: moved ? movedValue(row.value_usd ?? row.value, check.places) : row.value_usd,
      unit_source: moved ? 'price' : (units.get(row.filing_id) ?? null),
      match: matches[at] ?? null,
    }
  })
  const ordered = view === 'raw' ? inFilingOrder(placed, valued) : effectiveRows(placed, valued)
  const origins = [
    ...placed.map(({ report }) => originOf(report)),
    ...[...closes.values()].map(close => ({ source: close.source, raw_sha256: close.raw_sha256 })),
  ]
  return { quarter, placed, checks, rows: ordered, origins }
}

export const originOf = (row: { readonly source: string; readonly raw_sha256: string; readonly accession?: string | null }): RowOrigin => ({
  source: row.source,
  raw_sha256: row.raw_sha256,
  accession: row.accession ?? null,
})

function inFilingOrder(placed: readonly Placed<FoundReport>[], rows: readonly ValuedRow[]): ValuedRow[] {
  const order = new Map(placed.map(({ report }, at) => [report.filing_id, at]))
  return [...rows].sort((a, b) => (order.get(a.filing_id) ?? 0) - (order.get(b.filing_id) ?? 0) || a.line - b.line)
}

/** Closes of the quarter's end for the largest positions with a certain match, of each filing. */
async function closesOf(
  context: ReleaseContext,
  quarter: string,
  rows: readonly FoundRow[],
  matches: readonly (SymbolMatch | null)[],
  asOf: string | null,
): Promise<Map<string, FoundClose>> {
  const byFiling = new Map<string, { readonly value: number; readonly symbol: string }[]>()
  for (const [at, row] of rows.entries()) {
    const match = matches[at] ?? null
    if (match === null || match.confidence < sure || priceRatio(row, 1) === null) continue
    const list = byFiling.get(row.filing_id) ?? []
    byFiling.set(row.filing_id, list)
    list.push({ value: Number(row.value ?? 0), symbol: match.symbol })
  }
  const symbols = new Set<string>()
  for (const list of byFiling.values()) for (const { symbol } of list.sort((a, b) => b.value - a.value).slice(0, compared)) symbols.add(symbol)
  const closes = await findCloses(context.lake, [...symbols].sort(), lastDayOf(quarter), asOf)
  return new Map(closes.map(close => [close.symbol, close]))
}

function checksOf(
  rows: readonly FoundRow[],
  matches: readonly (SymbolMatch | null)[],
  closes: ReadonlyMap<string, FoundClose>,
): Map<string, UnitCheck> {
  const ratios = new Map<string, number[]>()
  for (const [at, row] of rows.entries()) {
    const match = matches[at] ?? null
    const close = match === null || match.confidence < sure ? undefined : closes.get(match.symbol)
    const ratio = close === undefined ? null : priceRatio(row, close.close)
    if (ratio === null) continue
    const list = ratios.get(row.filing_id)
    if (list) list.push(ratio)
    else ratios.set(row.filing_id, [ratio])
  }
  return new Map([...ratios].map(([filing, list]) => [filing, checkUnit(list)]))
}

/** All filings of a manager, and the quarter: the requested one, else the newest with a table, else the newest. */
export async function reportsAndQuarter(context: ReleaseContext, manager: string, requested: string | null, asOf: string | null) {
  const reports = await findReports(context.lake, [manager], asOf)
  const quarters = [...new Set(reports.map(report => report.quarter))]
    .filter(quarter => quarter !== 'unknown')
    .sort()
    .reverse()
  const withTable = quarters.find(quarter =>
    reports.some(report => report.quarter === quarter && (report.table === 'xml' || report.table === 'text')),
  )
  return { reports, quarters, quarter: requested ?? withTable ?? quarters[0] ?? null }
}

/** The newest name under which the manager filed. */
export const managerName = (reports: readonly Pick<FoundReport, 'manager_name' | 'known_from'>[]): string | null =>
  [...reports].sort((a, b) => Date.parse(b.known_from) - Date.parse(a.known_from)).find(report => report.manager_name !== null)?.manager_name ?? null

/** The sum of values; null if one of them is not known in dollars, or there is none. */
export function sumUsd(rows: readonly { readonly value_usd: string | null }[]): string | null {
  if (rows.length === 0 || rows.some(row => row.value_usd === null)) return null
  const sum = new Sum()
  for (const row of rows) sum.add(row.value_usd ?? '0')
  return sum.toString()
}

/** The URL of a filing. */
export const filingUrl = (managerCik: string, accession: string | null): string | null =>
  accession === null ? null : `https://www.sec.gov/Archives/edgar/data/${Number(managerCik)}/${accession.replaceAll('-', '')}/${accession}.txt`

type Weighed = { readonly value_usd: string | null; readonly filing_id: string; readonly line: number }
/** The rows, larger values first; of equal ones in the order of filing and line. A value is read once, not for each comparison. */
export const byValue = <R extends Weighed>(rows: readonly R[]): R[] =>
  rows
    .map(row => ({ row, value: Number(row.value_usd ?? -1) }))
    .sort((a, b) => b.value - a.value || (a.row.filing_id < b.row.filing_id ? -1 : a.row.filing_id > b.row.filing_id ? 1 : a.row.line - b.row.line))
    .map(({ row }) => row)
