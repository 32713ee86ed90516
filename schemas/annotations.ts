// Notable moves of a price series, with what was known before them.
import { z } from 'zod'
import { Amount, envelope } from './answer.ts'
import { exactNumber } from './exact-number.ts'
import { plainText } from './plain-text.ts'
import { AccessionNumber, Count, Flag, GivenDay, GivenInstant, Instant, IsoDate, Symbol, Text } from './values.ts'

const maxListed = 1_000
const maxPrices = 10_000
export const demoTicker = 'DEMO'

const WebAddress = plainText(2_000)
  .refine(text => /^https?:\/\/\S+$/.test(text), 'expected an http:// or https:// address')
  .nullable()
  .default(null)
const Headline = z.strictObject({
  title: plainText(500).refine(text => text.trim() !== '', 'expected a title'),
  published_at: GivenInstant,
  source: plainText(100).nullable().default(null),
  url: WebAddress,
})
const GivenFiling = z.strictObject({
  form: plainText(20).refine(text => /^[A-Za-z0-9][A-Za-z0-9 ./-]*$/.test(text), 'expected a form such as 8-K or 6-K'),
  accepted_at: GivenInstant.describe('the instant from which anyone could read it'),
  title: plainText(500).nullable().default(null),
  accession: AccessionNumber.nullable().default(null),
  url: WebAddress,
})
const Price = z.strictObject({ date: GivenDay, close: exactNumber({ minimum: 0 }) })
const Series = z
  .array(Price)
  .max(maxPrices, `at most ${maxPrices} days`)
  .superRefine((rows, context) => {
    for (const [at, { date, close }] of rows.entries()) {
      const before = rows[at - 1]?.date
      if (before !== undefined && date <= before)
        context.addIssue({
          code: 'custom',
          path: [at, 'date'],
          message: `${date} is not after ${before}: expected days in ascending order, each once`,
        })
      if (/^0(?:\.0*)?$/.test(close)) context.addIssue({ code: 'custom', path: [at, 'close'], message: 'expected a close above 0' })
    }
  })
export const AnnotationRequest = z.strictObject({
  ticker: z
    .string()
    .min(1)
    .max(16)
    .default(demoTicker)
    .describe(`in any usual spelling; ${demoTicker}: an example listing of the bundled universe, elsewhere an empty answer`),
  headlines: z
    .array(Headline)
    .max(maxListed, `at most ${maxListed} headlines`)
    .nullable()
    .default(null)
    .describe('null: none, since the service holds no headlines'),
  filings: z
    .array(GivenFiling)
    .max(maxListed, `at most ${maxListed} filings`)
    .nullable()
    .default(null)
    .describe("listed with the service's own filings of the issuer; null: those alone"),
  price_series: Series.nullable().default(null).describe('closes in ascending days, used as given; null: the adjusted closes that the service holds'),
})
export type AnnotationRequest = z.output<typeof AnnotationRequest>

const Item = z.strictObject({
  kind: z.enum(['headline', 'filing']),
  from: z.enum(['request', 'lake']),
  known_at: Instant.describe('from which anyone could know it'),
  title: Text.nullable(),
  form: Text.nullable(),
  accession: AccessionNumber.nullable(),
  source: Text.nullable(),
  url: Text.nullable(),
})
const Move = z.strictObject({
  date: IsoDate,
  previous_date: IsoDate,
  close: Amount,
  previous_close: Amount,
  direction: z.enum(['up', 'down']),
  return_pct: Amount,
  volatility_pct: Amount.describe('standard deviation of the returns before the move'),
  multiple: Amount.describe('size of the return in units of the volatility'),
  returns_before: Count,
  interval: z
    .strictObject({ after: Instant, until: Instant })
    .describe('from the close of the day before to the close of the day: daily closes do not show when in between the price moved'),
  known_before: z.array(Item).describe('known at or before the beginning of the interval, newest first'),
  within_interval: z.array(Item).describe('became known within the interval; before or after the move, which daily closes do not show'),
})
export const AnnotationAnswer = z.strictObject({
  ticker: Text,
  symbol: Symbol.nullable().describe('the listing whose filings and prices are used; null: none is known'),
  demo: Flag.describe(`whether ${demoTicker} was requested`),
  rule: z.strictObject({
    ruleset: Text,
    statement: Text,
    returns_before: Count,
    least_returns: Count,
    threshold: z.number(),
    known_before_days: Count,
  }),
  series: z.strictObject({
    from: z.enum(['request', 'lake', 'none']),
    basis: z.enum(['as_given', 'adjusted_close']).nullable(),
    first: IsoDate.nullable(),
    last: IsoDate.nullable(),
    count: Count,
    evaluated: Count.describe('returns with enough returns before them'),
    volatility_pct: Amount.nullable().describe('of the newest returns; null: there are too few'),
  }),
  count: Count,
  annotations: z.array(Move).describe('newest first'),
  notes: z.array(Text),
  not_advice: z.literal(true),
  ...envelope,
})
