// How builds are served: the newest from memory, older ones from their files, damage never as rows.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { Damaged } from '#schemas/errors.ts'
import { screener } from './model.ts'
import { openModels } from './serve.ts'
import { buildModel, findNewestBuild, modelPath } from './store.ts'
import { modelViews } from './views.ts'

const warehouse = await worldWarehouse()
const { tools } = warehouse.runtime
const { db, writer } = tools
const { release } = await warehouse.lake()
const served = () => openModels({ db, connections: writer.connections, data: writer.data })
const standing = (await findNewestBuild(db, screener, release))?.release ?? 0
const tables = async (): Promise<string[]> =>
  (
    await writer.connections.use(async connection =>
      (
        await connection.runAndReadAll("select table_name from duckdb_tables() where table_name like 'model_screener%' order by 1")
      ).getRowObjectsJson(),
    )
  ).map(row => String(row['table_name']))

test('the newest build is loaded once for all who ask at the same time; an older one is read from its file', async () => {
  const models = served()
  const before = (await tables()).length
  await buildModel({ db, writer }, screener, 4, null)
  const counted = await Promise.all(
    [1, 2, 3].map(() =>
      models.read(screener, standing, null, async rows => ({
        table: rows.table,
        rows: await rows.query<{ n: number }>(`select count(*) as n from ${rows.table}`),
      })),
    ),
  )
  expect(new Set(counted.map(each => each?.table)).size).toBe(1)
  expect(counted[0]?.rows[0]?.n).toBe(51)
  expect((await tables()).length).toBe(before + 1)
  const older = await models.read(screener, 4, null, async rows => rows.table)
  expect(older).toMatch(/^read_parquet\('.*\.parquet', hive_partitioning = false\)$/)
  expect((await tables()).length).toBe(before + 1)
})
test('a newer build takes the place of the one in memory', async () => {
  const models = served()
  const before = (await tables()).length
  await models.read(screener, 4, null, async rows => expect(rows.table).toContain('model_screener'))
  await models.read(screener, standing, null, async rows => expect(rows.table).toContain('model_screener'))
  await expect.poll(async () => (await tables()).length).toBe(before + 1)
})
test('a release without a build has none', async () => {
  expect(await served().read(screener, 2, null, async () => 1)).toBeNull()
  expect(await served().read(screener, standing, '2026-11-01T23:59:59.999999Z', async () => 1)).toBeNull()
})
test('a file that was damaged is reported, never read; one that is gone is made again', async () => {
  const build = await findNewestBuild(db, screener, 4)
  const path = modelPath(writer.data, 'screener', build?.sha256 as string)
  const whole = readFileSync(path)
  const damaged = Buffer.from(whole)
  damaged[200] = (damaged[200] as number) ^ 1
  chmodSync(path, 0o644)
  writeFileSync(path, damaged)
  await expect(served().read(screener, 4, null, async () => 1)).rejects.toThrow(Damaged)
  writeFileSync(path, whole)
  expect(await served().read(screener, 4, null, async () => 1)).toBe(1)
})
test('the analyst sees the newest build by its name', async () => {
  expect(await modelViews(db, writer.data, release)).toMatchObject([{ name: 'screener', release: standing }])
  expect(await modelViews(db, writer.data, 0)).toEqual([])
})
