// The register: operation -> builder, one line each. Pages, the API and reproductions all use it.

import { type Built, type Payload, type ReleaseContext, renderPayload } from '../context/answer.ts'
import { buildAnalystRecs } from './analyst-recs.ts'
import { buildArbPair, buildArbPairs } from './arb.ts'
import { buildActivist13d, buildPassive13g } from './beneficial-ownership.ts'
import { buildChart } from './chart.ts'
import { buildConcallSearch, buildConcallStats } from './concalls.ts'
import { buildCorporateActions, buildRevisions } from './corporate-actions.ts'
import { buildDrill } from './drill.ts'
import { buildDualListings } from './dual-listings.ts'
import { buildEarnings } from './earnings.ts'
import { buildEarningsCalendar } from './earnings-calendar.ts'
import { buildEconomicCalendar } from './economic-calendar.ts'
import { buildEod } from './eod.ts'
import { buildFilingDiff } from './filing-diff.ts'
import { buildFilingSections } from './filing-sections.ts'
import { buildFiling, buildFilingSearch } from './filings.ts'
import { buildForm4 } from './form4.ts'
import { buildFundamentals } from './fundamentals.ts'
import { buildManagerHoldings, buildManagers } from './holdings.ts'
import { buildManagerChanges } from './holdings-changes.ts'
import { buildIssuerHolders } from './holdings-issuer.ts'
import { buildIntraday } from './intraday.ts'
import { buildIpoCalendar } from './ipo-calendar.ts'
import { withUnlisted } from './listed.ts'
import { buildMacroCountries, buildMacroCountry, buildMacroSeries } from './macro.ts'
import { buildS1 } from './offerings.ts'
import { buildQuote, buildQuotes } from './quotes.ts'
import { buildScreen, buildScreenerFields } from './screener.ts'
import { buildShariaScreen, buildShariaScreenAll } from './sharia.ts'
import { buildShariaPurification } from './sharia-purification.ts'
import { buildExchanges, buildSymbol, buildSymbols } from './symbols.ts'
import { buildThemes } from './themes.ts'
import type { QuestionOf } from './types.ts'
import { buildWithholding } from './withholding.ts'

/** Answers from the lake. `now` is the instant of the request, used only if the request leaves the instant open. */
export type Builders = { readonly [Id in LakeOperation]: (context: ReleaseContext, question: QuestionOf<Id>, now: string) => Promise<Built | null> }
export type LakeOperation =
  | 'list_arb_pairs'
  | 'get_arb_pair'
  | 'list_dual_listings'
  | 'list_themes'
  | 'list_symbols'
  | 'get_fundamentals'
  | 'get_earnings'
  | 'list_earnings_calendar'
  | 'list_ipo_calendar'
  | 'get_analyst_recs'
  | 'get_symbol'
  | 'list_exchanges'
  | 'get_quotes'
  | 'get_quote'
  | 'get_eod'
  | 'list_eod_revisions'
  | 'list_corporate_actions'
  | 'get_chart'
  | 'get_intraday'
  | 'search_filings'
  | 'get_filing'
  | 'get_filing_sections'
  | 'get_form4'
  | 'get_s1'
  | 'get_filing_diff'
  | 'list_activist_13d'
  | 'list_passive_13g'
  | 'list_13f_managers'
  | 'get_13f_manager'
  | 'get_13f_changes'
  | 'get_13f_issuer'
  | 'run_screener'
  | 'list_screener_fields'
  | 'list_economic_events'
  | 'list_macro_countries'
  | 'get_macro_country'
  | 'get_macro_series'
  | 'get_withholding'
  | 'interpret_drill'
  | 'get_sharia_screen_all'
  | 'get_sharia_screen'
  | 'get_sharia_purification'
  | 'search_concalls'
  | 'get_concall_stats'

export const builders: Builders = {
  list_arb_pairs: buildArbPairs,
  get_arb_pair: buildArbPair,
  list_dual_listings: buildDualListings,
  list_themes: buildThemes,
  get_fundamentals: buildFundamentals,
  get_earnings: buildEarnings,
  list_earnings_calendar: buildEarningsCalendar,
  list_ipo_calendar: buildIpoCalendar,
  get_analyst_recs: buildAnalystRecs,
  list_symbols: buildSymbols,
  get_symbol: buildSymbol,
  list_exchanges: buildExchanges,
  get_quotes: buildQuotes,
  get_quote: buildQuote,
  get_eod: buildEod,
  list_eod_revisions: buildRevisions,
  list_corporate_actions: buildCorporateActions,
  get_chart: buildChart,
  get_intraday: buildIntraday,
  search_filings: buildFilingSearch,
  get_filing: buildFiling,
  get_filing_sections: buildFilingSections,
  get_form4: buildForm4,
  get_s1: buildS1,
  get_filing_diff: buildFilingDiff,
  list_activist_13d: buildActivist13d,
  list_passive_13g: buildPassive13g,
  list_13f_managers: buildManagers,
  get_13f_manager: buildManagerHoldings,
  get_13f_changes: buildManagerChanges,
  get_13f_issuer: buildIssuerHolders,
  run_screener: buildScreen,
  list_screener_fields: buildScreenerFields,
  list_economic_events: buildEconomicCalendar,
  list_macro_countries: buildMacroCountries,
  get_macro_country: buildMacroCountry,
  get_macro_series: buildMacroSeries,
  get_withholding: buildWithholding,
  interpret_drill: buildDrill,
  get_sharia_screen_all: buildShariaScreenAll,
  get_sharia_screen: buildShariaScreen,
  get_sharia_purification: buildShariaPurification,
  search_concalls: buildConcallSearch,
  get_concall_stats: buildConcallStats,
}
export const isLakeOperation = (id: string): id is LakeOperation => Object.hasOwn(builders, id)

/** The payload of a request, or null if its subject does not exist. */
export async function buildPayload<Id extends LakeOperation>(
  id: Id,
  context: ReleaseContext,
  question: QuestionOf<Id> & { readonly as_of?: string | undefined },
  now: string,
): Promise<Payload | null> {
  const { symbol, ticker } = question as { readonly symbol?: unknown; readonly ticker?: unknown }
  const built = await builders[id](await withUnlisted(context, symbol ?? ticker), question, now)
  return built === null ? null : renderPayload(built, context.lake, question.as_of ?? null)
}
