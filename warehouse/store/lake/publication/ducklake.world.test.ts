// The DuckLake export: its tables read as the specification describes it, and by the ducklake extension of DuckDB where Python has it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { datasetNames } from '#schemas/index.ts'
import { queryRows } from '../../duckdb.ts'
import type { Db } from '../../postgres.ts'
import { loadCatalogue } from '../catalogue.ts'
import { compactAll, completeFiles, type LakeWriter } from '../compact.ts'
import { tablesFolder } from '../verifier.ts'
import { writeDucklake } from './ducklake-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-ducklake-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const script = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'documentation', 'ducklake.py')
const missing = spawnSync('python3', [script, 'present']).status === 0 ? '' : ' (skipped: python3 has no duckdb with its ducklake extension)'

const day = (n: number): string => new Date(Date.UTC(2020, 0, n)).toISOString().slice(0, 10)
/** Commits releases of one, two, three … rows, and merges the files in between. */
async function growingLake(releases: number): Promise<{ db: Db; writer: LakeWriter; data: string }> {
  const { db } = await testDatabase()
  const data = mkdtempSync(join(folder, 'lake-'))
  const writer = await openRatesLake(data)
  let next = 1
  for (let release = 1; release <= releases; release += 1) {
    const rows = Array.from({ length: release }, () => aRate(day(next++), `1.${release}`))
    await commitRates(db, writer, rows)
    await compactAll(db, writer)
  }
  await completeFiles(db, writer)
  return { db, writer, data }
}

async function tableRows<Row>(path: string, statement: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    return await queryRows<Row>(connection, statement)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
type Span = { readonly begin: number; readonly end: number | null; readonly rows: number; readonly path: string }
const spansOf = (path: string): Promise<Span[]> =>
  tableRows(
    path,
    `select f.begin_snapshot as "begin", f.end_snapshot as "end", f.record_count as rows, m.value || s.path || t.path || f.path as path
     from ducklake_data_file f join ducklake_table t using (table_id) join ducklake_schema s using (schema_id), ducklake_metadata m
     where m.key = 'data_path' order by data_file_id`,
  )
const snapshotsOf = async (path: string): Promise<number[]> =>
  (await tableRows<{ id: number }>(path, 'select snapshot_id as id from ducklake_snapshot order by 1')).map(row => row.id)

describe('releases of a growing lake', () => {
  test('are snapshots with exactly the rows that were committed up to each, before and after files were merged', async () => {
    const { db, writer, data } = await growingLake(14)
    const path = join(data, 'out.ducklake')
    const done = await writeDucklake(db, writer, path)
    expect(done.releases).toEqual(await snapshotsOf(path))
    expect(done.releases).toEqual(Array.from({ length: 14 }, (_, at) => at + 1))
    const spans = await spansOf(path)
    expect(spans.filter(span => span.end !== null).length).toBeGreaterThan(0)
    for (const { path: file, begin, end } of spans) expect([existsSync(file), end === null || begin < end]).toEqual([true, true])
    for (const release of done.releases) {
      const live = spans.filter(span => span.begin <= release && (span.end === null || release < span.end))
      expect([release, live.reduce((sum, span) => sum + span.rows, 0)]).toEqual([release, (release * (release + 1)) / 2])
    }
    writer.connections.close()
  })

  test('whose merged files are forgotten are left out; the newest stays', async () => {
    const { db, writer, data } = await growingLake(14)
    await sql`delete from lake_file where removed_version is not null`.execute(db)
    const path = join(data, 'out.ducklake')
    const { releases } = await writeDucklake(db, writer, path)
    expect(releases.at(-1)).toBe(14)
    expect(releases.length).toBeLessThan(14)
    const spans = await spansOf(path)
    for (const release of releases) {
      const live = spans.filter(span => span.begin <= release && (span.end === null || release < span.end))
      expect([release, live.reduce((sum, span) => sum + span.rows, 0)]).toEqual([release, (release * (release + 1)) / 2])
    }
    writer.connections.close()
  })

  test('a lake without a release has a catalogue without snapshots', async () => {
    const { db, writer, data } = await growingLake(0)
    expect(await writeDucklake(db, writer, join(data, 'out.ducklake'))).toMatchObject({ releases: [], files: 0 })
    writer.connections.close()
  })
})

describe('the file', () => {
  test('is written without what an export that was killed left', async () => {
    const { db, writer, data } = await growingLake(1)
    const path = join(data, 'out.ducklake')
    const { pid } = spawnSync(process.execPath, ['--version'])
    const left = [`out.ducklake.${pid}.tmp`, `out.ducklake.${pid}.tmp.wal`, `out.ducklake.${pid}.tmp.ndjson`]
    const others = [`out.ducklake.${process.ppid}.tmp`, 'out.ducklake.tmp', 'another.txt']
    for (const name of [...left, ...others]) writeFileSync(join(data, name), '')
    await writeDucklake(db, writer, path)
    expect(left.filter(name => existsSync(join(data, name)))).toEqual([])
    expect(others.filter(name => existsSync(join(data, name)))).toEqual(others)
    writer.connections.close()
  })
  test('replaces an earlier export, is read-only, and never replaces another file', async () => {
    const { db, writer, data } = await growingLake(2)
    const path = join(data, 'out.ducklake')
    await writeDucklake(db, writer, path)
    await commitRates(db, writer, [aRate('2026-01-05', '1.4')])
    expect((await writeDucklake(db, writer, path)).releases).toEqual([1, 2, 3])
    expect(statSync(path).mode & 0o777).toBe(0o444)
    const other = join(data, 'other.db')
    writeFileSync(other, 'not a database')
    await expect(writeDucklake(db, writer, other)).rejects.toMatchObject({ name: 'BadRequest', hint: 'name a new file' })
    const foreign = join(data, 'foreign.db')
    const instance = await DuckDBInstance.create(foreign)
    const connection = await instance.connect()
    await connection.run(
      "create table ducklake_metadata (key varchar, value varchar); insert into ducklake_metadata values ('created_by', 'somebody')",
    )
    connection.closeSync()
    instance.closeSync()
    await expect(writeDucklake(db, writer, foreign)).rejects.toThrow('is no DuckLake catalogue of Crossfile')
    writer.connections.close()
  })

  test('of the bundled universe names each live file of every dataset, its columns and their comments', async () => {
    const warehouse = await worldWarehouse()
    const { db, writer } = warehouse.runtime.tools
    const path = join(folder, 'universe.ducklake')
    await writeDucklake(db, writer, path)
    const { files } = await loadCatalogue(db)
    const expected = [...files.values()].flat().map(file => join(tablesFolder(writer.data), file.dataset, file.bucket, `${file.sha256}.parquet`))
    expect(
      (await spansOf(path))
        .filter(span => span.end === null)
        .map(span => span.path)
        .sort(),
    ).toEqual(expected.sort())
    expect(await tableRows(path, 'select table_name as name from ducklake_table order by table_id')).toEqual(datasetNames.map(name => ({ name })))
    const undescribed = await tableRows(
      path,
      `select c.column_name from ducklake_column c left join ducklake_column_tag t on t.table_id = c.table_id and t.column_id = c.column_id
       where c.parent_column is null and t.value is null`,
    )
    expect(undescribed).toEqual([])
  })
})

describe.skipIf(missing !== '')(`the ducklake extension of DuckDB${missing}`, () => {
  const ask = (attach: string, statements: readonly string[]): unknown[] => {
    const run = spawnSync('python3', [script], { encoding: 'utf8', maxBuffer: 64e6, input: JSON.stringify({ attach, statements }) })
    if (run.status !== 0) throw new Error(run.stderr.slice(-2000))
    return JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '[]') as unknown[]
  }
  const digestOf = (relation: string): string =>
    `select count(*)::int as rows, md5(coalesce(string_agg(to_json(t)::varchar, chr(10) order by to_json(t)::varchar), '')) as digest from ${relation} t`

  test('reads the rows of every dataset at the newest and at an older release, also in a folder that was moved', async () => {
    const warehouse = await worldWarehouse()
    const { db, writer } = warehouse.runtime.tools
    await completeFiles(db, writer)
    const path = join(folder, 'asked.ducklake')
    const { releases } = await writeDucklake(db, writer, path)
    const lake = await warehouse.lake()
    const oldest = releases[0] ?? 0
    expect(releases.at(-1)).toBe(lake.release)
    const expected: unknown[] = []
    for (const name of datasetNames)
      for (const release of [lake.release, oldest]) {
        const statement = digestOf(`(select * from ${name}_history where release_from <= ${release})`)
        expected.push(
          (await lake.query<{ rows: number; digest: string }>(statement, {}, { [`${name}_history`]: 'all' })).map(row => [row.rows, row.digest]),
        )
      }
    const statements = datasetNames.flatMap(name => [lake.release, oldest].map(release => digestOf(`(from lake.${name} at (version => ${release}))`)))
    expect(ask(`attach 'ducklake:${path}' as lake (read_only)`, statements)).toEqual(expected)
    const moved = join(folder, 'moved')
    await cp(tablesFolder(writer.data), moved, { recursive: true })
    expect(ask(`attach 'ducklake:${path}' as lake (read_only, data_path '${moved}/', override_data_path true)`, statements)).toEqual(expected)
  })

  test('a write is refused', async () => {
    const { db, writer, data } = await growingLake(3)
    const path = join(data, 'out.ducklake')
    await writeDucklake(db, writer, path)
    const [rows, deleted] = ask(`attach 'ducklake:${path}' as lake (read_only)`, ['select count(*) from lake.fx_rates', 'delete from lake.fx_rates'])
    expect([rows, deleted]).toEqual([[[6]], { error: expect.stringContaining('read-only') }])
    writer.connections.close()
  })
})
