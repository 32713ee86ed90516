import type { Offering, OfferingFinancial } from '#schemas/offerings.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const sqlOf = sqlIn(import.meta.dirname)
const findOfferingsSql = sqlOf('find-offerings')
const findIssuersSql = sqlOf('find-issuers')
const findFinancialsSql = sqlOf('find-financials')

/** Every offering filing of an issuer, newest first. */
export async function findOfferings(lake: Lake, cik: string, asOf: string | null): Promise<Offering[]> {
  return await lake.query<Offering>(findOfferingsSql, { ciks: [cik], as_of: asOf }, { offerings: [cik] })
}

/** Issuers whose prospectuses name a symbol, written with a dash before its class; who filed last first. */
export async function findProposers(lake: Lake, symbol: string, asOf: string | null): Promise<string[]> {
  const rows = await lake.query<{ cik: string }>(findIssuersSql, { symbol, as_of: asOf }, { offerings: 'all' })
  return rows.map(row => row.cik)
}

export async function findFinancials(lake: Lake, cik: string, accession: string, asOf: string | null): Promise<OfferingFinancial[]> {
  return await lake.query<OfferingFinancial>(findFinancialsSql, { cik, accession, as_of: asOf }, { offering_financials: [cik] })
}
