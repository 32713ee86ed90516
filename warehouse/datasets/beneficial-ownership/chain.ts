// Amendments in chains, and the figure of a filing. Pure: records in, records out.
import type { OwnershipPerson } from '#schemas/beneficial-ownership.ts'
import { difference } from '#schemas/decimals.ts'
import type { FoundSchedule } from './beneficial-ownership.ts'

export type Link = {
  readonly accession: string | null
  /** How it was found: named by the filing itself, or the filer's last one on the same issuer and class. */
  readonly basis: 'previous_accession' | 'same_filer'
  /** Null: the filing names one that is not in this release. */
  readonly filing: FoundSchedule | null
}

/** The figure of a filing: the largest single person's amount, with that person's percentage. */
export type Stake = {
  readonly line: number
  readonly name: string | null
  readonly aggregate: string | null
  readonly percent: string | null
  readonly percent_printed: string | null
}

export const stakeRule =
  'the largest amount on one reporting person’s cover page: the pages of a filing report the same shares several times, so that they are never added up'

const isMore = (left: string, right: string): boolean => /^\d*\.?\d*[1-9]/.test(difference(left, right))

/** The stake of a filing: of equal amounts the first person's, who leads the filing; null if no page has a figure. */
export function stakeOf(persons: readonly OwnershipPerson[]): Stake | null {
  let best: OwnershipPerson | null = null
  for (const person of persons) {
    if (person.aggregate === null && person.percent === null) continue
    if (best === null || isLarger(person, best)) best = person
  }
  if (best === null) return null
  return { line: best.line, name: best.name, aggregate: best.aggregate, percent: best.percent, percent_printed: best.percent_printed }
}

/** By amount; by percentage only if neither page has an amount. */
function isLarger(person: OwnershipPerson, best: OwnershipPerson): boolean {
  if (person.aggregate !== null && best.aggregate !== null) return isMore(person.aggregate, best.aggregate)
  if (person.aggregate !== null || best.aggregate !== null) return person.aggregate !== null
  return person.percent !== null && (best.percent === null || isMore(person.percent, best.percent))
}

const plainName = (name: string | null | undefined): string => (name ?? '').toLowerCase().replace(/[^a-z0-9]/g, '')

/** The lead of a filing: its filer, or the first person's name if a document came without its submission. */
export function leadOf(filing: FoundSchedule, persons: readonly OwnershipPerson[]): string | null {
  if (filing.filer_cik !== null) return filing.filer_cik
  const name = plainName(persons[0]?.name)
  return name === '' ? null : `name:${name}`
}

/** Titles of classes differ from filing to filing; a CUSIP distinguishes two classes of an issuer if both filings print one. */
const sameClass = (a: FoundSchedule, b: FoundSchedule): boolean =>
  a.cusips.length === 0 || b.cusips.length === 0 || a.cusips.some(cusip => b.cusips.includes(cusip))

const isBefore = (a: FoundSchedule, b: FoundSchedule): boolean =>
  a.known_from < b.known_from || (a.known_from === b.known_from && a.filing_id < b.filing_id)

export type Chains = {
  /** The previous filing of a filing's chain; null for the first one. */
  previousOf(filing: FoundSchedule): Link | null
  /** The filings of a chain up to one, newest first, at most `limit`. */
  historyOf(filing: FoundSchedule, limit: number): FoundSchedule[]
}

/** Chains of the filings of some issuers; `schedules` are all known ones, in any order. */
export function chainsOf(schedules: readonly FoundSchedule[], personsOf: (filingId: string) => readonly OwnershipPerson[]): Chains {
  const byAccession = new Map(schedules.flatMap(filing => (filing.accession === null ? [] : [[filing.accession, filing] as const])))
  const byLead = new Map<string, FoundSchedule[]>()
  const groupOf = (filing: FoundSchedule): string | null => {
    const lead = leadOf(filing, personsOf(filing.filing_id))
    return lead === null ? null : `${filing.issuer_key} ${lead}`
  }
  for (const filing of [...schedules].sort((a, b) => (isBefore(a, b) ? -1 : 1))) {
    const group = groupOf(filing)
    if (group === null) continue
    const held = byLead.get(group)
    if (held) held.push(filing)
    else byLead.set(group, [filing])
  }
  const previousOf = (filing: FoundSchedule): Link | null => {
    const named = filing.previous_accession
    if (named !== null && named !== filing.accession) {
      const held = byAccession.get(named) ?? null
      return { accession: named, basis: 'previous_accession', filing: held !== null && isBefore(held, filing) ? held : null }
    }
    const group = groupOf(filing)
    const last = group === null ? undefined : byLead.get(group)?.findLast(each => isBefore(each, filing) && sameClass(each, filing))
    return last ? { accession: last.accession, basis: 'same_filer', filing: last } : null
  }
  return {
    previousOf,
    historyOf(filing, limit) {
      const history = [filing]
      for (let link = previousOf(filing); link?.filing && history.length < limit; link = previousOf(link.filing)) history.push(link.filing)
      return history
    },
  }
}
