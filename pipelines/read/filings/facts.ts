// Rows of the dataset `filings` from the different places that name a filing, with the instant from which it was public.
import { FilingRole } from '#schemas/filings.ts'
import type { Fact, Parsed, Refused } from '../parsed.ts'
import { archiveUrl } from './address.ts'
import { closingInstant } from './eastern.ts'

export type FilingFact = Fact<'filings'>
/** A filing as an index or a submissions file points to it. */
export type FilingReference = { readonly url: string; readonly form: string; readonly cik: string; readonly accession: string }

/** Everything that an index omits is null. */
export const blankFiling = {
  role: null,
  company: null,
  accepted_at: null,
  period_of_report: null,
  items: [] as string[],
  act: null,
  file_number: null,
  film_number: null,
  primary_document: null,
  primary_description: null,
  size_bytes: null,
  xbrl: null,
} as const

export function roleOf(headerRole: string): FilingFact['role'] {
  const role = FilingRole.safeParse(headerRole)
  return role.success ? role.data : null
}

/**
 * Forms that become public later than they are accepted or dated: correspondence with the staff, confidential drafts, staff
 * letters. Only their retrieval shows that they are public.
 */
export const isReleasedLater = (form: string): boolean => /^(CORRESP|UPLOAD|LETTER|NO ACT|SEC STAFF|CT ORDER|DRS|DRSLTR)/.test(form)

/** The instant at which the filing became public: its acceptance, otherwise EDGAR's closing hour of the filed date; null if neither is known. */
export function knownFrom(form: string, acceptedAt: string | null, filedDate: string): Pick<FilingFact, 'known_from' | 'known_basis'> {
  if (isReleasedLater(form)) return {}
  return acceptedAt === null ? { known_from: closingInstant(filedDate), known_basis: 'filed' } : { known_from: acceptedAt, known_basis: 'accepted' }
}

/**
 * One row per filing and entity. An index repeats a pair if one submission holds two forms (1-A and 1-A POS), a header if
 * one entity files under two file numbers: the first is kept, a different second one is listed as refused, an equal one is counted.
 */
export function oncePerEntity(rows: readonly FilingFact[]): { rows: FilingFact[]; refused: Refused[]; repeated: number } {
  const first = new Map<string, FilingFact>()
  const refused: Refused[] = []
  let repeated = 0
  for (const row of rows) {
    const key = `${row.accession} ${row.cik}`
    const known = first.get(key)
    if (known === undefined) first.set(key, row)
    else if (JSON.stringify(known) === JSON.stringify(row)) repeated += 1
    else {
      refused.push(listedTwice(row, known.form))
    }
  }
  return { rows: [...first.values()], refused, repeated }
}

/** A line that repeats a pair with different content. */
export const listedTwice = (row: FilingFact, first: string): Refused => ({
  dataset: 'filings',
  reason: 'filing_listed_twice',
  detail: `filing ${row.accession}: listed again for CIK ${row.cik}, as ${row.form} in addition to ${first}; the first is kept`,
  subject: row.accession,
  record: { ...row },
})

export function parsedFilings(all: readonly FilingFact[], refused: readonly Refused[], follow: readonly string[]): Parsed {
  const once = oncePerEntity(all)
  return {
    facts: { filings: once.rows },
    refused: [...refused, ...once.refused],
    skipped: once.repeated === 0 ? {} : { filing_repeated: once.repeated },
    follow,
  }
}

/** Each accession once, under the first CIK that names it. */
export function references(rows: readonly Pick<FilingFact, 'accession' | 'cik' | 'form'>[]): FilingReference[] {
  const once = new Map<string, FilingReference>()
  for (const { accession, cik, form } of rows) {
    const known = once.get(accession)
    if (known === undefined) once.set(accession, { url: archiveUrl(cik, accession), form, cik, accession })
  }
  return [...once.values()]
}
