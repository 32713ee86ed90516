// The parts of a worker that its jobs share: queues, the client of the sources, the clocks and the look-ups.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { utcDay } from '#schemas/days.ts'
import { loadPairBook, stateOf } from '#warehouse/datasets/dual-listings/pairs.ts'
import { loadIssuerIndex } from '#warehouse/datasets/filings/issuer-index.ts'
import { trackedSymbols } from '#warehouse/datasets/quotes/tracked.ts'
import { watchesJob } from '#warehouse/people/receipt-watches/ring.ts'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import { lookForRunning, recordWorker } from '#warehouse/store/jobs/workers.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Log } from '#warehouse/store/log.ts'
import { workerProgram } from '#warehouse/store/processes.ts'
import { defineRequestQueues, openQueue, type Queue } from '#warehouse/store/queue.ts'
import { openSharedClock, type SharedClock } from '#warehouse/store/shared-clock.ts'
import { createPoliteness } from '../../fetch/http/politeness.ts'
import { postgresStore } from '../../fetch/http/politeness-postgres.ts'
import { createHttpClient, type HttpClient, type HttpEvent } from '../../fetch/http.ts'
import { sourceSettings } from '../../fetch/sources/settings.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import { alertsJob } from '../alerts/evaluate-due.ts'
import { defineQueue, type Jobs, version, whyOff } from '../jobs-file.ts'
import { type AnalystFile, createAnalystFile } from './analyst-file.ts'
import type { JobTools } from './run-job.ts'
import { alsoToRun } from './run-log.ts'
import { sleep } from './sleep.ts'
import { createSourceLog, type SourceLog } from './source-log.ts'
import { housekeeping, modelsJob } from './tasks.ts'

/** What running jobs requires: queues defined, the polite client, the lookups. */
export type WorkerParts = {
  readonly jobs: Jobs
  readonly queue: Queue
  readonly http: HttpClient
  readonly tools: JobTools
  readonly clock: Clock
  readonly shared: SharedClock
  readonly analystFile: AnalystFile
  /**
   * Sends a job now, if jobs.yaml has it and none of that name waits or runs. With `pullForward`, one that waits for its next attempt becomes
   * ready immediately.
   */
  ask(name: string, partition: string, pullForward?: boolean): void
  /** Whether this worker leaves a job to others: it is off by the settings of this one, and runs on another that is alive. */
  leaves(name: string): Promise<boolean>
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

/** What plans of jobs find in the lake: the CIK of a symbol, and the symbols whose quotes are followed. */
function createLookup({ config, postgres, tools: ingest }: Runtime, clock: Clock): JobTools['lookup'] {
  let tracked: { readonly hour: number; readonly symbols: Promise<readonly string[]> } | null = null
  async function findTracked(): Promise<readonly string[]> {
    const lake = openLake(await loadCatalogue(postgres.db), ingest.writer.connections, ingest.writer.verifier)
    const { symbols } = await ingest.contexts(lake, null)
    const today = utcDay(clock.now())
    const pairs = (await loadPairBook(lake, null)).all.filter(pair => pair.tracked && stateOf(pair, today) === 'current')
    const lines = pairs.map(pair => [pair.tsx_symbol, pair.us_symbol])
    return await trackedSymbols(lake, symbols, config.track, lines)
  }
  return {
    cikOf: async symbol => {
      const lake = openLake(await loadCatalogue(postgres.db), ingest.writer.connections, ingest.writer.verifier)
      return (await loadIssuerIndex(lake, null)).cikOf(symbol)
    },
    tracked: () => {
      // The order by liquidity hardly changes within an hour. Jobs of several sources ask for it at the same time.
      const hour = Math.floor(Date.now() / 3_600_000)
      if (tracked?.hour === hour) return tracked.symbols
      const found = { hour, symbols: findTracked() }
      tracked = found
      found.symbols.catch(() => {
        if (tracked === found) tracked = null
      })
      return found.symbols
    },
  }
}

/** Records which jobs this process runs, for commands and pages, if it is a worker: a command that runs waiting jobs keeps no schedule. */
async function recordJobs({ postgres, config, applicationName, log }: Runtime, jobs: Jobs, worker: string): Promise<{ close(): Promise<void> }> {
  if (applicationName !== workerProgram) return { close: async () => undefined }
  const recorded = [...jobs.values()].map(job => ({ job, why_off: whyOff(job, config, jobs) }))
  return await recordWorker(postgres.db, { worker, host: hostname(), process: process.pid, version }, recorded, error =>
    log('debug', `the jobs of this worker were not recorded: ${error instanceof Error ? error.message : String(error)}`),
  )
}

/**
 * Defines the queues of `jobs` and opens what runs them; `close` ends it. This process then also returns the jobs of dead workers to their
 * queues. `crashPoint`: named points at which tests kill the process.
 */
export async function openParts(runtime: Runtime, jobs: Jobs, crashPoint: (name: string) => void): Promise<WorkerParts> {
  const { config, postgres, raw, tools: ingest } = runtime
  const log = alsoToRun(runtime.log)
  const queue = await openQueue(postgres.db, true, message => log('warn', message))
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
  const ask = (name: string, partition = 'after a release', pullForward = false): void => {
    if (!jobs.has(name)) return
    const data = { partition, from: null, to: null, symbols: null, backfill_id: null }
    queue.send(name, data, { key: name, pullForward }).catch(error => log('warn', `${name} was not requested: ${String(error)}`))
  }
  const worker = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`
  const record = await recordJobs(runtime, jobs, worker)
  const runsSomewhere = lookForRunning(postgres.db)
  const tools: JobTools = {
    config,
    db: postgres.db,
    queue,
    raw,
    ingest,
    http,
    log,
    sources,
    now: () => clock.now().getTime(),
    clock: shared.now,
    worker,
    tasks: housekeeping(runtime, announce, ask, shared.now),
    onRelease: () => {
      announce()
      for (const job of [modelsJob, alertsJob, watchesJob]) ask(job)
    },
    crashPoint,
    lookup: createLookup(runtime, clock),
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
    async leaves(name) {
      const job = jobs.get(name)
      return job !== undefined && whyOff(job, config, jobs) !== null && (await runsSomewhere(name))
    },
    async close() {
      await record.close()
      shared.close()
      await queue.close()
      await http.close()
      await analystFile.close()
    },
  }
}
