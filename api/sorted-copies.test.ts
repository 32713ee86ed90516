// Holders of a security over HTTP, in a quarter that is large enough for a sorted copy: the job makes the copy, the API answers from it with
// the same bytes as without, and a damaged copy costs time only.
import { afterAll, expect, it } from 'vitest'
import { flipBit } from '#fixtures/damage.ts'
import { commitRows, holdingsQuarterSql, reportsQuarterSql, widelyHeldSql } from '#fixtures/holdings-quarter.ts'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { housekeeping } from '#pipelines/jobs/worker/tasks.ts'
import { holdingsBySecurity } from '#schemas/holdings.ts'
import { findBuildFiles } from '#warehouse/models/check.ts'
import { modelDataset } from '#warehouse/models/folder.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { type Server, startServer } from './server.ts'

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
const { db, writer } = warehouse.runtime.tools
const servers: Server[] = []
afterAll(async () => {
  for (const server of servers) await server.close()
})

async function start(): Promise<(path: string) => Promise<string>> {
  const server = await startServer(warehouse.config)
  servers.push(server)
  return async path => {
    const response = await fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })
    return `${response.status} ${await response.text()}`
  }
}
const runModels = async (): Promise<string> => {
  const window = { partition: 'test', from: '2026-11-20', to: '2026-11-20', symbols: null, today: '2026-11-20' }
  const tally = { fetched: 0, documents: 0, rows: 0, refused: 0, release: null }
  return String(await housekeeping(warehouse.runtime, () => {}).get('models')?.(window, new AbortController().signal, tally, async () => {}))
}
const copyFiles = async () => (await findBuildFiles(db, writer.data)).filter(file => file.dataset === modelDataset(holdingsBySecurity.name))

it('answers the same without a copy, with one, and with a damaged one', async () => {
  const size = { quarter: '2026Q3', managers: 1_200, securities: 3_000 }
  await commitRows({ db, writer }, 'holdings', holdingsQuarterSql(size))
  await commitRows({ db, writer }, 'holdings_reports', reportsQuarterSql(size))
  const [held] = await writer.connections.use(connection => queryRows<{ cusip: string }>(connection, widelyHeldSql))
  const path = (limit: number): string => `/api/v1/data/13f/issuer/${held?.cusip}?period=2026Q3&limit=${limit}`
  const without = await start()
  const plain = [await without(path(5)), await without(path(6)), await without(path(7))]
  expect(plain[0]).toMatch(/^200 /)
  expect(await copyFiles()).toEqual([])

  expect(await runModels()).toMatch(/holdings_by_security: \d{2},\d{3} rows of a file in \d+ ms/)
  expect(await runModels()).not.toContain(holdingsBySecurity.name)
  const [file] = await copyFiles()
  if (!file) throw new TypeError('no copy was made')
  const ask = await start()
  expect(await ask(path(5))).toBe(plain[0])

  await flipBit(file.path)
  expect(await ask(path(6))).toBe(plain[1])
  const health = async (): Promise<string> => JSON.parse((await ask('/health')).slice(4)).status
  await expect.poll(health).toBe('degraded')
  expect(await runModels()).toContain(`${holdingsBySecurity.name}: damaged build`)
  expect(await copyFiles()).toEqual([file])
  await expect.poll(health).toBe('ok')
  expect(await ask(path(7))).toBe(plain[2])
})
