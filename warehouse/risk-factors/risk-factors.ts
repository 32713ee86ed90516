// Reads of risk factors and of the sections that they stand in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RiskFactor } from '#schemas/risk-factors.ts'
import type { Lake } from '../lake/lake.ts'

const sql = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const findSectionsSql = sql('find-sections.sql')
const findFactorsSql = sql('find-factors.sql')

/** A filing and what it says of an item; `status` null where that item was not read. */
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

/** The issuer's filings of these forms, oldest first. */
export async function findSections(lake: Lake, cik: string, forms: readonly string[], item: string, asOf: string | null): Promise<SectionFiling[]> {
  return await lake.query<SectionFiling>(
    findSectionsSql,
    { forms: [...forms], item, as_of: asOf },
    { filings: [cik], report_items: [cik], risk_factors: [cik] },
  )
}

export async function findFactors(lake: Lake, cik: string, accessions: readonly string[], asOf: string | null): Promise<FoundFactor[]> {
  if (accessions.length === 0) return []
  return await lake.query<FoundFactor>(findFactorsSql, { accessions: [...accessions], as_of: asOf }, { risk_factors: [cik] })
}

/** The visible texts of sections by accession. */
export async function findSectionTexts(
  lake: Lake,
  cik: string,
  sections: readonly Pick<SectionFiling, 'accession' | 'line'>[],
  asOf: string | null,
): Promise<ReadonlyMap<string, string>> {
  const wanted = sections.flatMap(({ accession, line }) => (line === null ? [] : `${accession} ${line}`))
  if (wanted.length === 0) return new Map()
  const rows = await lake.query<{ readonly accession: string; readonly text: string | null }>(
    "select accession, text from report_items where list_contains($wanted, accession || ' ' || line)",
    { wanted, as_of: asOf },
    { report_items: [cik] },
  )
  return new Map(rows.flatMap(row => (row.text === null ? [] : [[row.accession, row.text] as const])))
}
