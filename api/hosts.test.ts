// API processes on several hosts, with a data folder each, over one database and a lake in one bucket: the same bytes for the screener and for
// prices, and what they answer while the bucket is away.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucketConfig, openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { openRuntime, type Runtime } from '#pipelines/ingest/runtime.ts'
import { buildDueModels, buildDuePrices } from '#pipelines/jobs/models/models.ts'
import type { Config } from '#schemas/config.ts'
import { findKnownDamage } from '#warehouse/people/status/damage.ts'
import { type Server, startServer } from './server.ts'

const server: ServerName | null = s3Server('versitygw', 'moto_server')
it.skipIf(server !== null)(
  'skipped: no versitygw (with the clock of the tests) or moto_server in PATH, so no second host was tested',
  () => undefined,
)

const screener = '/api/v1/market/screener?limit=20'
const prices = '/api/v1/market/eod/NGP.TO?from=2026-10-02&to=2026-11-12'

describe.skipIf(server === null)(`hosts with a lake in a bucket of ${server}`, () => {
  let bucket: TestBucket
  let config: Config
  let key: string
  let runtime: Runtime
  const servers: Server[] = []
  const folders: string[] = []
  beforeAll(async () => {
    bucket = await openTestBucket(server ?? 'versitygw')
    const warehouse = await worldWarehouse()
    key = await worldKey(warehouse)
    const { lake, s3, lakeCacheBytes } = bucketConfig(bucket, 'hosts', {})
    config = { ...warehouse.config, lake, s3, lakeCacheBytes }
    runtime = await openRuntime(config, () => {}, 'crossfile test')
    const tools = { db: runtime.postgres.db, writer: runtime.tools.writer }
    await buildDueModels(tools, Date.now(), true)
    await buildDuePrices(tools, Date.now(), true)
  })
  afterAll(async () => {
    bucket.faults = () => null
    for (const each of servers) await each.close()
    await runtime.close()
    await bucket.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  type Answer = { readonly status: number; readonly body: string; readonly retryAfter: string | null }
  async function start(dataFolder: string): Promise<(path: string) => Promise<Answer>> {
    const each = await startServer({ ...config, dataFolder })
    servers.push(each)
    return async path => {
      const response = await fetch(each.address + path, { headers: { authorization: `Bearer ${key}` } })
      return { status: response.status, body: await response.text(), retryAfter: response.headers.get('retry-after') }
    }
  }
  /** A data folder with the keys of the first host only. */
  function aFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'crossfile-api-host-'))
    folders.push(folder)
    cpSync(join(config.dataFolder, 'keys'), join(folder, 'keys'), { recursive: true })
    return folder
  }
  const partsIn = (dataFolder: string): string[] => {
    const folder = join(dataFolder, 'models/prices')
    return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.part')) : []
  }

  it('answer the screener and prices with the same bytes, prices also without the files of the lake', async () => {
    const one = await start(config.dataFolder)
    const expected = [await one(screener), await one(prices)]
    expect(expected.map(({ status }) => status)).toEqual([200, 200])
    const folder = aFolder()
    const two = await start(folder)
    await expect.poll(() => partsIn(folder)).toEqual(partsIn(config.dataFolder))
    // What is not in the model needs a file of bars.
    bucket.faults = ({ method, key }) => (method === 'GET' && key.includes('/delta/bars/') ? { kind: 'status', status: 503 } : null)
    await expect.poll(async () => await two(prices)).toEqual(expected[1])
    expect((await two(`${prices}&as_of=2026-11-10T00:00:00Z`)).status).toBe(503)
    bucket.faults = () => null
    expect(await two(screener)).toEqual(expected[0])
    expect((await findKnownDamage(runtime.postgres.db)).files).toEqual([])
  })

  it('refuse the screener while the bucket is away, say when to repeat it, and report no damage', async () => {
    const three = await start(aFolder())
    const fromLake = await three(prices)
    expect(fromLake.status).toBe(200)
    bucket.faults = () => ({ kind: 'status', status: 503 })
    const refused = await three(screener)
    expect(refused).toMatchObject({ status: 503, retryAfter: '10' })
    expect(refused.body).toContain('cannot be read from the bucket now')
    expect((await three(prices)).body).toBe(fromLake.body)
    expect((await findKnownDamage(runtime.postgres.db)).files).toEqual([])
    // Still 200, so that a proxy sends requests here: what is cached is answered.
    const health = async () => {
      const { status, body } = await three('/health')
      const { status: state, checks } = JSON.parse(body) as { status: string; checks?: readonly object[] }
      return { status, state, checks }
    }
    await expect.poll(health).toMatchObject({
      status: 200,
      state: 'degraded',
      checks: [{ name: 'bucket', status: 'failed', detail: expect.stringMatching(/^the bucket of the lake does not answer or refuses/) }],
    })
    expect((await three('/health/ready')).status).toBe(200)
    bucket.faults = () => null
    await expect.poll(async () => (await three(screener)).status).toBe(200)
    await expect.poll(health).toEqual({ status: 200, state: 'ok', checks: undefined })
  })
})
