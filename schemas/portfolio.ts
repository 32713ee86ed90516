// Positions of a portfolio and their value.
import { z } from 'zod'
import { Amount, NextCursor } from './answer.ts'
import { exactNumber } from './exact-number.ts'
import { plainText } from './plain-text.ts'
import { Count, Currency, Flag, Instant, IsoDate, Release, Symbol, Text } from './values.ts'
import { Ticker } from './watchlist.ts'

/** Maximum positions of a user, and maximum rows of an import. */
export const maxPositions = 5_000
export const unspecified = 'unspecified'

const PositionCurrency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'expected three capital letters such as CAD')
  .describe('ISO 4217; of acb_per_share')
/** Blank text counts as no text. */
const AccountType = plainText(32)
  .transform(text => text.trim() || unspecified)
  .describe('free text such as rrsp, tfsa or margin; kept as it is written')

export const PositionIn = z.strictObject({
  ticker: Ticker,
  quantity: exactNumber().describe('signed: negative is short; kept with the digits sent, at most 26 before the point and 12 after it'),
  acb_per_share: exactNumber({ minimum: 0 })
    .nullable()
    .default(null)
    .describe('cost base of a share in currency; null: unknown, which is never taken for 0'),
  currency: PositionCurrency,
  account_type: AccountType.prefault(unspecified),
  note: plainText(500).nullable().default(null),
})
export type PositionIn = z.infer<typeof PositionIn>

export const PositionOut = z.strictObject({
  id: Text,
  ticker: Symbol.describe('the symbol that the listing has today, or had last'),
  known: Flag.describe('false: no directory lists the symbol; the position is kept, and no value is made up for it'),
  quantity: Amount,
  acb_per_share: Amount.nullable(),
  currency: Currency,
  account_type: Text,
  note: Text.nullable(),
  created_at: Instant,
  stated_at: Instant.describe('when quantity and cost were last given'),
})
/** A position in the code: decimals as text. */
export type Position = {
  readonly id: string
  readonly ticker: string
  /** Of the listing; null: no directory knows the symbol. */
  readonly instrument_id: string | null
  readonly quantity: string
  readonly acb_per_share: string | null
  readonly currency: string
  readonly account_type: string
  readonly note: string | null
  readonly created_at: string
  readonly stated_at: string
}

export const PositionsAnswer = z.strictObject({
  count: Count,
  positions: z.array(PositionOut).describe('in the order in which they were made'),
  next_cursor: NextCursor,
})

export const ImportIn = z
  .strictObject({
    positions: z.array(PositionIn).min(1).max(maxPositions).optional(),
    csv: z
      .string()
      .min(1)
      .optional()
      .describe(
        'CSV text whose first line names the columns: symbol or ticker, quantity or shares, currency; cost per share, account type and note where there are such',
      ),
  })
  .refine(({ positions, csv }) => (positions === undefined) !== (csv === undefined), 'expected either positions or csv')

export type ImportIn = z.infer<typeof ImportIn>

export const ImportAnswer = z.strictObject({
  imported: Count.describe('positions made: one of each row'),
  total: Count.describe('positions of the portfolio now'),
  ids: z.array(Text).describe('of the new positions, in the order of the rows'),
  ignored_columns: z.array(Text).describe('of the CSV, that are none of a position'),
})

export const targets = ['CAD', 'USD'] as const
export type Target = (typeof targets)[number]

const inTarget = (description: string) => Amount.nullable().describe(`${description}, in currency`)
const sums = {
  positions: Count,
  priced: Count.describe('positions that have a market value; the others are in no sum'),
  market_value: inTarget('of the positions that have one; null if none has; shorts are negative'),
  costed: Count.describe('positions whose cost is known'),
  cost: inTarget('of the positions whose cost is known; null if none is'),
  gained: Count.describe('positions of which both are known'),
  gain: inTarget('market value less cost, of the positions of which both are known'),
}
const PriceUsed = z.strictObject({
  price: Amount,
  currency: Currency,
  date: IsoDate.describe('the session that it is of'),
  quoted_at: Instant,
  age_days: Count.describe('calendar days from that session to the day of the answer'),
  basis: z.enum(['quote', 'last_bar']),
  source: Text,
})
const Rate = z.strictObject({
  from: Currency,
  to: Currency,
  rate: Amount.describe('units of `to` for one of `from`'),
  date: IsoDate.describe('the day of its publication'),
  carried_days: Count.describe('calendar days that it was carried to rates_on'),
  basis: z.enum(['published', 'inverse', 'cross']).describe('inverse and cross rates are made of published ones, with 12 decimals'),
  series: z.array(Text),
  source: Text,
})
const Split = z.strictObject({ ex_date: IsoDate, numerator: Amount, denominator: Amount })
const Valued = z.strictObject({
  id: Text,
  ticker: Symbol,
  account_type: Text,
  currency: Currency.describe('of acb_per_share'),
  quantity: Amount,
  acb_per_share: Amount.nullable(),
  price: PriceUsed.nullable(),
  price_rate: Amount.nullable().describe('from the currency of the price; 1 if it is the same'),
  cost_rate: Amount.nullable().describe('from the currency of the position; 1 if it is the same'),
  market_value: inTarget('quantity times price times price_rate'),
  cost: inTarget('quantity times acb_per_share times cost_rate'),
  gain: inTarget('market value less cost'),
  splits_since: z.array(Split).describe('after the day on which quantity and cost were stated: they are not adjusted for them'),
})

export const SummaryAnswer = z.strictObject({
  currency: z.enum(targets),
  as_of: Instant,
  release: Release,
  rates_on: IsoDate.describe('the newest session of the prices used: rates are of it or carried to it'),
  rates: z.array(Rate),
  rates_missing: z.array(Currency).describe('currencies without a published rate to currency: positions in them have no value or no cost here'),
  total: z.strictObject(sums),
  by_account_type: z.array(z.strictObject({ account_type: Text, ...sums })),
  by_currency: z.array(z.strictObject({ position_currency: Currency, ...sums })),
  positions: z.array(Valued).describe('that have a market value, in the order in which they were made'),
  unvalued: z
    .array(
      Valued.extend({
        reason: z.enum(['unknown_symbol', 'delisted', 'no_price', 'no_rate']),
      }),
    )
    .describe('that have none: they are in no market value and no gain. A delisted one shows its last price'),
  notes: z.array(Text),
})
