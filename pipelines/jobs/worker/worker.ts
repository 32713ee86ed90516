// The worker program: schedules, claims and runs jobs, answers the API's requests, and keeps the analyst's file current.
// Any number of workers share one database; each may be killed at any moment.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '#schemas/config.ts'
import { utcDay } from '#schemas/days.ts'
import { Broken, CrossfileError } from '#schemas/errors.ts'
import { loadPairBook, stateOf } from '#warehouse/datasets/dual-listings/pairs.ts'
import { loadIssuerIndex } from '#warehouse/datasets/filings/issuer-index.ts'
import { fillFilingIndex } from '#warehouse/datasets/filings/search-index.ts'
import { trackedSymbols } from '#warehouse/datasets/quotes/tracked.ts'
import { fillTranscriptIndex } from '#warehouse/datasets/transcripts/search-index.ts'
import { findBuildFiles } from '#warehouse/models/check.ts'
import { sweepHourly } from '#warehouse/models/collect.ts'
import { publishVapid } from '#warehouse/people/push/vapid.ts'
import { watchesJob } from '#warehouse/people/receipt-watches/ring.ts'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { lakeFilesOf, scrub, scrubOnce } from '#warehouse/store/lake/scrub.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'
import { createWakeup, jobChannel, listen, pollMs, releaseChannel, type Wakeup } from '#warehouse/store/notifications.ts'
import { type Claimed, defineRequestQueues, openQueue, type Queue, requestQueues } from '#warehouse/store/queue.ts'
import { scrubRawOnce } from '#warehouse/store/raw/damage.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { openSharedClock, type SharedClock } from '#warehouse/store/shared-clock.ts'
import { createPoliteness } from '../../fetch/http/politeness.ts'
import { postgresStore } from '../../fetch/http/politeness-postgres.ts'
import { createHttpClient, type HttpClient, type HttpEvent } from '../../fetch/http.ts'
import { sourceSettings } from '../../fetch/sources/settings.ts'
import { countUnread, isReadingNow } from '../../ingest/read-held.ts'
import { sweepRebuildSpaces } from '../../ingest/rebuild-space.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { alertsJob } from '../alerts/evaluate-due.ts'
import { defineQueue, type Jobs, readJobs, version, whyOff } from '../jobs-file.ts'
import { type AnalystFile, createAnalystFile } from './analyst-file.ts'
import { checkInTurn } from './check-in-turn.ts'
import { finishRevocations } from './finish-revocations.ts'
import { runRequest } from './requests.ts'
import { type JobTools, runJob, WorkerStopping } from './run-job.ts'
import { alsoToRun } from './run-log.ts'
import { createSchedule } from './schedule.ts'
import { sendCheckpoints } from './send-checkpoints.ts'
import { sequenceReceipts } from './sequence-receipts.ts'
import { createSourceLog, type SourceLog } from './source-log.ts'
import { housekeeping, modelsJob, readHeldJob } from './tasks.ts'
import { pauseAfter } from './wakeup.ts'

const touchMs = 10_000
const scheduleMs = 15_000
const analystFileMs = 15_000

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    // A signal that was aborted earlier fires no event.
    if (signal?.aborted) return reject(signal.reason)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })

type Machine = {
  readonly jobs: Jobs
  readonly queue: Queue
  readonly http: HttpClient
  readonly tools: JobTools
  readonly clock: Clock
  readonly shared: SharedClock
  readonly analystFile: AnalystFile
  /** Sends a job now, if jobs.yaml has it and none of that name waits or runs. */
  ask(name: string, partition: string): void
  /** Closes what was opened; an announced rewrite is done first. */
  close(): Promise<void>
}
/** The data clock for a job: read again before each job, available synchronously while it runs. */
type Clock = { now(): Date; refresh(): Promise<void> }
async function createClock(db: Runtime['postgres']['db'], now: () => Date): Promise<Clock> {
  let clock = await findDataClock(db)
  return {
    now: () => dataNow(clock, now()),
    async refresh() {
      clock = await findDataClock(db)
    },
  }
}
/** A debug line for each request to an upstream, and the reason why a source does not answer. */
const requestLog =
  (log: Log, sources: SourceLog) =>
  ({ upstream, outcome, url, reason, answered }: HttpEvent): void => {
    log('debug', `${upstream} ${outcome} ${url}${reason === null ? '' : ` (${reason})`}`)
    if (reason !== null && !answered) sources.noteFailure(upstream, reason)
  }

/** What running jobs requires: queues defined, the polite client, the lookups. */
async function assemble(runtime: Runtime, jobs: Jobs, crashPoint: (name: string) => void, supervise: boolean): Promise<Machine> {
  const { config, postgres, raw, tools: ingest } = runtime
  const log = alsoToRun(runtime.log)
  const queue = await openQueue(postgres.db, supervise, message => log('warn', message))
  for (const name of jobs.keys()) await defineQueue(queue, jobs, name)
  await defineRequestQueues(queue)
  const shared = await openSharedClock(postgres.db)
  const clock = await createClock(postgres.db, shared.now)
  const sources = createSourceLog(log)
  const http = createHttpClient({
    settings: { ...sourceSettings(config, jobs.values(), version), simulatorPerSecond: 500 },
    politeness: createPoliteness(postgresStore(postgres.pool), { now: Date.now, sleep }),
    now: Date.now,
    dataNow: () => clock.now().getTime(),
    sleep,
    random: Math.random,
    keepRaw: async refused => void (await raw.keep([refused.document])),
    log: requestLog(log, sources),
  })
  const analystFile = createAnalystFile(runtime)
  const { announce } = analystFile
  // Models and alerts follow too; one that is waiting or running already takes up what came since, and the schedule what it misses.
  const ask = (name: string, partition = 'after a release'): void => {
    if (!jobs.has(name)) return
    const data = { partition, from: null, to: null, symbols: null, backfill_id: null }
    queue.send(name, data, { key: name }).catch(error => log('warn', `${name} was not requested: ${String(error)}`))
  }
  let tracked: { readonly hour: number; readonly symbols: readonly string[] } | null = null
  const tools: JobTools = {
    db: postgres.db,
    queue,
    raw,
    ingest,
    http,
    log,
    sources,
    now: () => clock.now().getTime(),
    clock: shared.now,
    worker: `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`,
    tasks: housekeeping(runtime, announce, ask, shared.now),
    onRelease: () => {
      announce()
      for (const job of [modelsJob, alertsJob, watchesJob]) ask(job)
    },
    crashPoint,
    lookup: {
      cikOf: async symbol => {
        const lake = openLake(await loadCatalogue(postgres.db), ingest.writer.connections, ingest.writer.verifier)
        return (await loadIssuerIndex(lake, null)).cikOf(symbol)
      },
      tracked: async () => {
        // The order by liquidity hardly changes within an hour, and computing it reads a month of all bars.
        const hour = Math.floor(Date.now() / 3_600_000)
        if (tracked?.hour === hour) return tracked.symbols
        const lake = openLake(await loadCatalogue(postgres.db), ingest.writer.connections, ingest.writer.verifier)
        const { symbols } = await ingest.contexts(lake, null)
        const today = utcDay(clock.now())
        const pairs = (await loadPairBook(lake, null)).all.filter(pair => pair.tracked && stateOf(pair, today) === 'current')
        const lines = pairs.map(pair => [pair.tsx_symbol, pair.us_symbol])
        tracked = { hour, symbols: await trackedSymbols(lake, symbols, config.track, lines) }
        return tracked.symbols
      },
    },
  }
  return {
    jobs,
    queue,
    http,
    tools,
    clock,
    shared,
    analystFile,
    ask,
    async close() {
      shared.close()
      await queue.close()
      await http.close()
      await analystFile.close()
    },
  }
}

/** Runs one claimed job with its heartbeat and timeout. */
async function attend(machine: Machine, runtime: Runtime, claimed: Claimed, stop: AbortSignal): Promise<void> {
  const job = machine.jobs.get(claimed.queue)
  const timeout = AbortSignal.timeout((job?.timeout_minutes ?? 2) * 60_000)
  const lost = new AbortController()
  const heartbeat = setInterval(() => {
    machine.queue.touch(claimed).then(
      isOwner => {
        if (!isOwner) lost.abort(new Error('the job was taken over by another attempt'))
      },
      error => runtime.log('warn', `heartbeat of ${claimed.queue}: ${String(error)}`),
    )
  }, touchMs)
  try {
    const signal = AbortSignal.any([timeout, lost.signal, stop])
    // An operator's data may have unfrozen the universe's clock since the last job.
    await machine.clock.refresh()
    if (job) await runJob(machine.tools, job, claimed, signal)
    else {
      const { queue, jobs, clock, shared } = machine
      const { tools: ingest, raw, config } = runtime
      const { onRelease } = machine.tools
      await runRequest({ ingest, queue, raw, jobs, config, dataNow: clock.now, now: shared.now, onRelease, signal }, claimed)
    }
  } catch (error) {
    runtime.log('error', `${claimed.queue} ${claimed.data.partition}: ${error instanceof Error ? error.message : String(error)}`)
    if (!job) {
      const shown = error instanceof CrossfileError && !(error instanceof Broken) ? { shown: error.message } : {}
      await machine.queue.fail(claimed, { message: String(error), ...shown }).catch(failing => runtime.log('warn', String(failing)))
    }
  } finally {
    clearInterval(heartbeat)
  }
}

/** `jobReady` ends the pause between two looks at the queue; `onEnd` is called after each job, which may have stored receipts. */
type Waking = { readonly jobReady: Wakeup; readonly onEnd: () => void }

/** Claims ready jobs of `names` within each job's concurrency and the worker's; resolves when stopped, or when `untilIdle` finds none. */
async function claimLoop(
  machine: Machine,
  runtime: Runtime,
  names: ReadonlySet<string>,
  stop: AbortSignal,
  { jobReady, onEnd }: Waking,
  untilIdle: boolean,
): Promise<void> {
  const active = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const total = (): number => [...active.values()].reduce((sum, count) => sum + count, 0)
  let isFailing = false
  while (!stop.aborted) {
    let pause = pollMs
    try {
      const outlook = await machine.queue.look()
      if (isFailing) runtime.log('info', 'queue: the database answers again')
      isFailing = false
      pause = pauseAfter(outlook, jobReady.listening)
      for (const name of outlook.ready) {
        if (!names.has(name) || stop.aborted) continue
        const free = Math.min(
          (machine.jobs.get(name)?.concurrency ?? 4) - (active.get(name) ?? 0),
          runtime.config.workerConcurrency + (machine.jobs.has(name) ? 0 : 2) - total(),
        )
        if (free <= 0) continue
        for (const claimed of await machine.queue.claim(name, free)) {
          active.set(name, (active.get(name) ?? 0) + 1)
          const work = attend(machine, runtime, claimed, stop).finally(() => {
            active.set(name, (active.get(name) ?? 1) - 1)
            running.delete(work)
            jobReady.notify()
            onEnd()
          })
          running.add(work)
        }
      }
    } catch (error) {
      // Postgres may be down or restarting: its jobs wait, and so does the worker. An outage is logged once, when it begins.
      if (!isFailing) runtime.log('warn', `queue: ${error instanceof Error ? error.message : String(error)}`)
      isFailing = true
    }
    if (untilIdle && running.size === 0) break
    if (untilIdle && running.size > 0) await Promise.race(running)
    else await Promise.race([jobReady.wait(pause), ...(running.size >= runtime.config.workerConcurrency ? running : [])])
  }
  await Promise.allSettled(running)
}

/** Runs the waiting jobs of the queues in `names` in this process, until none is ready; for commands when no worker is alive. */
export async function runQueued(runtime: Runtime, jobs: Jobs, names: readonly string[], signal: AbortSignal): Promise<void> {
  const machine = await assemble(runtime, jobs, () => {}, true)
  try {
    await claimLoop(machine, runtime, new Set(names), signal, { jobReady: createWakeup(), onEnd: () => {} }, true)
  } finally {
    await machine.close()
  }
}

export type Worker = { readonly ready: Promise<void>; stop(): Promise<void> }

/** Starts the worker; `crashPoint` is for tests that kill it at named points. */
export async function startWorker(config: Config, log: Log, crashPoint: (name: string) => void = () => {}): Promise<Worker> {
  const jobs = readJobs(config)
  // Under a supervisor, keeping Postgres running is the supervisor's task.
  const runtime = await openRuntime(config, log, 'crossfile worker', crashPoint, process.send === undefined)
  const stop = new AbortController()
  const recovered = await runtime.raw.recover()
  if (recovered > 0) log('info', `raw: indexed ${recovered} documents that a crash had left unindexed`)
  // The remains of a killed rebuild only take space: the start continues without the sweep.
  await sweepRebuildSpaces(runtime, log).catch(error => log('warn', `an interrupted rebuild is not removed: ${String(error)}`))
  // From now on browsers can subscribe; without the key everything except pushes works.
  await publishVapid(runtime.postgres.db, runtime.tools.keysFolder).catch(error => log('error', String(error)))
  const machine = await assemble(runtime, jobs, crashPoint, true)
  const off = [...jobs.values()].filter(job => whyOff(job, config, jobs) !== null)
  const on = [...jobs.values()].filter(job => !off.includes(job))
  if (off.length > 0) log('info', `jobs off: ${off.map(job => job.name).join(', ')} (crossfile jobs shows why)`)
  await askForUnread(runtime, machine)
  const [jobReady, released] = [createWakeup(), createWakeup()]
  const listening = listen({
    url: () => runtime.url,
    applicationName: 'crossfile worker listener',
    channels: new Map([
      [jobChannel, jobReady],
      [releaseChannel, released],
    ]),
    stop: stop.signal,
    onFailure: reason => log('debug', `notifications: ${reason}`),
  })
  const names = new Set([...jobs.keys(), ...requestQueues])
  const claiming = claimLoop(machine, runtime, names, stop.signal, { jobReady, onEnd: released.notify }, false)
  const schedule = createSchedule(on)
  const scheduling = (async () => {
    while (!stop.signal.aborted) {
      await schedule.sendDue(runtime.postgres.db, machine.queue, machine.shared.now()).catch(error => log('warn', `schedule: ${String(error)}`))
      await sleep(scheduleMs, stop.signal).catch(() => undefined)
    }
  })()
  const checking = checkInTurn(runtime, on, machine.shared.now, stop.signal, {
    analystFileFault: machine.analystFile.fault,
    rebuildModels: () => machine.ask(modelsJob, 'after damage'),
  })
  const scrubbing = scrubAll(runtime, stop.signal)
  const finishing = finishRevocations(runtime, stop.signal)
  const sequencing = sequenceReceipts(runtime, released, stop.signal, crashPoint)
  const witnessing = sendCheckpoints(
    { ...runtime, folder: openLogFolder(runtime.config.dataFolder, runtime.tools.writer.remote ?? null) },
    stop.signal,
  )
  machine.analystFile.announce()
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await machine.analystFile.check().catch(error => log('warn', `warehouse.duckdb was not checked: ${String(error)}`))
      await sleep(analystFileMs, stop.signal).catch(() => undefined)
    }
  })()
  const filling = fillSearchIndex(runtime, stop.signal)
  const sweeping = sweepFolders(runtime)
  return {
    ready: Promise.resolve(),
    async stop() {
      stop.abort(new WorkerStopping())
      for (const waiting of [jobReady, released]) waiting.notify()
      clearInterval(sweeping)
      await Promise.allSettled([claiming, scheduling, checking, scrubbing, finishing, sequencing, witnessing, listening, filling, watching])
      await machine.close()
      await runtime.close()
    },
  }
}

/** With a lake in a bucket, each host deletes what it downloaded and needs no longer, and what killed processes left in its folders. */
function sweepFolders({ postgres: { db }, tools, log }: Runtime): NodeJS.Timeout | undefined {
  const { remote, data, stageFolder } = tools.writer
  const failed = (error: unknown): void => log('warn', `files were not deleted: ${error instanceof Error ? error.message : String(error)}`)
  return remote ? sweepHourly({ db, data, stageFolder, remote }, failed) : undefined
}

/** Reads lake, models and raw documents again and again, to find damage that changes no time of a file. */
async function scrubAll({ postgres: { db }, raw, tools, reportRawDamage, config, log }: Runtime, stop: AbortSignal): Promise<void> {
  const { verifier } = tools.writer
  // While Postgres is down there is no catalogue to read: the next pass tries again.
  const failed = (error: unknown): void => log('debug', `scrub: ${error instanceof Error ? error.message : String(error)}`)
  const files = async (): Promise<void> => {
    const lake = lakeFilesOf(await loadCatalogue(db), verifier)
    await scrubOnce([...lake, ...(await findBuildFiles(db, config.dataFolder))], verifier, stop)
  }
  await Promise.all([scrub(files, stop, failed), scrub(() => scrubRawOnce(db, raw.place, stop, reportRawDamage), stop, failed)])
}

/**
 * Starts a separate job for documents that a process stored but did not commit before it ended, unless a job that may have stored them
 * is running or will retry: that one reads them.
 */
async function askForUnread({ postgres: { db }, log }: Runtime, { jobs, ask }: Machine): Promise<void> {
  const { unread, example } = await countUnread(db)
  if (unread === 0) return
  const found = `${unread} document${unread === 1 ? ' is' : 's are'} kept and not read yet, such as ${example}`
  if (await isReadingNow(db, jobs.values()))
    return log('info', `${found}: jobs that read documents are running; crossfile status shows their results`)
  log('warn', `${found}: ${jobs.has(readHeldJob) ? `the job ${readHeldJob} reads them now` : 'crossfile read-held reads them'}`)
  ask(readHeldJob, 'found at the start')
}

/** A database filled by an older version has filings that its search index lacks. */
async function fillSearchIndex({ postgres, tools, log }: Runtime, signal: AbortSignal): Promise<void> {
  const { connections, verifier } = tools.writer
  try {
    const filled = await fillFilingIndex(
      postgres.db,
      async release => openLake(await loadCatalogue(postgres.db), connections, verifier, release),
      signal,
    )
    if (filled > 0) log('info', `filings: the search index was filled from ${filled} releases`)
    const calls = await fillTranscriptIndex(
      postgres.db,
      async release => openLake(await loadCatalogue(postgres.db), connections, verifier, release),
      signal,
    )
    if (calls > 0) log('info', `transcripts: the search index was filled from ${calls} releases`)
  } catch (error) {
    if (!signal.aborted) log('warn', `a search index was not filled: ${error instanceof Error ? error.message : String(error)}`)
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
