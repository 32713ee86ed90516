// Staging several files of a commit at the same time gives the files that staging them one by one gives.
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestWarehouse, worldWarehouse } from '#fixtures/warehouse.ts'
import { Broken } from '#schemas/errors.ts'
import { datasetNames } from '#schemas/index.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { stageRows } from './stage-rows.ts'
import type { Row, RowsByDataset } from './types.ts'

let warehouse: TestWarehouse
let writer: LakeWriter
let rows: RowsByDataset
beforeAll(async () => {
  warehouse = await worldWarehouse()
  writer = warehouse.runtime.tools.writer
  const { files } = await loadCatalogue(warehouse.runtime.postgres.db)
  rows = new Map()
  for (const dataset of datasetNames) {
    const [file] = files.get(dataset) ?? []
    if (file === undefined) continue
    const path = lakePath(writer.data, file)
    rows.set(dataset, await writer.connections.use(connection => queryRows<Row>(connection, 'from read_parquet($path) limit 200', { path })))
  }
})
const left = (): string[] => readdirSync(writer.stageFolder).filter(name => /\.(ndjson|parquet)$/.test(name))

describe('rows of many datasets', () => {
  test('become the same files in the same order, whether one or two are staged at a time', async () => {
    expect(rows.size).toBeGreaterThan(10)
    const single = await stageRows({ ...writer, stagesAtOnce: 1 }, rows)
    const pairs = await stageRows({ ...writer, stagesAtOnce: 2 }, new Map([...rows].reverse()))
    expect(pairs.content).toEqual(single.content)
    expect(pairs.content.map(each => each.dataset)).toEqual([...rows.keys()].sort())
    expect(left()).toHaveLength(2 * rows.size)
    for (const staged of [single, pairs]) await staged.discard()
    expect(left()).toEqual([])
  })
  test('leave no file behind if one of them is refused', async () => {
    const [dataset, list] = [...rows].find(([, each]) => each.length > 0) ?? []
    if (dataset === undefined || list === undefined) throw new Error('the universe has no rows')
    const doubled = new Map(rows).set(dataset, [...list, list[0] as Row])
    await expect(stageRows({ ...writer, stagesAtOnce: 2 }, doubled)).rejects.toThrow(Broken)
    expect(left()).toEqual([])
  })
  test('are refused before a commit takes the lock while the bucket of the lake is away, with its name', async () => {
    const fault = 's3://lake/x: GET x/releases.parquet failed: closed'
    const inBucket = (check: () => Promise<string | null>): LakeWriter => ({ ...writer, remote: { availability: { check } } as never })
    const away = await stageRows(
      inBucket(async () => fault),
      rows,
    )
    await expect(away.ready?.()).rejects.toThrow(`nothing is committed while the bucket of the lake is away: ${fault}`)
    const there = await stageRows(
      inBucket(async () => null),
      rows,
    )
    await expect(there.ready?.()).resolves.toBeUndefined()
    const local = await stageRows({ ...writer, remote: null }, rows)
    await expect(local.ready?.()).resolves.toBeUndefined()
    for (const staged of [away, there, local]) await staged.discard()
  })
})
