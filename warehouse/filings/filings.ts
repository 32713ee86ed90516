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

type Version = { readonly source: string; readonly raw_sha256: string; readonly known_from: string; readonly accession: string }
/** Every document that wrote a version of the filings: an index line and a header complete each other. */
export async function findFilingVersions(lake: Lake, filings: readonly Pick<Filing, 'cik' | 'accession'>[], asOf: string | null): Promise<Version[]> {
  if (filings.length === 0) return []
  const ciks = [...new Set(filings.map(filing => filing.cik))]
  const accessions = [...new Set(filings.map(filing => filing.accession))]
  return await lake.query<Version>(
    `select distinct source, unnest(list_append(documents, raw_sha256)) as raw_sha256, known_from, accession from filings_history
     where accession in (select unnest($accessions)) order by raw_sha256, accession`,
    { accessions, as_of: asOf },
    { filings_history: ciks },
  )
}
