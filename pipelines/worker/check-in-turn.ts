// The worker's part of the service's status: checks in turn with the other workers, and the page that stands without the API.
import { setTimeout } from 'node:timers/promises'
import type { JobDefinition } from '#schemas/jobs.ts'
import { recheckDamage } from '#warehouse/lake/damage.ts'
import { recordChecks, takeRound } from '#warehouse/status/checks.ts'
import type { Runtime } from '../runtime.ts'
import { probeAll } from './probe.ts'
import { writeStatusPage } from './status-page.ts'

const checkMs = 5_000

/** Every few seconds, by the clock that all processes share, each worker looks whether a round of checks is due; one of them makes it. */
export async function checkInTurn(runtime: Runtime, on: readonly JobDefinition[], clock: () => Date, stop: AbortSignal): Promise<void> {
  const { postgres, config, log } = runtime
  const tools = { db: postgres.db, dataFolder: config.dataFolder, on, now: clock, monotonic: () => performance.now() }
  while (!stop.aborted) {
    try {
      const now = clock()
      if (await takeRound(postgres.db, now)) {
        await recheckDamage(postgres.db, runtime.tools.writer.verifier)
        await recordChecks(postgres.db, await probeAll(tools), now)
        await writeStatusPage(config.dataFolder, postgres.db, now)
      }
    } catch (error) {
      log('warn', `checks: ${error instanceof Error ? error.message : String(error)}`)
    }
    await setTimeout(checkMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
