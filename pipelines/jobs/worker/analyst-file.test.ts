// The analyst's file is a derived file: whatever happens to it, the worker makes it again.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { StoreUnavailable } from '#schemas/errors.ts'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { releasesPath } from '#warehouse/store/lake/publication/publish.ts'
import { lockPublication } from '#warehouse/store/lake/publication/snapshots.ts'
import { inspectWarehouseFile, warehouseFile, warehouseLog } from '#warehouse/store/lake/views.ts'
import type { Level } from '#warehouse/store/log.ts'
import { writeAnalystFile } from '../models/models.ts'
import { createAnalystFile } from './analyst-file.ts'

const { config, runtime } = await worldWarehouse()
const path = warehouseFile(config.dataFolder)
const lines: string[] = []
const log = (level: Level, line: string): void => void lines.push(`${level} ${line}`)
const open = (write: Parameters<typeof createAnalystFile>[1] = writeAnalystFile) => createAnalystFile({ ...runtime, log }, write)
const file = open()
beforeAll(async () => {
  file.announce()
  await file.close()
})
afterAll(() => rmSync(path, { force: true }))

/** Flips a bit in the middle of every block but the file's header. */
function damage(): void {
  const bytes = readFileSync(path)
  for (let at = 4096 * 3 + 2000; at < bytes.length; at += 4096) bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(path, bytes)
}

describe('the macros of warehouse.duckdb', () => {
  const instants = ['2026-11-10T15:00:00Z', '2026-06-01T00:00:00Z', '2001-01-01T00:00:00Z']
  const ours = async (name: DatasetName, at: string, where = 'true'): Promise<string> => {
    const lake = openLake(await loadCatalogue(runtime.postgres.db), runtime.tools.writer.connections, runtime.tools.writer.verifier)
    return digestOf(await lake.query(`select ${keyOf(name)} as rows from ${name} where ${where}`, { as_of: at }, { [name]: 'all' }))
  }
  const theirs = async (call: string, name: DatasetName): Promise<string> => {
    const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    try {
      await connection.run("set TimeZone = 'UTC'")
      return digestOf(await queryRows(connection, `select ${keyOf(name)} as rows from ${call}`))
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
  // Rows by their key, release and document; `null` and an empty text differ.
  const keyOf = (name: DatasetName): string =>
    `list_sort(list(to_json([${datasetOf(name).key.map(column => `"${column}"::varchar`)}, release_from::varchar, raw_sha256]))) `
  const digestOf = (rows: readonly unknown[]): string => JSON.stringify(rows)

  test.each(datasetNames)('%s_as_of has the rows that were known at an instant', async name => {
    for (const at of instants) expect(await theirs(`${name}_as_of('${at}')`, name), at).toBe(await ours(name, at))
  })
  test('an instant before everything has no row, and a later one has more', async () => {
    const counts = await Promise.all([...instants].reverse().map(async at => (await theirs(`filings_as_of('${at}')`, 'filings')).length))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(new Set(counts).size).toBe(3)
  })
  test('with a symbol they have the rows of that symbol', async () => {
    const [at = ''] = instants
    expect(await theirs(`bars_as_of('GLPR.TO', '${at}')`, 'bars')).toBe(await ours('bars', at, "symbol = 'GLPR.TO'"))
  })
})

describe('warehouse.duckdb', () => {
  test('is written before the worker ends if a release announced it, and a whole file is left alone', async () => {
    expect(await inspectWarehouseFile(config.dataFolder)).toMatchObject({ state: 'whole' })
    expect([await file.check(), lines]).toEqual([false, []])
  })
  test('that is damaged is written again, and the log names it once', async () => {
    damage()
    expect(await inspectWarehouseFile(config.dataFolder)).toMatchObject({ state: 'damaged' })
    expect([await file.check(), await file.check()]).toEqual([true, false])
    expect(await inspectWarehouseFile(config.dataFolder)).toMatchObject({ state: 'whole' })
    expect(lines.splice(0)).toEqual([expect.stringMatching(/^warn warehouse\.duckdb was damaged \(.+\) and was written again from the catalogue$/)])
  })
  test('that is missing is written again', async () => {
    rmSync(path)
    expect(await file.check()).toBe(true)
    expect(await inspectWarehouseFile(config.dataFolder)).toMatchObject({ state: 'whole' })
    expect(lines.splice(0)).toEqual(['warn warehouse.duckdb was missing and was written again from the catalogue'])
  })
  /** Changes the view `bars` as a session does that is killed before it closes: the file is as before, and the log has the change. */
  async function leaveLog(): Promise<void> {
    const before = readFileSync(path)
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    await connection.run('create or replace view bars as select 42 as wrong')
    const log = readFileSync(warehouseLog(config.dataFolder))
    connection.closeSync()
    instance.closeSync()
    writeFileSync(path, before)
    writeFileSync(warehouseLog(config.dataFolder), log)
  }
  const columnsOfBars = async (): Promise<number> => {
    const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    try {
      return (await queryRows(connection, 'describe bars')).length
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
  test('that a killed session changed is written again without its changes', async () => {
    await leaveLog()
    expect(await columnsOfBars()).toBe(1)
    expect(await file.check()).toBe(true)
    expect(await columnsOfBars()).toBeGreaterThan(10)
    expect(existsSync(warehouseLog(config.dataFolder))).toBe(false)
    expect(lines.splice(0)).toEqual([
      expect.stringMatching(/^warn warehouse\.duckdb was damaged \(a program left changes in .+\.wal\) and was written again/),
    ])
  })
  test('of the next release has no changes of a killed session', async () => {
    await leaveLog()
    await writeAnalystFile(runtime)
    expect(await columnsOfBars()).toBeGreaterThan(10)
    expect(await file.check()).toBe(false)
  })
  test('that a command wrote meanwhile is taken as it is', async () => {
    await writeAnalystFile(runtime)
    const written = readFileSync(path)
    expect(await file.check()).toBe(false)
    expect(readFileSync(path)).toEqual(written)
  })
  test('that is missing is there before the tables are published, and lists their versions afterwards', async () => {
    rmSync(path)
    const { db } = runtime.postgres
    const versions = async (): Promise<unknown> => {
      const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
      const connection = await instance.connect()
      const [row] = await queryRows(connection, 'select (select count(*) from releases) > 0 as versions, (select count(*) from bars) > 0 as bars')
      connection.closeSync()
      instance.closeSync()
      return row
    }
    rmSync(releasesPath(config.dataFolder))
    let writing: Promise<unknown> = Promise.resolve()
    await db.transaction().execute(async trx => {
      await lockPublication(trx)
      writing = writeAnalystFile(runtime, { check: true })
      await expect.poll(() => existsSync(path)).toBe(true)
      expect(await versions()).toEqual({ versions: false, bars: true })
    })
    await writing
    expect(await versions()).toEqual({ versions: true, bars: true })
    lines.length = 0
  })
  test('that cannot be written is tried again at each check, and the reason is a fault until then and one line of the log', async () => {
    let full = false
    let away = false
    let drafts = 0
    const failing = open(async each => {
      if (drafts > 0) throw new Error(`IO Error: Could not write file "${path}-${++drafts}.tmp": No space left on device`)
      if (full) throw new Error('no space left')
      if (away) throw new StoreUnavailable('s3://a-bucket: HEAD releases.parquet failed')
      await writeAnalystFile(each)
    })
    failing.announce()
    await failing.close()
    full = true
    rmSync(path)
    expect(failing.fault()).toBeNull()
    expect([await failing.check(), await failing.check()]).toEqual([false, false])
    expect(failing.fault()).toBe('it cannot be written: no space left')
    expect(lines.splice(0)).toEqual(['warn warehouse.duckdb: it cannot be written: no space left'])
    full = false
    away = true
    expect(await failing.check()).toBe(false)
    expect(failing.fault()).toBe('it cannot be written: the bucket of the lake does not answer')
    expect(lines.splice(0)).toEqual(['warn warehouse.duckdb: it cannot be written: s3://a-bucket: HEAD releases.parquet failed'])
    drafts = 1
    expect([await failing.check(), await failing.check()]).toEqual([false, false])
    expect(failing.fault()).toBe('it cannot be written: the disk of the data folder is full')
    expect(lines.splice(0)).toEqual([
      `warn warehouse.duckdb: it cannot be written: the disk of the data folder is full (${path.slice(0, path.lastIndexOf('/'))})`,
    ])
    drafts = 0
    away = false
    expect(await failing.check()).toBe(true)
    expect(failing.fault()).toBeNull()
    expect(lines.splice(0)).toEqual(['info warehouse.duckdb was written again from the catalogue'])
  })
  test('that is written while its bucket does not take the Delta logs names these, in one line for all objects', async () => {
    const failures = [
      's3://a-bucket/p: PUT p/delta/bars/_delta_log/0.json failed 4 times: 503 SlowDown',
      's3://a-bucket/p: PUT p/delta/symbols/_delta_log/3.json failed 4 times: connect ECONNREFUSED',
    ]
    const left = [failures[0], failures[0]?.replace('PUT p/delta/bars', 'GET p/delta/filings'), failures[1], failures[1]]
    const failing = open(async (each, { onFile }) => {
      await writeAnalystFile(each, { onFile })
      const message = left.shift()
      if (message !== undefined) throw new StoreUnavailable(message)
    })
    failing.announce()
    await failing.close()
    expect([await failing.check(), await failing.check(), await failing.check()]).toEqual([false, false, false])
    expect(failing.fault()).toBe('Delta logs and manifests of the lake cannot be published: the bucket of the lake does not answer')
    const begin = 'warn Delta logs and manifests of the lake cannot be published: '
    expect(lines.splice(0)).toEqual([`${begin}${failures[0]}`, `${begin}${failures[1]}`])
    expect(await failing.check()).toBe(true)
    expect(failing.fault()).toBeNull()
    expect(lines.splice(0)).toEqual(['info Delta logs and manifests of the lake are published again'])
  })
})
