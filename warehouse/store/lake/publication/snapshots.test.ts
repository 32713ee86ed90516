// `data/lake/<dataset>` as programs without the catalogue read it: every Parquet file that a pattern meets.
import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import { openDuckdb, queryRows } from '../../duckdb.ts'
import { loadCatalogue } from '../catalogue.ts'
import { collect } from '../collect.ts'
import { compactAll, fanOut, type LakeWriter } from '../compact.ts'
import { moveTables } from '../layout.ts'
import { lakePath, openLake } from '../open.ts'
import { publishLake, releasesPath } from './publish.ts'
import { keptSnapshots, snapshotLink } from './snapshots.ts'

let database: TestDatabase
let writer: LakeWriter
let data: string

beforeEach(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-snapshots-'))
  writer = await openRatesLake(data)
})
afterEach(async () => {
  writer.connections.close()
  await rm(data, { recursive: true, force: true })
})

const publish = async (options = {}) => await publishLake(database.db, writer, options)
const day = (n: number): string => new Date(Date.UTC(2024, 0, n)).toISOString().slice(0, 10)
/** Commits one release per day, and publishes each. */
async function commitDays(from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 1) {
    await commitRates(database.db, writer, [aRate(day(n), `1.${n}`)])
    await publish()
  }
}

type Count = { readonly rows: number; readonly keys: number }
/** What a program without the catalogue counts; null if the pattern meets no file. */
async function globCount(folder = join(data, 'lake', 'fx_rates')): Promise<Count | null> {
  if (!existsSync(folder)) return null
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [data] })
  const connection = await instance.connect()
  try {
    const [row] = await queryRows<Count>(
      connection,
      `select count(*) as rows, count(distinct date) as keys from read_parquet('${folder}/**/*.parquet')`,
    )
    return row ?? null
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
const release = async (): Promise<number> => (await loadCatalogue(database.db)).release
const counted = (rows: number): Count => ({ rows, keys: rows })
const linksOf = async (folder: string): Promise<string[]> => (await readdir(folder)).sort()

describe('a pattern over the folder of a dataset', () => {
  test('meets the rows of the newest release after each commit and after compaction', async () => {
    for (let n = 1; n <= 2 * fanOut; n += 1) {
      await commitDays(n, n)
      expect(await globCount()).toEqual(counted(n))
      const compacted = await compactAll(database.db, writer)
      expect(await globCount()).toEqual(counted(n))
      await publish()
      expect(await globCount()).toEqual(counted(n))
      expect(compacted.length).toBe(n % fanOut === 0 ? 1 : 0)
    }
    const live = (await loadCatalogue(database.db)).files.get('fx_rates') ?? []
    expect(await linksOf(snapshotLink(data, 'fx_rates'))).toEqual(live.map(file => `${file.sha256}.parquet`).sort())
    expect(globSync(join(data, 'lake', 'delta', 'fx_rates', '*', '*.parquet')).length).toBeGreaterThan(live.length)
  })
  test('does not meet a file of a commit that is under way', async () => {
    await commitDays(1, 1)
    let during: Count | null = null
    await commitRates(database.db, writer, [aRate(day(2), '1.2')], {
      before: async () => {
        await publish()
        during = await globCount()
      },
    })
    expect([during, await globCount()]).toEqual([counted(1), counted(1)])
    await publish()
    expect(await globCount()).toEqual(counted(2))
  })
  test('meets the same rows in a copied folder', async () => {
    await commitDays(1, fanOut)
    await compactAll(database.db, writer)
    await publish()
    const copy = join(data, 'copy')
    await cp(join(data, 'lake'), join(copy, 'lake'), { recursive: true, verbatimSymlinks: true })
    await rm(join(data, 'lake'), { recursive: true })
    expect(await globCount(join(copy, 'lake', 'fx_rates'))).toEqual(counted(fanOut))
  })
})

describe('readers of older states', () => {
  test('a catalogue from before a compaction reads its release', async () => {
    await commitDays(1, fanOut)
    const before = openLake(await loadCatalogue(database.db), writer.connections, writer.verifier, 2)
    await compactAll(database.db, writer)
    await publish()
    expect(await before.query('select count(*) as rows from fx_rates', {}, { fx_rates: 'all' })).toEqual([{ rows: 2 }])
  })
  test('a program that resolved the link keeps its snapshot until the files are deleted', async () => {
    await commitDays(1, fanOut)
    const held = await realpath(snapshotLink(data, 'fx_rates'))
    await compactAll(database.db, writer)
    await commitDays(fanOut + 1, fanOut + 1)
    expect([await globCount(held), await globCount()]).toEqual([counted(fanOut), counted(fanOut + 1)])
    await collect(database.db, writer, -1)
    expect([existsSync(held), await globCount()]).toEqual([false, counted(fanOut + 1)])
  })
  test(`the newest ${keptSnapshots} snapshots stay`, async () => {
    await commitDays(1, keptSnapshots + 3)
    const versions = (await readdir(join(data, 'lake', 'snapshots', 'fx_rates'))).map(Number).sort((a, b) => a - b)
    expect(versions).toEqual(Array.from({ length: keptSnapshots }, (_, at) => at + 3))
  })
})

describe('a link that cannot be trusted', () => {
  test('goes away with the files of its snapshot, if publication is behind the collector', async () => {
    await commitDays(1, fanOut)
    await compactAll(database.db, writer)
    await collect(database.db, writer, -1)
    expect(existsSync(snapshotLink(data, 'fx_rates'))).toBe(false)
    await publish()
    expect(await globCount()).toEqual(counted(fanOut))
  })
  test('of another database, and a snapshot that lost a file, are made again by a check', async () => {
    await commitDays(1, 2)
    const newest = await realpath(snapshotLink(data, 'fx_rates'))
    const [first = ''] = await readdir(newest)
    await rm(join(newest, first))
    await cp(newest, join(newest, '..', '99'), { recursive: true })
    await rm(snapshotLink(data, 'fx_rates'))
    await publish({ check: true })
    expect([await globCount(), await readlink(snapshotLink(data, 'fx_rates'))]).toEqual([counted(2), 'snapshots/fx_rates/1'])
    expect(existsSync(join(newest, '..', '99'))).toBe(false)
  })
  test('a folder in its place is an error that names it', async () => {
    await mkdir(snapshotLink(data, 'fx_rates'), { recursive: true })
    await commitRates(database.db, writer, [aRate(day(1), '1.1')])
    await expect(publish()).rejects.toThrow(/lake\/fx_rates is a folder, expected a link/)
    // The log, the manifest and the table of releases are published all the same.
    expect((await sql<{ n: number }>`select count(*)::int as n from table_version where dataset = 'fx_rates'`.execute(database.db)).rows).toEqual([
      { n: 1 },
    ])
    expect([existsSync(join(data, 'lake', 'manifests', '1.json')), existsSync(releasesPath(data))]).toEqual([true, true])
  })
  test('never takes a file with it that a worker of an older version wrote through it', async () => {
    await commitDays(1, 1)
    const strange = join(await realpath(snapshotLink(data, 'fx_rates')), '2024', 'a.parquet')
    await mkdir(dirname(strange))
    await writeFile(strange, 'rows')
    for (let n = 2; n <= keptSnapshots; n += 1) await commitDays(n, n)
    await commitRates(database.db, writer, [aRate(day(keptSnapshots + 1), '1.5')])
    await expect(publish()).rejects.toThrow(/holds files, expected links/)
    expect([existsSync(strange), await globCount()]).toEqual([true, counted(keptSnapshots + 1)])
  })
})

/** Ends a process with SIGKILL at a named point of a commit, a compaction or a publication. */
async function killAt(point: string, n: number): Promise<void> {
  const program = `
    import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
    import { compactAll } from '#warehouse/store/lake/compact.ts'
    import { publishLake } from '#warehouse/store/lake/publication/publish.ts'
    import { connect } from '#warehouse/store/postgres.ts'
    const [url, data, point, at] = process.argv.slice(1)
    const { db } = connect(url)
    let phase = 'commit'
    const writer = await openRatesLake(data, name => { if (phase + ' ' + name === point) process.kill(process.pid, 'SIGKILL') })
    await commitRates(db, writer, [aRate(at, '2.5')])
    phase = 'compaction'
    await compactAll(db, writer)
    phase = 'publication'
    await publishLake(db, writer)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, database.url, data, point, day(n)], {
    cwd: join(import.meta.dirname, '../../../..'),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', text => {
    errors += String(text)
  })
  const signal = await new Promise(resolve => child.once('exit', (_, by) => resolve(by)))
  expect([signal, errors]).toEqual(['SIGKILL', ''])
}

test.each([
  ['commit file-synced', false],
  ['commit linked', false],
  ['commit sealed', false],
  ['commit published', false],
  ['compaction linked', true],
  ['compaction sealed', true],
  ['publication snapshot-made', true],
  ['publication snapshot-shown', true],
])('after a kill at %s, a pattern meets a whole release, and the newest after the next start', async (point, isCommitted) => {
  await commitDays(1, fanOut - 1)
  await killAt(point, fanOut)
  expect(await release()).toBe(isCommitted ? fanOut : fanOut - 1)
  expect(await globCount()).toEqual(counted(point === 'publication snapshot-shown' ? fanOut : fanOut - 1))
  await publish({ check: true })
  expect(await globCount()).toEqual(counted(await release()))
  await compactAll(database.db, writer)
  await publish()
  expect(await globCount()).toEqual(counted(await release()))
  expect((await readdir(join(data, 'lake'))).filter(name => name.endsWith('.tmp'))).toEqual([])
  expect((await readdir(join(data, 'lake', 'snapshots', 'fx_rates'))).filter(name => !/^\d+$/.test(name))).toEqual([])
})

describe('a lake of before', () => {
  test('is moved once, and its readers get the same rows', async () => {
    await commitDays(1, 3)
    await rm(snapshotLink(data, 'fx_rates'))
    await rename(join(data, 'lake', 'delta', 'fx_rates'), join(data, 'lake', 'fx_rates'))
    await rm(join(data, 'lake', 'snapshots'), { recursive: true })
    expect([await moveTables(data), await moveTables(data)]).toEqual([1, 0])
    expect(await publish({ check: true })).toEqual({ versions: 0, created: 0, rebuilt: [], manifests: 0 })
    expect(await globCount()).toEqual(counted(3))
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from table_version where dataset = 'fx_rates'`.execute(database.db)
    expect(rows).toEqual([{ n: 3 }])
    for (const file of (await loadCatalogue(database.db)).files.get('fx_rates') ?? []) expect(existsSync(lakePath(data, file))).toBe(true)
  })
  test('with a table in both places is an error that names them', async () => {
    await commitDays(1, 1)
    await rm(snapshotLink(data, 'fx_rates'))
    await mkdir(join(data, 'lake', 'fx_rates', 'new'), { recursive: true })
    await writeFile(join(data, 'lake', 'fx_rates', 'new', 'x.parquet'), '')
    await expect(moveTables(data)).rejects.toThrow(/lake\/fx_rates is a folder, and the table is in .*lake\/delta\/fx_rates/)
  })
})
