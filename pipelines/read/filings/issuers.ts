// Rows of the dataset `issuers`: what EDGAR holds of an entity, from its submissions file or the header of a report.
import type { Fact } from '../parsed.ts'
import type { Entity } from './sgml.ts'

export type IssuerFact = Fact<'issuers'>

const textOr = (text: string | null | undefined): string | null => text?.trim() || null

/** The row of an entity; null if EDGAR gives it no industry code (`0000` is not a code). */
export function issuerFact(
  cik: string | null,
  name: string | null,
  sic: string | null | undefined,
  title: string | null | undefined,
  state: string | null | undefined,
  yearEnd: string | null | undefined,
): IssuerFact | null {
  const code = /^\d{1,4}$/.test(sic ?? '') ? (sic as string).padStart(4, '0') : '0000'
  if (cik === null || code === '0000') return null
  return {
    cik,
    name: textOr(name),
    sic: code,
    sic_title: textOr(title),
    state_of_incorporation: textOr(state),
    fiscal_year_end: /^\d{4}$/.test(yearEnd ?? '') ? (yearEnd as string) : null,
  }
}

/**
 * Reports and registrations, whose header contains the filer's data of the day. Excludes ownership forms: EDGAR receives thousands a day,
 * and they repeat the data in the reports of the same issuers.
 */
export const describesIssuer = (form: string): boolean => /^(?:10-[KQ]|10-?KSB|10-?QSB|20-F|40-F|8-K|6-K|S-\d|F-\d|424B|N-CSR)/.test(form)

/** The rows of a header's filers. Names and titles are in capitals there: those are left to the submissions file. */
export function issuersIn(form: string, entities: readonly Entity[]): IssuerFact[] {
  if (!describesIssuer(form)) return []
  const rows = entities
    .filter(entity => entity.role === 'filer' || entity.role === 'subject_company')
    .map(entity => issuerFact(entity.cik, null, entity.sic, null, entity.state_of_incorporation, entity.fiscal_year_end))
  return rows.filter(row => row !== null)
}
