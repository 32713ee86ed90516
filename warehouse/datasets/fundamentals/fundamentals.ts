import type { Filing } from '#schemas/filings.ts'
import type { CompanyFact } from '#schemas/fundamentals.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import type { FactRow } from './statements.ts'

const statements = sqlIn(import.meta.dirname, ['find-facts', 'find-facts-at', 'find-newest-filing'])

export type FoundFact = FactRow & Pick<CompanyFact, 'source' | 'raw_sha256'>
/** A statement with the instant from which its filing was public. */
export type KnownFact = FoundFact & { readonly known_from: string }

/** Every statement of these concepts (`us-gaap:Assets`) by a company; `asOf`: of filings that were public then. */
export async function findFacts(lake: Lake, cik: string, concepts: readonly string[], asOf: string | null): Promise<FoundFact[]> {
  if (asOf === null) return await lake.query<FoundFact>(statements['find-facts'], { concepts }, { company_facts: [cik] })
  return await findKnownFacts(lake, cik, concepts, { since: null, at: asOf })
}

/** As `findFacts`, each with its instant; of filings public at `at` and periods that end on or after `since`, if they are given. */
export const findKnownFacts = (
  lake: Lake,
  cik: string,
  concepts: readonly string[],
  bounds: { readonly since: string | null; readonly at: string | null },
): Promise<KnownFact[]> =>
  // The lake's as_of would hide a filing between its acceptance and the closing time, so the query filters by acceptance itself.
  lake.query<KnownFact>(statements['find-facts-at'], { concepts, ...bounds }, { company_facts: [cik], filings: [cik] })

type Origin = { readonly source: string; readonly raw_sha256: string }

/** The company's current name in its facts file. */
export async function findCompany(lake: Lake, cik: string): Promise<(Origin & { readonly company: string | null }) | null> {
  const [found] = await lake.query<Origin & { company: string | null }>(
    'select company, source, raw_sha256 from company_concepts order by release_from desc, taxonomy, concept limit 1',
    {},
    { company_concepts: [cik] },
  )
  return found ?? null
}

export type KnownFiling = Pick<Filing, 'accession' | 'cik' | 'form' | 'filed_date' | 'company'>
/** The newest filing of a company in the lake, or the newest with XBRL; null if none was loaded. */
export async function findNewestFiling(lake: Lake, cik: string, xbrl: boolean, asOf: string | null): Promise<KnownFiling | null> {
  const [found] = await lake.query<KnownFiling>(statements['find-newest-filing'], { xbrl, as_of: asOf }, { filings: [cik] })
  return found ?? null
}
