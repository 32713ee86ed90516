// Which documents a job requests: pure lists of addresses from a window, and what a document that was read leads to.

import { dayOfMonth, daySeconds, dayStart, daysFrom, midnight } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { ratesUrl } from '../../fetch/sources/bank-of-canada.ts'
import {
  bulkCompanyFactsUrl,
  bulkSubmissionsUrl,
  companyFactsUrl,
  dailyIndexUrl,
  newestFilingsUrl,
  newestPerPage,
  quarterIndexUrl,
  submissionsPageUrl,
  submissionsUrl,
  tickersUrl,
} from '../../fetch/sources/edgar/index.ts'
import { barsUrl, bulkActionsUrl, bulkBarsUrl, dividendsUrl, type EodhdExchange, splitsUrl } from '../../fetch/sources/eodhd.ts'
import { nasdaqListedUrl, otherListedUrl } from '../../fetch/sources/nasdaqtrader.ts'
import { tiingoPricesUrl } from '../../fetch/sources/tiingo.ts'
import { interlistedUrl, tsxDirectoryUrl } from '../../fetch/sources/tmx.ts'
import { yahooChartUrl } from '../../fetch/sources/yahoo.ts'
import { isScheduleForm } from '../../read/beneficial-ownership/schedule.ts'
import { type ArchiveKind, companyFactsArchive, submissionsArchive } from '../../read/bulk/kinds.ts'
import { isOwnershipForm } from '../../read/filings/address.ts'
import { filingsByName, startOfPage } from '../../read/filings/newest.ts'
import { mayReportResults, statesFacts } from '../../read/fundamentals/forms.ts'
import { isHoldingsForm } from '../../read/holdings/content.ts'
import { isOfferingForm } from '../../read/offerings/forms.ts'
import type { Parsed } from '../../read/parsed.ts'
import { isReportForm } from '../../read/reports/content.ts'
import { calendarPlans } from './calendars.ts'
import { symbolAndActionPlans } from './corporate-actions.ts'
import { dollarPlans } from './dollar.ts'
import { macroPlans } from './macro.ts'
import { type ArchiveWanted, current, dated, final, type Plan, type Wanted, type Window, weekdays } from './plan.ts'
import { quotePlans } from './quotes.ts'

export { dated, final, type Lookup, type Plan, type Wanted, type Window, weekdays } from './plan.ts'

/** The filings of an index with a wanted form, each once although an index lists every party. */
function filingsOf(read: Parsed, wants: (form: string) => boolean): Wanted[] {
  const wanted = new Map<string, Wanted>()
  for (const filing of read.facts.filings ?? []) {
    if (wants(filing.form) && !wanted.has(filing.accession)) wanted.set(filing.accession, final(filing.url))
  }
  return [...wanted.values()]
}

/** The filings of some forms that the daily indexes of a window list, each as its full submission. */
const edgarForms = (wants: (form: string) => boolean): Plan => ({
  first: ({ from, to, today }) => weekdays(from, to).map(date => dated(dailyIndexUrl(date), date, today)),
  next: (url, read) => (url.includes('/daily-index/') ? filingsOf(read, wants) : []),
  wants,
})

/** A company without XBRL has no facts file: that is a valid response. */
const factsOf = (cik: string): Wanted => ({ url: companyFactsUrl(cik), final: false, mayBeMissing: true })

/** The facts of every company that filed statements on the days of a window, once each. */
const changedFacts: Plan = {
  first: ({ from, to, today }) => weekdays(from, to).map(date => dated(dailyIndexUrl(date), date, today)),
  next: (url, read) =>
    url.includes('/daily-index/')
      ? [...new Set((read.facts.filings ?? []).filter(filing => statesFacts(filing.form)).map(filing => filing.cik))].map(factsOf)
      : [],
}

/** One issuer's facts, its list of filings (which has their acceptance times), and those of the window that may announce results. */
const issuerFacts: Plan = {
  first: async ({ symbols }, { cikOf }) => {
    const ciks = await Promise.all((symbols ?? []).map(async symbol => (/^\d{1,10}$/.test(symbol) ? symbol : await cikOf(symbol))))
    return ciks.filter(cik => cik !== null).flatMap(cik => [factsOf(cik), current(submissionsUrl(cik))])
  },
  next: (url, read, { from, to }) =>
    url.includes('/submissions/')
      ? (read.facts.filings ?? [])
          .filter(filing => filing.filed_date >= from && filing.filed_date <= to && mayReportResults(filing))
          .map(filing => final(filing.url))
      : [],
}

const isRead = (form: string): boolean =>
  isOwnershipForm(form) || isHoldingsForm(form) || isScheduleForm(form) || isReportForm(form) || isOfferingForm(form)
/** Most pages of the newest filings per run: EDGAR's list ends before 5,100 entries. */
const mostPages = 50
/** Overlap in minutes with the previous run: a filing is listed some minutes after its acceptance. */
const overlapMinutes = 30

/**
 * What EDGAR accepted since the last run, from its list of the newest filings; on the first run, since the window's first day.
 * A filing of a supported form is requested under the address in its day's index, so that the evening's jobs find it stored. One
 * that is not in the archive yet is requested again by the next run.
 */
const newestFilings: Plan = {
  wantsSince: true,
  first: () => [current(newestFilingsUrl(0))],
  next: (url, read, { from, since }) => {
    const start = startOfPage(url)
    if (start === null) return []
    const filings = filingsByName(read)
    const oldest = filings.map(filing => filing.accepted_at ?? '').sort()[0] ?? ''
    const back = since ? new Date(Date.parse(since) - overlapMinutes * 60_000).toISOString() : midnight(from)
    const more = oldest >= back && start + newestPerPage < mostPages * newestPerPage ? read.follow : []
    return [
      ...more.map((page): Wanted => ({ ...current(page), mayBeBeyond: true })),
      ...filings.filter(filing => isRead(filing.form)).map((filing): Wanted => ({ ...final(filing.url), mayBeMissing: true })),
    ]
  },
  wants: isRead,
}

const whole = (kind: ArchiveKind): ArchiveWanted['archive'] => ({ kind, label: null, takes: () => true })

const eodhdDay = (exchange: EodhdExchange): Plan => ({
  first: ({ from, to, today }) =>
    daysFrom(from, to).flatMap(date => [
      dated(bulkBarsUrl(exchange, date), date, today),
      dated(bulkActionsUrl(exchange, date, 'splits'), date, today),
      dated(bulkActionsUrl(exchange, date, 'dividends'), date, today),
    ]),
})

const bare = (symbol: string): string => symbol.replace(/\.(TO|V)$/, '')
const eachSymbol = (window: Window, urls: (symbol: string) => readonly string[]): Wanted[] =>
  (window.symbols ?? []).flatMap(symbol => urls(symbol).map(url => dated(url, window.to, window.today)))

export const plans: ReadonlyMap<string, Plan> = new Map<string, Plan>([
  ['nasdaqtrader-directories', { first: () => [current(nasdaqListedUrl), current(otherListedUrl)] }],
  ['tsx-directories', { first: () => [current(tsxDirectoryUrl('tsx')), current(tsxDirectoryUrl('tsxv')), current(interlistedUrl)] }],
  ...symbolAndActionPlans,
  ['edgar-tickers', { first: () => [current(tickersUrl)] }],
  ['edgar-daily-index', { first: ({ from, to, today }) => weekdays(from, to).map(date => dated(dailyIndexUrl(date), date, today)) }],
  ['edgar-newest-filings', newestFilings],
  ['edgar-full-index', { first: ({ from }) => [current(quarterIndexUrl(from))] }],
  ['edgar-submissions-archive', { first: () => [{ ...current(bulkSubmissionsUrl), archive: whole(submissionsArchive) }] }],
  ['edgar-companyfacts-archive', { first: () => [{ ...current(bulkCompanyFactsUrl), archive: whole(companyFactsArchive) }] }],
  ['edgar-changed-facts', changedFacts],
  ['edgar-issuer-facts', issuerFacts],
  ['edgar-insider', edgarForms(isOwnershipForm)],
  ['edgar-beneficial-ownership', edgarForms(isScheduleForm)],
  ['edgar-holdings', edgarForms(isHoldingsForm)],
  ['edgar-reports', edgarForms(isReportForm)],
  ['edgar-offerings', edgarForms(isOfferingForm)],
  [
    'edgar-issuer',
    {
      first: async ({ symbols }, { cikOf }) => {
        const ciks = await Promise.all((symbols ?? []).map(async symbol => (/^\d{1,10}$/.test(symbol) ? symbol : await cikOf(symbol))))
        return ciks.filter(cik => cik !== null).map(cik => current(submissionsUrl(cik)))
      },
      next: (url, read, { from, to }) => {
        if (!url.includes('/submissions/')) return []
        const dates = new Map((read.facts.filings ?? []).map(filing => [filing.url, filing.filed_date]))
        // Older pages are requested only if the window begins before what this one lists.
        const oldest = [...dates.values()].sort()[0] ?? from
        const older = from < oldest ? read.follow.filter(address => address.includes('/submissions/')) : []
        const pages = older.map(address => current(submissionsPageUrl(address.slice(address.lastIndexOf('/') + 1))))
        const inWindow = filingsOf(read, isOwnershipForm).filter(
          ({ url: address }) => (dates.get(address) ?? from) >= from && (dates.get(address) ?? to) <= to,
        )
        return [...pages, ...inWindow]
      },
    },
  ],
  ['eodhd-bulk-us', eodhdDay('US')],
  ['eodhd-bulk-to', eodhdDay('TO')],
  ['eodhd-bulk-v', eodhdDay('V')],
  [
    'eodhd-history',
    {
      first: window =>
        eachSymbol(window, symbol => [
          splitsUrl(bare(symbol), exchangeOf(symbol), window.from, window.to),
          dividendsUrl(bare(symbol), exchangeOf(symbol), window.from, window.to),
          barsUrl(bare(symbol), exchangeOf(symbol), window.from, window.to),
        ]),
    },
  ],
  ['tiingo-history', { first: window => eachSymbol(window, symbol => [tiingoPricesUrl(symbol, window.from, window.to)]) }],
  [
    'yahoo-history',
    {
      first: window => eachSymbol(window, symbol => [yahooChartUrl(symbol, dayStart(window.from) / 1000, dayStart(window.to) / 1000 + daySeconds)]),
    },
  ],
  ...calendarPlans,
  ...macroPlans,
  ...quotePlans,
  ...dollarPlans,
  ['boc-fx', { first: ({ from, to, today }) => [dated(ratesUrl(from, to), to, today)] }],
])

/**
 * The windows of a backfill: what one job requests at a time. `symbol` windows are one symbol each; days are calendar days
 * (a day without a session has no data). Days run newest first, so that recent data arrives first.
 */
export function windowsOf(
  cut: 'none' | 'day' | 'month' | 'quarter' | 'symbol',
  from: string,
  to: string,
  symbols: readonly string[] | null,
): Omit<Window, 'today'>[] {
  if (cut === 'symbol') return (symbols ?? []).map(symbol => ({ partition: `${symbol} ${from}..${to}`, from, to, symbols: [symbol] }))
  if (cut === 'none') return [{ partition: to, from, to, symbols }]
  if (cut === 'day') return daysFrom(from, to).map(date => ({ partition: date, from: date, to: date, symbols }))
  const months = cut === 'month' ? 1 : 3
  const windows: Omit<Window, 'today'>[] = []
  let year = Number(from.slice(0, 4))
  let month = Math.floor((Number(from.slice(5, 7)) - 1) / months) * months
  for (;;) {
    const first = dayOfMonth(year, month + 1, 1)
    if (first > to) return windows
    const last = dayOfMonth(year, month + months + 1, 0)
    windows.push({
      partition: cut === 'month' ? first.slice(0, 7) : `${first.slice(0, 4)}-Q${month / 3 + 1}`,
      from: first < from ? from : first,
      to: last > to ? to : last,
      symbols,
    })
    month += months
    year += Math.floor(month / 12)
    month %= 12
  }
}
