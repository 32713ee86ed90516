// Calendars: reports and offerings to come, and what analysts say of a listing.
import { z } from 'zod'
import { Amount, envelope, NextCursor } from '../answer.ts'
import { IpoStatus, ReportMark, ReportStatus } from '../calendars.ts'
import { KnownBasis } from '../dataset.ts'
import { ReportTime } from '../fundamentals.ts'
import { AccessionNumber, Cik, Count, Currency, Instant, Int, IsoDate, Symbol, Text } from '../values.ts'
import { examples } from './examples.ts'
import { dataQuestion, operation } from './operation.ts'
import { cursor, day, oneOf, pageLimit, symbol } from './parameters.ts'

const limit = pageLimit(100, 1000)
const from = (back: string) => day(`first day; left out: ${back}`, '2026-11-01').optional()
const to = day('last day, at most 366 after the first; left out: 31 days after the day of the answer', '2026-12-31').optional()
const known = { known_from: Instant, known_basis: KnownBasis }
/** `loaded`: something to answer from is loaded; `not_loaded`: nothing is, so that an empty list says nothing. */
const Coverage = z
  .object({
    status: z.enum(['loaded', 'not_loaded']),
    sentence: Text,
    calendars: z.array(Text).meta({ description: 'sources of which anything is loaded' }),
  })
  .meta({ description: 'what the answer could be made from, and what would have to be switched on for more' })

const estimates = {
  eps_estimate: Amount.nullable(),
  eps_actual: Amount.nullable().meta({ description: 'as the calendar prints it; what the issuer reported is in earnings' }),
  revenue_estimate: Amount.nullable(),
  currency: Currency.nullable().meta({ description: 'of the estimates; null where the source does not tell' }),
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
  eps_low: Amount.nullable(),
  eps_high: Amount.nullable(),
  revenue_low: Amount.nullable(),
  revenue_high: Amount.nullable(),
  estimates: Count.nullable().meta({ description: 'analysts behind eps_estimate' }),
  accession: AccessionNumber.nullable(),
  form: Text.nullable(),
  url: Text.nullable(),
  quote: Text.nullable().meta({ description: 'the sentence of the filing that names the day' }),
  ...known,
})
const EarningsCalendarAnswer = z.object({
  from: IsoDate,
  to: IsoDate,
  status: z.enum(['confirmed', 'estimated', 'all']),
  ruleset: Text.meta({ description: 'which marks of which source make a day confirmed' }),
  coverage: Coverage,
  count: Count.meta({ description: 'reports on this page' }),
  earnings: z
    .array(
      z.object({
        symbol: Symbol.nullable().meta({ description: 'the line asked for, else the issuer’s; null where no directory lists it' }),
        source_symbol: Text.nullable().meta({ description: 'where symbol is null: as the calendar has it, `.CA` for either Canadian board' }),
        company: Text.nullable(),
        cik: Cik.nullable(),
        date: IsoDate.meta({ description: 'in the time zone of the exchange; of a window the first day' }),
        window_end: IsoDate.nullable(),
        time_of_day: ReportTime.nullable(),
        status: ReportStatus.meta({ description: 'confirmed: the issuer set the day; estimated, window: it did not' }),
        mark: ReportMark.meta({ description: 'what the status was judged by' }),
        source_name: Text.meta({ description: 'who says the day that is shown' }),
        reported: z.boolean().meta({ description: 'true: results came out that day, by a filing' }),
        fiscal_period: Text.nullable().meta({ description: 'month in which the period ends, YYYY-MM' }),
        ...estimates,
        estimate_source: Text.nullable().meta({ description: 'whose estimates these are' }),
        sources_agree: z.boolean().meta({ description: 'false where a statement names another day' }),
        statements: z.array(ReportStatement).meta({ description: 'what each source says, the one that holds first' }),
      }),
    )
    .meta({ description: 'by day, then symbol' }),
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
  change: Text.nullable().meta({ description: 'of a filing: first, range_amended, price_changed, size_changed, priced, none' }),
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
  count: Count.meta({ description: 'deals on this page' }),
  ipos: z
    .array(
      z.object({
        deal: Text.meta({ description: 'number of the registration, of the deal at its calendar, or the symbol first listed' }),
        company: Text,
        cik: Cik.nullable(),
        symbol: Symbol.nullable().meta({ description: 'listed, once it is' }),
        proposed_symbol: Text.nullable(),
        exchange: Text.nullable().meta({ description: 'as printed' }),
        kind: z.enum(['offering', 'blank_check', 'direct_listing', 'new_listing']).meta({
          description:
            'blank_check: the proceeds go into a trust; direct_listing: holders sell and the issuer does not; new_listing: first seen in a directory, no offering known',
        }),
        status: IpoStatus,
        date: IsoDate.meta({ description: 'of the status; of a deal that is expected the expected day' }),
        form: Text.nullable(),
        file_number: Text.nullable(),
        filed_date: IsoDate.nullable(),
        amended_date: IsoDate.nullable(),
        expected_date: IsoDate.nullable().meta({ description: 'by a calendar; no filing tells it' }),
        priced_date: IsoDate.nullable(),
        priced_basis: z
          .enum(['calendar', 'prospectus_filed'])
          .nullable()
          .meta({ description: 'prospectus_filed: the final prospectus was filed that day, one or two sessions after the pricing' }),
        listed_date: IsoDate.nullable().meta({
          description: 'first day in the directory of its exchange; null too where directories do not tell the day',
        }),
        withdrawn_date: IsoDate.nullable(),
        price_low: Amount.nullable(),
        price_high: Amount.nullable(),
        price: Amount.nullable(),
        currency: Currency.nullable(),
        shares: Amount.nullable(),
        amount: Amount.nullable().meta({ description: 'gross, as printed' }),
        underwriters: z.array(Text).meta({ description: 'as the newest prospectus names them, lead ones first' }),
        may_follow: z.array(Symbol).meta({
          description: 'of a new listing: lines that ended in the week before and may be the same company under another name; no directory says so',
        }),
        lock_up_days: Int.nullable().meta({
          description: 'of directors, officers and holders, as the prospectus states; null: it was not found there, never a default',
        }),
        lock_up_expiry: IsoDate.nullable().meta({ description: 'priced_date + lock_up_days; null until priced, or where no days are stated' }),
        lock_up_session: IsoDate.nullable().meta({ description: 'first session on or after lock_up_expiry' }),
        statements: z.array(DealStatement).meta({ description: 'filings and calendars, newest first' }),
      }),
    )
    .meta({ description: 'by date, then deal' }),
  capital_pools_left_out: Count.meta({ description: 'shells first listed in these days: no operating company is offered' }),
  undated_left_out: Count.meta({ description: 'lines first seen after more than a week without a directory: on which day they came is not known' }),
  next_cursor: NextCursor,
  ...envelope,
})

const ConsensusMonth = z.object({
  month: Text.meta({ description: 'YYYY-MM' }),
  strong_buy: Count.nullable(),
  buy: Count.nullable(),
  hold: Count.nullable(),
  sell: Count.nullable(),
  strong_sell: Count.nullable(),
  ratings: Count.nullable().meta({ description: 'sum of the five counts' }),
  rating_mean: Amount.nullable(),
  rating_scale: Text.nullable(),
  target_low: Amount.nullable(),
  target_mean: Amount.nullable(),
  target_median: Amount.nullable(),
  target_high: Amount.nullable(),
  target_currency: Currency.nullable().meta({ description: 'null where the source does not tell' }),
  analysts: Count.nullable().meta({ description: 'behind the targets' }),
  ...known,
})
const AnalystAnswer = z.object({
  symbol: Symbol,
  coverage: z.object({
    status: z.enum(['read', 'none', 'not_loaded']),
    sentence: Text,
    switch_on: z.array(Text).meta({ description: 'settings of sources that could tell more' }),
  }),
  count: Count.meta({ description: 'sources' }),
  consensus: z
    .array(
      z.object({
        source_name: Text,
        current: ConsensusMonth,
        history: z.array(ConsensusMonth).meta({ description: 'earlier months, newest first' }),
      }),
    )
    .meta({ description: 'per source, never merged: scales and panels differ' }),
  ...envelope,
})

export const calendarOperations = [
  operation({
    id: 'list_earnings_calendar',
    path: '/api/v1/market/earnings-calendar',
    tag: 'Calendars',
    access: 'public',
    summary: 'Days on which companies report',
    description:
      'Reports between two days. A day counts as confirmed where a filing of the issuer names it or carries the results, or where a calendar marks it so; projections come only with status=estimated or all, and say so. Statements of several sources about one report are one row, with each of them below.',
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
    example: examples.list_earnings_calendar,
  }),
  operation({
    id: 'list_ipo_calendar',
    path: '/api/v1/market/ipo-calendar',
    tag: 'Calendars',
    access: 'public',
    summary: 'Offerings from filing to first trade and end of lock-up',
    description:
      'Deals of which anything falls between two days: filed, amended, expected, priced, first listed, withdrawn, or the end of the lock-up. From registration statements and prospectuses, directories of the exchanges and the calendars that are switched on; what several tell of one deal is one row.',
    question: dataQuestion({
      from: from('30 days before the day of the answer'),
      to,
      status: oneOf('where the deal stands', IpoStatus.options).optional(),
      limit,
      cursor,
    }),
    answer: IpoCalendarAnswer,
    rows: 'ipos',
    data: true,
    served_from: 'lake',
    freshness: '30 minutes',
    example: examples.list_ipo_calendar,
  }),
  operation({
    id: 'get_analyst_recs',
    path: '/api/v1/stock/analyst-recs/{symbol}',
    tag: 'Fundamentals',
    access: 'session',
    summary: 'What analysts say, as counted by the sources that are switched on',
    description:
      'Counts by rating and price targets of one listing, per source and as printed. Crossfile rates nothing and merges nothing; without a source that the operator switched on the answer is empty and names the settings.',
    question: dataQuestion({ symbol: symbol(undefined, 'MPLS') }),
    answer: AnalystAnswer,
    rows: 'consensus',
    data: true,
    served_from: 'page',
    freshness: '8 days',
    example: examples.get_analyst_recs,
  }),
] as const
