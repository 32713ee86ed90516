import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobTools } from '#fixtures/job-tools.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { answerOf, endOf } from '#fixtures/world/upstream.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { loadConfig } from '#schemas/config.ts'
import { NotFound } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { findDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import { type Claimed, openQueue, type Queue } from '#warehouse/store/queue.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { HttpClient } from '../../fetch/http.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { readJobs } from '../jobs-file.ts'
import { runJob, type Task, WorkerStopping } from './run-job.ts'
import { loseRun, startRun } from './runs.ts'

const world = buildWorld('tiny')
const now = endOf(world)
let data: string
let runtime: Runtime
let queue: Queue
let job: JobDefinition

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'crossfile-job-'))
  runtime = await openRuntime(loadConfig({ CROSSFILE_DATA: data, DATABASE_URL: await createTestDatabase() }), () => {}, 'crossfile test')
  queue = await openQueue(runtime.postgres.db, false, () => {})
  job = readJobs(runtime.config).get('insider') as JobDefinition
  await queue.define('insider', { retryLimit: 3, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 60 })
})
afterAll(async () => {
  await queue.close()
  await runtime.close()
  await rm(data, { recursive: true, force: true })
})

/** The world as an upstream that has lost some documents; remembers what it was asked for. */
function anUpstream(lost: ReadonlySet<string>): { http: HttpClient; requested: string[] } {
  const requested: string[] = []
  const fetchRaw: HttpClient['fetchRaw'] = async (upstream, { url }) => {
    requested.push(url)
    const { status, headers, body } = answerOf(world, url, now)
    if (status !== 200 || lost.has(url)) throw new NotFound(`${url} does not exist`)
    return { sha256: sha256Hex(body), source: upstream.name, url, retrieved_at: now, status, headers, body }
  }
  const fetchChanged: HttpClient['fetchChanged'] = async (upstream, request) => ({ kind: 'document', document: await fetchRaw(upstream, request) })
  const fetchFile: HttpClient['fetchFile'] = async (_upstream, { url }) => {
    throw new NotFound(`${url} does not exist`)
  }
  return { http: { fetchRaw, fetchChanged, fetchFile, close: async () => {} }, requested }
}

async function attempt(http: HttpClient, signal = new AbortController().signal): Promise<void> {
  const [claimed] = await queue.claim('insider', 1)
  await runJob(
    jobTools(runtime, queue, http, () => Date.parse(now) + 86_400_000),
    job,
    claimed as Claimed,
    signal,
  )
}

/** A day on whose index at least two ownership filings stand, and their addresses. */
function aBusyDay(after = ''): { day: string; filings: string[] } {
  for (const day of world.sessions.US.filter(each => each > after)) {
    const url = `https://www.sec.gov/Archives/edgar/daily-index/${day.slice(0, 4)}/QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}/form.${day.replaceAll('-', '')}.idx`
    const { status, body } = answerOf(world, url, now)
    if (status !== 200) continue
    const lines = body
      .toString('latin1')
      .split('\n')
      .filter(line => /^[345](\/A)? /.test(line))
    const filings = [...new Set(lines.map(line => line.trim().split(/\s+/).at(-1) as string).map(path => path.slice(path.lastIndexOf('/') + 1)))]
    if (filings.length >= 2) return { day, filings }
  }
  throw new Error('the tiny world has no day with two ownership filings')
}

describe('a job whose index names a document that the source does not have', () => {
  const { day, filings } = aBusyDay()
  test('takes the others, is tried again for the missing one alone, and ends when it is there', async () => {
    await queue.send('insider', { partition: day, from: day, to: day, symbols: null, backfill_id: null })
    const lost = filings[0] as string
    const whole = anUpstream(new Set())
    const without: HttpClient = {
      ...whole.http,
      fetchRaw: async (upstream, request) => {
        if (request.url.endsWith(lost)) throw new NotFound(`${request.url} does not exist`)
        return await whole.http.fetchRaw(upstream, request)
      },
    }
    await attempt(without)
    const [failed] = await runtime.postgres.db
      .selectFrom('job_run')
      .select(['state', 'error', 'documents'])
      .orderBy('run_id', 'desc')
      .limit(1)
      .execute()
    expect(failed).toMatchObject({ state: 'failed', documents: filings.length })
    expect(failed?.error).toContain(lost)

    await expect.poll(async () => (await queue.ready()).includes('insider')).toBe(true)
    const again = anUpstream(new Set())
    await attempt(again.http)
    const [done] = await runtime.postgres.db.selectFrom('job_run').select(['state', 'fetched']).orderBy('run_id', 'desc').limit(1).execute()
    expect(done).toMatchObject({ state: 'done', fetched: 1 })
    expect(again.requested).toEqual([expect.stringContaining(lost)])
  })
})

test('a run whose job was given up while it ran is lost once the next run of that job begins', async () => {
  const { db } = runtime.postgres
  const newest = () => db.selectFrom('job_run').select(['state', 'error']).where('job', '=', 'insider').orderBy('run_id', 'desc').limit(2).execute()
  const claim = async (partition: string): Promise<Claimed> => {
    await queue.send('insider', { partition, from: null, to: null, symbols: null, backfill_id: null })
    return (await queue.claim('insider', 1))[0] as Claimed
  }
  const lost = await claim('its worker dies')
  await startRun(db, { job: 'insider', claimed: lost, worker: 'one' })
  expect(await queue.bury(lost, { error: 'the last attempt' })).toBe(true)
  const next = await claim('another window')
  const beside = await claim('a window beside it')
  const run = await startRun(db, { job: 'insider', claimed: next, worker: 'two' })
  expect(await newest()).toEqual([
    { state: 'running', error: null },
    { state: 'lost', error: 'its worker ended in the last attempt' },
  ])
  // A run whose attempt goes on is left alone.
  await startRun(db, { job: 'insider', claimed: beside, worker: 'two' })
  expect((await newest()).map(each => each.state)).toEqual(['running', 'running'])
  await loseRun(db, run, 'the test ends')
  for (const each of [next, beside]) await db.transaction().execute(trx => queue.complete(each, {}, trx))
})

test('a completed run removes the dead letter of its window, and no other', async () => {
  const { db } = runtime.postgres
  const giveUp = async (partition: string): Promise<void> => {
    await queue.send('insider', { partition, from: null, to: null, symbols: null, backfill_id: null })
    await queue.bury((await queue.claim('insider', 1))[0] as Claimed, { error: 'its worker was killed' })
  }
  const { day } = aBusyDay()
  await giveUp('a window that no run did')
  await queue.send('insider', { partition: 'done later', from: day, to: day, symbols: null, backfill_id: null })
  await queue.bury((await queue.claim('insider', 1))[0] as Claimed, { error: 'its worker was killed' })
  const open = async (): Promise<string[]> => (await findDeadLetters(db)).map(each => each.partition).filter(each => /window that|later/.test(each))
  expect((await open()).sort()).toEqual(['a window that no run did', 'done later'])
  await queue.send('insider', { partition: 'done later', from: day, to: day, symbols: null, backfill_id: null })
  await attempt(anUpstream(new Set()).http)
  expect(await open()).toEqual(['a window that no run did'])
})

test('a job whose worker stops is given back: ready at once, and its run is lost, not failed', async () => {
  const { day } = aBusyDay(aBusyDay().day)
  await queue.send('insider', { partition: 'stopped', from: day, to: day, symbols: null, backfill_id: null })
  const stop = new AbortController()
  const { http } = anUpstream(new Set())
  const interrupted = async (): Promise<never> => {
    stop.abort(new WorkerStopping())
    throw stop.signal.reason
  }
  await attempt({ ...http, fetchRaw: interrupted, fetchChanged: interrupted }, stop.signal)
  const [run] = await runtime.postgres.db.selectFrom('job_run').select(['state', 'error']).orderBy('run_id', 'desc').limit(1).execute()
  expect(run).toEqual({ state: 'lost', error: 'the worker is stopping' })
  expect(await queue.ready()).toContain('insider')
  await attempt(anUpstream(new Set()).http)
  const [again] = await runtime.postgres.db.selectFrom('job_run').select(['state']).orderBy('run_id', 'desc').limit(1).execute()
  expect(again).toEqual({ state: 'done' })
})

test('a run shows what its attempt has committed: while it runs, as after a kill, and when its worker stops', async () => {
  const { db } = runtime.postgres
  await queue.send('insider', { partition: 'committed', from: null, to: null, symbols: null, backfill_id: null })
  const [claimed] = await queue.claim('insider', 1)
  const counts = () => db.selectFrom('job_run').select(['state', 'documents', 'rows', 'refused']).orderBy('run_id', 'desc').limit(1).execute()
  const seen: unknown[] = []
  const stop = new AbortController()
  const task: Task = async (_window, signal, tally, record) => {
    Object.assign(tally, { documents: 200, rows: 900, refused: 1 })
    await db.transaction().execute(trx => record(trx, tally))
    seen.push(...(await counts()))
    tally.documents += 50
    stop.abort(new WorkerStopping())
    signal.throwIfAborted()
    return ''
  }
  const tools = jobTools(runtime, queue, anUpstream(new Set()).http, () => Date.parse(now), { tasks: new Map([[job.plan, task]]) })
  await runJob(tools, job, claimed as Claimed, stop.signal)
  seen.push(...(await counts()))
  expect(seen).toEqual([
    { state: 'running', documents: 200, rows: 900, refused: 1 },
    { state: 'lost', documents: 250, rows: 900, refused: 1 },
  ])
  const [again] = await queue.claim('insider', 1)
  await db.transaction().execute(trx => queue.complete(again as Claimed, {}, trx))
})

test('a run whose commit fails does not show what that commit would have brought', async () => {
  const { day } = aBusyDay()
  const { db } = runtime.postgres
  await queue.send('insider', { partition: 'rolled back', from: day, to: day, symbols: null, backfill_id: null })
  const [claimed] = await queue.claim('insider', 1)
  const completed: number[] = []
  const failing: Queue = {
    ...queue,
    complete: async (_job, output) => {
      completed.push((output as { readonly rows: number }).rows)
      throw new Error('the last statement fails')
    },
  }
  await runJob(
    jobTools(runtime, failing, anUpstream(new Set()).http, () => Date.parse(now) + 86_400_000),
    job,
    claimed as Claimed,
    new AbortController().signal,
  )
  const [run] = await db.selectFrom('job_run').select(['state', 'documents', 'rows', 'release', 'error']).orderBy('run_id', 'desc').limit(1).execute()
  expect(run).toEqual({ state: 'failed', documents: 0, rows: 0, release: null, error: 'the last statement fails' })
  expect(completed).toHaveLength(1)
  await expect.poll(async () => (await queue.ready()).includes('insider')).toBe(true)
  await attempt(anUpstream(new Set()).http)
})

test('an attempt that finds a disk full notes its folder and what to do, and is tried again', async () => {
  const { day } = aBusyDay(aBusyDay(aBusyDay().day).day)
  await queue.send('insider', { partition: 'full disk', from: day, to: day, symbols: null, backfill_id: null })
  const { http } = anUpstream(new Set())
  const full = async (): Promise<never> => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: join(data, 'stage', 'a.parquet') })
  }
  await attempt({ ...http, fetchRaw: full, fetchChanged: full })
  const [run] = await runtime.postgres.db.selectFrom('job_run').select(['state', 'error']).orderBy('run_id', 'desc').limit(1).execute()
  expect(run?.state).toBe('failed')
  expect(run?.error).toMatch(`no space is left on the disk of ${data} (`)
  expect(run?.error).toMatch(/ free\): ENOSPC: no space left on device, write; free space on that disk, or move .* CROSSFILE_DATA$/)
  await expect.poll(async () => (await queue.ready()).includes('insider')).toBe(true)
})
