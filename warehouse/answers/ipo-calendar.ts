// The IPO calendar: deals of which anything falls between two days, from filings, calendars and directories.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { findDeals, findIpoCalendars, originsOfDeal } from '../calendars/deal-sources.ts'
import { type Deal, type DealFiling, type Stage, stageOf, symbolOfDeal } from '../calendars/deals.ts'
import type { LoadedCalendar } from '../calendars/earnings.ts'
import { cameOn, type DirectoryDays, findDirectoryDays, keyOfListing, mayFollow, newListings } from '../calendars/new-listings.ts'
import { shifted, windowOf } from '../calendars/window.ts'
import { changeOf } from '../offerings/registrations.ts'
import { calendarYears, isSession, nextSession } from '../rulesets/exchange-calendars/calendar.ts'
import type { Interval } from '../symbols/symbol-index.ts'
import { type Built, digits, type Ground, originsOf, upstreamSources } from './answer.ts'
import { filingSources } from './filings.ts'
import { filingUrl } from './fundamentals.ts'
import type { QuestionOf } from './types.ts'

const datasets = ['offerings', 'ipo_events', 'filings', 'symbols', 'directory_sightings', 'issuer_tickers', 'insider_filings'] as const
/** A registration may wait so long for its pricing, and a lock-up end so long after it. */
const daysBack = 900

type Row = Stage & {
  readonly deal: Deal
  readonly line: Interval | null
  readonly listed_date: string | null
  readonly lock_up_days: number | null
  readonly lock_up_expiry: string | null
}

/** The line of a deal: the one under its proposed symbol, or of its issuer, that was first seen after its first filing. */
function lineOf({ symbols }: Ground, deal: Deal): Interval | null {
  const since =
    deal.registration?.filings.at(-1)?.filed_date ?? deal.events.map(event => event.filed_date ?? shifted(event.event_date, -90)).sort()[0] ?? ''
  const proposed = symbolOfDeal(deal)
  const symbol = proposed === null ? null : parseSymbol(proposed)?.symbol
  const key = issuerKey(deal.company)
  const named = symbol
    ? symbols.wearers(symbol).filter(row => row.cik === deal.cik || keyOfListing(row) === key || keyOfListing(row).startsWith(`${key} `))
    : []
  const own = deal.cik === null ? [] : symbols.byCik(deal.cik)
  return [...named, ...own].filter(row => row.valid_from >= since).sort((a, b) => (a.valid_from < b.valid_from ? -1 : 1))[0] ?? null
}

/** The first session on or after a day; null outside the years that the calendar knows. */
function sessionFrom(date: string): string | null {
  const years = calendarYears('US')
  if (date < years.from || date >= years.to) return null
  return isSession('US', date) ? date : nextSession('US', date)
}

function rowOf(ground: Ground, days: DirectoryDays, deal: Deal): Row {
  const line = lineOf(ground, deal)
  // On the first day of a directory everything is there: that is no first listing.
  const listed_date = line !== null && cameOn(days, line) ? line.valid_from : null
  const stage = stageOf(deal, line === null ? null : { since: listed_date })
  const lock_up_days = deal.registration?.filings.find(filing => filing.lock_up_days !== null)?.lock_up_days ?? null
  const lock_up_expiry = stage.priced_date === null || lock_up_days === null ? null : shifted(stage.priced_date, lock_up_days)
  return { ...stage, deal, line, listed_date, lock_up_days, lock_up_expiry }
}

const listingRow = (ground: Ground, line: Interval): Row => ({
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
    cik: line.cik ?? ground.issuers.cikOf(line.symbol),
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

/** True where anything of the deal falls on the days asked for. */
function touches({ deal, date, expected_date, priced_date, listed_date, withdrawn_date, lock_up_expiry }: Row, from: string, to: string): boolean {
  const filed = deal.registration?.filings.map(filing => filing.filed_date) ?? []
  const told = deal.events.flatMap(event => [event.event_date, event.filed_date, event.amended_date])
  return [date, expected_date, priced_date, listed_date, withdrawn_date, lock_up_expiry, ...filed, ...told].some(
    day => day !== null && day >= from && day <= to,
  )
}

const urlOf = (filing: DealFiling): string => filingUrl(filing.cik, filing.accession)

function statementsOf({ registration, withdrawal, events }: Deal): object[] {
  const filings = (registration?.filings ?? []).map((filing, at, all) => ({
    source_name: 'edgar',
    status: filing.terms === 'final' && /^424/.test(filing.form) ? 'priced' : filing.form.endsWith('/A') ? 'amended' : 'filed',
    date: filing.filed_date,
    accession: filing.accession,
    form: filing.form,
    url: urlOf(filing),
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
  const told = events.map(event => ({
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
  return [...filings, ...requests, ...told].sort((a, b) =>
    a.known_from > b.known_from ? -1 : a.known_from < b.known_from ? 1 : a.source_name < b.source_name ? -1 : 1,
  )
}

function printedRow({ symbols }: Ground, row: Row): object {
  const { deal, line } = row
  const filings = deal.registration?.filings ?? []
  const priced = deal.registration?.priced ?? null
  const from = <T>(read: (filing: DealFiling) => T | null, told: (event: Deal['events'][number]) => T | null): T | null =>
    [...(priced === null ? [] : [read(priced)]), ...filings.map(read), ...deal.events.map(told)].find(value => value !== null) ?? null
  // A range, or a price, in the currency in which it stands.
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
    form: filings.find(filing => !/^424/.test(filing.form))?.form.replace(/\/A$/, '') ?? null,
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
  }
}

function coverageOf(calendars: readonly LoadedCalendar[], hasFilings: boolean): object {
  const names = calendars.map(each => each.source_name)
  const more = 'set EODHD_API_TOKEN or ALPHAVANTAGE_API_KEY, or name nasdaq in CROSSFILE_OPT_IN, for expected days'
  const told = [
    ...(hasFilings ? ['registration statements and prospectuses that were read'] : []),
    ...names.map(name => `the calendar of ${name}`),
    'first listings by the directories that are loaded',
  ]
  const sentence = `from ${told.join(', ')}${names.length === 0 ? `; no calendar is loaded: ${more}` : ''}; lock-ups are those that prospectuses state, without a default`
  return { status: hasFilings || names.length > 0 ? 'loaded' : 'not_loaded', sentence, calendars: names }
}

export async function buildIpoCalendar(ground: Ground, question: QuestionOf<'list_ipo_calendar'>): Promise<Built> {
  const { cursor, limit, as_of: asOf = null, release: _release, receipt: _receipt, ...filters } = question
  const { lake, symbols } = ground
  const { from, to } = windowOf(ground, question, datasets, 30)
  const after = cursor === undefined ? null : decodeCursor(cursor, 'list_ipo_calendar', filters).after
  const deals = await findDeals(lake, { from: shifted(from, -daysBack), to: shifted(to, 366), as_of: asOf })
  const calendars = await findIpoCalendars(lake, asOf)
  const days = await findDirectoryDays(ground, asOf)
  const rows = deals.map(deal => rowOf(ground, days, deal))
  const { listings, capitalPools, undated } = newListings(symbols, days, from, to)
  const taken = new Set(rows.map(row => row.line?.instrument_id))
  const unmatched = listings.filter(line => !taken.has(line.instrument_id)).map(line => listingRow(ground, line))
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
  return {
    body: {
      from,
      to,
      coverage: coverageOf(
        calendars,
        deals.some(deal => deal.registration !== null),
      ),
      count: page.length,
      ipos: page.map(({ row }) => printedRow(ground, row)),
      capital_pools_left_out: capitalPools,
      undated_left_out: undated,
      next_cursor: listed.length > limit && last ? encodeCursor('list_ipo_calendar', filters, lake.versionOf(datasets).release, last.key) : null,
    },
    sources: [
      ...upstreamSources([...page.flatMap(({ row }) => row.deal.events), ...lines]),
      ...filingSources(filings.map(filing => ({ ...filing, url: urlOf(filing) }))),
    ],
    origins: originsOf([
      ...inWindow.flatMap(row => originsOfDeal(row.deal)),
      ...lines,
      ...calendars,
      // That registrations are loaded at all is told by one of them.
      ...(deals.find(deal => deal.registration !== null)?.registration?.filings ?? []),
    ]),
    datasets,
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
