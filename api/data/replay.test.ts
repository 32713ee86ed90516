// The road from the SEC to an answer, against recorded exchanges: jobs ask a replay of them, and the API serves what they brought.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ofIssuers, writeJobs } from '#fixtures/jobs-file.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { type ClockedClient, clockedClient } from '#fixtures/replay/client.ts'
import { type Replay, startReplay } from '#fixtures/replay/server.ts'
import { worldKey } from '#fixtures/warehouse.ts'
import { newestFilingsUrl, quarterIndexUrl } from '#pipelines/fetch/sources/edgar/index.ts'
import { openRuntime, type Runtime } from '#pipelines/ingest/runtime.ts'
import { defineQueue, readJobs } from '#pipelines/jobs/jobs-file.ts'
import { runJob } from '#pipelines/jobs/worker/run-job.ts'
import { createSourceLog } from '#pipelines/jobs/worker/source-log.ts'
import { startWorker, type Worker } from '#pipelines/jobs/worker/worker.ts'
import { loadConfig } from '#schemas/config.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { freezeDataClock } from '#warehouse/store/data-clock.ts'
import { type Claimed, openQueue, type Queue } from '#warehouse/store/queue.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { type Server, startServer } from '../server.ts'

const archives = 'https://www.sec.gov/Archives/edgar'
const nvidia = '0001045810'
/** The evening after NVIDIA's filing 0001045810-23-000128. */
const frozen = '2023-06-24T12:00:00Z'

describeReal('from recorded exchanges with the SEC to an answer', () => {
  let replay: Replay
  let runtime: Runtime
  let queue: Queue
  let client: ClockedClient
  let server: Server
  let worker: Worker
  let key: string
  let data: string

  beforeAll(async () => {
    replay = await startReplay()
    data = mkdtempSync(join(tmpdir(), 'crossfile-replay-'))
    const jobsFile = writeJobs(data, { 'insider-issuer': { ...ofIssuers, retry: { limit: 0, backoff_seconds: [1, 1] } } })
    const settings = { DATABASE_URL: await createTestDatabase(), CROSSFILE_DATA: data, CROSSFILE_LOG: 'silent', PORT: '0' }
    const config = loadConfig({
      ...settings,
      CROSSFILE_DUCKDB_MEMORY: '512MB',
      CROSSFILE_DUCKDB_THREADS: '1',
      CROSSFILE_UPSTREAM_BASE: replay.origin,
    })
    runtime = await openRuntime(config, () => {}, 'crossfile test')
    await freezeDataClock(runtime.postgres.db, frozen)
    key = await worldKey({ runtime })
    queue = await openQueue(runtime.postgres.db, false, () => {})
    worker = await startWorker({ ...config, jobsFile }, () => {})
    // A request waits for the source for any time: a busy machine takes long to ask it.
    server = await startServer(config, undefined, { refresh: { waitMs: 600_000 } })
  })
  afterAll(async () => {
    await server.close()
    await worker.stop()
    await queue.close()
    await runtime.close()
    await replay.close()
    rmSync(data, { recursive: true, force: true })
  })
  beforeEach(() => {
    replay.clearLog()
    client = clockedClient(replay.origin, '2026-08-09T12:00:00Z')
  })
  afterEach(() => client.http.close())

  const get = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${server.address}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
    return { status: response.status, ...((await response.json()) as object) }
  }
  const release = async (): Promise<number> =>
    Number(
      (
        await runtime.postgres.db
          .selectFrom('release')
          .select(eb => eb.fn.max('release').as('newest'))
          .executeTakeFirst()
      )?.newest ?? 0,
    )

  /** One attempt of a job of jobs.yaml over a day, as a worker makes it; the row that it leaves. */
  async function run(name: string, from: string, to = from, symbols: string[] | null = null) {
    const jobs = readJobs(runtime.config)
    await defineQueue(queue, jobs, name)
    await queue.send(name, { partition: `${from} ${symbols ?? ''}`, from, to, symbols, backfill_id: null })
    const [claimed] = await queue.claim(name, 1)
    await runJob(
      {
        config: runtime.config,
        db: runtime.postgres.db,
        queue,
        raw: runtime.raw,
        ingest: runtime.tools,
        http: client.http,
        lookup: { cikOf: async () => null },
        log: () => {},
        sources: createSourceLog(() => {}),
        now: client.now,
        clock: () => new Date(client.now()),
        worker: 'test',
        tasks: new Map(),
        onRelease: () => {},
        crashPoint: () => {},
      },
      jobs.get(name) as JobDefinition,
      claimed as Claimed,
      new AbortController().signal,
    )
    return await runtime.postgres.db.selectFrom('job_run').selectAll().where('job', '=', name).orderBy('run_id', 'desc').executeTakeFirstOrThrow()
  }

  test('filings are found on the list of the newest ones before any index names them', async () => {
    const ended = await run('newest-filings', '2026-01-12')
    expect(ended).toMatchObject({ state: 'done', refused: expect.any(Number) })
    // Gaps of the recording are reported: documents that are not at the source, and pages after the sixth.
    expect(ended.error).toContain('of the filings that are listed are not at the source yet')
    expect(ended.error).toContain('status 503')
    expect(ended.rows).toBeGreaterThan(400)
    expect(replay.log().filter(requested => requested.status === 503)).toHaveLength(5)
    await expect
      .poll(async () => (await get('data/filings/search?cik=0001071287'))['filings'])
      .toMatchObject([
        { accession: '0000080661-26-000032', form: '4', filed_date: '2026-01-12', accepted_at: '2026-01-12T16:26:36Z', company: 'DAVIS CHARLES A' },
      ])
    expect(await get('data/filings/0000080661-26-000032')).toMatchObject({
      status: 200,
      entities: [
        { cik: '0000080661', role: 'issuer' },
        { cik: '0001071287', role: 'reporting_owner' },
      ],
    })
  })

  test('asked again, the list brings nothing twice', async () => {
    const before = await release()
    const again = await run('newest-filings', '2026-01-12')
    expect(again).toMatchObject({ state: 'done', rows: 0, release: null })
    expect(await release()).toBe(before)
    expect(replay.log().filter(requested => requested.url === newestFilingsUrl(0))).toHaveLength(1)
  })

  test('a day whose index is not there yet is a run that found nothing', async () => {
    const index = `${archives}/daily-index/2026/QTR1/form.20260112.idx`
    expect(await run('filings', '2026-01-12')).toMatchObject({ state: 'done', error: null, documents: 0 })
    expect(replay.log().map(({ url, status }) => [url, status])).toEqual([[index, 403]])
    expect(await run('filings-history', '2099-01-01')).toMatchObject({ state: 'done', error: expect.stringContaining('does not exist') })
  })

  test('an index that has not changed since it was read costs one request', async () => {
    const url = quarterIndexUrl('2025-01-01')
    const body = gzipSync(realBytes('edgar/index/form.20200318.idx').subarray(0, 4000))
    const unchanged = replay.exchanges.find(exchange => exchange.url === url)
    const { etag = '', 'last-modified': modified = '' } = unchanged?.headers ?? {}
    expect(unchanged?.requested['if-modified-since']).toBe(modified)
    const headers = { etag, 'last-modified': modified }
    await runtime.raw.keep([{ source: 'edgar', url, retrieved_at: '2026-06-29T15:42:30Z', status: 200, headers, body, sha256: sha256Hex(body) }])
    expect(await run('filings-history', '2025-01-01', '2025-03-31')).toMatchObject({ state: 'done', fetched: 0, documents: 1 })
    expect(replay.log().map(({ status, bytes, headers: requested }) => [status, bytes, requested['if-modified-since']])).toEqual([[304, 0, modified]])
    // It was kept and not read yet; now it is, and a further request does not read it again.
    expect(await run('filings-history', '2025-01-01', '2025-03-31')).toMatchObject({ state: 'done', fetched: 0, documents: 0, release: null })
  })

  test('a 13F from the archive, named by the index of its day, is what the API answers', async () => {
    const index = `Description: Daily Index of EDGAR Dissemination Feed by Form Type\n\nForm Type   Company Name                                                  CIK         Date Filed  File Name\n${'-'.repeat(141)}\n13F-HR      Bull Street Advisors, LLC                                     1790837     20230228    edgar/data/1790837/0001790837-23-000002.txt\n`
    replay.add(`${archives}/daily-index/2023/QTR1/form.20230228.idx`, Buffer.from(index), 'Wed, 01 Mar 2023 03:06:02 GMT')
    expect(await run('holdings', '2023-02-28')).toMatchObject({ state: 'done', error: null, fetched: 2 })
    const [kept] = await runtime.postgres.db
      .selectFrom('raw_document')
      .select('headers')
      .where('url', '=', `${archives}/data/1790837/0001790837-23-000002.txt`)
      .execute()
    const recorded = replay.exchanges.find(exchange => exchange.url.endsWith('0001790837-23-000002.txt'))
    expect(kept?.headers).toMatchObject({ 'last-modified': recorded?.headers['last-modified'] })
    const answer = async () => await get('data/13f/manager/0001790837')
    await expect.poll(answer).toMatchObject({ status: 200, cik: '0001790837', reports: [{ accession: '0001790837-23-000002' }] })
    const rows = (await answer())['holdings'] as { cusip: string; value_usd: number }[]
    expect(rows.length).toBeGreaterThan(50)
  })

  test('company facts and submissions of one issuer reach the issuer’s filings', async () => {
    const ended = await run('company-facts-issuer', '2026-03-05', '2026-03-05', ['0000320193'])
    expect(ended).toMatchObject({ state: 'done' })
    expect(replay.log().map(requested => requested.status)).toEqual([200, 200])
    await expect
      .poll(async () => await get('data/filings/search?cik=0000320193&form=UPLOAD&from=2024-05-16&to=2024-05-16'))
      .toMatchObject({ status: 200, filings: [{ accession: '0000000000-24-005673' }] })
  })

  test('a request for an issuer’s Form 4s asks the SEC, returns what was read, and reports what was not', async () => {
    const accession = '0001045810-23-000128'
    replay.add(`${archives}/data/1045810/${accession}.txt`, realBytes(`edgar/form345/nvda-${accession}.txt`), 'Fri, 23 Jun 2023 23:44:09 GMT')
    // No source is requested for an unknown company.
    await run('company-facts-issuer', '2023-06-24', '2023-06-24', [nvidia])
    await expect.poll(async () => await get(`data/filings/${accession}`)).toMatchObject({ status: 200 })
    replay.clearLog()
    const form4 = async () => await get(`data/form4?cik=${nvidia}`)
    await expect.poll(form4, { interval: 500 }).toMatchObject({ status: 200, transactions: [{ accession, owner_names: ['Shoquist Debora'] }] })
    const requested = replay.log().map(({ url }) => url)
    expect(requested[0]).toBe('https://data.sec.gov/submissions/CIK0001045810.json')
    // The other Forms 4 of the 90 days are not in the recording: the run fails, and the answer is marked stale.
    const runs = async () =>
      await runtime.postgres.db.selectFrom('job_run').selectAll().where('job', '=', 'insider-issuer').where('partition', '=', nvidia).execute()
    await expect.poll(runs).toMatchObject([{ state: 'failed', error: expect.stringContaining('do not exist at the source') }])
    expect(await form4()).toMatchObject({ stale: true })
  })

  test('an issuer without a Form 4 in ninety days costs one request', async () => {
    const cik = '0001847577'
    await run('company-facts-issuer', '2023-06-24', '2023-06-24', [cik])
    await expect.poll(async () => (await get(`data/filings/search?cik=${cik}`))['filings']).not.toEqual([])
    replay.clearLog()
    const answer = await get(`data/form4?cik=${cik}`)
    expect(answer).toMatchObject({ status: 200, count: 0 })
    expect(answer).not.toHaveProperty('stale')
    expect(replay.log().map(({ url, status }) => [url, status])).toEqual([[`https://data.sec.gov/submissions/CIK${cik}.json`, 200]])
  })
})
