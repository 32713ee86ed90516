// Offerings of securities in the states of the United States.

import { BlueSkyCheckRequest, BlueSkyMultiStateRequest } from '#schemas/compliance.ts'
import { midnight } from '#schemas/days.ts'
import { blueSkyBody, blueSkySources, blueSkyStatesBody } from '#warehouse/rules/blue-sky/body.ts'
import { checkBlueSky, checkBlueSkyStates } from '#warehouse/rules/blue-sky/check.ts'
import { blueSkyRules } from '#warehouse/rulesets/blue-sky/rules.ts'
import type { Handlers } from '../handler.ts'
import { calculated } from './calculated.ts'

export const blueSkyHandlers: Pick<Handlers, 'check_blue_sky' | 'check_blue_sky_states'> = {
  check_blue_sky: ({ ruleset }, { body }) => {
    const rules = blueSkyRules(ruleset)
    const found = checkBlueSky(BlueSkyCheckRequest.parse(body), rules)
    return calculated({ body: blueSkyBody(found, rules), sources: blueSkySources(found, rules), as_of: publishedAt(rules.published), release: null })
  },
  check_blue_sky_states: ({ ruleset }, { body }) => {
    const rules = blueSkyRules(ruleset)
    const found = checkBlueSkyStates(BlueSkyMultiStateRequest.parse(body), rules)
    return calculated({
      body: blueSkyStatesBody(found, rules),
      sources: blueSkySources(found, rules),
      as_of: publishedAt(rules.published),
      release: null,
    })
  },
}
/** The as_of of a calculator is the day on which its ruleset was published. */
const publishedAt = (published: string): string => midnight(published)
