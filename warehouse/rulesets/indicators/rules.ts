// The ruleset of the indicators for price alerts, checked when the module loads.
import { z } from 'zod'
import { alertConditions } from '#schemas/alerts.ts'
import { parseOnce } from '#schemas/once.ts'
import { Decimal, IsoDate } from '#schemas/values.ts'
import { dated, RuleSource } from '../editions.ts'
import edition1 from './1.json' with { type: 'json' }

/** The conditions that an alert may name; each has one row. */
export const AlertCondition = z.enum(alertConditions)
export type AlertCondition = z.infer<typeof AlertCondition>

const count = z.int().min(1)
const note = z.string().min(10)
const Condition = z.strictObject({
  condition: AlertCondition,
  /** gain_pct and loss_pct: of the price, in percent of the baseline. */
  reads: z.enum(['price', 'gain_pct', 'loss_pct', 'rsi']),
  against: z.enum(['threshold', 'sma']),
  operator: z.enum(['gt', 'gte', 'lt', 'lte']),
  /** Of the moving average; null without one. */
  bars: count.nullable(),
  /** Its threshold is a price, which a split rescales. */
  rescales: z.boolean(),
  ...dated,
})
export type ConditionRule = z.infer<typeof Condition>

const Ruleset = z
  .strictObject({
    ruleset: z.string().regex(/^indicators@\d+$/),
    published: IsoDate,
    valid_from: IsoDate,
    valid_to: IsoDate.nullable(),
    rounding: z.string(),
    sources: z.array(RuleSource),
    /** flat: if the series never moved. bars: maximum number of closes read; below bars_least the value is not warmed up. */
    rsi: z.strictObject({ method: z.literal('wilder'), period: count, flat: Decimal, bars: count, bars_least: count, note, ...dated }),
    series: z.strictObject({ name: z.literal('split_adjusted'), note, ...dated }),
    rescaling: z.strictObject({ decimals: count, note, ...dated }),
    transition: z.strictObject({ from: z.literal(false), to: z.literal(true), note, ...dated }),
    decimals: count,
    conditions: z.array(Condition),
    assumptions: z.array(z.string()),
    not_covered: z.array(z.string()),
  })
  .check(({ value, issues }) => {
    const fault = (message: string): void => void issues.push({ code: 'custom', message, input: value })
    for (const name of AlertCondition.options)
      if (value.conditions.filter(each => each.condition === name).length !== 1) fault(`condition ${name} has not one row`)
    for (const { condition, against, bars } of value.conditions)
      if ((against === 'sma') !== (bars !== null)) fault(`${condition}: bars belong to a moving average`)
  })
export type IndicatorRules = z.infer<typeof Ruleset>

export const indicatorRules: IndicatorRules = parseOnce(Ruleset, edition1)
