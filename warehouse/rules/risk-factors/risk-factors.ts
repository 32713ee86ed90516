// Reads risk factors and the sections that contain them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RiskFactor } from '#schemas/risk-factors.ts'
import type { Lake } from '../../store/lake/lake.ts'

const sql = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const findSectionsSql = sql('find-sections.sql')
const findRiskFactorsSql = sql('find-factors.sql')

/** A filing and its section of an item; `status` null if that item was not read. */
export type SectionFiling = {
  readonly accession: string
  readonly form: string
  readonly filed_date: string
  readonly period_of_report: string | null
  readonly company: string | null
  readonly url: string
  readonly known_from: string
  readonly source: string
  readonly raw_sha256: string
  readonly status: string | null
  readonly reason: string | null
  readonly words: number | null
  readonly text_sha256: string | null
  readonly line: number | null
  readonly factors: number
  readonly was_read: boolean
}
export type FoundFactor = Pick<
  RiskFactor,
  'accession' | 'rank' | 'group_heading' | 'heading' | 'body' | 'words' | 'text_sha256' | 'source_start' | 'source_end'
>

/** Filings, and the CIKs under which their sections are stored. */
export type FoundSections = { readonly filings: SectionFiling[]; readonly holders: readonly string[] }

/**
 * The issuer's filings of these forms, oldest first. A filing of several registrants (a utility and its subsidiaries) is read once,
 * under one of them: if the issuer has none that was read, those of its co-registrants in the same filings are used.
 */
export async function findSections(lake: Lake, cik: string, forms: readonly string[], item: string, asOf: string | null): Promise<FoundSections> {
  const ask = async (holders: readonly string[]): Promise<SectionFiling[]> =>
    await lake.query<SectionFiling>(
      findSectionsSql,
      { forms: [...forms], item, as_of: asOf },
      { filings: [cik], report_items: holders, risk_factors: holders },
    )
  const filings = await ask([cik])
  if (filings.length === 0 || filings.some(filing => filing.was_read || filing.factors > 0)) return { filings, holders: [cik] }
  const others = await lake.query<{ readonly cik: string }>(
    'select distinct cik from filings where list_contains($accessions, accession) order by cik',
    { accessions: filings.map(filing => filing.accession), as_of: asOf },
    { filings: 'all' },
    { streamed: true },
  )
  const holders = [...new Set([cik, ...others.map(other => other.cik)])].sort()
  return holders.length === 1 ? { filings, holders } : { filings: await ask(holders), holders }
}

export async function findRiskFactors(
  lake: Lake,
  holders: readonly string[],
  accessions: readonly string[],
  asOf: string | null,
): Promise<FoundFactor[]> {
  if (accessions.length === 0) return []
  return await lake.query<FoundFactor>(findRiskFactorsSql, { accessions: [...accessions], as_of: asOf }, { risk_factors: holders })
}

/** The visible texts of sections by accession. */
export async function findSectionTexts(
  lake: Lake,
  holders: readonly string[],
  sections: readonly Pick<SectionFiling, 'accession' | 'line'>[],
  asOf: string | null,
): Promise<ReadonlyMap<string, string>> {
  const wanted = sections.flatMap(({ accession, line }) => (line === null ? [] : `${accession} ${line}`))
  if (wanted.length === 0) return new Map()
  const rows = await lake.query<{ readonly accession: string; readonly text: string | null }>(
    "select accession, text from report_items where list_contains($wanted, accession || ' ' || line)",
    { wanted, as_of: asOf },
    { report_items: holders },
  )
  return new Map(rows.flatMap(row => (row.text === null ? [] : [[row.accession, row.text] as const])))
}
