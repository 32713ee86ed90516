// Fundamentals and earnings of a symbol, from the filings of its issuer.
import { z } from 'zod'
import { Amount, envelope } from '../answer.ts'
import { Coverage as FilingCoverage } from '../coverage.ts'
import { KnownBasis } from '../dataset.ts'
import { ReportTime } from '../fundamentals.ts'
import { AccessionNumber, Cik, Count, Currency, Instant, Int, IsoDate, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { capped, symbol } from './parameters.ts'

const Part = z.object({
  sign: z.union([z.literal(1), z.literal(-1)]),
  concept: Text,
  value: Amount,
  period_start: IsoDate.nullable(),
  period_end: IsoDate,
  accession: AccessionNumber,
  filed_date: IsoDate,
})
const Value = z.object({
  value: Amount.describe('digits as filed'),
  unit: Text,
  basis: z.enum(['reported', 'derived']).describe('reported: one filing states it; derived: the sum of its parts'),
  concept: Text.nullable(),
  accession: AccessionNumber.nullable(),
  form: Text.nullable(),
  filed_date: IsoDate.describe('derived: of the latest part'),
  at: IsoDate.nullable().describe('the day of a count on a cover; null: period_end'),
  formula: Text.nullable(),
  parts: z.array(Part).nullable().describe('of a derived value: sign * value adds up to it'),
})
const Values = z.record(z.string(), Value.nullable()).describe('by standard line item; null: not stated, never 0')
const Period = z.object({
  fiscal_year: Int.nullable().describe('the fiscal year as numbered by the filer'),
  fiscal_period: Text.nullable().describe('FY, Q1 to Q4'),
  period_start: IsoDate,
  period_end: IsoDate,
  days: Count,
  currency: Currency.nullable(),
  values: Values,
})
const Side = z.object({ concept: Text, value: Amount, accession: AccessionNumber, form: Text, filed_date: IsoDate })
/** Here `none` also means: there are filings, but none tags figures or releases results. */
const Coverage = FilingCoverage.pick({ status: true, sentence: true }).describe('whether there is an answer and, if it is empty, the reason')

const CikBasis = z.enum(['listing', 'same_name']).nullable().describe('same_name: a Canadian line whose issuer has the name of exactly one SEC filer')

const FundamentalsAnswer = z.object({
  symbol: Symbol,
  cik: Cik.nullable(),
  cik_basis: CikBasis,
  company: Text.nullable(),
  ruleset: Text.describe('the map of standard line items to concepts'),
  years: Count,
  coverage: Coverage,
  count: Count.describe('fiscal years in annual'),
  annual: z.array(Period).describe('fiscal years of 52 or 53 weeks or twelve months, newest first'),
  quarterly: z.array(Period).describe('newest first; a quarter that no filing states is the difference of two year-to-date figures'),
  ttm: z
    .object({
      period_start: IsoDate,
      period_end: IsoDate,
      currency: Currency.nullable(),
      values: z.record(
        z.string(),
        z
          .object({
            value: Amount,
            unit: Text,
            quarters: z.array(z.object({ period_end: IsoDate, value: Amount, basis: z.enum(['reported', 'derived']) })),
          })
          .nullable(),
      ),
    })
    .nullable()
    .describe('sum of the last four quarters, for additive items; null if four consecutive quarters are not available'),
  restatements: z
    .array(z.object({ item: Text, period_start: IsoDate.nullable(), period_end: IsoDate, unit: Text, before: Side, after: Side }))
    .describe('periods shown here for which a later filing states another figure; the later one is the value'),
  ...envelope,
})

const Figure = z
  .object({
    value: Amount,
    unit: Text,
    concept: Text.nullable(),
    basis: z.enum(['reported', 'derived']),
    accession: AccessionNumber.nullable(),
    filed_date: IsoDate,
  })
  .nullable()
const Evidence = z.object({
  document: Text.nullable(),
  quote: Text.describe('the sentence, as the document has it'),
  source_start: Int.nullable().describe('character offset in the document as filed'),
  source_end: Int.nullable(),
})
const EarningsAnswer = z.object({
  symbol: Symbol,
  cik: Cik.nullable(),
  cik_basis: CikBasis,
  next_report_date: IsoDate.nullable().describe('null: the issuer has not announced it; never inferred from earlier years'),
  coverage: Coverage,
  next_report: z
    .object({
      date: IsoDate,
      time: ReportTime.nullable().describe("in the issuer's words; null if it gives none"),
      accession: AccessionNumber,
      form: Text,
      url: Text,
      evidence: Evidence,
      flags: z.array(Text),
      known_from: Instant,
      known_basis: KnownBasis,
    })
    .nullable(),
  count: Count,
  history: z
    .array(
      z.object({
        accession: AccessionNumber,
        form: Text,
        items: z.array(Text),
        report_date: IsoDate.describe('in the time zone of the exchange'),
        reported_at: Instant.nullable().describe('acceptance; null if only the filed day is known'),
        report_session: z
          .enum(['before_open', 'during_market', 'after_close', 'no_session'])
          .nullable()
          .describe('time of the acceptance relative to the hours of the exchange'),
        fiscal_year: Int.nullable(),
        fiscal_period: Text.nullable(),
        period_end: IsoDate.nullable(),
        period_basis: z
          .enum(['stated', 'next_reported'])
          .nullable()
          .describe('stated: by the document; next_reported: the newest period that had ended without a report'),
        eps_diluted: Figure,
        eps_basic: Figure,
        revenue: Figure,
        flags: z.array(Text),
        evidence: Evidence.nullable(),
        url: Text,
        known_from: Instant,
        known_basis: KnownBasis,
      }),
    )
    .describe('releases of results, newest first; figures as first reported, without restatements'),
  ...envelope,
})

export const fundamentalsOperations = [
  operation('get_fundamentals', 'GET /api/v1/market/fundamentals/{symbol}', {
    tag: 'Fundamentals',
    access: 'public',
    summary: 'Standard fundamentals of one symbol',
    description:
      'Fiscal years, quarters and the trailing twelve months of the issuer, from the XBRL facts of its SEC filings: every value with the concept and the filing that states it. A cross-listed symbol answers with its issuer.',
    question: dataQuestion({
      symbol: symbol(undefined, 'MPLS.TO'),
      years: capped(30, 'fiscal years, and four quarters of each', 5),
    }),
    answer: FundamentalsAnswer,
    rows: 'annual',
    data: true,
    served_from: 'page',
    freshness: '26 hours',
    agents: [research('fundamentals', 'statements', ['symbol', 'years'], { defaults: { years: 2 } })],
    filer_names: ['company'],
    example: '/api/v1/market/fundamentals/MPLS.TO?years=1',
  }),
  operation('get_earnings', 'GET /api/v1/market/earnings/{symbol}', {
    tag: 'Fundamentals',
    access: 'public',
    summary: 'Earnings history and the next confirmed report date',
    description:
      'Releases of results from item 2.02 of Form 8-K and from Form 6-K with the instant of acceptance, EPS and revenue as first reported, and next_report_date: null until a filing of the issuer states the day, with the sentence that states it.',
    question: dataQuestion({
      symbol: symbol(undefined, 'MPLS'),
      limit: capped(200, 'releases', 40),
    }),
    answer: EarningsAnswer,
    rows: 'history',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    agents: [research('fundamentals', 'earnings', ['symbol', 'limit'], { defaults: { limit: 8 } })],
    quoted_members: ['quote'],
    example: '/api/v1/market/earnings/MPLS?limit=2',
  }),
] as const
