// The ruleset of plans: checked once, when the module is read.
import { type Plan, Plans, type Tier } from '#schemas/plans.ts'
import table from './plans.json' with { type: 'json' }

export const plans: Plans = Plans.parse(table)

/** The plan of a tier in a table; throws TypeError if the table lacks it. */
export function planOf(tier: Tier, all: Plans = plans): Plan {
  const plan = all.plans.find(each => each.tier === tier)
  if (!plan) throw new TypeError(`plans ${all.ruleset}: no tier ${tier}`)
  return plan
}
