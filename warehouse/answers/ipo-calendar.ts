// The IPO calendar: deals with an event between two days, from filings, calendars and directories.

import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { addDays } from '#schemas/days.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type Built, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { findCorrections } from '../datasets/corrections/corrections.ts'
import type { Interval } from '../datasets/symbols/symbol-index.ts'
import { findDeals, findIpoCalendars, originsOfDeal } from '../rules/calendars/deal-sources.ts'
import { type Deal, stageOf, symbolOfDeal } from '../rules/calendars/deals.ts'
import type { LoadedCalendar } from '../rules/calendars/earnings.ts'
import { cameOn, type DirectoryDays, findDirectoryDays, keyOfListing, newListings } from '../rules/calendars/new-listings.ts'
import { windowOf } from '../rules/calendars/window.ts'
import { filingSources } from './filings.ts'
import { type DealRow, printedDeal, urlOfFiling } from './ipo-deal.ts'
import type { Answers, QuestionOf } from './types.ts'

export const ipoDatasets = ['offerings', 'ipo_events', 'filings', 'symbols', 'directory_sightings', 'issuer_tickers', 'insider_filings'] as const
/** How long a registration may wait for its pricing, and a lock-up end after it. */
export const daysBack = 900

/** The line of a deal: the one under its proposed symbol, or of its issuer, that was first seen after its first filing. */
function lineOf({ symbols }: ReleaseContext, deal: Deal): Interval | null {
  const since =
    deal.registration?.filings.at(-1)?.filed_date ?? deal.events.map(event => event.filed_date ?? addDays(event.event_date, -90)).sort()[0] ?? ''
  const proposed = symbolOfDeal(deal)
  const symbol = proposed === null ? null : parseSymbol(proposed)?.symbol
  const key = issuerKey(deal.company)
  const named = symbol
    ? symbols.listingsOf(symbol).filter(row => row.cik === deal.cik || keyOfListing(row) === key || keyOfListing(row).startsWith(`${key} `))
    : []
  const own = deal.cik === null ? [] : symbols.byCik(deal.cik)
  return [...named, ...own].filter(row => row.valid_from >= since).sort((a, b) => (a.valid_from < b.valid_from ? -1 : 1))[0] ?? null
}

function rowOf(context: ReleaseContext, days: DirectoryDays, deal: Deal): DealRow {
  const line = lineOf(context, deal)
  // A directory's first day lists every line, so it shows no first listing.
  const listed_date = line !== null && cameOn(days, line) ? line.valid_from : null
  const stage = stageOf(deal, line === null ? null : { since: listed_date })
  const lock_up_days = deal.registration?.filings.find(filing => filing.lock_up_days !== null)?.lock_up_days ?? null
  const lock_up_expiry = stage.priced_date === null || lock_up_days === null ? null : addDays(stage.priced_date, lock_up_days)
  return { ...stage, deal, line, listed_date, lock_up_days, lock_up_expiry }
}

const listingRow = (context: ReleaseContext, line: Interval): DealRow => ({
  status: 'listed',
  date: line.valid_from,
  filed_date: null,
  amended_date: null,
  expected_date: null,
  priced_date: null,
  priced_basis: null,
  withdrawn_date: null,
  deal: {
    deal: line.symbol,
    company: line.issuer ?? line.name,
    cik: line.cik ?? context.issuers.cikOf(line.symbol),
    kind: 'new_listing',
    registration: null,
    withdrawal: null,
    events: [],
  },
  line,
  listed_date: line.valid_from,
  lock_up_days: null,
  lock_up_expiry: null,
})

/** True if any event of the deal is on the requested days. */
function touches(
  { deal, date, expected_date, priced_date, listed_date, withdrawn_date, lock_up_expiry }: DealRow,
  from: string,
  to: string,
): boolean {
  const filed = deal.registration?.filings.map(filing => filing.filed_date) ?? []
  const eventDates = deal.events.flatMap(event => [event.event_date, event.filed_date, event.amended_date])
  return [date, expected_date, priced_date, listed_date, withdrawn_date, lock_up_expiry, ...filed, ...eventDates].some(
    day => day !== null && day >= from && day <= to,
  )
}

function coverageOf(calendars: readonly LoadedCalendar[], hasFilings: boolean): object {
  const names = calendars.map(each => each.source_name)
  const more = 'set EODHD_API_TOKEN or ALPHAVANTAGE_API_KEY, or name nasdaq in CROSSFILE_OPT_IN, for expected days'
  const eventDates = [
    ...(hasFilings ? ['registration statements and prospectuses that were read'] : []),
    ...names.map(name => `the calendar of ${name}`),
    'first listings by the directories that are loaded',
  ]
  const sentence = `from ${eventDates.join(', ')}${names.length === 0 ? `; no calendar is loaded: ${more}` : ''}; lock-ups are those that prospectuses state, without a default`
  return { status: hasFilings || names.length > 0 ? 'loaded' : 'not_loaded', sentence, calendars: names }
}

/** Every deal with a known event on the days from `from` to `to`, with its status. */
export async function findDealRows(context: ReleaseContext, from: string, to: string): Promise<DealRow[]> {
  const [deals, days] = await Promise.all([findDeals(context.lake, { from, to, as_of: null }), findDirectoryDays(context, null)])
  return deals.map(deal => rowOf(context, days, deal))
}

async function buildIpoCalendar(context: ReleaseContext, question: QuestionOf<'list_ipo_calendar'>): Promise<Built> {
  const { cursor, limit, as_of: asOf = null, release: _release, receipt: _receipt, ...filters } = question
  const { lake, symbols } = context
  const { from, to } = windowOf(context, question, ipoDatasets, 30)
  const after = cursor === undefined ? null : decodeCursor(cursor, 'list_ipo_calendar', filters).after
  const deals = await findDeals(lake, { from: addDays(from, -daysBack), to: addDays(to, 366), as_of: asOf })
  const calendars = await findIpoCalendars(lake, asOf)
  const days = await findDirectoryDays(context, asOf)
  const rows = deals.map(deal => rowOf(context, days, deal))
  const { listings, capitalPools, undated } = newListings(symbols, days, from, to)
  const taken = new Set(rows.map(row => row.line?.instrument_id))
  const unmatched = listings.filter(line => !taken.has(line.instrument_id)).map(line => listingRow(context, line))
  const inWindow = [...rows, ...unmatched].filter(row => touches(row, from, to))
  const listed = inWindow
    .filter(row => question.status === undefined || row.status === question.status)
    .map(row => ({ row, key: [row.date, row.deal.deal, row.deal.cik] }))
    .sort((a, b) => order(a.key, b.key))
    .filter(({ key }) => after === null || order(key, after) > 0)
  const page = listed.slice(0, limit)
  const last = page.at(-1)
  const filings = page.flatMap(({ row }) => row.deal.registration?.filings ?? [])
  const lines = page.flatMap(({ row }) => (row.line === null ? [] : [row.line]))
  const corrections = await findCorrections(
    lake,
    filings.map(({ accession }) => accession),
    asOf,
  )
  return {
    body: {
      from,
      to,
      coverage: coverageOf(
        calendars,
        deals.some(deal => deal.registration !== null),
      ),
      count: page.length,
      ipos: page.map(({ row }) => printedDeal(context, row, corrections)),
      capital_pools_left_out: capitalPools,
      undated_left_out: undated,
      next_cursor: listed.length > limit && last ? encodeCursor('list_ipo_calendar', filters, lake.versionOf(ipoDatasets).release, last.key) : null,
    },
    sources: [
      ...upstreamSources([...page.flatMap(({ row }) => row.deal.events), ...lines]),
      ...filingSources(filings.map(filing => ({ ...filing, url: urlOfFiling(filing) }))),
    ],
    origins: originsOf([
      ...inWindow.flatMap(row => originsOfDeal(row.deal)),
      ...lines,
      ...calendars,
      // One registration is enough to show that registrations are loaded.
      ...(deals.find(deal => deal.registration !== null)?.registration?.filings ?? []),
    ]),
    datasets: ipoDatasets,
  }
}

type Key = readonly (string | number | null)[]
function order(a: Key, b: Key): number {
  for (const [at, value] of a.entries()) {
    const [left, right] = [String(value ?? ''), String(b[at] ?? '')]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

export const ipoCalendarAnswers = {
  list_ipo_calendar: { build: buildIpoCalendar },
} satisfies Answers
