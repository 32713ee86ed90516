// Delisting risk: the one calculator of compliance that also reads what the lake holds of a ticker.
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { buildDelisting } from '#warehouse/answers/delisting.ts'
import type { Handlers } from '../handler.ts'
import type { Serving } from '../serving.ts'
import { calculated } from './calculated.ts'

export const delistingHandlers = (serving: Serving): Pick<Handlers, 'check_delisting_risk'> => ({
  check_delisting_risk: async ({ ruleset }, { body, release }) =>
    calculated(await buildDelisting(await serving.releaseContext(release, null), DelistingRiskRequest.parse(body), ruleset)),
})
