// Calendars: upcoming reports and offerings, and analyst ratings of a listing.
import { z } from 'zod'
import { Amount, envelope, NextCursor, wireFacts } from '../answer.ts'
import { earningsDates, IpoStatus, ReportMark, ReportStatus } from '../calendars.ts'
import { correctedLines } from '../corrections.ts'
import { KnownBasis } from '../dataset.ts'
import { ReportTime } from '../fundamentals.ts'
import { AccessionNumber, Cik, Count, Currency, Instant, Int, IsoDate, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { cursor, day, oneOf, pageLimit, symbol } from './parameters.ts'

const limit = pageLimit(100, 1000)
const from = (back: string) => day(`first day; default: ${back}`, '2026-11-01').optional()
const to = day('last day, at most 366 after the first; default: 31 days after the day of the answer', '2026-12-31').optional()
const known = { known_from: Instant, known_basis: KnownBasis }
/** `loaded`: a source is loaded; `not_loaded`: none is, so an empty list has no meaning. */
const Coverage = z
  .object({
    status: z.enum(['loaded', 'not_loaded']),
    sentence: Text,
    calendars: z.array(Text).describe('sources with loaded data'),
  })
  .describe('the sources available for the answer, and the sources to enable for more')

const estimates = {
  eps_estimate: Amount.nullable(),
  eps_actual: Amount.nullable().describe('as the calendar prints it; the figure of the issuer is in earnings'),
  revenue_estimate: Amount.nullable(),
  currency: Currency.nullable().describe('of the estimates; null if the source does not state it'),
}
const ReportStatement = z.object({
  source_name: Text,
  status: ReportStatus,
  mark: ReportMark,
  date: IsoDate,
  window_end: IsoDate.nullable(),
  time_of_day: ReportTime.nullable(),
  reported: z.boolean(),
  fiscal_period_end: IsoDate.nullable(),
  ...estimates,
  ...wireFacts(earningsDates.facts.pick({ eps_low: true, eps_high: true, revenue_low: true, revenue_high: true })),
  estimates: Count.nullable().describe('number of analysts with an EPS estimate'),
  accession: AccessionNumber.nullable(),
  form: Text.nullable(),
  url: Text.nullable(),
  quote: Text.nullable().describe('the sentence of the filing that states the day'),
  ...known,
})
const EarningsCalendarAnswer = z.object({
  from: IsoDate,
  to: IsoDate,
  status: z.enum(['confirmed', 'estimated', 'all']),
  ruleset: Text.describe('the source marks that make a day confirmed'),
  coverage: Coverage,
  count: Count.describe('reports on this page'),
  earnings: z
    .array(
      z.object({
        symbol: Symbol.nullable().describe('the requested line, else the issuer’s; null if no directory lists it'),
        source_symbol: Text.nullable().describe('if symbol is null: the symbol of the calendar, `.CA` for either Canadian board'),
        company: Text.nullable(),
        cik: Cik.nullable(),
        date: IsoDate.describe('in the time zone of the exchange; for a window, its first day'),
        window_end: IsoDate.nullable(),
        time_of_day: ReportTime.nullable(),
        status: ReportStatus.describe('confirmed: the issuer set the day; estimated, window: it did not'),
        mark: ReportMark.describe('the mark that determined the status'),
        source_name: Text.describe('the source of the day shown'),
        reported: z.boolean().describe('true: a filing of that day carries the results'),
        fiscal_period: Text.nullable().describe('month in which the period ends, YYYY-MM'),
        ...estimates,
        estimate_source: Text.nullable().describe('source of the estimates'),
        sources_agree: z.boolean().describe('false if a statement gives another day'),
        statements: z.array(ReportStatement).describe('the statement of each source, the effective one first'),
      }),
    )
    .describe('by day, then symbol'),
  next_cursor: NextCursor,
  ...envelope,
})

const DealStatement = z.object({
  source_name: Text,
  status: IpoStatus,
  date: IsoDate,
  accession: AccessionNumber.nullable(),
  form: Text.nullable(),
  url: Text.nullable(),
  change: Text.nullable().describe('of a filing: first, range_amended, price_changed, size_changed, priced, none'),
  price_low: Amount.nullable(),
  price_high: Amount.nullable(),
  price: Amount.nullable(),
  shares: Amount.nullable(),
  expected_date: IsoDate.nullable(),
  ...known,
})
const IpoCalendarAnswer = z.object({
  from: IsoDate,
  to: IsoDate,
  coverage: Coverage,
  count: Count.describe('deals on this page'),
  ipos: z
    .array(
      z.object({
        deal: Text.describe('number of the registration, number of the deal in its calendar, or the symbol first listed'),
        company: Text,
        cik: Cik.nullable(),
        symbol: Symbol.nullable().describe('symbol of the listing, once listed'),
        proposed_symbol: Text.nullable(),
        exchange: Text.nullable().describe('as printed'),
        kind: z
          .enum(['offering', 'blank_check', 'direct_listing', 'new_listing'])
          .describe(
            'blank_check: the proceeds go into a trust; direct_listing: holders sell and the issuer does not; new_listing: first seen in a directory, no offering known',
          ),
        status: IpoStatus,
        date: IsoDate.describe('of the status; for an expected deal, the expected day'),
        form: Text.nullable(),
        file_number: Text.nullable(),
        filed_date: IsoDate.nullable(),
        amended_date: IsoDate.nullable(),
        expected_date: IsoDate.nullable().describe('from a calendar; no filing states it'),
        priced_date: IsoDate.nullable(),
        priced_basis: z
          .enum(['calendar', 'prospectus_filed'])
          .nullable()
          .describe('prospectus_filed: the final prospectus was filed that day, one or two sessions after the pricing'),
        listed_date: IsoDate.nullable().describe('first day in the directory of its exchange; also null if the directories do not show the day'),
        withdrawn_date: IsoDate.nullable(),
        price_low: Amount.nullable(),
        price_high: Amount.nullable(),
        price: Amount.nullable(),
        currency: Currency.nullable(),
        shares: Amount.nullable(),
        amount: Amount.nullable().describe('gross, as printed'),
        underwriters: z.array(Text).describe('as listed in the newest prospectus, lead underwriters first'),
        may_follow: z
          .array(Symbol)
          .describe(
            'for a new listing: lines that ended in the week before and may be the same company under another name; no directory confirms it',
          ),
        lock_up_days: Int.nullable().describe('of directors, officers and holders, as the prospectus states; null: not found there, never a default'),
        lock_up_expiry: IsoDate.nullable().describe('priced_date + lock_up_days; null until priced, or if no days are stated'),
        lock_up_session: IsoDate.nullable().describe('first session on or after lock_up_expiry'),
        statements: z.array(DealStatement).describe('filings and calendars, newest first'),
        corrected: correctedLines,
      }),
    )
    .describe('by date, then deal'),
  capital_pools_left_out: Count.describe('capital pool shells first listed in these days: they offer no operating company'),
  undated_left_out: Count.describe('lines first seen after more than a week without a directory: their first day is not known'),
  next_cursor: NextCursor,
  ...envelope,
})

const ConsensusMonth = z.object({
  month: Text.describe('YYYY-MM'),
  strong_buy: Count.nullable(),
  buy: Count.nullable(),
  hold: Count.nullable(),
  sell: Count.nullable(),
  strong_sell: Count.nullable(),
  ratings: Count.nullable().describe('sum of the five counts'),
  rating_mean: Amount.nullable(),
  rating_scale: Text.nullable(),
  target_low: Amount.nullable(),
  target_mean: Amount.nullable(),
  target_median: Amount.nullable(),
  target_high: Amount.nullable(),
  target_currency: Currency.nullable().describe('null if the source does not state it'),
  analysts: Count.nullable().describe('number of analysts with a target'),
  ...known,
})
const AnalystAnswer = z.object({
  symbol: Symbol,
  coverage: z.object({
    status: z.enum(['read', 'none', 'not_loaded']),
    sentence: Text,
    switch_on: z.array(Text).describe('settings of further sources'),
  }),
  count: Count.describe('sources'),
  consensus: z
    .array(
      z.object({
        source_name: Text,
        current: ConsensusMonth,
        history: z.array(ConsensusMonth).describe('earlier months, newest first'),
      }),
    )
    .describe('by source, never merged, because scales and panels differ'),
  ...envelope,
})

export const calendarOperations = [
  operation('list_earnings_calendar', 'GET /api/v1/market/earnings-calendar', {
    tag: 'Calendars',
    access: 'public',
    summary: 'Days on which companies report',
    description:
      'Reports between two days. A day is confirmed if a filing of the issuer states it or carries the results, or if a calendar marks it as confirmed. Projections are returned only with status=estimated or all, and are marked. Statements of several sources about one report are one row, which lists each of them.',
    question: dataQuestion({
      from: from('the day of the answer'),
      to,
      symbol: symbol('one issuer, by any of its lines', 'MPLS').optional(),
      status: oneOf('confirmed days, projections and windows (estimated), or both', ['confirmed', 'estimated', 'all'], 'confirmed').default(
        'confirmed',
      ),
      limit,
      cursor,
    }),
    answer: EarningsCalendarAnswer,
    rows: 'earnings',
    data: true,
    served_from: 'lake',
    freshness: '30 minutes',
    agents: [research('calendars', 'earnings', ['from', 'to', 'symbol', 'status', 'limit', 'cursor'], { defaults: { limit: 20 } })],
    filer_names: ['company'],
    example: '/api/v1/market/earnings-calendar?from=2026-11-01&to=2026-12-31&limit=3',
  }),
  operation('list_ipo_calendar', 'GET /api/v1/market/ipo-calendar', {
    tag: 'Calendars',
    access: 'public',
    summary: 'Offerings from filing to first trade and end of lock-up',
    description:
      'Deals with an event between two days: filed, amended, expected, priced, first listed, withdrawn, or the end of the lock-up. Sources are registration statements and prospectuses, directories of the exchanges and the enabled calendars. Several sources of one deal are one row.',
    question: dataQuestion({
      from: from('30 days before the day of the answer'),
      to,
      status: oneOf('status of the deal', IpoStatus.options).optional(),
      limit,
      cursor,
    }),
    answer: IpoCalendarAnswer,
    rows: 'ipos',
    data: true,
    served_from: 'lake',
    freshness: '30 minutes',
    agents: [research('offerings', 'calendar', ['from', 'to', 'status', 'limit', 'cursor'], { defaults: { limit: 15 } })],
    filer_names: ['company', 'deal'],
    example: '/api/v1/market/ipo-calendar?from=2026-09-01&to=2026-12-31',
  }),
  operation('get_analyst_recs', 'GET /api/v1/stock/analyst-recs/{symbol}', {
    tag: 'Fundamentals',
    access: 'session',
    summary: 'Analyst ratings, as counted by the enabled sources',
    description:
      'Counts by rating and price targets of one listing, per source and as printed. Crossfile does not rate or merge. If the operator has enabled no source, the answer is empty and lists the settings.',
    question: dataQuestion({ symbol: symbol(undefined, 'MPLS') }),
    answer: AnalystAnswer,
    rows: 'consensus',
    data: true,
    served_from: 'page',
    freshness: '8 days',
    agents: [research('fundamentals', 'analysts', ['symbol'])],
    example: '/api/v1/stock/analyst-recs/MPLS',
  }),
] as const
