// What other programs read of the lake, read as they read it: the log by replaying its actions, never through the catalogue.
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates as commitRatesOf, openRatesLake } from '#fixtures/rates-lake.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { openDuckdb, queryRows } from '../../duckdb.ts'
import { loadCatalogue } from '../catalogue.ts'
import { collect } from '../collect.ts'
import { compactAll, completeFiles, fanOut, type LakeWriter } from '../compact.ts'
import { sha256OfFile } from '../open.ts'
import { deltaType, limitedColumns } from './delta.ts'
import { logFolder, versionName } from './log-folder.ts'
import { publishLake, releasesPath } from './publish.ts'
import { manifestPath } from './steps.ts'

let database: TestDatabase
let writer: LakeWriter
let data: string

beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-published-'))
  writer = await openRatesLake(data)
})
afterAll(async () => {
  writer.connections.close()
  await rm(data, { recursive: true, force: true })
})

const commitRates = (rows: readonly object[], batchKey: string, released = true): Promise<number> =>
  commitRatesOf(database.db, writer, rows, { batchKey, released })

type Action = {
  readonly metaData?: { readonly schemaString: string; readonly configuration: Readonly<Record<string, string>> }
  readonly add?: { readonly path: string; readonly stats: string; readonly dataChange: boolean }
  readonly remove?: { readonly path: string; readonly dataChange: boolean }
}

/** The files of a version by replaying a log from its version `first`. */
async function replay(version: number, { folder = logFolder(data, 'fx_rates'), first = 0 } = {}): Promise<string[]> {
  const live = new Set<string>()
  for (let at = first; at <= version; at += 1) {
    const text = await readFile(join(folder, versionName(at)), 'utf8')
    for (const line of text.trimEnd().split('\n')) {
      const { add, remove } = JSON.parse(line) as Action
      if (remove) live.delete(remove.path)
      if (add) live.add(add.path)
    }
  }
  return [...live].sort()
}
const rowsOf = async (paths: readonly string[], folder = data): Promise<string[]> => {
  const own = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })
  const connection = await own.connect()
  const rows = await queryRows<{ date: string; rate: string; release: number }>(
    connection,
    'select date::varchar as date, rate, release_from as release from read_parquet($paths) order by release_from, date',
    { paths: paths.map(path => join(folder, 'lake', 'delta', 'fx_rates', path)) },
  )
  connection.closeSync()
  return rows.map(row => `${row.date} ${row.rate} ${row.release}`)
}
const newest = async (): Promise<{ version: number; release: number }> => {
  const { rows } = await sql<{ version: number; release: number }>`
    select version, release from table_version where dataset = 'fx_rates' order by version desc limit 1`.execute(database.db)
  return rows[0] as { version: number; release: number }
}
const live = async (): Promise<string[]> =>
  ((await loadCatalogue(database.db)).files.get('fx_rates') ?? []).map(file => `${file.bucket}/${file.sha256}.parquet`).sort()

describe('the log of a dataset', () => {
  test('has a version per commit, each with the rows of its release and their release in the files', async () => {
    for (let day = 1; day <= 3; day += 1) await commitRates([aRate(`2024-01-0${day}`, `1.30${day}`)], `day ${day}`)
    expect(await publishLake(database.db, writer)).toEqual({ versions: 3, created: datasetNames.length - 1, rebuilt: [], manifests: 3 })
    expect(await rowsOf(await replay(0))).toEqual(['2024-01-01 1.301 1'])
    expect(await rowsOf(await replay(2))).toEqual(['2024-01-01 1.301 1', '2024-01-02 1.302 2', '2024-01-03 1.303 3'])
    expect(await publishLake(database.db, writer, { check: true })).toEqual({ versions: 0, created: 0, rebuilt: [], manifests: 0 })
  })
  test('compaction is a version without data change, and older versions can be read until the old files are deleted', async () => {
    for (let day = 4; day < 4 + fanOut; day += 1) await commitRates([aRate(`2024-01-0${day}`, `1.30${day}`)], `day ${day}`)
    expect((await compactAll(database.db, writer)).length).toBe(1)
    await publishLake(database.db, writer)
    const { version, release } = await newest()
    expect([version, release]).toEqual([7, 7])
    expect(await replay(version)).toEqual(await live())
    expect(await rowsOf(await replay(version))).toEqual(await rowsOf(await replay(version - 1)))
    const actions = (await readFile(join(logFolder(data, 'fx_rates'), versionName(version)), 'utf8')).trimEnd().split('\n')
    const changes = actions
      .map(line => JSON.parse(line) as Action)
      .flatMap(({ add, remove }) => [add, remove])
      .filter(each => each !== undefined)
    expect(changes.length).toBe(fanOut + 4)
    expect(changes.filter(each => each.dataChange)).toEqual([])
  })
  test('a checkpoint has the live files, and a moved folder the same rows', async () => {
    for (let day = 10; day < 13; day += 1) await commitRates([aRate(`2024-01-${day}`, `1.3${day}`)], `day ${day}`)
    await publishLake(database.db, writer)
    expect((await newest()).version).toBe(10)
    const path = join(logFolder(data, 'fx_rates'), `${'10'.padStart(20, '0')}.checkpoint.parquet`)
    const rows = await writer.connections.use(connection =>
      queryRows<{ path: string }>(connection, 'select add.path as path from read_parquet($path) where add is not null order by path', { path }),
    )
    expect(rows.map(row => row.path)).toEqual(await live())
    const moved = join(writer.stageFolder, 'moved')
    await cp(join(data, 'lake'), join(moved, 'lake'), { recursive: true, verbatimSymlinks: true })
    expect(await rowsOf(await replay(10, { folder: logFolder(moved, 'fx_rates') }), moved)).toEqual(await rowsOf(await live()))
    await rm(moved, { recursive: true })
  })
  test.each([
    ['is deleted', async (folder: string) => await rm(folder, { recursive: true })],
    ['has a truncated version', async (folder: string) => await truncate(join(folder, versionName((await newest()).version)), 10)],
    ['lost a version', async (folder: string) => await rm(join(folder, versionName((await newest()).version)))],
    ['has versions of another time', async (folder: string) => await writeFile(join(folder, versionName(99)), '{}\n')],
  ])('a log that %s is rebuilt with the next version', async (_what, damage) => {
    const before = await newest()
    await damage(logFolder(data, 'fx_rates'))
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ versions: 1, rebuilt: ['fx_rates'] })
    const { version, release } = await newest()
    expect([version, release]).toEqual([before.version + 1, before.release])
    const names = (await readdir(logFolder(data, 'fx_rates'))).sort()
    expect(names).toEqual([`${String(version).padStart(20, '0')}.checkpoint.parquet`, versionName(version), '_last_checkpoint'])
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ versions: 0, rebuilt: [] })
  })
  test('a rebuilt log that is read after the older versions has no file that was merged meanwhile', async () => {
    const folder = logFolder(data, 'fx_rates')
    for (let day = 20; day < 20 + fanOut; day += 1) await commitRates([aRate(`2024-01-${day}`, `1.3${day}`)], `day ${day}`)
    await publishLake(database.db, writer)
    const older = join(writer.stageFolder, 'older')
    await cp(folder, older, { recursive: true })
    expect((await compactAll(database.db, writer)).length).toBe(1)
    await sql`update table_version set log_sha256 = '' where dataset = 'fx_rates'`.execute(database.db)
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ rebuilt: ['fx_rates'] })
    const { version } = await newest()
    await cp(join(folder, versionName(version)), join(older, versionName(version)))
    const first = Math.min(...(await readdir(older)).filter(name => name.endsWith('.json')).map(name => Number(name.slice(0, 20))))
    expect(await replay(version, { folder: older, first })).toEqual(await live())
    await rm(older, { recursive: true })
  })
  test('the collector deletes superseded files and nothing of the log', async () => {
    const before = (await readdir(logFolder(data, 'fx_rates'))).sort()
    const { removed } = await collect(database.db, writer, -1)
    expect(removed).toBe(2 * (fanOut + 3))
    expect((await readdir(logFolder(data, 'fx_rates'))).sort()).toEqual(before)
    expect([existsSync(releasesPath(data)), existsSync(manifestPath(data, 1))]).toEqual([true, true])
  })
  test('a log that is further behind than merged files are kept is rebuilt without them', async () => {
    for (let day = 1; day <= fanOut; day += 1) await commitRates([aRate(`2024-04-0${day}`, '1.6')], `behind ${day}`)
    await publishLake(database.db, writer)
    expect((await compactAll(database.db, writer)).length).toBe(1)
    await collect(database.db, writer, -1)
    expect(await publishLake(database.db, writer)).toMatchObject({ rebuilt: ['fx_rates'] })
    const { version } = await newest()
    expect(await replay(version, { first: version })).toEqual(await live())
    expect((await readdir(logFolder(data, 'fx_rates'))).filter(name => name.endsWith('.json'))).toEqual([versionName(version)])
  })
  test('a file from before rows had their release is replaced before it is published', async () => {
    const release = await commitRates([aRate('2024-02-01', '1.4000')], 'as before', false)
    expect((await loadCatalogue(database.db)).files.get('fx_rates')?.at(-1)).toMatchObject({ release_in_rows: false, fresh_release: release })
    expect(await completeFiles(database.db, writer)).toBe(1)
    expect(await completeFiles(database.db, writer)).toBe(0)
    await publishLake(database.db, writer)
    expect((await rowsOf(await live())).at(-1)).toBe(`2024-02-01 1.4000 ${release}`)
  })
})

describe('a dataset without rows', () => {
  let other: TestDatabase
  let empty: LakeWriter
  let folder: string
  beforeEach(async () => {
    other = await testDatabase()
    folder = await mkdtemp(join(tmpdir(), 'crossfile-empty-'))
    empty = await openRatesLake(folder)
  })
  afterEach(async () => {
    empty.connections.close()
    await rm(folder, { recursive: true, force: true })
  })
  const log = (dataset: string): string => logFolder(folder, dataset)
  const actionsOf = async (dataset: string, version: number): Promise<Action[]> =>
    (await readFile(join(log(dataset), versionName(version)), 'utf8'))
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Action)
  /** Every file of the logs, with its bytes. */
  const bytesOf = async (datasets: readonly string[]): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        datasets.flatMap(dataset =>
          readdirSync(log(dataset)).map(async name => [`${dataset}/${name}`, (await readFile(join(log(dataset), name))).toString('hex')]),
        ),
      ),
    )
  const releasesOf = async (dataset: string): Promise<{ version: number; release: number; undated: boolean; kind: string }[]> =>
    await empty.connections.use(connection =>
      queryRows(
        connection,
        'select version, release, committed_at is null as undated, kind from read_parquet($path) where dataset = $dataset order by version',
        { path: releasesPath(folder), dataset },
      ),
    )

  test('has a table of version 0 with its columns, their comments and no file, and no folder of files', async () => {
    expect(await publishLake(other.db, empty)).toEqual({ versions: 0, created: datasetNames.length, rebuilt: [], manifests: 0 })
    for (const name of datasetNames) {
      const actions = await actionsOf(name, 0)
      expect(actions.map(action => Object.keys(action)[0])).toEqual(['commitInfo', 'protocol', 'metaData'])
      const schema = JSON.parse(actions[2]?.metaData?.schemaString ?? '') as { fields: { name: string; metadata: { comment?: string } }[] }
      expect(schema.fields.map(field => [field.name, field.metadata.comment ?? null])).toEqual(
        datasetOf(name).columns.map(column => [column.name, column.description]),
      )
      expect(existsSync(join(folder, 'lake', name))).toBe(false)
    }
    expect(await releasesOf('bars')).toEqual([{ version: 0, release: 0, undated: true, kind: 'schema' }])
    const before = await bytesOf(datasetNames)
    for (const check of [false, true])
      expect(await publishLake(other.db, empty, { check })).toEqual({ versions: 0, created: 0, rebuilt: [], manifests: 0 })
    expect(await bytesOf(datasetNames)).toEqual(before)
  })
  test('gets its first rows with version 1, and older releases have version 0', async () => {
    await publishLake(other.db, empty)
    await commitRatesOf(other.db, empty, [aRate('2024-01-01', '1.301')])
    await commitRatesOf(other.db, empty, [aRate('2024-01-02', '1.302')])
    expect(await publishLake(other.db, empty)).toMatchObject({ versions: 2, created: 0 })
    expect((await actionsOf('fx_rates', 1)).map(action => Object.keys(action)[0])).toEqual(['commitInfo', 'add'])
    expect(await replay(0, { folder: log('fx_rates') })).toEqual([])
    expect(await rowsOf(await replay(1, { folder: log('fx_rates') }), folder)).toEqual(['2024-01-01 1.301 1'])
    expect(await rowsOf(await replay(2, { folder: log('fx_rates') }), folder)).toEqual(['2024-01-01 1.301 1', '2024-01-02 1.302 2'])
    expect(await releasesOf('fx_rates')).toEqual([
      { version: 0, release: 0, undated: true, kind: 'schema' },
      { version: 1, release: 1, undated: false, kind: 'commit' },
      { version: 2, release: 2, undated: false, kind: 'commit' },
    ])
    expect(await publishLake(other.db, empty, { check: true })).toEqual({ versions: 0, created: 0, rebuilt: [], manifests: 0 })
  })
  test.each([
    ['is deleted', async (path: string) => await rm(path, { recursive: true }), true],
    ['lost its version', async (path: string) => await rm(join(path, versionName(0))), false],
    ['lost its checkpoint', async (path: string) => await rm(join(path, `${'0'.padStart(20, '0')}.checkpoint.parquet`)), true],
    ['is truncated', async (path: string) => await truncate(join(path, versionName(0)), 10), true],
    ['has versions of another time', async (path: string) => await writeFile(join(path, versionName(7)), '{}\n'), true],
  ])('whose log %s gets it back with the same bytes', async (_what, damage, check) => {
    await publishLake(other.db, empty)
    const before = await bytesOf(datasetNames)
    await damage(log('bars'))
    expect(await publishLake(other.db, empty, { check })).toEqual({ versions: 0, created: 0, rebuilt: ['bars'], manifests: 0 })
    expect(await bytesOf(datasetNames)).toEqual(before)
    expect(await releasesOf('bars')).toEqual([{ version: 0, release: 0, undated: true, kind: 'schema' }])
  })
  test('gets a version for another schema, and a lost log of that time starts again with the next', async () => {
    await publishLake(other.db, empty)
    await sql`update table_version set schema_sha256 = 'that of before' where dataset = 'bars'`.execute(other.db)
    expect(await publishLake(other.db, empty)).toEqual({ versions: 1, created: 0, rebuilt: [], manifests: 0 })
    await rm(log('bars'), { recursive: true })
    expect(await publishLake(other.db, empty, { check: true })).toEqual({ versions: 1, created: 0, rebuilt: ['bars'], manifests: 0 })
    expect(await releasesOf('bars')).toEqual([{ version: 2, release: 0, undated: true, kind: 'remade' }])
    expect(await publishLake(other.db, empty, { check: true })).toEqual({ versions: 0, created: 0, rebuilt: [], manifests: 0 })
  })
  test('gets its table in a lake of before, whose logs begin with rows and stay as they are', async () => {
    for (const day of [1, 2, 3]) await commitRatesOf(other.db, empty, [aRate(`2024-01-0${day}`, '1.3')])
    await publishLake(other.db, empty)
    await sql`delete from table_version where dataset <> 'fx_rates'`.execute(other.db)
    for (const name of datasetNames) if (name !== 'fx_rates') await rm(log(name), { recursive: true })
    const before = await bytesOf(['fx_rates'])
    expect(await publishLake(other.db, empty, { check: true })).toEqual({ versions: 0, created: datasetNames.length - 1, rebuilt: [], manifests: 0 })
    expect(await bytesOf(['fx_rates'])).toEqual(before)
    expect((await releasesOf('fx_rates')).map(row => [row.version, row.release])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
    expect(await releasesOf('bars')).toEqual([{ version: 0, release: 0, undated: true, kind: 'schema' }])
  })
  test('of a database of another time loses the rows that its log had', async () => {
    await commitRatesOf(other.db, empty, [aRate('2024-01-01', '1.3')])
    await publishLake(other.db, empty)
    const fresh = await testDatabase()
    expect(await publishLake(fresh.db, empty, { check: true })).toMatchObject({ created: datasetNames.length })
    expect(await replay(0, { folder: log('fx_rates') })).toEqual([])
    expect(readdirSync(log('fx_rates')).length).toBe(3)
    expect(existsSync(join(folder, 'lake', 'fx_rates'))).toBe(false)
  })
})

describe('releases.parquet', () => {
  test('states the version of each dataset at a release', async () => {
    const rows = await writer.connections.use(connection =>
      queryRows<{ dataset: string; version: number; release: number }>(
        connection,
        'select dataset, version, release from read_parquet($path) order by version desc limit 1',
        { path: releasesPath(data) },
      ),
    )
    expect(rows).toEqual([{ dataset: 'fx_rates', ...(await newest()) }])
  })
})

describe('the manifest of a release', () => {
  test('lists the files that the release consisted of, by hash and relative path', async () => {
    const release = await commitRates([aRate('2024-03-01', '1.5000')], 'a release with a manifest')
    const recorded = await database.db.selectFrom('release_manifest').selectAll().where('release', '=', release).executeTakeFirst()
    await publishLake(database.db, writer)
    // The commit itself records the hash that the file then has.
    expect(recorded).toMatchObject({ sha256: await sha256OfFile(manifestPath(data, release)) })
    const manifest = JSON.parse(await readFile(manifestPath(data, release), 'utf8')) as {
      datasets: { dataset: string; rows: number; files: { path: string; sha256: string; rows: number }[] }[]
    }
    expect(manifest).toMatchObject({ format: 'crossfile-manifest/1', release, parent: release - 1, unchanged: [] })
    const [own] = manifest.datasets
    expect(own?.files.map(file => file.path)).toEqual((await live()).map(path => `fx_rates/${path}`))
    for (const file of own?.files ?? []) expect(await sha256OfFile(join(data, 'lake', 'delta', file.path))).toBe(file.sha256)
    expect(own?.rows).toBe(own?.files.reduce((sum, file) => sum + file.rows, 0))
  })
  test('is written again with the same bytes if it is lost', async () => {
    const { release } = await loadCatalogue(database.db)
    const before = await readFile(manifestPath(data, release))
    await rm(manifestPath(data, release))
    expect(await publishLake(database.db, writer)).toMatchObject({ manifests: 1 })
    expect((await readFile(manifestPath(data, release))).equals(before)).toBe(true)
  })
})

describe('a manifest that differs from its SHA-256', () => {
  test('is written again by a publication that checks', async () => {
    const { release } = await loadCatalogue(database.db)
    const path = manifestPath(data, release)
    const before = await readFile(path)
    await truncate(path, 0)
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ manifests: 1 })
    expect((await readFile(path)).equals(before)).toBe(true)
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ manifests: 0 })
  })
  test('is deleted if its files are no longer known', async () => {
    // The collector deleted files of release 1 in a test above.
    await truncate(manifestPath(data, 1), 10)
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ manifests: 0 })
    expect(existsSync(manifestPath(data, 1))).toBe(false)
  })
})

type Stats = Record<'minValues' | 'maxValues' | 'nullCount', Record<string, unknown>>
/** What the files of a log's newest version state, by path, and the columns that its newest metadata names. */
async function statsOfLog(folder: string): Promise<{ named: string; stats: Map<string, Stats> }> {
  const stats = new Map<string, Stats>()
  let named = ''
  for (const name of readdirSync(folder).sort()) {
    if (!/^\d+\.json$/.test(name)) continue
    for (const line of (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n')) {
      const { metaData, add, remove } = JSON.parse(line) as Action
      if (metaData) named = metaData.configuration['delta.dataSkippingStatsColumns'] ?? ''
      if (remove) stats.delete(remove.path)
      if (add) stats.set(add.path, JSON.parse(add.stats) as Stats)
    }
  }
  return { named, stats }
}

describe('the statistics of a file', () => {
  test('are of the columns that the table names, without nulls, in every file', async () => {
    // The file without releases is no longer listed.
    await collect(database.db, writer, -1)
    await publishLake(database.db, writer)
    const { version } = await newest()
    const first = Math.min(
      ...(await readdir(logFolder(data, 'fx_rates'))).filter(name => name.endsWith('.json')).map(name => Number(name.slice(0, 20))),
    )
    let named: string[] = []
    for (let at = first; at <= version; at += 1) {
      const lines = (await readFile(join(logFolder(data, 'fx_rates'), versionName(at)), 'utf8')).trimEnd().split('\n')
      for (const { metaData, add } of lines.map(line => JSON.parse(line) as Action)) {
        if (metaData) named = (metaData.configuration['delta.dataSkippingStatsColumns'] ?? '').split(',')
        if (!add) continue
        const stats = JSON.parse(add.stats) as Stats
        for (const each of [stats.minValues, stats.maxValues, stats.nullCount]) expect(Object.keys(each)).toEqual(named)
        expect(Object.values(stats.nullCount)).toEqual(named.map(() => 0))
      }
    }
    expect(named).toEqual(['base_currency', 'date', 'release_from'])
  })
  test('are the limits of its rows, of those of several releases too', async () => {
    const { stats } = await statsOfLog(logFolder(data, 'fx_rates'))
    expect([...stats.keys()].sort()).toEqual(await live())
    const spans: number[] = []
    for (const [path, { minValues, maxValues }] of stats) {
      const [found] = await writer.connections.use(connection =>
        queryRows<Record<string, unknown>>(
          connection,
          `select {base_currency: min(base_currency), date: min(date), release_from: min(release_from)}::json::varchar as least,
            {base_currency: max(base_currency), date: max(date), release_from: max(release_from)}::json::varchar as most from read_parquet($path)`,
          { path: join(data, 'lake', 'delta', 'fx_rates', path) },
        ),
      )
      expect([minValues, maxValues]).toEqual([JSON.parse(String(found?.['least'])), JSON.parse(String(found?.['most']))])
      spans.push(Number(maxValues['release_from']) - Number(minValues['release_from']))
    }
    expect(Math.max(...spans)).toBeGreaterThan(0)
  })
  test('of a lake of before get their releases: merged files are read, and all files are stated again', async () => {
    const before = await statsOfLog(logFolder(data, 'fx_rates'))
    const rows = await rowsOf(await live())
    // As migration 0042 leaves them: the oldest release of merged files is not known.
    await sql`update lake_file set release_min = null where fresh_release is null`.execute(database.db)
    await publishLake(database.db, writer)
    const without = await statsOfLog(logFolder(data, 'fx_rates'))
    expect(without.named).toBe('base_currency,date')
    for (const { minValues, nullCount } of without.stats.values())
      expect([Object.keys(minValues), nullCount]).toEqual([['base_currency', 'date'], { base_currency: 0, date: 0 }])
    const { version, release } = await newest()
    expect(await completeFiles(database.db, writer)).toBe(0)
    expect(await publishLake(database.db, writer)).toMatchObject({ versions: 1, rebuilt: [] })
    expect(await newest()).toEqual({ version: version + 1, release })
    expect(await statsOfLog(logFolder(data, 'fx_rates'))).toEqual(before)
    expect(await rowsOf([...(await statsOfLog(logFolder(data, 'fx_rates'))).stats.keys()])).toEqual(rows)
    const actions = (await readFile(join(logFolder(data, 'fx_rates'), versionName(version + 1)), 'utf8')).trimEnd().split('\n')
    expect(actions.map(line => (JSON.parse(line) as Action).add?.dataChange).filter(each => each !== undefined)).not.toContain(true)
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ versions: 0, rebuilt: [] })
  })
  test.each(datasetNames)('of %s name a column, and none that can be null', name => {
    const dataset = datasetOf(name)
    const columns = limitedColumns(dataset)
    expect(columns[0]).toBe(dataset.order[0])
    // `record` has no release: it decides about the other columns.
    const shape = (dataset.record as unknown as { shape: Record<string, { safeParse(value: unknown): { success: boolean } }> }).shape
    expect(columns.filter(column => shape[column]?.safeParse(null).success !== false)).toEqual([])
  })
})

test('types of lists and structs become those of Delta', () => {
  expect(deltaType('STRUCT("a" VARCHAR, "b" STRUCT("c" BIGINT, "d" DATE)[])[]')).toEqual({
    type: 'array',
    elementType: {
      type: 'struct',
      fields: [
        { name: 'a', type: 'string', nullable: true, metadata: {} },
        {
          name: 'b',
          type: {
            type: 'array',
            elementType: {
              type: 'struct',
              fields: [
                { name: 'c', type: 'long', nullable: true, metadata: {} },
                { name: 'd', type: 'date', nullable: true, metadata: {} },
              ],
            },
            containsNull: true,
          },
          nullable: true,
          metadata: {},
        },
      ],
    },
    containsNull: true,
  })
  expect(() => deltaType('HUGEINT')).toThrow(/no type/)
})
