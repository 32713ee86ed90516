// The manifest of a release, over HTTP.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { publishLake } from '#warehouse/store/lake/publication/publish.ts'
import { sha256Hex } from '#warehouse/store/receipts/statement.ts'
import { type Server, startServer } from '../server.ts'

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
let server: Server
beforeAll(async () => {
  await publishLake(warehouse.runtime.postgres.db, warehouse.runtime.tools.writer)
  server = await startServer(warehouse.config)
})
afterAll(() => server.close())

const ask = (file: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.address}/api/v1/data/bulk/manifests/${file}`, { headers: { authorization: `Bearer ${key}`, ...headers } })

it('lists files that exist with these hashes, answers ranges, and has its hash as ETag', async () => {
  const response = await ask('1.json')
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(response.headers.get('etag')).toBe(`"${sha256Hex(Buffer.from(text))}"`)
  const manifest = JSON.parse(text) as { release: number; datasets: { files: { path: string; sha256: string }[] }[] }
  const files = manifest.datasets.flatMap(dataset => dataset.files)
  expect([manifest.release, files.length > 0]).toEqual([1, true])
  for (const file of files) expect(sha256Hex(await readFile(join(warehouse.config.dataFolder, 'lake', 'delta', file.path)))).toBe(file.sha256)
  const part = await ask('1.json', { range: 'bytes=0-9' })
  expect([part.status, await part.text()]).toEqual([206, text.slice(0, 10)])
  expect((await ask('1.json', { 'if-none-match': response.headers.get('etag') ?? '' })).status).toBe(304)
  expect((await ask('1.json', { 'if-match': response.headers.get('etag') ?? '' })).status).toBe(200)
})

it('is not sent to a client that continues other bytes', async () => {
  const response = await ask('1.json', { 'if-match': '"of another file"', range: 'bytes=10-' })
  expect(response.status).toBe(412)
  expect((await response.json()) as object).toMatchObject({ hint: expect.stringContaining(response.headers.get('etag') ?? 'an ETag') })
})

it('is 404 with the newest one for a release that has none', async () => {
  for (const name of ['999.json', '01.json', '0.json', 'x.json', '1.parquet']) {
    const response = await ask(name)
    expect([name, response.status]).toEqual([name, 404])
    expect((await response.json()) as object).toMatchObject({ hint: expect.stringMatching(/^the newest is \d+\.json/) })
  }
})
