// The operator's corrections behind figures of a screen that come from single filings: trades of insiders and rows of 13F tables.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatasetName } from '#schemas/index.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { findCorrections, type RowLine } from '../datasets/corrections/corrections.ts'
import { symbolMatcher } from '../datasets/holdings/symbol-match.ts'
import { dueQuarter } from '../models/screener/holders.ts'
import { momentOf } from '../models/screener/moment.ts'
import { screenerFields } from '../rulesets/screener/fields.ts'

const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, '..', 'datasets', 'corrections', `${name}.sql`), 'utf8')
const tradesSql = sqlOf('find-corrected-trades')
const holdingsSql = sqlOf('find-corrected-holdings')

type Line = { readonly filing: string; readonly dataset: DatasetName; readonly row_key: string }
export type CorrectedRows = (code: string) => { readonly corrected?: readonly object[] }

/** Fields of the screener that are sums over rows of one dataset. */
const madeOf = (dataset: DatasetName): ReadonlySet<string> =>
  new Set(screenerFields.filter(field => field.datasets.includes(dataset)).map(({ name }) => name))
const ofTrades = madeOf('insider_transactions')
const ofHoldings = madeOf('holdings')

/** By listing, the corrected lines behind the shown fields. Needs queries only if the operator corrected something. */
export async function findCorrectedRows(
  context: ReleaseContext,
  fields: readonly string[],
  asOf: string | null,
  issuersOf: () => Promise<readonly { readonly code: string; readonly cik: string | null }[]>,
): Promise<CorrectedRows> {
  const { lake } = context
  const [trades, holdings] = [ofTrades, ofHoldings].map(made => fields.some(field => made.has(field)))
  if ((!trades && !holdings) || lake.versionOf(['filing_corrections']).release === 0) return () => ({})
  const { date } = await momentOf(lake, asOf)
  const rows = await issuersOf()
  const byCode = new Map<string, RowLine[]>()
  const add = (code: string, { dataset, filing, row_key }: Line): void => {
    byCode.set(code, [...(byCode.get(code) ?? []), { dataset, filing, line: row_key }])
  }
  if (trades) {
    const ciks = [...new Set(rows.flatMap(({ cik }) => cik ?? []))]
    const found = await lake.query<Line & { readonly issuer_cik: string }>(
      tradesSql,
      { ciks, date, as_of: asOf },
      { filing_corrections: 'all', insider_transactions: ciks },
    )
    for (const line of found) for (const row of rows) if (row.cik === line.issuer_cik) add(row.code, line)
  }
  if (holdings) {
    const quarter = dueQuarter(date)
    const found = await lake.query<Line & { readonly issuer_name: string | null; readonly class_title: string | null }>(
      holdingsSql,
      { quarter, as_of: asOf },
      { filing_corrections: 'all', holdings: [quarter] },
    )
    const matcher = symbolMatcher(context)
    for (const line of found) {
      const symbol = matcher.match(line.issuer_name, line.class_title)?.symbol
      if (symbol !== undefined) add(symbol, line)
    }
  }
  const filings = [...byCode.values()].flatMap(lines => lines.map(({ filing }) => filing))
  const corrections = await findCorrections(lake, filings, asOf)
  return code => corrections.ofLines(byCode.get(code) ?? [])
}
