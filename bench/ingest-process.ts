// An installation's worker as far as ingest goes: opens a data folder, runs what it is told, and says how long that took and what
// it holds of memory. Nothing holds its pace: the limit that processes share through Postgres is left out.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { jobTools } from '#fixtures/job-tools.ts'
import { createPoliteness, memoryStore } from '#pipelines/fetch/http/politeness.ts'
import { createHttpClient } from '#pipelines/fetch/http.ts'
import { sourceSettings } from '#pipelines/fetch/sources/settings.ts'
import { ingest } from '#pipelines/ingest/ingest.ts'
import { openRuntime } from '#pipelines/ingest/runtime.ts'
import { readJobs, version } from '#pipelines/jobs/jobs-file.ts'
import { runJob } from '#pipelines/jobs/worker/run-job.ts'
import { loadConfig } from '#schemas/config.ts'
import { openQueue } from '#warehouse/store/queue.ts'

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
const config = loadConfig(process.env)
const runtime = await openRuntime(
  config,
  (level, message) => (level === 'error' || level === 'warn' ? console.error(message) : undefined),
  'crossfile bench',
)
const queue = await openQueue(runtime.postgres.db, false, message => console.error(message))
const jobs = readJobs(config)
/** How far the clock that dates documents runs ahead, where a job asks for the evening of a later day. */
let ahead = 0
const now = (): number => Date.now() + ahead
const http = createHttpClient({
  settings: { ...sourceSettings(config, jobs.values(), version), simulatorPerSecond: 100_000 },
  politeness: createPoliteness(memoryStore(Date.now), { now: Date.now, sleep }),
  now,
  sleep,
  random: Math.random,
})

/** Ingests a file as the answer of an address. */
async function document(path: string, url: string): Promise<Record<string, number>> {
  const body = readFileSync(path)
  const begun = performance.now()
  const raw = {
    sha256: createHash('sha256').update(body).digest('hex'),
    source: 'edgar',
    url,
    retrieved_at: '2025-06-01T00:00:00Z',
    status: 200,
    headers: {},
    body,
  }
  const [kept] = await runtime.raw.keep([raw])
  const outcome = await ingest(runtime.tools, {
    job: 'bench',
    partition: url,
    documents: [{ raw_id: kept?.raw_id ?? 0, document: raw }],
    decisions: new Map(),
    fence: null,
  })
  const before = outcome.readings.reduce((sum, reading) => sum + (reading.rowsBefore ?? 0), 0)
  return { ms: performance.now() - begun, rows: Object.values(outcome.rows).reduce((sum, count) => sum + count, before) }
}

/** Runs a job of jobs.yaml over a window, as the worker would. */
async function job(name: string, from: string, to: string): Promise<Record<string, number>> {
  const definition = jobs.get(name)
  if (!definition) throw new Error(`no job ${name}`)
  await queue.define(name, { retryLimit: 0, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 3600 })
  await queue.send(name, { partition: `${from}..${to}`, from, to, symbols: null, backfill_id: null })
  const [claimed] = await queue.claim(name, 1)
  if (!claimed) throw new Error(`${name} could not be claimed`)
  const begun = performance.now()
  const used = process.cpuUsage()
  const tools = jobTools(runtime, queue, http, () => Date.parse('2027-06-01T00:00:00Z'), { worker: 'bench' })
  await runJob(tools, definition, claimed, new AbortController().signal)
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(used)
  const run = await runtime.postgres.db
    .selectFrom('job_run')
    .select(['state', 'documents', 'rows', 'error'])
    .orderBy('run_id', 'desc')
    .executeTakeFirstOrThrow()
  if (run.state !== 'done') throw new Error(`${name}: ${run.error}`)
  return { ms, cpuMs: (user + system) / 1000, documents: run.documents ?? 0, rows: Number(run.rows ?? 0) }
}

type Message = { document?: [path: string, url: string]; job?: [name: string, from: string, to: string]; clock?: number }
process.on('message', (message: Message) => {
  ahead = message.clock ?? 0
  const work = message.document ? document(...message.document) : message.job ? job(...message.job) : Promise.resolve({})
  work.then(
    answer => process.send?.({ ...answer, rss: process.memoryUsage().rss / 1e6 }),
    error => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.send?.({ ready: true })
process.once('SIGTERM', () => {
  void (async () => {
    await http.close()
    await queue.close()
    await runtime.close()
    process.exit(0)
  })()
})
