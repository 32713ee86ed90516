// The worker program: schedules, claims and runs jobs, answers the API's requests, and keeps the analyst's file current.
// Any number of workers share one database; each may be killed at any moment.

import type { Config } from '#schemas/config.ts'
import { some } from '#schemas/counts.ts'
import { publishVapid } from '#warehouse/people/push/vapid.ts'
import { turnMs, untilBeat } from '#warehouse/store/beat.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'
import { checkChannel, createWakeup, jobChannel, listen, releaseChannel } from '#warehouse/store/notifications.ts'
import { requestQueues } from '#warehouse/store/queue.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { sweepRebuildSpaces } from '../../ingest/rebuild-space.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { type Jobs, readJobs, whyOff } from '../jobs-file.ts'
import { writeFirstFile } from '../models/models.ts'
import { checkInTurn } from './check-in-turn.ts'
import { claimJobs } from './claim-jobs.ts'
import { finishRevocations } from './finish-revocations.ts'
import { openParts } from './parts.ts'
import { WorkerStopping } from './run-job.ts'
import { createSchedule, keepSchedule } from './schedule.ts'
import { sendCheckpoints } from './send-checkpoints.ts'
import { sequenceReceipts } from './sequence-receipts.ts'
import { sleep } from './sleep.ts'
import { modelsJob } from './tasks.ts'
import { askForUnread, fillSearchIndex, scrubAll, sweepFolders } from './upkeep.ts'

const analystFileMs = 30_000

/** Runs the waiting jobs of the queues in `names` in this process, until none is ready; for commands when no worker is alive. */
export async function runQueued(runtime: Runtime, jobs: Jobs, names: readonly string[], signal: AbortSignal): Promise<void> {
  const parts = await openParts(runtime, jobs, () => {})
  try {
    await claimJobs(parts, runtime, new Set(names), signal, { jobReady: createWakeup(), onEnd: () => {} }, true)
  } finally {
    await parts.close()
  }
}

/** A worker that runs; `stop` returns its running jobs to their queues. */
export type Worker = { stop(): Promise<void> }

/** Starts the worker; `crashPoint` is for tests that kill it at named points. */
export async function startWorker(config: Config, log: Log, crashPoint: (name: string) => void = () => {}): Promise<Worker> {
  const jobs = readJobs(config)
  // Under a supervisor, keeping Postgres running is the supervisor's task.
  const runtime = await openRuntime(config, log, 'crossfile worker', crashPoint, process.send === undefined)
  const stop = new AbortController()
  const recovered = await runtime.raw.recover()
  if (recovered > 0) log('info', `raw: indexed ${some(recovered, 'document')} that a crash had left unindexed`)
  // The remains of a killed rebuild only take space: the start continues without the sweep.
  await sweepRebuildSpaces(runtime, log).catch(error => log('warn', `an interrupted rebuild is not removed: ${String(error)}`))
  // From now on browsers can subscribe; without the key everything except pushes works.
  await publishVapid(runtime.postgres.db, runtime.tools.keysFolder).catch(error => log('error', String(error)))
  const parts = await openParts(runtime, jobs, crashPoint)
  const off = [...jobs.values()].filter(job => whyOff(job, config, jobs) !== null)
  const on = [...jobs.values()].filter(job => !off.includes(job))
  if (off.length > 0) log('info', `jobs off: ${off.map(job => job.name).join(', ')} (crossfile jobs shows why)`)
  await askForUnread(runtime, parts)
  const [jobReady, released, checkRequested, reachable] = [createWakeup(), createWakeup(), createWakeup(), createWakeup()]
  const listening = listen({
    url: () => runtime.url,
    applicationName: 'crossfile worker listener',
    channels: new Map([
      [jobChannel, jobReady],
      [releaseChannel, released],
      [checkChannel, checkRequested],
    ]),
    reachable,
    stop: stop.signal,
    onFailure: reason => log('debug', `notifications: ${reason}`),
  })
  const names = new Set([...jobs.keys(), ...requestQueues])
  // The jobs of a first start wait for the file of the analysts: next to them it takes more than twice as long.
  const claiming = writeFirstFile(runtime).then(() => {
    parts.analystFile.announce()
    return claimJobs(parts, runtime, names, stop.signal, { jobReady, onEnd: released.notify }, false)
  })
  const scheduling = keepSchedule(createSchedule(on), {
    db: runtime.postgres.db,
    queue: parts.queue,
    now: parts.shared.now,
    log,
    reachable,
    stop: stop.signal,
  })
  const checking = checkInTurn(runtime, on, parts.shared.now, stop.signal, checkRequested, {
    analystFileFault: parts.analystFile.fault,
    rebuildModels: () => parts.ask(modelsJob, 'after damage'),
  })
  const scrubbing = scrubAll(runtime, stop.signal)
  const finishing = finishRevocations(runtime, stop.signal)
  const sequencing = sequenceReceipts(runtime, released, stop.signal, crashPoint)
  const witnessing = sendCheckpoints(
    { ...runtime, folder: openLogFolder(runtime.config.dataFolder, runtime.tools.writer.remote ?? null) },
    stop.signal,
  )
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await parts.analystFile.check().catch(error => log('warn', `warehouse.duckdb was not checked: ${String(error)}`))
      await sleep(untilBeat(analystFileMs, turnMs.fifth), stop.signal).catch(() => undefined)
    }
  })()
  const filling = fillSearchIndex(runtime, stop.signal)
  const sweeping = sweepFolders(runtime)
  return {
    async stop() {
      stop.abort(new WorkerStopping())
      for (const waiting of [jobReady, released, checkRequested, reachable]) waiting.notify()
      clearInterval(sweeping)
      await Promise.allSettled([claiming, scheduling, checking, scrubbing, finishing, sequencing, witnessing, listening, filling, watching])
      await parts.close()
      await runtime.close()
    },
  }
}

/** `crossfile worker`: runs until SIGINT or SIGTERM, or until the parent that started it is gone. */
export async function workerMain(config: Config, crashPoint?: (name: string) => void): Promise<void> {
  const log = createLog(config.logLevel, line => process.stderr.write(line), undefined, config.logFormat)
  const worker = await startWorker(config, log, crashPoint)
  log('info', 'worker ready')
  process.send?.({ ready: true })
  await new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.once(signal as 'SIGINT', () => resolve())
  })
  log('info', 'worker stopping: running jobs are released')
  // A job that does not end in time is aborted: its attempt is fenced, and another takes over.
  setTimeout(() => process.exit(0), 20_000).unref()
  await worker.stop()
  // The message channel to the supervisor would keep the process alive.
  if (process.connected) process.disconnect?.()
}
