// A deal of the IPO calendar as printed: its current values, and every statement behind them.

import { digits, type ReleaseContext } from '../context/answer.ts'
import type { Corrections } from '../datasets/corrections/corrections.ts'
import { changeOf, isProspectus } from '../datasets/offerings/registrations.ts'
import type { Interval } from '../datasets/symbols/symbol-index.ts'
import { type Deal, type DealFiling, type Stage, symbolOfDeal } from '../rules/calendars/deals.ts'
import { mayFollow } from '../rules/calendars/new-listings.ts'
import { calendarYears, isSession, nextSession } from '../rulesets/exchange-calendars/calendar.ts'
import { filingUrl } from './fundamentals.ts'

export type DealRow = Stage & {
  readonly deal: Deal
  readonly line: Interval | null
  readonly listed_date: string | null
  readonly lock_up_days: number | null
  readonly lock_up_expiry: string | null
}

/** The first session on or after a day; null outside the years that the calendar knows. */
function sessionFrom(date: string): string | null {
  const years = calendarYears('US')
  if (date < years.from || date >= years.to) return null
  return isSession('US', date) ? date : nextSession('US', date)
}

export const urlOfFiling = (filing: DealFiling): string => filingUrl(filing.cik, filing.accession)

function statementsOf({ registration, withdrawal, events }: Deal): object[] {
  const filings = (registration?.filings ?? []).map((filing, at, all) => ({
    source_name: 'edgar',
    status: filing.terms === 'final' && isProspectus(filing.form) ? 'priced' : filing.form.endsWith('/A') ? 'amended' : 'filed',
    date: filing.filed_date,
    accession: filing.accession,
    form: filing.form,
    url: urlOfFiling(filing),
    change: changeOf(filing, all[at + 1]),
    price_low: digits(filing.price_low),
    price_high: digits(filing.price_high),
    price: digits(filing.price),
    shares: digits(filing.shares),
    expected_date: null,
    known_from: filing.known_from,
    known_basis: filing.known_basis,
  }))
  const none = { change: null, price_low: null, price_high: null, price: null, shares: null, expected_date: null }
  const requests =
    withdrawal === null
      ? []
      : [withdrawal].map(({ accession, form, url, filed_date, known_from, known_basis }) => ({
          source_name: 'edgar',
          status: 'withdrawn',
          date: filed_date,
          accession,
          form,
          url,
          ...none,
          known_from,
          known_basis,
        }))
  const reported = events.map(event => ({
    source_name: event.source_name,
    status: event.status,
    date: event.event_date,
    accession: null,
    form: null,
    url: null,
    change: null,
    price_low: digits(event.price_low),
    price_high: digits(event.price_high),
    price: digits(event.price),
    shares: digits(event.shares),
    expected_date: event.expected_date,
    known_from: event.known_from,
    known_basis: event.known_basis,
  }))
  return [...filings, ...requests, ...reported].sort((a, b) =>
    a.known_from > b.known_from ? -1 : a.known_from < b.known_from ? 1 : a.source_name < b.source_name ? -1 : 1,
  )
}

/** One deal: amounts of its final prospectus first, then of its newest filing, then of the newest calendar. */
export function printedDeal({ symbols }: ReleaseContext, row: DealRow, corrections: Corrections): object {
  const { deal, line } = row
  const filings = deal.registration?.filings ?? []
  const priced = deal.registration?.priced ?? null
  const from = <T>(read: (filing: DealFiling) => T | null, reported: (event: Deal['events'][number]) => T | null): T | null =>
    [...(priced === null ? [] : [read(priced)]), ...filings.map(read), ...deal.events.map(reported)].find(value => value !== null) ?? null
  // A range, or a price, in its currency.
  const range = filings.find(filing => filing.price_low !== null) ?? deal.events.find(event => event.price_low !== null)
  const isPriced = row.priced_date !== null
  const named = [priced, ...filings].find(filing => (filing?.underwriters.length ?? 0) > 0)?.underwriters ?? []
  return {
    deal: deal.deal,
    company: deal.company,
    cik: deal.cik,
    symbol: line?.symbol ?? null,
    proposed_symbol: symbolOfDeal(deal),
    exchange:
      from(
        filing => filing.exchange,
        event => event.venue,
      ) ??
      line?.mic ??
      null,
    kind: deal.kind,
    status: row.status,
    date: row.date,
    form: filings.find(filing => !isProspectus(filing.form))?.form.replace(/\/A$/, '') ?? null,
    file_number: deal.registration?.file_number ?? null,
    filed_date: row.filed_date,
    amended_date: row.amended_date,
    expected_date: row.expected_date,
    priced_date: row.priced_date,
    priced_basis: row.priced_basis,
    listed_date: row.listed_date,
    withdrawn_date: row.withdrawn_date,
    price_low: digits(range?.price_low),
    price_high: digits(range?.price_high),
    price: isPriced ? digits(priced?.price ?? deal.events.find(event => event.price !== null)?.price) : null,
    currency: from(
      filing => filing.currency,
      event => event.currency,
    ),
    shares: digits(
      from(
        filing => filing.shares,
        event => event.shares,
      ),
    ),
    amount: digits(
      from(
        filing => filing.gross,
        event => event.amount,
      ),
    ),
    underwriters: named.toSorted((a, b) => Number(b.lead) - Number(a.lead)).map(each => each.name),
    may_follow: deal.kind === 'new_listing' && line !== null ? mayFollow(symbols, line) : [],
    lock_up_days: row.lock_up_days,
    lock_up_expiry: row.lock_up_expiry,
    lock_up_session: row.lock_up_expiry === null ? null : sessionFrom(row.lock_up_expiry),
    statements: statementsOf(deal),
    ...corrections.ofLines(filings.map(({ accession, cik }) => ({ dataset: 'offerings', filing: accession, line: cik }))),
  }
}
