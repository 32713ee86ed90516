// The limits for checking actions, as data: rules.json, with its ruleset id.
import { z } from 'zod'
import { Decimal, IsoDate, Text } from '#schemas/values.ts'
import data from './rules.json' with { type: 'json' }

const Rules = z.strictObject({
  ruleset: Text,
  valid_from: IsoDate,
  source: Text,
  /** Cash above this share of the previous close needs two sources. */
  large_cash_share_of_price: Decimal,
  /** More new shares per old than this, or fewer than its inverse, need two sources or a price that shows it. */
  large_split_ratio: Decimal,
  duplicate_days: z.int(),
  /** A payer with payments every ten days or more often may pay the same amount twice within seven days: only two days count there. */
  frequent_payer_gap_days: z.int(),
  frequent_payer_duplicate_days: z.int(),
  /** A previous close older than this many sessions (calendar days without a calendar) needs a manual check. */
  previous_close_max_sessions: z.int(),
  previous_close_max_days: z.int(),
  /** A ratio nearer to 1 than this cannot be distinguished from an ordinary day's move. */
  ratio_visible_from: z.number(),
  /** Tolerance, as a natural logarithm, between the price's jump and the ratio: half of the ratio's logarithm, or this value. */
  price_noise_log: z.number(),
  /** Tolerance, as a natural logarithm, between a jump of the closes and a reported split that explains it (0.35: −30 % to +42 %). */
  split_jump_log: z.number(),
  /** A fall over the ex-date confirms an amount if it differs from it by at most this share (as logarithms). */
  fall_agrees_share: z.number(),
  amounts_agree_relative: Decimal,
  amounts_agree_absolute: Decimal,
  ratios_agree_relative: Decimal,
  /** Whose wording is used if sources agree; sources not listed come last. */
  source_order: z.array(Text),
})
export type Rules = z.infer<typeof Rules>

export const priceRules: Rules = Rules.parse(data)
