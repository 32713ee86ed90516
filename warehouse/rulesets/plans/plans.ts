// The ruleset of plans: checked once, when the module is read.
import { Plans } from '#schemas/plans.ts'
import table from './plans.json' with { type: 'json' }

export const plans: Plans = Plans.parse(table)
