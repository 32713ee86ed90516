// The API program as it is, but for the size of its rate limits: a load test is what they are there to stop. They still count.
// Operations named as arguments are open to anybody and not counted: what the doors cost is seen beside them.
import { loadConfig } from '#schemas/config.ts'
import { operations } from '#schemas/operations.ts'
import { plans } from '#warehouse/rulesets/plans/plans.ts'
import { collectWhenDoubled } from '#warehouse/store/idle-memory.ts'
import { startServer } from '../api/server.ts'

for (const plan of plans.plans)
  for (const rate of Object.values(plan.rates)) Object.assign(rate, { limit: 600_000_000, burst: 100_000_000, daily: null })
for (const operation of operations) if (process.argv.slice(2).includes(operation.id)) Object.assign(operation, { access: 'public', cost: 0 })
collectWhenDoubled()
const server = await startServer(loadConfig(process.env), plans, {}, 'bench')
process.send?.({ ready: true, address: server.address })
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
