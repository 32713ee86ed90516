import type { Offering, OfferingFinancial } from '#schemas/offerings.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-offerings', 'find-issuers', 'find-financials'])

/** Every offering filing of an issuer, newest first. */
export async function findOfferings(lake: Lake, cik: string, asOf: string | null): Promise<Offering[]> {
  return await lake.query<Offering>(statements['find-offerings'], { ciks: [cik], as_of: asOf }, { offerings: [cik] })
}

/** Issuers whose prospectuses name a symbol, written with a dash before its class; who filed last first. */
export async function findProposers(lake: Lake, symbol: string, asOf: string | null): Promise<string[]> {
  const rows = await lake.query<{ cik: string }>(statements['find-issuers'], { symbol, as_of: asOf }, { offerings: 'all' })
  return rows.map(row => row.cik)
}

export async function findFinancials(lake: Lake, cik: string, accession: string, asOf: string | null): Promise<OfferingFinancial[]> {
  return await lake.query<OfferingFinancial>(statements['find-financials'], { cik, accession, as_of: asOf }, { offering_financials: [cik] })
}
