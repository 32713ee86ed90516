// Rows become a file and the file gets its release; what is written is what was given, whatever the size of a row.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aRate } from '#fixtures/rates-lake.ts'
import { Broken } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import { openDuckdb, queryRows, runSql } from '../duckdb.ts'
import { readJsonSql } from './json-lines.ts'
import { type Staged, spoolRows, stage, stageReleased } from './stage.ts'

const dataset = datasetOf('fx_rates')
// DuckDB takes such a name for a partition, whose value would replace that of each row.
const folder = mkdtempSync(join(tmpdir(), 'date=1999-01-'))
const instances: DuckDBInstance[] = []
async function connect(threads: number, memoryLimit = '512MB'): Promise<DuckDBConnection> {
  const instance = await openDuckdb({ memoryLimit, threads, tempFolder: '', folders: [folder] })
  instances.push(instance)
  return await instance.connect()
}
let connection: DuckDBConnection
beforeAll(async () => {
  connection = await connect(1)
})
afterAll(() => {
  for (const instance of instances) instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
})

type Rate = ReturnType<typeof aRate>
const day = (at: number): string => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10)
async function staged(rows: readonly Rate[], name: string, on = connection): Promise<Staged> {
  const spool = join(folder, `${name}.ndjson`)
  const { rows: count, longest } = await spoolRows(rows, spool)
  expect(count).toBe(rows.length)
  expect(
    Math.max(
      ...readFileSync(spool, 'latin1')
        .split('\n')
        .map(line => line.length + 1),
    ),
  ).toBeLessThanOrEqual(longest)
  return await stage(on, dataset, readJsonSql(dataset, spool, longest), join(folder, `${name}.parquet`), dataset.key)
}
const read = async (path: string): Promise<Record<string, unknown>[]> =>
  await queryRows(connection, 'select * from read_parquet($path, hive_partitioning = false) order by date', { path })

describe('spooled rows', () => {
  test('are read whole if one of them is larger than the parts that DuckDB reads a file in, in any alphabet', async () => {
    const series = ['FX', 'x'.repeat(33_000_000), '\u0000"\\\n', 'é'.repeat(5_000_000), '価'.repeat(3_000_000), '𝔘'.repeat(1_500_000)]
    const rows = series.map((text, at) => ({ ...aRate(day(at), '1.25'), series: text }))
    const file = await staged(rows, 'large')
    expect((await read(file.path)).map(row => row['series'] === series[Number(String(row['date']).slice(8)) - 1])).toEqual(rows.map(() => true))
  })
  test('give the same bytes if several threads read parts of them, in any order of the rows', async () => {
    // More than one part of 32 MiB.
    const rows = Array.from({ length: 40_000 }, (_, at) => ({ ...aRate(day(at), `1.${at}`), series: `FXUSDCAD ${'-'.repeat(1000)}` }))
    const [one, two] = [await staged(rows, 'one'), await staged([...rows].reverse(), 'two', await connect(4))]
    expect(readFileSync(two.path).equals(readFileSync(one.path))).toBe(true)
    expect(two.sums).toEqual(one.sums)
  })
  test('of tens of megabytes are read in little memory', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => ({ ...aRate(day(at), `1.${at}`), series: '-'.repeat(1000) }))
    const spool = join(folder, 'memory.ndjson')
    const { longest } = await spoolRows(rows, spool)
    const count = async (source: ReturnType<typeof readJsonSql>): Promise<unknown> =>
      await queryRows(await connect(2, '150MB'), `select count(rate) as n from ${source.sql}`, source.parameters)
    expect(await count(readJsonSql(dataset, spool, longest))).toEqual([{ n: rows.length }])
    // A reader that is prepared for the largest rows reserves more than that.
    await expect(count(readJsonSql(dataset, spool))).rejects.toThrow(/memory/i)
  })
})

describe('a release', () => {
  const rows = [aRate('2026-11-17', '1.4'), aRate('2026-11-18', '1.41'), aRate('2026-11-19', '1.42')]
  test('is in every row of the file, and nothing else changes', async () => {
    const file = await staged(rows, 'plain')
    const released = await stageReleased(connection, file, 7, join(folder, 'released.parquet'))
    const before = await read(file.path)
    expect(before.map(row => row['release_from'])).toEqual([null, null, null])
    expect(await read(released.path)).toEqual(before.map(row => ({ ...row, release_from: 7 })))
    expect(released).toMatchObject({ rows: 3, release_max: 7, key_min: file.key_min, time_max: file.time_max })
  })
  test.each([
    [
      'a value of one row',
      [aRate('2026-11-17', '1.4'), aRate('2026-11-18', '1.41'), aRate('2026-11-19', '1.43')],
      'column rate of the staged file differs',
    ],
    ['one row', rows.slice(0, 2), '2 of 3 rows of the written file have the release 7'],
  ])('is refused if the staged file lost %s since it was compared with its rows', async (_what, changed, reason) => {
    const file = await staged(rows, 'before')
    copyFileSync((await staged(changed, 'changed')).path, file.path)
    const attempt = stageReleased(connection, file, 7, join(folder, 'refused.parquet'))
    await expect(attempt).rejects.toThrow(Broken)
    await expect(attempt).rejects.toThrow(`fx_rates: ${reason}`)
  })
})

test('a staged file that differs from its rows is refused, with the column', async () => {
  const spool = join(folder, 'source.ndjson')
  await spoolRows([aRate('2026-11-17', '1.4')], spool)
  const source = readJsonSql(dataset, spool)
  // The source of a staging gives another value each time that it is read.
  await runSql(connection, 'create sequence readings')
  const moving = { sql: `(select * replace (nextval('readings')::varchar as rate) from ${source.sql})`, parameters: source.parameters }
  await expect(stage(connection, dataset, moving, join(folder, 'moving.parquet'), dataset.key)).rejects.toThrow(
    'fx_rates: column rate of the staged file differs from its source',
  )
})
