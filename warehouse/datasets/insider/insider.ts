import type { InsiderFiling, InsiderTransaction } from '#schemas/insider.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-transactions'])

export type FoundTransaction = InsiderTransaction &
  Pick<InsiderFiling, 'period_of_report' | 'filed_date' | 'plan_10b5_1' | 'plan_adopted_date' | 'owners'> & {
    readonly amends: string | null
    readonly amended_by: string | null
  }
export type TransactionQuestion = {
  readonly issuer_cik: string | null
  readonly owner_cik: string | null
  readonly since: string | null
  readonly as_of: string | null
  readonly after: { readonly known_from: string; readonly filing_id: string; readonly line: number } | null
  readonly limit: number
}

export async function findInsiderTransactions(lake: Lake, question: TransactionQuestion): Promise<FoundTransaction[]> {
  const range = question.issuer_cik === null ? 'all' : [question.issuer_cik]
  return await lake.query<FoundTransaction>(
    statements['find-transactions'],
    {
      owner: question.owner_cik,
      since: question.since,
      after_known: question.after?.known_from ?? null,
      after_filing: question.after?.filing_id ?? null,
      after_line: question.after?.line ?? null,
      limit: question.limit,
      as_of: question.as_of,
    },
    { insider_transactions: range, insider_filings: range },
  )
}

type FilingOrigin = { readonly source: string; readonly raw_sha256: string; readonly known_from: string; readonly accession: string | null }
/** The documents of an issuer's filings: amendments are linked over all of them. */
export async function findIssuerFilings(lake: Lake, issuerCik: string, asOf: string | null): Promise<FilingOrigin[]> {
  return await lake.query<FilingOrigin>(
    'select source, raw_sha256, known_from, accession from insider_filings order by raw_sha256',
    { as_of: asOf },
    { insider_filings: [issuerCik] },
  )
}

export type InsiderSpan = { readonly filings: number; readonly first_day: string | null; readonly last_day: string | null }
/** How many filings of an issuer, or of an owner, were read, and of which days. */
export async function findInsiderSpan(
  lake: Lake,
  of: { readonly issuer_cik: string } | { readonly owner_cik: string },
  asOf: string | null,
): Promise<InsiderSpan> {
  const owner = 'owner_cik' in of ? of.owner_cik : null
  const [span] = await lake.query<InsiderSpan>(
    `select count(*) as filings, min(coalesce(filed_date, known_from::date)) as first_day, max(coalesce(filed_date, known_from::date)) as last_day
     from insider_filings where $owner is null or list_contains(owner_ciks, $owner)`,
    { owner, as_of: asOf },
    { insider_filings: 'issuer_cik' in of ? [of.issuer_cik] : 'all' },
  )
  return span ?? { filings: 0, first_day: null, last_day: null }
}
