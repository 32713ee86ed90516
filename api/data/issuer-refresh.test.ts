// A request for an issuer's Form 4s asks the source through one job, waits for its release, and otherwise reports that it is stale.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ofIssuers, writeJobs } from '#fixtures/jobs-file.ts'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { startWorldServer, type WorldServer } from '#fixtures/world/server.ts'
import { startWorker, type Worker } from '#pipelines/jobs/worker/worker.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import { type Server, startServer } from '../server.ts'
import type { Serving } from '../serving.ts'
import { issuerRefresh } from './issuer-refresh.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
const key = await worldKey(warehouse)
let upstream: WorldServer
let worker: Worker
/** Servers that wait for the source for any time: a busy machine takes long to ask it. */
let servers: [Server, Server]
/** A server that waits for the source as long as that of an installation. */
let hurried: Server
let alone: Server

beforeAll(async () => {
  upstream = await startWorldServer({ secRate: null })
  const jobsFile = writeJobs(warehouse.config.dataFolder, { 'insider-issuer': { ...ofIssuers, concurrency: 2 } })
  const config = { ...warehouse.config, jobsFile, upstreamBase: upstream.origin }
  worker = await startWorker(config, () => {})
  const patient = { refresh: { waitMs: 600_000 } }
  servers = [await startServer(config, undefined, patient), await startServer(config, undefined, patient)]
  hurried = await startServer(config)
  alone = await startServer(warehouse.config)
})
afterAll(async () => {
  await Promise.all([...servers, hurried, alone].map(server => server.close()))
  await worker.stop()
  await upstream.close()
})

/** A different limit for every request, so that no answer comes from memory; 100 would be the stored page. */
let limit = 100
beforeEach(() => {
  upstream.faults.clear()
  upstream.clearLog()
})
const ask = async (server: Server, query: string, own = true): Promise<Record<string, unknown>> => {
  limit += 1
  const response = await fetch(`${server.address}/api/v1/data/form4?${query}${own ? `&limit=${limit}` : ''}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return { status: response.status, ...((await response.json()) as object) }
}
const runs = async (cik: string) =>
  await db.selectFrom('job_run').selectAll().where('job', '=', 'insider-issuer').where('partition', '=', cik).orderBy('run_id').execute()
const requests = () => upstream.log().filter(entry => entry.url.includes('sec.gov'))
/** As if a minute had passed since the issuer's runs. */
const aMinuteLater = async (): Promise<void> => {
  await sql`update job_run set started_at = started_at - interval '61 seconds', finished_at = finished_at - interval '61 seconds'`.execute(db)
}
const cikOf = async (ticker: string): Promise<string> => String((await ask(alone, `ticker=${ticker}`))['cik'])

describe('a request for one issuer', () => {
  it('asks the source once, for any number of requests of all processes, and not again within a minute', async () => {
    const cik = await cikOf('BRLX')
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) => ask(servers[at % 2] as Server, at % 3 === 0 ? `cik=${cik}` : 'ticker=BRLX')),
    )
    expect(answers.map(answer => [answer['status'], answer['stale']])).toEqual(answers.map(() => [200, undefined]))
    expect((await runs(cik)).map(run => run.state)).toEqual(['done'])
    expect(requests().filter(entry => entry.url.includes(`CIK${cik}`))).toHaveLength(1)
    await ask(servers[1], 'ticker=BRLX')
    expect(await runs(cik)).toHaveLength(1)
  })

  it('costs one request and no release if the source is unchanged', async () => {
    const cik = await cikOf('BRLX')
    await ask(servers[0], 'ticker=BRLX')
    await aMinuteLater()
    upstream.clearLog()
    const before = await warehouse.lake()
    expect((await ask(servers[0], 'ticker=BRLX'))['stale']).toBeUndefined()
    expect(requests().map(entry => entry.url)).toEqual([expect.stringContaining(`CIK${cik}.json`)])
    expect((await runs(cik)).at(-1)).toMatchObject({ state: 'done', release: null, fetched: 0, rows: 0 })
    expect((await warehouse.lake()).release).toBe(before.release)
  })

  it('is answered from the last release and marked stale if the source is too slow; the next request does not wait again', async () => {
    const cik = await cikOf('TRUE')
    upstream.faults.add({ kind: 'hang', match: `CIK${cik}`, times: 50 })
    const begun = performance.now()
    const answer = await ask(hurried, 'ticker=TRUE')
    expect(performance.now() - begun).toBeGreaterThan(7_500)
    expect(answer).toMatchObject({
      status: 200,
      stale: true,
      freshness: expect.stringMatching(/not answered within 8 seconds: this is what release \d+ holds/),
    })
    expect(answer['receipt_id']).toBeUndefined()
    const again = performance.now()
    // The standard question too, which is a stored page: its receipt covers the answer without the note.
    const page = await ask(hurried, 'ticker=TRUE', false)
    // Another wait would be these 8 seconds at least.
    expect(performance.now() - again).toBeLessThan(7_500)
    expect(page).toMatchObject({ status: 200, stale: true, count: expect.any(Number) })
    expect(page['receipt_id']).toBeUndefined()
    expect(await runs(cik)).toHaveLength(1)
  })

  it('asks for no company that nothing here names', async () => {
    const before = await db.selectFrom('job_run').select('run_id').execute()
    expect(await ask(servers[0], 'ticker=QQZZ')).toMatchObject({ status: 404, code: 'not_found' })
    expect(await ask(servers[0], 'cik=7654321')).toMatchObject({
      status: 200,
      count: 0,
      coverage: { status: expect.stringMatching(/none|not_loaded/) },
    })
    expect(await db.selectFrom('job_run').select('run_id').execute()).toEqual(before)
    expect(requests()).toEqual([])
  })

  it('is answered from the release where no source is set up, signed as ever', async () => {
    const answer = await ask(alone, 'ticker=RDGT', false)
    expect(answer).toMatchObject({
      status: 200,
      release: expect.any(Number),
      receipt_id: expect.stringMatching(/^r1_/),
      coverage: { status: 'read' },
    })
    expect(answer['stale']).toBeUndefined()
    expect(await runs(String(answer['cik']))).toEqual([])
  })
})

describe('waiting for a run', () => {
  const cik = '0009909777'
  let release = 4
  let refreshed = 0
  const serving = {
    db,
    head: () => ({ release, committed_at: '2026-11-20T22:00:00Z' }),
    refresh: async () => {
      refreshed += 1
      release = 9
    },
  } as unknown as Serving
  const run = async (state: 'running' | 'done' | 'failed', given: object = {}): Promise<number> => {
    const ended = state === 'running' ? null : new Date().toISOString()
    const row = {
      job: 'insider-issuer',
      queue_job: null,
      attempt: 0,
      partition: cik,
      backfill_id: null,
      worker: 'test',
      state,
      finished_at: ended,
      release: null,
      error: null,
      ...given,
    }
    return (await db.insertInto('job_run').values(row).returning('run_id').executeTakeFirstOrThrow()).run_id
  }
  let sent = 0
  const queueThat = (work: () => Promise<unknown>): Queue =>
    ({
      send: async () => {
        sent += 1
        await work()
        return 'job'
      },
    }) as unknown as Queue
  beforeEach(async () => {
    sent = 0
    refreshed = 0
    release = 4
    await db.deleteFrom('job_run').where('partition', '=', cik).execute()
  })

  it('takes the release that the run made, before it answers', async () => {
    const refresh = issuerRefresh(
      serving,
      queueThat(() => run('done', { release: 9 })),
    )
    expect(await refresh(cik, new Date())).toBeNull()
    expect([sent, refreshed, release]).toEqual([1, 1, 9])
  })
  it('reports that the source was unavailable if the run failed, and does not retry for a minute', async () => {
    const refresh = issuerRefresh(
      serving,
      queueThat(() => run('failed')),
    )
    expect(await refresh(cik, new Date())).toEqual({ reason: 'failed' })
    expect(await refresh(cik, new Date())).toEqual({ reason: 'failed' })
    expect(sent).toBe(1)
  })
  it('joins a run that another process asked for', async () => {
    const id = await run('running')
    const refresh = issuerRefresh(
      serving,
      queueThat(async () => {}),
    )
    const waiting = refresh(cik, new Date())
    await new Promise(resolve => setTimeout(resolve, 120))
    await db.updateTable('job_run').set({ state: 'done', release: 9, finished_at: new Date().toISOString() }).where('run_id', '=', id).execute()
    expect(await waiting).toBeNull()
    expect([sent, refreshed]).toEqual([0, 1])
  })
  it('reports that no worker ran, even without a queue', async () => {
    expect(
      await issuerRefresh(
        serving,
        queueThat(async () => {}),
        { waitMs: 200 },
      )(cik, new Date()),
    ).toEqual({ reason: 'no_worker' })
    const failing = queueThat(() => Promise.reject(new Error('no queue insider-issuer')))
    expect(await issuerRefresh(serving, failing)(cik, new Date())).toEqual({ reason: 'no_worker' })
  })
})
