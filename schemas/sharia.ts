// What the Sharia operations answer: verdicts with their tests and inputs, the history of one, and purification.
import { z } from 'zod'
import { Amount, envelope } from './answer.ts'
import { ActivityStatus } from './business-activities.ts'
import { Coverage } from './coverage.ts'
import { InstrumentType } from './symbols.ts'
import { AccessionNumber, Cik, Count, Currency, Instant, Int, IsoDate, Symbol, Text } from './values.ts'

export const shariaStandards = ['aaoifi', 'djim', 'ftse', 'msci', 'sp'] as const
export const shariaModes = ['point_in_time', 'index', 'entry', 'retention'] as const
const Verdict = z
  .enum(['compliant', 'non_compliant', 'questionable', 'unknown', 'not_covered'])
  .describe('unknown: a decisive input is missing; not_covered: no company that we could screen')
const Confidence = z.enum(['primary', 'secondary', 'general_knowledge']).describe('how the rule is known')
const CikBasis = z.enum(['listing', 'same_name']).nullable()

const Input = z.object({
  concept: Text,
  value: Amount,
  accession: AccessionNumber,
  period_end: IsoDate,
  filed_at: Instant.nullable().describe('when the filing was public'),
})
const Test = z.object({
  id: Text,
  title: Text,
  status: z.enum(['pass', 'fail', 'unknown']),
  reason: Text.nullable().describe('why it is unknown; kept_by_buffer: an index keeps the status of before'),
  numerator: z.object({
    name: Text,
    value: Amount.nullable(),
    at_least: z.boolean().describe('true: a part is not known, so that the value is a lower bound, which can fail a test and never pass it'),
    items: z.array(
      z.object({
        item: Text,
        value: Amount.nullable(),
        basis: Text.nullable().describe('reported, derived, or of a review'),
        formula: Text.nullable().describe('of a derived figure: its parts'),
      }),
    ),
  }),
  denominator: z.object({
    name: Text,
    value: Amount.nullable(),
    currency: Currency.nullable(),
    window_months: Count.nullable().describe('of a market value: months of its average, 0 for the value at the position'),
    method: Text,
    months_known: Count.nullable(),
    months_required: Count.nullable(),
  }),
  ratio: Amount.nullable(),
  limit: Amount,
  operator: z.enum(['lt', 'lte']).describe('lt: the ratio must be below the limit; lte: at the limit is allowed'),
  margin: Amount.nullable().describe('limit less ratio; negative above the limit'),
  clause: Text,
  source: Text,
  confidence: Confidence,
  note: Text.nullable(),
  alternative: z
    .object({ method: Text, value: Amount, ratio: Amount.nullable(), status: z.enum(['pass', 'fail', 'unknown']) })
    .nullable()
    .describe('the same test with operating leases counted as debt; the verdict does not use it'),
  inputs: z.array(Input).describe('the facts of filings for both sides'),
})
const verdict = {
  standard: z.enum(shariaStandards),
  ruleset: Text,
  title: Text,
  valid_from: IsoDate,
  valid_to: IsoDate.nullable(),
  mode: z.enum(shariaModes),
  limits_of: z.enum(shariaModes).describe('the mode whose limits hold: an index of two limits holds its constituents to retention'),
  verdict: Verdict,
  reason: Text,
  business: z.object({
    status: z.enum(['clean', 'prohibited', 'questionable', 'unknown', 'not_covered']),
    basis: z.enum(['review', 'sic', 'instrument', 'none']),
    sentence: Text,
    categories: z
      .array(z.object({ category: Text, treatment: z.enum(['excluded', 'varies']), source: Text, confidence: Confidence }))
      .describe('what counts under this standard, with the rule that makes it count'),
  }),
  tests: z.array(Test),
}
const Valued = z.object({
  day: IsoDate.describe('the day valued: the end of a month, or of the balance sheet'),
  missing: z
    .enum(['no_close', 'close_basis_unknown', 'no_share_count', 'no_exchange_rate', 'obstacle'])
    .nullable()
    .describe('close_basis_unknown: the source divided the close by splits that are not all known, so that it values no number of shares'),
  date: IsoDate.nullable().describe('of the close'),
  close: Amount.nullable(),
  price_currency: Currency.nullable(),
  shares: Amount.nullable(),
  shares_at: IsoDate.nullable(),
  shares_basis: z.enum(['cover', 'balance_sheet', 'weighted_average']).nullable(),
  carried_over_split: z.boolean().nullable(),
  accession: AccessionNumber.nullable().describe('the filing that counts the shares'),
  rate: Amount.nullable(),
  rate_date: IsoDate.nullable(),
  value: Amount.nullable().describe('in the currency of the statements'),
})
const head = {
  symbol: Symbol,
  cik: Cik.nullable(),
  cik_basis: CikBasis,
  company: Text.nullable(),
  type: InstrumentType,
  coverage: Coverage.pick({ status: true, sentence: true }),
  rulesets: z.object({ inputs: Text, sic_prior: Text }),
  review: z
    .object({
      symbol: Symbol,
      status: ActivityStatus,
      categories: z.array(Text),
      impermissible_revenue_pct: Amount.nullable(),
      quote: Text.nullable(),
      source_url: Text.nullable(),
      accession: AccessionNumber.nullable(),
      reviewed_at: IsoDate,
      reviewer: Text,
    })
    .nullable()
    .describe('the newest review of the business; null: not reviewed, which does not mean clean'),
  industry: z.object({ sic: Text, title: Text.nullable() }).nullable(),
  position: z
    .object({
      period_end: IsoDate.describe('of the newest balance sheet'),
      currency: Currency.nullable(),
      fiscal_year: Int.nullable(),
      fiscal_year_start: IsoDate.nullable(),
      fiscal_year_end: IsoDate.nullable().describe('of the fiscal year by which income is tested'),
    })
    .nullable(),
  market_value: z.object({
    symbol: Symbol.nullable().describe('the line whose closes are used for the company'),
    currency: Currency.nullable(),
    obstacle: Text.nullable().describe('why closes times shares is not the value of the company'),
    spot: Valued.nullable(),
    averages: z.array(
      z.object({ window_months: Count, months_known: Count, months_required: Count, value: Amount.nullable(), approximated: z.boolean() }),
    ),
  }),
}
export const ShariaScreenAllAnswer = z.object({
  ...head,
  count: Count,
  verdicts: z.array(z.object(verdict)).describe('one per standard, never merged'),
  ...envelope,
})
export const ShariaScreenAnswer = z.object({
  ...head,
  prior: z.object({ verdict: z.enum(['compliant', 'non_compliant']), evaluations: Count }).nullable(),
  ...verdict,
  months: z.array(Valued).describe('the month-ends of the average of this edition, oldest first'),
  history: z
    .object({
      from: IsoDate,
      to: IsoDate,
      evaluations: Count,
      basis: Text,
      truncated: z.boolean(),
      changes: z
        .array(
          z.object({
            date: IsoDate,
            known_from: Instant.describe('when the input became known that changed it'),
            verdict: Verdict,
            reason: Text,
            cause: z.enum(['start', 'filing', 'review', 'month_end']),
          }),
        )
        .describe('newest first; the first one is the verdict at the beginning'),
    })
    .nullable()
    .describe('null in mode index, which has no history, and for companies that are not covered'),
  ...envelope,
})

const Totals = z.array(z.object({ currency: Text, amount: Amount.nullable() })).describe('by currency; null if one amount is not known')
const missing = z.array(Text).describe('inputs without which there is no amount')
export const ShariaPurificationAnswer = z.object({
  symbol: Symbol,
  cik: Cik.nullable(),
  company: Text.nullable(),
  coverage: Coverage.pick({ status: true, sentence: true }),
  ruleset: Text,
  shares: Amount,
  shares_at: IsoDate.describe('the day on which so many shares are held; before a split as many fewer'),
  from: IsoDate,
  to: IsoDate,
  rounding: Text,
  review: z.object({ status: ActivityStatus, reviewed_at: IsoDate, reviewer: Text }).nullable(),
  impermissible_revenue_pct: Amount.nullable().describe('of the review; null: not measured, so that no amount can be given'),
  fiscal_years: z.array(
    z.object({
      fiscal_year: Int.nullable(),
      period_start: IsoDate.nullable(),
      period_end: IsoDate,
      currency: Currency.nullable(),
      interest_income: Amount.nullable(),
      impermissible_income: Amount.nullable(),
      total_income: Amount.nullable(),
      ratio: Amount.nullable(),
      missing,
      inputs: z.array(Input),
    }),
  ),
  dividend_method: z.object({
    rule: Text,
    count: Count,
    dividends: z.array(
      z.object({
        ex_date: IsoDate,
        kind: Text,
        pay_date: IsoDate.nullable(),
        amount: Amount.describe('per share, as declared'),
        currency: Currency,
        shares: Amount,
        received: Amount,
        fiscal_year_end: IsoDate.nullable(),
        provisional: z.boolean().describe('true: the year of the dividend is not reported yet, the previous one is used'),
        ratio: Amount.nullable(),
        purify: Amount.nullable().describe('in the currency of the dividend'),
        price_currency: Currency.nullable(),
        rate: Amount.nullable(),
        rate_date: IsoDate.nullable(),
        purify_in_price_currency: Amount.nullable(),
        missing,
      }),
    ),
    unconfirmed: z
      .array(z.object({ ex_date: IsoDate, kind: Text, amount: Amount.nullable(), currency: Currency.nullable(), source_name: Text }))
      .describe('reported dividends that no adjustment factor holds: ahead, before the first price, or held back; not counted'),
    totals: Totals,
  }),
  holding_method: z.object({
    rule: Text,
    clause: Text,
    count: Count,
    years: z.array(
      z.object({
        fiscal_year: Int.nullable(),
        period_end: IsoDate,
        currency: Currency.nullable(),
        impermissible_income: Amount.nullable(),
        shares_outstanding: Amount.nullable(),
        shares_at: IsoDate.nullable(),
        shares_basis: Text.nullable(),
        accession: AccessionNumber.nullable(),
        shares: Amount,
        per_share: Amount.nullable(),
        purify: Amount.nullable(),
        missing,
      }),
    ),
    totals: Totals,
  }),
  ...envelope,
})
