// The register: every dataset, one line each.
import { analystConsensus } from './analyst-consensus.ts'
import { barCorrections, bars } from './bars.ts'
import { ownershipPersons, ownershipSchedules } from './beneficial-ownership.ts'
import { businessActivities } from './business-activities.ts'
import { earningsDates, ipoEvents } from './calendars.ts'
import { actionVerdicts, adjustmentFactors, corporateActions, listingEvents, splitHistories } from './corporate-actions.ts'
import { filingCorrections } from './corrections.ts'
import type { DatasetDefinition } from './dataset.ts'
import { dualListings, interlistings } from './dual-listings.ts'
import { economicEvents, economicSchedules } from './economic-events.ts'
import { filings, issuerTickers } from './filings.ts'
import { companyConcepts, companyFacts, earningsEvidence } from './fundamentals.ts'
import { fxRates } from './fx.ts'
import { holdings, holdingsReports } from './holdings.ts'
import { insiderFilings, insiderHoldings, insiderTransactions } from './insider.ts'
import { intradayBars } from './intraday.ts'
import { issuers } from './issuers.ts'
import { macroObservations, macroSeries } from './macro.ts'
import { offeringFinancials, offerings } from './offerings.ts'
import { quotes } from './quotes.ts'
import { reportExhibits, reportItems } from './reports.ts'
import { riskFactors } from './risk-factors.ts'
import { directorySightings, symbols } from './symbols.ts'
import { transcriptChunks } from './transcripts.ts'
import { venues } from './venues.ts'

export const datasets = {
  symbols,
  directory_sightings: directorySightings,
  dual_listings: dualListings,
  interlistings,
  venues,
  bars,
  bar_corrections: barCorrections,
  corporate_actions: corporateActions,
  adjustment_factors: adjustmentFactors,
  action_verdicts: actionVerdicts,
  listing_events: listingEvents,
  split_histories: splitHistories,
  fx_rates: fxRates,
  macro_series: macroSeries,
  macro_observations: macroObservations,
  economic_events: economicEvents,
  economic_schedules: economicSchedules,
  quotes,
  intraday_bars: intradayBars,
  filings,
  issuer_tickers: issuerTickers,
  issuers,
  insider_filings: insiderFilings,
  insider_transactions: insiderTransactions,
  insider_holdings: insiderHoldings,
  holdings_reports: holdingsReports,
  holdings,
  report_items: reportItems,
  report_exhibits: reportExhibits,
  risk_factors: riskFactors,
  ownership_schedules: ownershipSchedules,
  ownership_persons: ownershipPersons,
  company_facts: companyFacts,
  company_concepts: companyConcepts,
  earnings_evidence: earningsEvidence,
  earnings_dates: earningsDates,
  ipo_events: ipoEvents,
  analyst_consensus: analystConsensus,
  business_activities: businessActivities,
  offerings,
  offering_financials: offeringFinancials,
  filing_corrections: filingCorrections,
  transcript_chunks: transcriptChunks,
} as const

export type DatasetName = keyof typeof datasets
export const datasetNames = Object.keys(datasets) as readonly DatasetName[]

/** The definition of a dataset by its name, as a plain definition. */
export function datasetOf(name: DatasetName): DatasetDefinition {
  return datasets[name] as unknown as DatasetDefinition
}
