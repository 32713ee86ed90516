// Groups filings into registrations, and chooses the one for an answer.
import type { Offering } from '#schemas/offerings.ts'

/** The fields of a filing that identify its registration and its changes. */
export type Filed = Pick<
  Offering,
  'accession' | 'form' | 'file_number' | 'terms' | 'initial' | 'known_from' | 'shares' | 'price' | 'price_low' | 'price_high'
>
export type Registration<F extends Filed = Offering> = {
  readonly file_number: string | null
  /** Newest first. */
  readonly filings: readonly F[]
  /** The latest registration statement or amendment; null if only prospectuses were read. */
  readonly latest: F | null
  /** The newest prospectus with final terms. */
  readonly priced: F | null
}

/** Filed when the terms are known: under Rule 424, or under Rule 253(g) for a qualified offering statement of Regulation A. */
export const isProspectus = (form: string): boolean => /^(?:424|253G)/.test(form)
/** Registrations of a first offering come before shelves and exchange offers. */
const isFirst = (form: string): boolean => /^(?:S-1|F-1|S-11|F-10|SB-2|1-A)\b/.test(form)

/** Registrations by file number, the preferred one first: of the forms of a first offering, then the newest. */
export function registrationsOf<F extends Filed>(offerings: readonly F[]): Registration<F>[] {
  const byNumber = new Map<string, F[]>()
  for (const offering of offerings) {
    const key = offering.file_number ?? `accession ${offering.accession}`
    byNumber.set(key, [...(byNumber.get(key) ?? []), offering])
  }
  const all = [...byNumber.values()].map((filings): Registration<F> => {
    const newest = filings.toSorted((a, b) =>
      a.known_from === b.known_from ? (a.accession < b.accession ? 1 : -1) : a.known_from < b.known_from ? 1 : -1,
    )
    return {
      file_number: newest[0]?.file_number ?? null,
      filings: newest,
      latest: newest.find(filing => !isProspectus(filing.form)) ?? null,
      priced: newest.find(filing => isProspectus(filing.form) && filing.terms === 'final') ?? null,
    }
  })
  const rank = (registration: Registration<F>): number =>
    registration.filings.some(filing => isFirst(filing.form)) ? 0 : registration.priced?.initial === true ? 1 : registration.latest !== null ? 2 : 3
  const age = (registration: Registration<F>): string => registration.filings[0]?.known_from ?? ''
  return all.sort((a, b) => rank(a) - rank(b) || (age(a) < age(b) ? 1 : -1))
}

export type Change = 'first' | 'range_amended' | 'price_changed' | 'size_changed' | 'priced' | 'none'

/** What a filing changed compared with the previous one (another range, a final price). */
export function changeOf(filing: Filed, before: Filed | undefined): Change {
  if (before === undefined) return 'first'
  if (isProspectus(filing.form) && filing.terms === 'final' && filing.price !== null && !(isProspectus(before.form) && before.terms === 'final'))
    return 'priced'
  const differs = (a: string | null, b: string | null): boolean => a !== null && (b === null || Number(a) !== Number(b))
  if (differs(filing.price_low, before.price_low) || differs(filing.price_high, before.price_high)) return 'range_amended'
  if (differs(filing.price, before.price)) return 'price_changed'
  return differs(filing.shares, before.shares) ? 'size_changed' : 'none'
}
