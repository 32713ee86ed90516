// Delisting risk: the only calculator of compliance that also reads data of a ticker from the lake.
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { buildDelisting } from '#warehouse/answers/delisting.ts'
import type { Handlers } from '../handler.ts'
import type { Serving } from '../serving.ts'
import { calculated } from './calculated.ts'

export const delistingHandlers = (serving: Serving): Pick<Handlers, 'check_delisting_risk'> => ({
  check_delisting_risk: async ({ ruleset }, { body, release }) =>
    calculated(await buildDelisting(await serving.releaseContext(release, null), DelistingRiskRequest.parse(body), ruleset)),
})
