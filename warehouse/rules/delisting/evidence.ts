import type { BarBasis } from '#schemas/bars.ts'
import { addDays, daysBetween } from '#schemas/days.ts'
import { plainDecimal } from '#schemas/values.ts'
import { type FactorRow, findFactors, findPrices, type Prices, spansOf } from '../../datasets/bars/bars.ts'
import { over, ratioOf } from '../../datasets/prices/ratio.ts'
import type { Interval, SymbolIndex } from '../../datasets/symbols/symbol-index.ts'
import type { DelistingRules } from '../../rulesets/delisting/rules.ts'
import { calendarOf, nextSession, sessionsOf } from '../../rulesets/exchange-calendars/calendar.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { figureOf, findIssuerEvidence, type Read } from './issuer-evidence.ts'
import type { Evidence, Session } from './types.ts'

const statements = sqlIn(import.meta.dirname, ['find-sightings'])

/** Datasets that evidence is read from: their newest release is the evidence's release. */
export const evidenceDatasets = [
  'bars',
  'bar_corrections',
  'adjustment_factors',
  'symbols',
  'issuer_tickers',
  'directory_sightings',
  'company_facts',
  'filings',
  'ownership_schedules',
  'ownership_persons',
  'issuers',
] as const

export type Gathered = {
  readonly evidence: Evidence
  /** Of filings that figures and findings cite. */
  readonly filings: readonly Read[]
  /** Of the last closes and of the splits. */
  readonly prices: readonly { readonly source: string; readonly known_from: string }[]
  /** The operator's corrections of holders' reports; empty without one. */
  readonly corrected: { readonly corrected?: readonly object[] }
}
export type Query = { readonly symbol: string; readonly listing: Interval | null; readonly cik: string | null; readonly committed: string }

/** No data is stored for the ticker: `reason` states why, for each part. */
export const noEvidence = (symbol: string, day: string, reason: string): Evidence => ({
  day,
  symbol,
  listing: null,
  sessions: [],
  no_prices: reason,
  splits: [],
  shares_outstanding: null,
  equity: null,
  years: [],
  no_figures: reason,
  large_holders: [],
  filings: null,
  no_filings: reason,
  sic: null,
})

/** Reads a ticker's evidence. Cost: about ten queries, each for one symbol or one issuer. */
export async function findEvidence(lake: Lake, symbols: SymbolIndex, requested: Query, rules: DelistingRules): Promise<Gathered> {
  const { symbol, listing, cik, committed } = requested
  const sighted = listing ? await findSighted(lake, listing) : null
  const reference = sighted ?? committed
  const from = addDays(reference, -rules.evidence.history_days)
  const spans = spansOf(symbols, symbol)
  const [prices, factors] = await Promise.all([findPrices(lake, spans, { from, to: null }, null), findFactors(lake, spans, null, null)])
  const lastClose = prices.date.at(-1) ?? null
  const day = lastClose !== null && lastClose > reference ? lastClose : reference
  const noPrices = whyNoPrices(listing, symbol, prices, reference, rules)
  const held = cik === null ? null : await findIssuerEvidence(lake, cik, day, rules)
  const balance = held?.balance ?? null
  const splits = factors.filter(({ split_numerator, split_denominator }) => split_numerator !== split_denominator)
  const noCik = `no CIK is known for ${symbol}: its issuer is not known to file with the SEC`
  const countable = listing !== null && cik !== null && isCountable(symbols, listing, cik, rules)
  return {
    evidence: {
      day,
      symbol,
      listing: listing && {
        mic: listing.mic,
        exchange: listing.exchange,
        currency: listing.currency,
        type: listing.type,
        valid_to: listing.valid_to,
      },
      sessions: noPrices === null ? sessionsFrom(prices, listing) : [],
      no_prices: noPrices,
      splits: splits.map(({ ex_date, split_numerator, split_denominator }) => ({
        ex_date,
        ratio: over(ratioOf(split_numerator), ratioOf(split_denominator)),
      })),
      shares_outstanding: countable ? figureOf(balance?.values.get('shares_outstanding'), balance?.end) : null,
      equity: figureOf(balance?.values.get('equity'), balance?.end),
      years: held?.years ?? [],
      no_figures: cik === null ? noCik : balance === null ? 'no figures of the issuer that are recent enough are held' : null,
      large_holders: held?.holders ?? [],
      filings: held?.filings ?? null,
      no_filings: cik === null ? noCik : held?.filings ? null : 'no filings of the issuer are held',
      sic: held?.sic ?? null,
    },
    filings: held?.read ?? [],
    prices: noPrices === null ? pricesRead(prices, splits) : [],
    corrected: held?.corrected ?? {},
  }
}

/** The day of the newest directory of the listing's venue: it distinguishes a series that has ended from a current one. */
async function findSighted(lake: Lake, { mic, exchange }: Interval): Promise<string | null> {
  const [row] = await lake.query<{ date: string | null }>(
    statements['find-sightings'],
    { venues: [mic ?? exchange, exchange] },
    { directory_sightings: 'all' },
  )
  return row?.date ?? null
}

const unknownBasis = 'split_adjusted_unknown' satisfies BarBasis
function whyNoPrices(listing: Interval | null, symbol: string, prices: Prices, reference: string, rules: DelistingRules): string | null {
  if (listing && listing.valid_to !== null) return `${symbol} is no longer listed; its last day was ${listing.valid_to}`
  if (listing && listing.currency !== 'USD') return `closing prices of ${symbol} are in ${listing.currency}: they are no bids in US dollars`
  const [last, currency] = [prices.date.at(-1), prices.currency.at(-1)]
  if (last === undefined) return `no daily bars of ${symbol} are held`
  if (currency !== 'USD') return `closing prices of ${symbol} are in ${currency}: they are no bids in US dollars`
  if (prices.basis.every(basis => basis === unknownBasis))
    return `the closes of ${symbol} that are held were divided by their source by splits that are not all known (${unknownBasis}): they are no bids`
  const age = daysBetween(last, reference)
  return age > rules.evidence.max_close_age_days ? `the last close that is held is of ${last}, ${age} days before ${reference}` : null
}

/**
 * Sessions of the calendar from the first bar to the last, with the close of each that has one. A close that was divided by splits that are
 * not all known counts as missing: a limit in dollars applies to prices as traded.
 */
function sessionsFrom({ date, close, basis }: Prices, listing: Interval | null): Session[] {
  const [first, last] = [date[0], date.at(-1)]
  if (first === undefined || last === undefined) return []
  const venue = calendarOf(listing?.exchange ?? 'US')
  const closes = new Map(date.flatMap((day, at) => (basis[at] === unknownBasis ? [] : [[day, plainDecimal(close[at] as number)] as const])))
  const days = sessionsOf(venue, first, last)
  return days.map((day, at) => {
    const next = days[at + 1] ?? nextSession(venue, day)
    return { date: day, close: closes.get(day) ?? null, month_end: next.slice(0, 7) !== day.slice(0, 7) }
  })
}

/** Sessions whose sources an answer lists. */
const sessionsNamed = 60
const pricesRead = (prices: Prices, splits: readonly FactorRow[]) => [
  ...prices.source.slice(-sessionsNamed).map((source, at) => ({
    source,
    known_from: new Date((prices.known_us.slice(-sessionsNamed)[at] as number) / 1000).toISOString(),
  })),
  ...splits.map(({ source, known_from }) => ({ source, known_from })),
]

/** One share is one listed unit: no depositary receipt, and no second class of shares. */
function isCountable(symbols: SymbolIndex, listing: Interval, cik: string, rules: DelistingRules): boolean {
  const lines = symbols
    .byCik(cik)
    .filter(({ valid_to, type, exchange }) => valid_to === null && exchange === listing.exchange && rules.evidence.share_types.includes(type))
  return listing.type === 'common' && new Set(lines.map(({ instrument_id }) => instrument_id)).size <= 1
}
