// Combines offerings: registrations by file number, the calendars' entries for the same deal, and the first day in a directory.

import { type IpoEvent, IpoSection, type IpoStatus } from '#schemas/calendars.ts'
import { daysBetween } from '#schemas/days.ts'
import type { Filing } from '#schemas/filings.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import type { Offering } from '#schemas/offerings.ts'
import { isProspectus, type Registration, registrationsOf } from '../../datasets/offerings/registrations.ts'

export type DealFiling = Pick<
  Offering,
  | 'accession'
  | 'cik'
  | 'company'
  | 'form'
  | 'filed_date'
  | 'file_number'
  | 'terms'
  | 'initial'
  | 'security'
  | 'shares'
  | 'currency'
  | 'price'
  | 'price_low'
  | 'price_high'
  | 'gross'
  | 'trust'
  | 'selling_holders_only'
  | 'underwriters'
  | 'lock_up_days'
  | 'proposed_symbol'
  | 'exchange'
  | 'listing'
  | 'known_from'
  | 'known_basis'
  | 'source'
  | 'raw_sha256'
>
export type Withdrawal = Pick<
  Filing,
  'accession' | 'cik' | 'form' | 'filed_date' | 'file_number' | 'url' | 'known_from' | 'known_basis' | 'source' | 'raw_sha256'
>
export type Kind = 'offering' | 'blank_check' | 'direct_listing' | 'new_listing'
export type Deal = {
  readonly deal: string
  readonly company: string
  readonly cik: string | null
  readonly kind: Kind
  readonly registration: Registration<DealFiling> | null
  readonly withdrawal: Withdrawal | null
  /** Entries of calendars, newest first. */
  readonly events: readonly IpoEvent[]
}

/** Deals of one issuer that are further apart are two separate attempts. */
const sameDealDays = 540

/** The kind of a registration: null if it is not a first offering, such as a resale or a shelf of a listed company. */
function kindOf({ filings }: Registration<DealFiling>): Kind | null {
  if (filings.some(filing => filing.trust !== null)) return 'blank_check'
  const newest = filings[0]
  const direct = newest?.selling_holders_only === true && newest.listing === 'proposed' && filings.some(filing => /^(?:S-1|F-1)\b/.test(filing.form))
  if (direct) return 'direct_listing'
  return filings.some(filing => filing.initial === true) ? 'offering' : null
}

/** The registrations among filings that bring an issuer to the market. */
export function firstOfferings(
  filings: readonly DealFiling[],
): { readonly cik: string; readonly kind: Kind; readonly registration: Registration<DealFiling> }[] {
  return [...Map.groupBy(filings, filing => filing.cik)].flatMap(([cik, own]) =>
    registrationsOf(own).flatMap(registration => {
      const kind = kindOf(registration)
      return kind === null ? [] : [{ cik, kind, registration }]
    }),
  )
}

/** The newest request to withdraw a registration that was not itself withdrawn. */
function withdrawalOf(cik: string, { file_number, filings }: Registration<DealFiling>, requests: readonly Withdrawal[]): Withdrawal | null {
  const oldest = filings.at(-1)?.filed_date ?? ''
  const own = requests.filter(
    each => each.cik === cik && each.filed_date >= oldest && (each.file_number === null || each.file_number === file_number),
  )
  return own[0]?.form === 'RW' ? own[0] : null
}

type Open = { deal: Deal; readonly key: string; readonly symbol: string | null; readonly day: string }

/** Of entries published together the later stage comes first: a deal is listed both as filed in its month and as withdrawn. */
const newestFirst = (a: IpoEvent, b: IpoEvent): number =>
  (a.known_from > b.known_from ? -1 : a.known_from < b.known_from ? 1 : 0) ||
  IpoSection.options.indexOf(b.section) - IpoSection.options.indexOf(a.section) ||
  (a.source_name < b.source_name ? -1 : 1)

/** Every deal that filings and calendars mention, each once. */
export function dealsOf(filings: readonly DealFiling[], requests: readonly Withdrawal[], events: readonly IpoEvent[]): Deal[] {
  const open: Open[] = firstOfferings(filings).map(({ cik, kind, registration }) => {
    const [newest] = registration.filings as [DealFiling]
    const company = registration.filings.find(filing => filing.company !== null)?.company ?? cik
    const deal: Deal = {
      deal: registration.file_number ?? newest.accession,
      company,
      cik,
      kind,
      registration,
      withdrawal: withdrawalOf(cik, registration, requests),
      events: [],
    }
    return { deal, key: issuerKey(company), symbol: symbolOfDeal(deal), day: newest.filed_date }
  })
  for (const event of events.toSorted(newestFirst)) {
    const key = issuerKey(event.company)
    const symbol = plainSymbol(event.symbol)
    const [same] = open
      .filter(each => each.key === key || (symbol !== null && each.symbol === symbol && each.key.split(' ')[0] === key.split(' ')[0]))
      .filter(each => Math.abs(daysBetween(each.day, event.event_date)) <= sameDealDays)
      .sort((a, b) => Math.abs(daysBetween(a.day, event.event_date)) - Math.abs(daysBetween(b.day, event.event_date)))
    if (same) same.deal = { ...same.deal, events: [...same.deal.events, event] }
    else {
      const deal: Deal = {
        deal: '',
        company: event.company,
        cik: null,
        kind: 'offering',
        registration: null,
        withdrawal: null,
        events: [event],
      }
      open.push({ deal, key, symbol, day: event.event_date })
    }
  }
  return open.map(({ deal }) => (deal.registration === null ? { ...deal, deal: nameOfEvents(deal.events) } : deal))
}

/** The name of a deal that only calendars mention: the first in alphabetical order, so that it does not depend on the order of the calendars. */
const nameOfEvents = (events: readonly IpoEvent[]): string => events.map(event => `${event.source_name} ${event.deal}`).sort()[0] ?? ''

/** A proposed symbol as printed, its class after a dash. */
const plainSymbol = (text: string | null): string | null => text?.toUpperCase().replace(/[./ ]/g, '-') ?? null
export const symbolOfDeal = ({ registration, events }: Pick<Deal, 'registration' | 'events'>): string | null =>
  plainSymbol(
    registration?.filings.find(filing => filing.proposed_symbol !== null)?.proposed_symbol ??
      events.find(event => event.symbol !== null)?.symbol ??
      null,
  )

export type Stage = {
  readonly status: IpoStatus
  readonly date: string
  readonly filed_date: string | null
  readonly amended_date: string | null
  readonly expected_date: string | null
  readonly priced_date: string | null
  readonly priced_basis: 'calendar' | 'prospectus_filed' | null
  readonly withdrawn_date: string | null
}

/** The final prospectus is filed on the second business day after the pricing at the latest (Securities Act rule 424(b)). */
const filedAfterPricing = 7

const first = <T>(list: readonly (T | null | undefined)[]): T | null => list.find(each => each !== null && each !== undefined) ?? null

/**
 * The status of a deal, by its filings and the newest entry of the calendars. `listed`: its line is in a directory; `since` is the day,
 * null if directories do not show the first.
 */
export function stageOf({ registration, withdrawal, events }: Deal, listed: { readonly since: string | null } | null): Stage {
  const filings = registration?.filings ?? []
  const statements = filings.filter(filing => !isProspectus(filing.form))
  const prospectus = registration?.priced?.price == null ? null : registration.priced
  const announced = first(events.map(event => event.priced_date))
  const near = announced !== null && prospectus !== null && Math.abs(daysBetween(announced, prospectus.filed_date)) <= filedAfterPricing
  const priced_date = prospectus === null ? announced : near ? announced : prospectus.filed_date
  const newest = events[0]
  const overtaken = filings.some(filing => newest !== undefined && filing.known_from > newest.known_from)
  const gone = newest !== undefined && !overtaken && priced_date === null && ['withdrawn', 'postponed'].includes(newest.status) ? newest : null
  const amended_date = first([statements.find(filing => filing.form.endsWith('/A'))?.filed_date, ...events.map(event => event.amended_date)])
  const filed_date = first([statements.at(-1)?.filed_date, ...events.map(event => event.filed_date)])
  const expected_date = priced_date === null ? first(events.map(event => event.expected_date)) : null
  const withdrawn_date = first([withdrawal?.filed_date, gone?.status === 'withdrawn' ? gone.event_date : null])
  const status: IpoStatus =
    withdrawn_date !== null
      ? 'withdrawn'
      : listed !== null
        ? 'listed'
        : priced_date !== null
          ? 'priced'
          : gone !== null
            ? 'postponed'
            : amended_date !== null
              ? 'amended'
              : 'filed'
  const own = {
    withdrawn: withdrawn_date,
    listed: listed?.since ?? priced_date,
    priced: priced_date,
    postponed: gone?.event_date ?? null,
    amended: null,
    filed: null,
  }[status]
  const date = first([own, expected_date, amended_date, filed_date, filings[0]?.filed_date, newest?.event_date]) ?? ''
  const priced_basis = priced_date === null ? null : prospectus !== null && !near ? 'prospectus_filed' : 'calendar'
  return { status, date, filed_date, amended_date, expected_date, priced_date, priced_basis, withdrawn_date }
}
