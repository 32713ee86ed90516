// Reads of filings.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Filing } from '#schemas/filings.ts'
import type { Lake } from '../lake/lake.ts'

const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8')
const searchFilingsSql = sqlOf('search-filings')
const getFilingSql = sqlOf('get-filing')

export type FilingSearch = {
  readonly ciks: readonly string[] | null
  readonly form: string | null
  readonly from: string | null
  readonly to: string | null
  readonly words: string | null
  readonly as_of: string | null
  readonly after: { readonly filed_date: string; readonly accession: string; readonly cik: string } | null
  readonly limit: number
}

export async function searchFilings(lake: Lake, search: FilingSearch): Promise<Filing[]> {
  return await lake.query<Filing>(
    searchFilingsSql,
    {
      form: search.form,
      from: search.from ?? '0001-01-01',
      to: search.to ?? '9999-12-31',
      words: search.words,
      after_date: search.after?.filed_date ?? null,
      after_accession: search.after?.accession ?? null,
      after_cik: search.after?.cik ?? null,
      limit: search.limit,
      as_of: search.as_of,
    },
    { filings: search.ciks ?? 'all' },
  )
}

/** Every entity of a filing; empty where the accession is not known. */
export async function findFilingEntities(lake: Lake, accession: string, asOf: string | null): Promise<Filing[]> {
  return await lake.query<Filing>(getFilingSql, { accession, as_of: asOf }, { filings: 'all' })
}
