// Reads the inputs of a screen: facts with their acceptance, prices, splits, rates, reviews and the industry, and the raw documents
// that they came from.
import type { BusinessActivity } from '#schemas/business-activities.ts'
import { factorOrigins, findBars, findFactors, findPrices, type Prices, spansOf, within } from '../../datasets/bars/bars.ts'
import { findFilingVersions } from '../../datasets/filings/filings.ts'
import { findKnownFacts, type KnownFact } from '../../datasets/fundamentals/fundamentals.ts'
import type { RateRow } from '../../datasets/prices/fx.ts'
import { over, ratioOf } from '../../datasets/prices/ratio.ts'
import type { Span, SymbolIndex } from '../../datasets/symbols/symbol-index.ts'
import { shariaConcepts } from '../../rulesets/sharia/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import type { Industry } from './business.ts'
import type { Split } from './market-value.ts'
import type { KnownReview } from './screen.ts'

type Origin = { readonly source: string; readonly raw_sha256: string; readonly known_from: string }
export type KnownRate = RateRow & Origin

/** Statements of a company that the screens read, of periods that end on or after `since`; `asOf`: of filings that were public then. */
export const findShariaFacts = (lake: Lake, cik: string, since: string, asOf: string | null): Promise<KnownFact[]> =>
  findKnownFacts(lake, cik, shariaConcepts, { since, at: asOf })

/** The source documents of facts: the facts' own, and those that state when their filings were accepted. */
export async function factOrigins(lake: Lake, cik: string, facts: readonly KnownFact[]): Promise<Origin[]> {
  const filings = [...new Set(facts.map(({ accession }) => accession))].map(accession => ({ accession, cik }))
  return [...facts, ...(await findFilingVersions(lake, filings, null))]
}

/** Reviews of any of the symbols, oldest first; of the same day the alphabetically later one. */
export const findReviews = (lake: Lake, symbols: readonly string[], asOf: string | null): Promise<KnownReview[]> =>
  symbols.length === 0
    ? Promise.resolve([])
    : lake.query<BusinessActivity & KnownReview>(
        'select * from business_activities order by reviewed_at, symbol',
        { as_of: asOf },
        { business_activities: symbols },
      )

/** EDGAR's industry of an issuer. It applied before it was retrieved, so no as_of hides it. */
export async function findIndustry(lake: Lake, cik: string): Promise<Industry | null> {
  const [found] = await lake.query<Industry>('select sic, sic_title as title from issuers', {}, { issuers: [cik] })
  return found ?? null
}

/** Every document that contributed to a version of the industry: headers and the submissions file complete each other. */
export const industryOrigins = (lake: Lake, cik: string): Promise<Origin[]> =>
  lake.query<Origin>('select source, raw_sha256, known_from from issuers_history order by raw_sha256', {}, { issuers_history: [cik] })

/** Rates among some currencies, through the Canadian dollar too. */
export const findRates = (lake: Lake, currencies: readonly string[], asOf: string | null): Promise<KnownRate[]> =>
  currencies.length < 2
    ? Promise.resolve([])
    : lake.query<KnownRate>(
        `select base_currency, quote_currency, date, rate, source, raw_sha256, known_from from fx_rates
         where base_currency in (select unnest($currencies)) and quote_currency in (select unnest($currencies))
         order by base_currency, quote_currency, date, series`,
        { currencies: [...new Set([...currencies, 'CAD'])], as_of: asOf },
        { fx_rates: 'all' },
      )

export type Priced = {
  readonly spans: readonly Span[]
  readonly prices: Prices
  readonly splits: readonly Split[]
  /** The documents of the bars of these days, of the splits, and of the bars by which the splits were checked. */
  readonly origins: (days: readonly string[]) => Promise<Origin[]>
}

/** Raw closes of a line between two days, and its splits. */
export async function findPriced(lake: Lake, index: SymbolIndex, symbol: string, from: string, to: string, asOf: string | null): Promise<Priced> {
  const spans = spansOf(index, symbol)
  const days = { from, to }
  const [prices, factors] = await Promise.all([findPrices(lake, spans, days, asOf), findFactors(lake, spans, to, asOf)])
  const split = factors.filter(each => each.split_numerator !== each.split_denominator)
  return {
    spans,
    prices,
    splits: split.map(({ ex_date, split_numerator, split_denominator }) => ({
      ex_date,
      ratio: over(ratioOf(split_numerator), ratioOf(split_denominator)),
    })),
    async origins(used) {
      const wanted = new Set(used)
      const bars = (await findBars(lake, spans, days, asOf)).filter(bar => wanted.has(bar.date))
      return [...bars, ...split, ...(split.length > 0 ? await factorOrigins(lake, spans, split, asOf) : [])]
    },
  }
}

/** Of every ex-date of a line, the actions that are in its factor: those that are accepted as true. */
export async function findFactorActions(
  lake: Lake,
  spans: readonly Span[],
  asOf: string | null,
): Promise<{ ex_date: string; actions: readonly string[] }[]> {
  const keys = [...new Set(spans.map(span => span.symbol))]
  const rows = await lake.query<{ symbol: string; ex_date: string; actions: readonly string[] }>(
    'select symbol, ex_date, actions from adjustment_factors order by ex_date, symbol',
    { as_of: asOf },
    { adjustment_factors: keys },
  )
  return rows.filter(row => within(spans, { symbol: row.symbol, date: row.ex_date }))
}
