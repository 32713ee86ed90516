// The ruleset of plans: checked once, when the module is read.

import { parseOnce } from '#schemas/once.ts'
import { Plans } from '#schemas/plans.ts'
import table from './plans.json' with { type: 'json' }

export const plans: Plans = parseOnce(Plans, table)
