// The worker as a separate program, which `npm start` and docker-compose start.
import { loadConfig } from '#schemas/config.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import { untilReleased } from '#warehouse/store/held-start.ts'
import { collectWhenIdle } from '#warehouse/store/idle-memory.ts'
import { checkJobs, checkWorkerStart } from '../start-check.ts'
import { crashPointsOf } from './crash-points.ts'
import { workerMain } from './worker.ts'

async function start(): Promise<void> {
  // Parses jobs.yaml, which is kept, while a supervised worker waits for its release. Faults are reported by checkWorkerStart.
  checkJobs(loadConfig(process.env))
  await untilReleased()
  const config = loadConfig(process.env)
  await checkWorkerStart(config)
  collectWhenIdle()
  await workerMain(config, crashPointsOf(process.env['CROSSFILE_TEST_CRASH']))
}

start().catch((error: unknown) => {
  const known = error instanceof CrossfileError
  process.stderr.write(`crossfile worker: ${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  if (known && error.hint) process.stderr.write(`  ${error.hint}\n`)
  process.exit(exitCodeOf(error))
})
