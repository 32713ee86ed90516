// Flow-through shares after tax, and an offering with its tax for one investor.

import { ComplianceFTSRequest, FTSCalculateRequest } from '#schemas/compliance.ts'
import { midnight } from '#schemas/days.ts'
import { flowThroughBody, flowThroughSources } from '#warehouse/rules/flow-through/body.ts'
import { calculateFlowThrough } from '#warehouse/rules/flow-through/calculate.ts'
import { bothRules, combinedAnswer } from '#warehouse/rules/flow-through/combined.ts'
import { flowThroughRules } from '#warehouse/rulesets/flow-through/rules.ts'
import type { Handlers } from '../handler.ts'
import { calculated } from './calculated.ts'

export const flowThroughHandlers: Pick<Handlers, 'calculate_flow_through' | 'check_offering_and_tax'> = {
  calculate_flow_through: ({ ruleset }, { body }) => {
    const rules = flowThroughRules(ruleset)
    const found = calculateFlowThrough(FTSCalculateRequest.parse(body), rules)
    const as_of = midnight(rules.published)
    return calculated({ body: flowThroughBody(found, rules), sources: flowThroughSources(found, rules), as_of, release: null })
  },
  check_offering_and_tax: ({ ruleset }, { body }) => {
    const rules = bothRules(ruleset)
    const answer = combinedAnswer(ComplianceFTSRequest.parse(body), rules)
    // The as_of is the day on which the later of the two rulesets was published.
    const [published = ''] = [rules.offering.published, rules.tax.published].sort().reverse()
    return calculated({ ...answer, as_of: midnight(published), release: null })
  },
}
