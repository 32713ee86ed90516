// Which jobs a worker starts while its places are taken by long ones.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobTools } from '#fixtures/job-tools.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { recordWorker } from '#warehouse/store/jobs/workers.ts'
import { createWakeup } from '#warehouse/store/notifications.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { openQueue, type Queue } from '#warehouse/store/queue.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { type Jobs, readJobs } from '../jobs-file.ts'
import { claimJobs, freePlaces } from './claim-jobs.ts'
import { openParts, type WorkerParts } from './parts.ts'
import type { Task } from './run-job.ts'

let data: string
let runtime: Runtime
let queue: Queue
let jobs: Jobs

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'crossfile-claim-'))
  const config = loadConfig({ CROSSFILE_DATA: data, DATABASE_URL: await createTestDatabase(), CROSSFILE_WORKER_CONCURRENCY: '1' })
  runtime = await openRuntime(config, () => {}, 'crossfile test')
  queue = await openQueue(runtime.postgres.db, false, () => {})
  jobs = readJobs(runtime.config)
  for (const name of ['users-sweep', 'erasure', 'mail'])
    await queue.define(name, { retryLimit: 0, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 600 })
})
afterAll(async () => {
  await queue.close()
  await runtime.close()
  await rm(data, { recursive: true, force: true })
})

test('mail is sent while a long job has the only place of the worker, and another long job waits', async () => {
  const started: string[] = []
  const [running, long, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const stop = new AbortController()
  const jobReady = createWakeup()
  const send = async (name: string): Promise<void> => {
    await queue.send(name, { partition: `${name} ${started.length}`, from: '2026-11-24', to: '2026-11-24', symbols: null, backfill_id: null })
    jobReady.notify()
  }
  const mailed: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
  const task =
    (name: string, work: () => Promise<void>): Task =>
    async () => {
      started.push(name)
      await work()
      return ''
    }
  const tasks = new Map<string, Task>([
    [
      'users-sweep',
      task('users-sweep', async () => {
        running.resolve()
        await long.promise
      }),
    ],
    ['erasure', task('erasure', async () => ended.resolve())],
    ['mail', task('mail', async () => mailed[started.filter(name => name === 'mail').length - 1]?.resolve())],
  ])
  const http = { fetchRaw: null, fetchChanged: null, fetchFile: null, close: async () => {} } as never
  const clock = { now: () => new Date('2026-11-24T12:00:00Z'), refresh: async () => {} }
  const tools = jobTools(runtime, queue, http, () => Date.parse('2026-11-24T12:00:00Z'), { tasks })
  const parts = { jobs, queue, tools, clock, shared: clock, leaves: async () => false } as unknown as WorkerParts
  await send('users-sweep')
  const claiming = claimJobs(parts, runtime, new Set(jobs.keys()), stop.signal, { jobReady, onEnd: () => {} }, false)
  await running.promise
  await send('erasure')
  await send('mail')
  await mailed[0]?.promise
  // The queue was searched again after the first mail: the other long job would have been started before the second one.
  await send('mail')
  await mailed[1]?.promise
  expect(started).toEqual(['users-sweep', 'mail', 'mail'])
  long.resolve()
  await ended.promise
  stop.abort()
  jobReady.notify()
  await claiming
  expect(started).toEqual(['users-sweep', 'mail', 'mail', 'erasure'])
})

test('a job that is off by the settings of this worker is left to one that runs it, and taken when that one is gone', async () => {
  const { db, url } = { db: runtime.postgres.db, url: runtime.url }
  const parts = await openParts(runtime, jobs, () => {})
  const other = connect(url, { applicationName: 'crossfile worker listener', max: 1, kept: 1 })
  await other.pool.query('select 1')
  const job = jobs.get('bars-us')
  if (job === undefined) throw new Error('jobs.yaml has no bars-us')
  const record = await recordWorker(db, { worker: 'other', host: 'b', process: 1, version: '0.1.0' }, [{ job, why_off: null }], error => {
    throw error
  })
  const stop = new AbortController()
  const jobReady = createWakeup()
  const state = async (id: string | null): Promise<string | undefined> =>
    (await sql<{ state: string }>`select state from pgboss.job where name = 'bars-us' and id = ${id}`.execute(db)).rows[0]?.state
  try {
    const data = { partition: '2026-11-24', from: '2026-11-24', to: '2026-11-24', symbols: null, backfill_id: null }
    const id = await queue.send('bars-us', data)
    // Looks once, and ends when nothing runs.
    const look = (): Promise<void> => claimJobs(parts, runtime, new Set(jobs.keys()), stop.signal, { jobReady, onEnd: () => {} }, true)
    await look()
    expect(await state(id)).toBe('created')
    await record.close()
    await other.close()
    const gone = await openParts(runtime, jobs, () => {})
    await claimJobs(gone, runtime, new Set(jobs.keys()), stop.signal, { jobReady, onEnd: () => {} }, true)
    await gone.close()
    expect(await state(id)).not.toBe('created')
  } finally {
    await parts.close()
    await record.close()
    await other.close()
  }
})

test('requests and mail do not take the places that are kept for each other, and other jobs take neither', () => {
  // Four long jobs and two builds that the API requested: a code of a sign-in is sent.
  expect(
    freePlaces(
      'prompt',
      [
        ['other', 4],
        ['request', 2],
      ],
      4,
    ),
  ).toBe(1)
  expect(
    freePlaces(
      'prompt',
      [
        ['other', 4],
        ['prompt', 1],
      ],
      4,
    ),
  ).toBe(0)
  expect(
    freePlaces(
      'request',
      [
        ['other', 4],
        ['prompt', 1],
      ],
      4,
    ),
  ).toBe(2)
  expect(
    freePlaces(
      'request',
      [
        ['other', 4],
        ['request', 2],
      ],
      4,
    ),
  ).toBe(0)
  // Of a worker without other jobs, each kind leaves the places of the other.
  expect(freePlaces('request', [['prompt', 5]], 4)).toBe(2)
  expect(freePlaces('prompt', [['request', 6]], 4)).toBe(1)
  expect(
    freePlaces(
      'prompt',
      [
        ['request', 6],
        ['prompt', 1],
      ],
      4,
    ),
  ).toBe(0)
  for (const kind of ['request', 'prompt'] as const) expect(freePlaces('other', [[kind, 4]], 4)).toBe(0)
  expect(
    freePlaces(
      'other',
      [
        ['other', 2],
        ['request', 1],
      ],
      4,
    ),
  ).toBe(1)
})
