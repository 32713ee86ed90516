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
    const single = await stageRows({ ...writer, stagesAtOnce: 1 }, rows, 9)
    const pairs = await stageRows({ ...writer, stagesAtOnce: 2 }, new Map([...rows].reverse()), 9)
    expect(pairs.content).toEqual(single.content)
    expect(pairs.content.map(each => each.dataset)).toEqual([...rows.keys()].sort())
    expect(left()).toHaveLength(2 * rows.size)
    for (const staged of [single, pairs]) await staged.discard()
    expect(left()).toEqual([])
  })
  test('become the same files whether the commit gets the expected release or another one, and are the same batch', async () => {
    const [expected, other] = [await stageRows(writer, rows, 1_000_009), await stageRows(writer, rows, 1_000_008)]
    expect(other.content).toEqual(expected.content)
    const sealed = await expected.seal(1_000_009)
    expect(sealed.map(file => [file.dataset, file.rows, file.release_max])).toEqual(
      [...rows.keys()].sort().map(name => [name, rows.get(name)?.length, 1_000_009]),
    )
    for (const file of sealed) {
      const path = lakePath(writer.data, file)
      const read = await writer.connections.use(connection => queryRows<Row>(connection, 'from read_parquet($path)', { path }))
      expect(new Set(read.map(row => row['release_from']))).toEqual(new Set([1_000_009]))
    }
    expect(await other.seal(1_000_009)).toEqual(sealed)
    for (const staged of [expected, other]) await staged.discard()
    expect(left()).toEqual([])
  })
  test('of another content are another batch: another value, and another order of the rows', async () => {
    const [dataset, list] = [...rows].find(([, each]) => each.length > 1) ?? []
    if (dataset === undefined || list === undefined) throw new Error('the universe has no dataset of several rows')
    const keyOf = async (changed: readonly Row[]): Promise<string | undefined> => {
      const staged = await stageRows(writer, new Map([[dataset, [...changed]]]), 9)
      await staged.discard()
      return staged.content[0]?.sha256
    }
    const [first, ...more] = list as [Row, ...Row[]]
    const keys = [await keyOf(list), await keyOf([...list]), await keyOf([{ ...first, source: 'another' }, ...more]), await keyOf([...more, first])]
    expect(keys[1]).toBe(keys[0])
    expect(new Set(keys).size).toBe(3)
  })
  test('leave no file behind if one of them is refused', async () => {
    const [dataset, list] = [...rows].find(([, each]) => each.length > 0) ?? []
    if (dataset === undefined || list === undefined) throw new Error('the universe has no rows')
    const doubled = new Map(rows).set(dataset, [...list, list[0] as Row])
    await expect(stageRows({ ...writer, stagesAtOnce: 2 }, doubled, 9)).rejects.toThrow(Broken)
    expect(left()).toEqual([])
  })
  test('are refused before a commit takes the lock while the bucket of the lake is away, with its name', async () => {
    const fault = 's3://lake/x: GET x/releases.parquet failed: closed'
    const inBucket = (check: () => Promise<string | null>): LakeWriter => ({ ...writer, remote: { availability: { check } } as never })
    const away = await stageRows(
      inBucket(async () => fault),
      rows,
      9,
    )
    await expect(away.ready?.()).rejects.toThrow(`nothing is committed while the bucket of the lake is away: ${fault}`)
    const there = await stageRows(
      inBucket(async () => null),
      rows,
      9,
    )
    await expect(there.ready?.()).resolves.toBeUndefined()
    const local = await stageRows({ ...writer, remote: null }, rows, 9)
    await expect(local.ready?.()).resolves.toBeUndefined()
    for (const staged of [away, there, local]) await staged.discard()
  })
})
