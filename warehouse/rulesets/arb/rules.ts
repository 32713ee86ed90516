// The ruleset of cross-border spreads: limits of age and skew, the hours of foreign exchange, and every cost with its date.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { Decimal, IsoDate } from '#schemas/values.ts'
import table from './rules.json' with { type: 'json' }

export const costNames = [
  'commission_toronto',
  'commission_us',
  'access_fee_toronto',
  'access_fee_us',
  'section_31',
  'finra_taf',
  'fx_half_spread',
  'borrow',
  'carry',
] as const
export type CostName = (typeof costNames)[number]
/** Every cost as a decimal of 0 or more, in the unit that the ruleset gives it. */
export type Costs = { readonly [C in CostName]: string }

const NotNegative = Decimal.refine(text => !text.startsWith('-'), 'a cost is 0 or more')
const byFeed = z.strictObject({ live: z.int().min(1), delayed: z.int().min(1) })
const moment = z.strictObject({ weekday: z.int().min(0).max(6), clock: z.string().regex(/^\d\d:\d\d$/) })
const Rules = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  confidence: z.string(),
  max_age_seconds: byFeed,
  max_skew_seconds: byFeed,
  fx_max_age_seconds: z.int().min(1),
  /** Foreign exchange trades from one moment of the week to another; 0 is Sunday. */
  fx_week: z.strictObject({ time_zone: z.string(), opens: moment, closes: moment }),
  /** Inside it neither side has a premium. */
  premium_tolerance_bps: NotNegative,
  /** A daily bar older than this is no price to compare. */
  last_bar_max_days: z.int().min(1),
  costs: z.array(
    z.strictObject({
      cost: z.enum(costNames),
      value: NotNegative,
      unit: z.string(),
      valid_from: IsoDate,
      valid_to: IsoDate.nullable(),
      source: z.string(),
      confidence: z.string(),
    }),
  ),
})
export type ArbRules = z.infer<typeof Rules>
export const arbRules: ArbRules = parseOnce(Rules, table)

/** The costs that hold on a day: of each name the newest row that began by then, 0 if none did. */
export function costsOn(date: string, rules: ArbRules = arbRules): Costs {
  const held = (name: CostName): string =>
    rules.costs
      .filter(row => row.cost === name && row.valid_from <= date)
      .sort((a, b) => (a.valid_from < b.valid_from ? -1 : 1))
      .at(-1)?.value ?? '0'
  return Object.fromEntries(costNames.map(name => [name, held(name)])) as Costs
}
