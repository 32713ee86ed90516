// The API program as it is, but for the size of its rate limits: a load test is what they are there to stop. They still count.
import { loadConfig } from '#schemas/config.ts'
import { plans } from '#warehouse/rulesets/plans/plans.ts'
import { startServer } from '../api/server.ts'

for (const plan of plans.plans)
  for (const rate of Object.values(plan.rates)) Object.assign(rate, { limit: 600_000_000, burst: 100_000_000, daily: null })
const server = await startServer(loadConfig(process.env))
process.send?.({ ready: true, address: server.address })
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
