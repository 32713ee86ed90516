// The inputs of the Sharia answers: one symbol's company with its facts, prices, reviews and industry, at the release and as_of, and the
// documents behind what an answer used.

import type { Source } from '#schemas/answer.ts'
import { addDays } from '#schemas/days.ts'
import { effectiveInstant, originsOf, type ReleaseContext, type RowOrigin, sourceTitle, upstreamSources } from '../context/answer.ts'
import { type Issuer, issuerOf } from '../context/cross-listing.ts'
import { issuerTickers } from '../context/issuer.ts'
import { findLastBars } from '../datasets/bars/bars.ts'
import { findFilingVersions } from '../datasets/filings/filings.ts'
import { findCompany, findNewestFiling } from '../datasets/fundamentals/fundamentals.ts'
import { fxLookup } from '../datasets/prices/fx.ts'
import type { Industry } from '../rules/sharia/business.ts'
import type { Valued } from '../rules/sharia/market-value.ts'
import { type Subject, type SubjectState, subjectState } from '../rules/sharia/screen.ts'
import {
  factOrigins,
  findIndustry,
  findPriced,
  findRates,
  findReviews,
  findShariaFacts,
  industryOrigins,
  type KnownRate,
  type Priced,
} from '../rules/sharia/sharia.ts'
import { shariaInputs } from '../rulesets/sharia/rules.ts'
import type { Lake } from '../store/lake/lake.ts'
import { type Covered, filingUrl, notAnSecFiler, withoutFacts } from './fundamentals.ts'
import { resolveHeld } from './listed.ts'

export const shariaDatasets = [
  'company_facts',
  'company_concepts',
  'filings',
  'issuers',
  'business_activities',
  'symbols',
  'issuer_tickers',
  'bars',
  'bar_corrections',
  'adjustment_factors',
  'fx_rates',
] as const

export type Screened = {
  readonly symbol: string
  readonly issuer: Issuer | null
  readonly company: string | null
  readonly coverage: Covered
  readonly subject: Subject
  readonly state: SubjectState
  readonly industry: Industry | null
  /** The line whose closes represent the company, or the reason why they do not. */
  readonly line: { readonly symbol: string | null; readonly obstacle: Obstacle | null }
  /** The origins of the answer; `more` are rows that it read in addition to a screen. */
  readonly sources: (more?: readonly { readonly source: string; readonly known_from: string }[]) => readonly Source[]
  /** Everything that was read: facts and reviews whole, bars and rates of the days that may have been used. */
  readonly origins: () => Promise<readonly RowOrigin[]>
}

export const obstacles = {
  no_share_line: 'no line of common shares of the issuer is known',
  ads_ratio_unknown: 'the line is of depositary shares, and how many shares one stands for is not known',
  class_prices_differ: 'the issuer has several classes of shares at different prices, and filings tag no count by class without segments',
  class_price_unknown: 'the issuer has several classes of shares, and no price as traded of one of them is known',
} as const
type Obstacle = keyof typeof obstacles

const shareTypes = new Set(['common', 'trust_unit', 'capital_pool', 'unit'])
/**
 * Years of facts and of bars, counted back to a first of January: an average reaches back 36 months, and its first count of shares a
 * year further; a history begins three years before.
 */
const reach = { screen: { facts: 5, bars: 3 }, history: { facts: 5 + shariaInputs.history_years, bars: 3 + shariaInputs.history_years } } as const
const firstOfYear = (day: string, yearsBefore: number): string => `${Number(day.slice(0, 4)) - yearsBefore}-01-01`

/**
 * Reads a symbol's company, as far back as a screen or a history needs it. Throws `NotFound` for an unknown symbol. `from`: the first day
 * of the request, if that is earlier.
 */
export async function screenedOf(
  context: ReleaseContext,
  symbol: string,
  asOf: string | null,
  needs: keyof typeof reach,
  from?: string,
): Promise<Screened> {
  const { lake, symbols } = context
  if (context.issuers.cikOf(symbol) === null) await resolveHeld(context, symbol)
  const issuer = await issuerOf(context, symbol)
  const cik = issuer?.cik ?? null
  const committed = effectiveInstant(asOf, lake.versionOf(shariaDatasets))
  const since = firstOfYear(from && from < committed ? from : committed, reach[needs].facts)
  const tickers = [...new Set([symbol, ...(cik === null ? [] : issuerTickers(context, cik))])]
  const [facts, reviews, industry, found, line] = await Promise.all([
    cik === null ? [] : findShariaFacts(lake, cik, since, asOf),
    findReviews(lake, tickers, asOf),
    cik === null ? null : findIndustry(lake, cik),
    cik === null ? null : findCompany(lake, cik),
    shareLine(context, symbol, cik, asOf),
  ])
  // Never after the release; if a clock was behind the filings, at the newest of them.
  const at = facts.reduce((latest, { known_from }) => (Date.parse(known_from) > Date.parse(latest) ? known_from : latest), committed)
  const day = at.slice(0, 10)
  const priced = line.symbol === null ? null : await findPriced(lake, symbols, line.symbol, firstOfYear(day, reach[needs].bars), day, asOf)
  const currencies = [...new Set([...(priced?.prices.currency ?? []), ...facts.map(({ unit }) => unit).filter(unit => /^[A-Z]{3}$/.test(unit))])]
  const rates = await findRates(lake, currencies, asOf)
  const listing = symbols.find(symbol)
  const { date = [], close = [], currency = [], basis = [] } = priced?.prices ?? {}
  const subject: Subject = {
    type: listing?.type ?? 'common',
    facts,
    market: { closes: { date, close, currency, basis }, splits: priced?.splits ?? [], fx: fxLookup(rates), obstacle: line.obstacle },
    reviews,
    industry,
  }
  const state = subjectState(subject, at)
  const read = { cik, facts, reviews, industry, found, priced, rates, lineRows: line.rows }
  return {
    symbol,
    issuer,
    company: found?.company ?? listing?.issuer ?? null,
    coverage: await coverageOf(context, symbol, cik, facts.length, asOf),
    subject,
    state,
    industry,
    line,
    sources: (more = []) => sourcesOf(read, state, more),
    origins: async () => await originsFor(context, read, subject, at, asOf),
  }
}

async function coverageOf({ lake }: ReleaseContext, symbol: string, cik: string | null, facts: number, asOf: string | null): Promise<Covered> {
  if (cik === null) return notAnSecFiler(symbol)
  if (facts > 0) return { status: 'read', sentence: 'XBRL facts as filed; what a filing does not tag is unknown, never 0' }
  const [xbrl, any] = [await findNewestFiling(lake, cik, true, asOf), await findNewestFiling(lake, cik, false, asOf)]
  return withoutFacts(xbrl, xbrl ?? any)
}

/** The index rows from which `coverageOf` explains why there are no facts. */
async function coverageOrigins(lake: Lake, cik: string, asOf: string | null) {
  const newest = [await findNewestFiling(lake, cik, true, asOf), await findNewestFiling(lake, cik, false, asOf)].filter(each => each !== null)
  return await findFilingVersions(lake, newest, asOf)
}

type Line = { readonly symbol: string | null; readonly obstacle: Obstacle | null; readonly rows: Parameters<typeof originsOf>[0] }

/** The requested line, or for a preferred share the issuer's common one; classes on one exchange must trade at about one price. */
async function shareLine(context: ReleaseContext, symbol: string, cik: string | null, asOf: string | null): Promise<Line> {
  const { symbols, lake } = context
  const own = symbols.find(symbol)
  if (own?.type === 'adr') return { symbol: null, obstacle: 'ads_ratio_unknown', rows: [] }
  const lines = (cik === null ? [] : issuerTickers(context, cik)).flatMap(ticker => {
    const listing = symbols.find(ticker)
    return listing && listing.valid_to === null && shareTypes.has(listing.type) ? [listing] : []
  })
  const chosen = own === null || shareTypes.has(own.type) ? symbol : lines[0]?.symbol
  if (chosen === undefined) return { symbol: null, obstacle: 'no_share_line', rows: [] }
  const listing = symbols.find(chosen)
  const classes = lines.filter(
    each => listing && each.exchange === listing.exchange && each.instrument_id !== listing.instrument_id && each.currency === listing.currency,
  )
  if (classes.length === 0) return { symbol: chosen, obstacle: null, rows: [] }
  const names = [chosen, ...classes.map(each => each.symbol)]
  const rows = await findLastBars(lake, names, asOf)
  const closes = names.map(name => {
    const last = rows.find(row => row.symbol === name)
    return last === undefined || last.basis === 'split_adjusted_unknown' ? undefined : last.close
  })
  const known = closes.filter(close => close !== undefined)
  if (known.length < closes.length) return { symbol: chosen, obstacle: 'class_price_unknown', rows }
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const differ = (high - low) * 100 > low * shariaInputs.class_price_tolerance_pct
  return { symbol: chosen, obstacle: differ ? 'class_prices_differ' : null, rows }
}

type Read = {
  readonly cik: string | null
  readonly facts: Subject['facts']
  readonly reviews: Subject['reviews']
  readonly industry: Industry | null
  readonly found: { readonly source: string; readonly raw_sha256: string } | null
  readonly priced: Priced | null
  readonly rates: readonly KnownRate[]
  readonly lineRows: Parameters<typeof originsOf>[0]
}

/** The closes that a market value was computed from. */
const valuesUsed = ({ spot, average }: SubjectState): Valued[] =>
  [...(spot ? [spot] : []), ...(average(36)?.months ?? [])].flatMap(each => ('value' in each ? [each] : []))

/** The filings whose figures or counts were used, with the document that each was read from; then the upstreams of prices and reviews. */
function sourcesOf({ cik, facts, industry, priced, rates }: Read, state: SubjectState, more: Parameters<Screened['sources']>[0] = []): Source[] {
  const used = new Set<string>()
  const days = new Set<string>()
  for (const position of [state.figures.balance, state.figures.year])
    for (const value of position?.values.values() ?? []) for (const part of value?.parts ?? []) used.add(part.accession)
  for (const valued of valuesUsed(state)) {
    used.add(valued.count.accession)
    days.add(valued.date)
    if (valued.rate_date) days.add(valued.rate_date)
  }
  const byAccession = new Map(facts.map(fact => [fact.accession, fact]))
  const filings = [...used].sort().flatMap((accession): Source[] => {
    const fact = byAccession.get(accession)
    return fact && cik
      ? [{ name: sourceTitle(fact.source), accession, url: filingUrl(cik, accession), retrieved_at: null, sha256: fact.raw_sha256 }]
      : []
  })
  const prices = priced?.prices
  const bars = (prices?.date ?? []).flatMap((date, at) =>
    days.has(date) ? [{ source: prices?.source[at] as string, known_from: new Date((prices?.known_us[at] as number) / 1000).toISOString() }] : [],
  )
  const { review } = state
  const described: Source[] =
    industry && cik
      ? [{ name: sourceTitle('edgar'), accession: null, url: `https://data.sec.gov/submissions/CIK${cik}.json`, retrieved_at: null, sha256: null }]
      : []
  return [
    ...filings,
    ...described,
    ...upstreamSources([
      ...bars,
      ...rates.filter(rate => days.has(rate.date)),
      ...(review ? [{ source: review.source, known_from: review.known_from }] : []),
      ...more,
    ]),
  ]
}

/** The last trading days of every month, and those of the positions: all days that the history may have read. */
async function originsFor({ lake }: ReleaseContext, read: Read, { market }: Subject, at: string, asOf: string | null): Promise<RowOrigin[]> {
  const { cik, facts, reviews, industry, found, priced, rates, lineRows } = read
  const { date } = market.closes
  const ends = new Set(facts.map(({ period_end }) => period_end))
  const days = date.filter((day, place) => {
    const next = date[place + 1]
    if (next === undefined || next.slice(0, 7) !== day.slice(0, 7)) return true
    // The last close on or before a position's day.
    for (let on = day; on < next; on = addDays(on, 1)) if (ends.has(on)) return true
    return false
  })
  const rated = new Set(days.flatMap(day => ratesAround(day)))
  return originsOf([
    ...(cik === null ? [] : await factOrigins(lake, cik, facts)),
    ...reviews,
    ...(industry && cik !== null ? await industryOrigins(lake, cik) : []),
    ...(facts.length === 0 && cik !== null ? await coverageOrigins(lake, cik, asOf) : []),
    ...(found ? [found] : []),
    ...(priced ? await priced.origins(days.filter(day => day <= at.slice(0, 10))) : []),
    ...rates.filter(rate => rated.has(rate.date)),
    ...lineRows,
  ])
}
/** A month or a position ends up to ten days after its last close, and the rate of its end is up to two weeks old. */
const ratesAround = (day: string): string[] => Array.from({ length: 26 }, (_, at) => addDays(day, 11 - at))
