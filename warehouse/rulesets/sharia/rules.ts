// The Sharia standards as data: one file per edition, limits and operators per row, excluded activities, and the facts for each term of a
// standard. Checked once, when the module loads.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { shariaModes, shariaStandards } from '#schemas/sharia.ts'
import { InstrumentType } from '#schemas/symbols.ts'
import { Decimal, IsoDate } from '#schemas/values.ts'
import { Confidence } from '../editions.ts'
import { conceptsOf, Item, type LineItemRules, lineItems } from '../line-items/rules.ts'
import aaoifi from './aaoifi-ss21@2026.json' with { type: 'json' }
import djim21 from './djim@2021-07.json' with { type: 'json' }
import djim26 from './djim@2026-02.json' with { type: 'json' }
import ftse from './ftse-yasaar@4.6.json' with { type: 'json' }
import inputs from './inputs.json' with { type: 'json' }
import msci17 from './msci-islamic@2017-09.json' with { type: 'json' }
import msci25 from './msci-islamic@2025-12.json' with { type: 'json' }
import prior from './sic-prior.json' with { type: 'json' }
import sp21 from './sp-shariah@2021-05.json' with { type: 'json' }
import sp25 from './sp-shariah@2025-05.json' with { type: 'json' }

export const categoryNames = [
  'conventional_finance',
  'alcohol',
  'pork_and_non_halal_food',
  'gambling',
  'adult_entertainment',
  'online_dating',
  'tobacco',
  'recreational_cannabis',
  'weapons_and_defence',
  'weapons_non_defence',
  'music_cinema_broadcasting',
  'hotels',
  'advertising_and_media',
  'gold_and_silver_deferred',
] as const
const cited = { source: z.string().min(3), retrieved_at: IsoDate, confidence: Confidence, valid_from: IsoDate, valid_to: IsoDate.nullable() }

const numerators = ['debt', 'interest_bearing_assets', 'receivables', 'receivables_and_cash', 'impermissible_income'] as const
const denominators = ['market_value', 'total_assets', 'revenue', 'total_income'] as const
const Limit = z.strictObject({ modes: z.array(z.enum(shariaModes)).min(1), limit: Decimal, operator: z.enum(['lt', 'lte']) })
const Test = z.strictObject({
  id: z.string().regex(/^[a-z_]+$/),
  title: z.string(),
  numerator: z.enum(numerators),
  denominator: z.enum(denominators),
  /** Of the market value: months of the average, 0 for the value at the last verified position. Null for other denominators. */
  window_months: z.int().min(0).nullable(),
  limits: z.array(Limit).min(1),
  clause: z.string(),
  ...cited,
  note: z.string().optional(),
})
const Activity = z.strictObject({
  category: z.enum(categoryNames),
  /** `varies`: scholars or screeners of the standard differ, so it is questionable. */
  treatment: z.enum(['excluded', 'varies']),
  ...cited,
  note: z.string().optional(),
})
const IndexRule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('buffer'), buffer: Decimal, evaluations: z.int().min(1), ...cited }),
  z.strictObject({ kind: z.literal('entry_retention'), ...cited }),
])
export const ShariaRuleset = z
  .strictObject({
    ruleset: z.string().regex(/^[a-z0-9-]+@[0-9.-]+$/),
    standard: z.enum(shariaStandards),
    title: z.string(),
    valid_from: IsoDate,
    valid_to: IsoDate.nullable(),
    current: z.boolean(),
    modes: z.array(z.enum(shariaModes)).min(1),
    default_mode: z.enum(shariaModes),
    index_rule: IndexRule.nullable(),
    tests: z.array(Test).min(1),
    activities: z.array(Activity).min(1),
    instruments: z.array(z.strictObject({ type: InstrumentType, treatment: z.literal('excluded'), ...cited })),
  })
  .check(context => {
    const { ruleset, modes, default_mode, index_rule, tests } = context.value
    const issue = (message: string): void => {
      context.issues.push({ code: 'custom', message: `${ruleset}: ${message}`, input: ruleset })
    }
    if (!modes.includes(default_mode)) issue(`its default mode ${default_mode} is none of its modes`)
    if (modes.includes('index') !== (index_rule !== null)) issue('the mode index requires its rule, and the rule requires the mode')
    for (const { id, denominator, window_months, limits } of tests) {
      if ((denominator === 'market_value') !== (window_months !== null)) issue(`${id}: a window belongs to a market value`)
      for (const mode of modes.filter(each => each !== 'index' || index_rule?.kind === 'buffer'))
        if (limits.filter(limit => limit.modes.includes(mode)).length !== 1) issue(`${id} has not one limit in mode ${mode}`)
    }
  })
export type ShariaRuleset = z.infer<typeof ShariaRuleset>
export type ShariaTest = ShariaRuleset['tests'][number]
export type ShariaMode = (typeof shariaModes)[number]
type ShariaStandard = (typeof shariaStandards)[number]

/** Every edition, the current one of each standard first, in the order of `shariaStandards`. */
export const shariaRulesets: readonly ShariaRuleset[] = [aaoifi, djim26, ftse, msci25, sp25, djim21, msci17, sp21].map(each =>
  parseOnce(ShariaRuleset, each),
)
export const currentRulesets: readonly ShariaRuleset[] = shariaRulesets.filter(each => each.current)
export const rulesetNamed = (name: string): ShariaRuleset | null => shariaRulesets.find(each => each.ruleset === name) ?? null
export function currentRuleset(standard: ShariaStandard): ShariaRuleset {
  const found = currentRulesets.find(each => each.standard === standard)
  if (!found) throw new TypeError(`no current edition of ${standard}`)
  return found
}

const Items = z.array(z.string()).min(1)
const Inputs = z.strictObject({
  ruleset: z.string().regex(/^sharia-inputs@\d+$/),
  valid_from: IsoDate,
  source: z.string(),
  confidence: Confidence,
  /** An average requires at least this share of its months. */
  months_required_pct: z.int().min(1).max(100),
  /** The last bar of a month is at most this many days before its end. */
  month_end_max_age_days: z.int(),
  /** A count of shares is valid for this many days; at a position also one on the cover of the report on it, this many days later. */
  shares_max_age_days: z.int(),
  shares_after_max_days: z.int(),
  /** A balance sheet or fiscal year that ended longer ago is not evaluated. */
  position_max_age_days: z.int(),
  /** Two classes on one exchange whose closes differ by more are not one price for all shares. */
  class_price_tolerance_pct: z.int(),
  equity_types: z.array(InstrumentType),
  history_years: z.int(),
  history_most: z.int(),
  purification: z.strictObject({ decimals: z.int(), rounding: z.literal('half_up'), note: z.string() }),
  /** The line items for a figure: the first that is stated is used. */
  figures: z.strictObject({
    debt: Items,
    debt_with_operating_leases: Items,
    interest_bearing_assets: Items,
    cash: Items,
    receivables: Items,
    total_assets: Items,
    revenue: Items,
    interest_income: Items,
  }),
  items: z.array(Item),
  count_concepts: z.strictObject({ cover: z.array(z.string()), balance_sheet: z.array(z.string()), weighted_average: z.array(z.string()) }),
})
export const shariaInputs = parseOnce(Inputs, inputs)

const wanted = new Set([
  ...Object.values(shariaInputs.figures).flat(),
  'short_term_investments',
  'long_term_investments',
  'operating_lease_liabilities',
  'interest_expense',
])
/** The standard line items that the screens read, and the screens' own items that these need. */
export const shariaItems: LineItemRules = {
  ...lineItems,
  items: [...lineItems.items.filter(({ item }) => wanted.has(item)), ...shariaInputs.items],
}
/** Every concept that a screen may read, counts of shares included. */
export const shariaConcepts: readonly string[] = [
  ...new Set([...conceptsOf(shariaItems), ...Object.values(shariaInputs.count_concepts).flat()]),
].sort()

const Prior = z.strictObject({
  ruleset: z.string().regex(/^sharia-sic-prior@\d+$/),
  valid_from: IsoDate,
  note: z.string(),
  rows: z.array(z.strictObject({ sic: z.string().regex(/^\d{4}$/), title: z.string(), category: z.enum(categoryNames), ...cited })),
})
export const sicPrior = parseOnce(Prior, prior)
