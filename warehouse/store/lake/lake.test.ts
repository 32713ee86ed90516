import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { datasetOf } from '#schemas/index.ts'
import { openDuckdb } from '../duckdb.ts'
import { loadCatalogue } from './catalogue.ts'
import { collect } from './collect.ts'
import { commit } from './commit.ts'
import { compactAll, fanOut, type LakeWriter } from './compact.ts'
import { openConnections } from './connections.ts'
import { readJsonSql } from './json-lines.ts'
import { createVerifier, lakePath, openLake } from './open.ts'
import { seal } from './seal.ts'
import { spoolRows, stage } from './stage.ts'
import { warehouseFile, writeWarehouseFile } from './views.ts'

let database: TestDatabase
let writer: LakeWriter
let data: string

const aRate = (date: string, rate: string, known = `${date}T20:30:00Z`) => ({
  base_currency: 'USD',
  quote_currency: 'CAD',
  date,
  rate,
  series: 'FXUSDCAD',
  known_from: known,
  known_basis: 'published',
  source: 'bank-of-canada',
  raw_sha256: 'a'.repeat(64),
  withdrawn: false,
})

async function sealRates(rows: readonly object[]) {
  const spool = join(writer.stageFolder, 'rates.ndjson')
  await spoolRows(rows, spool)
  const dataset = datasetOf('fx_rates')
  return await writer.connections.use(async connection =>
    seal(writer, await stage(connection, dataset, readJsonSql(dataset, spool), join(writer.stageFolder, 'rates.parquet'), dataset.key), 'new'),
  )
}
async function commitRates(rows: readonly object[], batchKey: string, base = 1_000_000) {
  const file = await sealRates(rows)
  return await commit(database.db, {
    job: 'fx',
    partition: batchKey,
    batchKey,
    files: [file],
    base,
    derivedFrom: ['fx_rates'],
    fence: null,
    along: async () => {},
  })
}
const lakeAt = async (release?: number) => openLake(await loadCatalogue(database.db), writer.connections, createVerifier(data), release)
const ratesAt = async (release?: number, asOf: string | null = null) =>
  (
    await (
      await lakeAt(release)
    ).query<{ date: string; rate: string; release_from: number }>(
      'select date, rate, release_from from fx_rates order by date',
      { as_of: asOf },
      { fx_rates: ['USD'] },
    )
  ).map(row => `${row.date} ${row.rate} ${row.release_from}`)

beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-lake-'))
  const stageFolder = await mkdtemp(join(tmpdir(), 'crossfile-stage-'))
  const instance = await openDuckdb({ memoryLimit: '512MB', threads: 1, tempFolder: '', folders: [data, stageFolder] })
  writer = { data, stageFolder, connections: await openConnections(instance, 2), verifier: createVerifier(data) }
})
afterAll(async () => {
  writer.connections.close()
  await rm(data, { recursive: true, force: true })
  await rm(writer.stageFolder, { recursive: true, force: true })
})

describe('a release is a filter over append-only rows', () => {
  test('a later row of a key supersedes, and the release before still answers as it did', async () => {
    const first = await commitRates([aRate('2024-01-02', '1.3316'), aRate('2024-01-03', '1.3350')], 'one')
    const second = await commitRates([aRate('2024-01-03', '1.3355', '2024-01-04T09:00:00Z')], 'two')
    expect(second?.release).toBe((first?.release ?? 0) + 1)
    expect(await ratesAt()).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3355 2'])
    expect(await ratesAt(1)).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3350 1'])
  })
  test('as_of hides what became known later, digits are kept', async () => {
    expect(await ratesAt(undefined, '2024-01-03T23:00:00Z')).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3350 1'])
    expect(await ratesAt(undefined, '2024-01-01T00:00:00Z')).toEqual([])
  })
  test('a row is visible at as_of equal to its known_from, and not one millisecond before', async () => {
    expect(await ratesAt(undefined, '2024-01-04T09:00:00.000Z')).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3355 2'])
    expect(await ratesAt(undefined, '2024-01-04T08:59:59.999Z')).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3350 1'])
    // The same instant, written with another offset.
    expect(await ratesAt(undefined, '2024-01-04T04:00:00-05:00')).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3355 2'])
  })
  test('the same batch delivered again changes nothing', async () => {
    const before = await loadCatalogue(database.db)
    expect(await commitRates([aRate('2024-01-02', '9.9999')], 'one')).toBeNull()
    expect((await loadCatalogue(database.db)).release).toBe(before.release)
  })
  test('a batch that was derived before another commit is refused', async () => {
    await expect(commitRates([aRate('2024-01-05', '1.3400')], 'late', 1)).rejects.toThrow(/changed data that was read at release 1/)
  })
  test('a withdrawn row takes its key away from its release on', async () => {
    await commitRates([{ ...aRate('2024-01-02', '1.3316'), withdrawn: true }], 'three')
    expect(await ratesAt()).toEqual(['2024-01-03 1.3355 2'])
    expect(await ratesAt(2)).toEqual(['2024-01-02 1.3316 1', '2024-01-03 1.3355 2'])
  })
  test('a key that stands twice in a batch is refused before anything is linked', async () => {
    await expect(sealRates([aRate('2024-02-01', '1'), aRate('2024-02-01', '2')])).rejects.toThrow(/occurs 2 times/)
  })
})

describe('compaction and collection', () => {
  test('merging files changes no answer of any release, and unused files go after the grace', async () => {
    for (let day = 10; day < 10 + fanOut; day += 1) await commitRates([aRate(`2024-01-${day}`, `1.${day}`)], `day ${day}`)
    const { release } = await loadCatalogue(database.db)
    // The release before the newest too: the merged file's rows go up to the newest, so that one release has to be filtered out of it.
    const releases = [1, 2, 3, release - 1, release]
    const before = await Promise.all(releases.map(each => ratesAt(each)))
    expect(before.at(-1)?.length).toBe((before.at(-2)?.length ?? 0) + 1)
    const done = await compactAll(database.db, writer)
    expect(done).toMatchObject([{ dataset: 'fx_rates', tier: 0, into: 1 }])
    expect(await Promise.all(releases.map(each => ratesAt(each)))).toEqual(before)
    expect((await loadCatalogue(database.db)).files.get('fx_rates')).toHaveLength(1)
    expect(await collect(database.db, writer)).toMatchObject({ removed: 0, orphans: 0 })
    const drafts = ['warehouse-0123456789ab.duckdb.tmp', 'warehouse-0123456789ab.duckdb.tmp.wal']
    for (const name of [...drafts, 'warehouse-notes.txt']) await writeFile(join(data, name), 'a killed process left it')
    expect((await collect(database.db, writer)).staged).toBe(0)
    const swept = await collect(database.db, writer, 0)
    expect(swept.removed).toBe(done[0]?.merged)
    expect((await readdir(data)).filter(name => name.startsWith('warehouse-'))).toEqual(['warehouse-notes.txt'])
    expect(await ratesAt(2)).toEqual(before[1])
  })
  test('files are merged whose keys have another order in UTF-16 than in UTF-8', async () => {
    // U+1F4B1 is after U+FF04 in UTF-8, and before it in UTF-16.
    const currencies = ['\uff04', '\u{1f4b1}', '\uff04', '\u{1f4b1}']
    const before = await ratesAt()
    for (const [at, base_currency] of currencies.entries())
      await commitRates(
        [
          { ...aRate(`2024-01-${20 + at}`, '1'), base_currency },
          { ...aRate(`2024-01-${20 + at}`, '1'), base_currency: '\uff04\uff04' },
        ],
        `order ${at}`,
      )
    expect(await compactAll(database.db, writer)).toMatchObject([{ dataset: 'fx_rates', tier: 0, rows: 8 }])
    expect(await ratesAt()).toEqual(before)
  })
  test("the analyst's file shows the current release without any of our code", async () => {
    await writeWarehouseFile(data, await loadCatalogue(database.db))
    const instance = await DuckDBInstance.create(warehouseFile(data), { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const rows = await connection.runAndReadAll('select date::varchar as date, rate_printed from fx_rates order by date limit 1')
    expect(rows.getRowObjectsJson()).toEqual([{ date: '2024-01-03', rate_printed: '1.3355' }])
    const comments = await connection.runAndReadAll('select view_name from duckdb_views() where not internal and comment is null')
    expect(comments.getRowObjectsJson()).toEqual([])
    const columns = await connection.runAndReadAll(
      "select table_name, column_name from duckdb_columns() where not internal and coalesce(comment, '') = ''",
    )
    expect(columns.getRowObjectsJson()).toEqual([])
    await connection.runAndReadAll('select count(*) from bars_adjusted')
    expect((await connection.runAndReadAll('from damaged_files')).getRowObjectsJson()).toEqual([])
    connection.closeSync()
    instance.closeSync()
  })
  test("after a move of the folder, the analyst's file reads where crossfile_data points", async () => {
    await commitRates([aRate('2024-02-01', '1.3400')], 'a file that was not compacted')
    await writeWarehouseFile(data, await loadCatalogue(database.db))
    const moved = join(writer.stageFolder, 'moved')
    await cp(data, moved, { recursive: true })
    const instance = await DuckDBInstance.create(warehouseFile(moved), { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const newest = async () =>
      (
        await connection.runAndReadAll("select rate_printed, release_from::int as release from fx_rates where date = '2024-02-01'")
      ).getRowObjectsJson()
    const { release } = await loadCatalogue(database.db)
    const expected = [{ rate_printed: '1.3400', release }]
    expect(await newest()).toEqual(expected)
    await connection.run(`set variable crossfile_data = '${data}/nowhere'`)
    await expect(newest()).rejects.toThrow(/No files found/)
    await connection.run(`set variable crossfile_data = '${moved}'`)
    expect(await newest()).toEqual(expected)
    expect((await connection.runAndReadAll('from damaged_files')).getRowObjectsJson()).toEqual([])
    connection.closeSync()
    instance.closeSync()
    await rm(moved, { recursive: true })
  })
})

describe('damage', () => {
  test('one flipped bit of a lake file is found before a row of it is read', async () => {
    const [file] = (await loadCatalogue(database.db)).files.get('fx_rates') ?? []
    if (!file) throw new Error('no file to damage')
    const path = lakePath(data, file)
    const bytes = await readFile(path)
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] as number) ^ 4
    await chmod(path, 0o644)
    await writeFile(path, bytes)
    await expect(ratesAt()).rejects.toThrow(/fx_rates is damaged: the content of one of its files differs/)
    // The analyst reads without our code, and can ask for the same.
    const instance = await DuckDBInstance.create(warehouseFile(data), { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll('select dataset, sha256 from damaged_files')).getRowObjectsJson()
    expect(rows).toEqual([{ dataset: 'fx_rates', sha256: file.sha256 }])
    connection.closeSync()
    instance.closeSync()
  })
})
