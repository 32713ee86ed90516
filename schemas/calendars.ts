// Calendars: report days of issuers, and offerings before their first trade, as sources state them.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { ReportTime } from './fundamentals.ts'
import { Count, Currency, Decimal, IsoDate, Symbol, Text } from './values.ts'

const word = { column: 'VARCHAR' }
const calendarTerms = terms('26 hours', 'as of each source; none grants redistribution')

/** `confirmed`: a day that the issuer set; `estimated`: a projection of the source; `window`: two days between which it will be. */
export const ReportStatus = z.enum(['confirmed', 'estimated', 'window']).meta(word)
export type ReportStatus = z.infer<typeof ReportStatus>
/** The mark of the source that determined the status (warehouse/rulesets/report-dates). */
export const ReportMark = z
  .enum([
    'issuer_filing',
    'roughly_named',
    'not_an_estimate',
    'estimate',
    'two_days',
    'no_mark',
    'time_of_day',
    'no_time_of_day',
    'reported',
    'projected',
  ])
  .meta(word)
export type ReportMark = z.infer<typeof ReportMark>

export const earningsDates = defineDataset('earnings_dates', 'Earnings dates of calendars', calendarTerms, {
  description:
    "One row per report that a source's calendar lists: the day in the time zone of the exchange, whether it is confirmed and by which mark, and the estimates as that source prints them. Days from the issuers' own filings are in earnings_evidence.",
  facts: {
    symbol: Symbol.describe('Canonical; CJR-B.CA if the source does not state which Canadian board lists it'),
    source_name: Text,
    report: Text.describe('Which report: the month in which its period ended, YYYY-MM; next: the one to come; else the day itself'),
    date: IsoDate.describe('The day, or the first of a window'),
    window_end: IsoDate.nullable(), // the last day of a window
    time_of_day: ReportTime.nullable(), // before the open, after the close or during the session
    status: ReportStatus, // whether the issuer set the day
    mark: ReportMark.describe('The mark in the source that determined the status'),
    ruleset: Text, // the ruleset that derived status
    name: Text.nullable().describe('The company, as printed'),
    period_end: IsoDate.nullable().describe('If the source states the day'),
    eps_estimate: Decimal.nullable(), // mean estimate of earnings per share
    eps_low: Decimal.nullable(), // lowest estimate
    eps_high: Decimal.nullable(), // highest estimate
    eps_actual: Decimal.nullable(), // reported earnings per share
    revenue_estimate: Decimal.nullable(), // mean estimate of revenue
    revenue_low: Decimal.nullable(), // lowest estimate
    revenue_high: Decimal.nullable(), // highest estimate
    estimates: Count.nullable().describe('How many analysts the estimate is of'),
    currency: Currency.nullable().describe('Of the estimates; null if the source does not state it'),
  },
  rows: { key: ['symbol', 'source_name', 'report'], time: 'date' },
})
export type EarningsDate = RowOf<typeof earningsDates>

/** Status of a deal. `listed`: it trades. */
export const IpoStatus = z.enum(['filed', 'amended', 'priced', 'listed', 'postponed', 'withdrawn']).meta(word)
export type IpoStatus = z.infer<typeof IpoStatus>

/** The lists of IPO calendars; a deal may be in several of one month. */
export const IpoSection = z.enum(['filed', 'expected', 'amended', 'priced', 'postponed', 'withdrawn']).meta(word)
export type IpoSection = z.infer<typeof IpoSection>

export const ipoEvents = defineDataset('ipo_events', 'IPO calendars', calendarTerms, {
  description:
    "One row per deal and list of a source's IPO calendar (filed, expected, priced …), as listed; older states are versions of the same key. Prices and shares as printed, null if the calendar states none. Registration statements themselves are in offerings.",
  facts: {
    source_name: Text,
    deal: Text.describe("The source's own number of the deal, else symbol and name"),
    section: IpoSection.describe('The list in which the calendar has it'),
    company: Text, // as printed
    symbol: Text.nullable().describe('Proposed, as printed'),
    venue: Text.nullable().describe('The exchange, as printed'),
    status: IpoStatus, // the state of the deal
    event_date: IsoDate.describe('Of the status; of an expected deal the expected day'),
    filed_date: IsoDate.nullable(),
    amended_date: IsoDate.nullable(), // the day of the last amendment
    expected_date: IsoDate.nullable(), // the expected day of the first trade
    priced_date: IsoDate.nullable(), // the day of pricing
    withdrawn_date: IsoDate.nullable(), // the day of withdrawal
    price_low: Decimal.nullable(), // the lower end of the proposed range
    price_high: Decimal.nullable(), // the upper end of the proposed range
    price: Decimal.nullable(), // the price of the offering
    shares: Decimal.nullable(), // the number of shares offered
    amount: Decimal.nullable(), // the amount offered
    currency: Currency.nullable(),
  },
  rows: { key: ['source_name', 'deal', 'section'], time: 'event_date' },
})
export type IpoEvent = RowOf<typeof ipoEvents>
