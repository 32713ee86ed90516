// An API on a warehouse where no worker has ever run: requests that need none are answered, the others report it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { type Server, startServer } from './server.ts'

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
let server: Server
beforeAll(async () => {
  // As a restored database or one that another version left: not even the queues are there.
  await warehouse.runtime.postgres.pool.query('delete from pgboss.job; delete from pgboss.queue')
  server = await startServer(warehouse.config)
})
afterAll(() => server.close())

it.each([
  ['a page that is there', '/api/v1/market/symbols/GLPR.TO', 200],
  ['a page that is not built yet', '/api/v1/market/corporate-actions/GLPR.TO?from=2020-01-01', 200],
  ['an answer that has to be signed', '/api/v1/market/eod/GLPR.TO?from=2026-11-02&receipt=1', 503],
])('%s', async (_name, path, status) => {
  const response = await fetch(server.address + path, { headers: { 'x-api-key': key } })
  expect(response.status).toBe(status)
  if (status === 503) expect(await response.json()).toMatchObject({ code: 'upstream_unavailable', detail: expect.stringContaining('no worker') })
})
