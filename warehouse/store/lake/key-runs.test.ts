// Lists of files in runs of keys, and the views of warehouse.duckdb over them.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { datasetOf } from '#schemas/index.ts'
import { type Parameters, queryRows, withoutExtensions } from '../duckdb.ts'
import { emptyCatalogue, type LakeFile } from './catalogue.ts'
import { keyRunsOf } from './key-runs.ts'
import { lakePath } from './open.ts'
import { fileRelation } from './relation.ts'
import { warehouseFile, writeWarehouseFile } from './views.ts'

const sha256 = (at: number): string => String(at).padStart(64, '0')
const aFile = (at: number, keys: readonly [string, string], bucket = 't1-7'): LakeFile => ({
  dataset: 'bars',
  bucket,
  sha256: sha256(at),
  bytes: 1,
  rows: 1,
  tier: 1,
  key_min: keys[0],
  key_max: keys[1],
  time_min: '2026-11-20',
  time_max: '2026-11-24',
  fresh_release: null,
  release_min: 1,
  release_max: 1,
  lacks: [],
})
const codeOf = (at: number): string => `S${String(at).padStart(4, '0')}`
/** Merged files of ten symbols each, with disjoint keys. */
const merged = (count: number): LakeFile[] => Array.from({ length: count }, (_, at) => aFile(at, [codeOf(at * 10), codeOf(at * 10 + 9)]))
const bars = datasetOf('bars')

describe('runs of files', () => {
  test('have every file once, about as many runs as files in each, and limits that contain the keys of their files', () => {
    const wide = [aFile(900, [codeOf(0), codeOf(990)], 'new'), aFile(901, [codeOf(5), codeOf(995)], 'new')]
    const runs = keyRunsOf(bars, [...merged(100), ...wide].reverse())
    expect(
      runs
        .flatMap(run => run.files)
        .map(file => file.sha256)
        .sort(),
    ).toEqual([...merged(100), ...wide].map(file => file.sha256).sort())
    expect(runs).toHaveLength(11)
    expect(runs[3]?.limits).toEqual([codeOf(300), codeOf(399)])
    expect(runs[10]).toEqual({ files: wide.toReversed(), limits: null })
  })
  test('are one run without limits if there are few files, keys overlap, or keys are no texts', () => {
    for (const files of [merged(63), merged(100).map(file => ({ ...file, key_max: 'Z' }))])
      expect(keyRunsOf(bars, files)).toEqual([{ files, limits: null }])
    const dated = { ...bars, order: ['date', 'symbol'] }
    expect(keyRunsOf(dated, merged(100))).toEqual([{ files: merged(100), limits: null }])
  })
  test('compare keys as DuckDB does, by their bytes', () => {
    // U+10000 is after U+FFFD in UTF-8, and before it in UTF-16.
    const keys = ['\u{FFFD}', '\u{10000}']
    const [first, second] = [aFile(500, [keys[0] as string, keys[0] as string]), aFile(501, [keys[1] as string, keys[1] as string])]
    const runs = keyRunsOf(bars, [...merged(80), second, first])
    expect(runs.at(-1)?.files.slice(-2)).toEqual([first, second])
    expect(runs.at(-1)?.limits?.[1]).toBe(keys[1])
  })
})

describe('the views over 100 merged files and one of all keys', () => {
  let data: string
  let query: <Row>(sql: string, parameters?: Parameters) => Promise<Row[]>
  let close = (): void => {}
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'crossfile-runs-'))
    // The file of a commit from before rows contained their release has it in the catalogue alone.
    const commit = { ...aFile(900, [codeOf(0), codeOf(990)], 'new'), fresh_release: 1, release_in_rows: true }
    const older = { ...aFile(901, ['OLD', 'OLD'], 'new'), fresh_release: 2, release_in_rows: false }
    // The last run ends with a key of small letters, which is in front of its first one if the case is ignored.
    const small = aFile(902, ['a', 'a'])
    const files = [...merged(100), commit, older, small]
    const writer = await (await DuckDBInstance.create(':memory:', { ...withoutExtensions })).connect()
    const values: Readonly<Record<string, string>> = { symbol: 'symbol', withdrawn: 'false', release_from: 'release' }
    const columns = bars.columns.map(({ name, type }) => `${values[name] ?? `null::${type}`} as "${name}"`).join(', ')
    for (const [at, file] of files.entries()) {
      const path = lakePath(data, file)
      await mkdir(dirname(path), { recursive: true })
      const symbols =
        file === older
          ? "select 'OLD' as symbol, null::bigint as release"
          : file === small
            ? "select 'a' as symbol, 1::bigint as release"
            : `select 'S' || lpad(range::varchar, 4, '0') as symbol, 1::bigint as release from ${at < 100 ? `range(${at * 10}, ${at * 10 + 10})` : 'range(0, 1000, 10)'}`
      await writer.run(`copy (select ${columns} from (${symbols})) to '${path}' (format parquet)`)
    }
    writer.closeSync()
    await writeWarehouseFile(data, { ...emptyCatalogue, release: 1, files: new Map([['bars', files]]) })
    const instance = await DuckDBInstance.create(warehouseFile(data), { ...withoutExtensions, access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    query = (sql, parameters) => queryRows(connection, sql, parameters)
    close = () => {
      connection.closeSync()
      instance.closeSync()
    }
  })
  afterAll(async () => {
    close()
    await rm(data, { recursive: true, force: true })
  })
  test('have all rows, and those of a symbol from the run with its key and from the file of all keys', async () => {
    expect(await query('select count(*)::integer as n, count(distinct symbol)::integer as symbols from bars')).toEqual([{ n: 1102, symbols: 1002 }])
    expect(await query("select count(*)::integer as n from bars where symbol = 'S0340'")).toEqual([{ n: 2 }])
    expect(await query("select count(*)::integer as n from bars where symbol in ('S0341', 'S0999', 'nothing')")).toEqual([{ n: 2 }])
  })
  test('state the release of every row, which the catalogue has for the oldest files of commits', async () => {
    expect(await query('select release_from::integer as release, count(*)::integer as n from bars group by all order by release')).toEqual([
      { release: 1, n: 1101 },
      { release: 2, n: 1 },
    ])
    // Older versions of DuckDB read no value of a map by its key, so only those files need it.
    const [{ sql } = { sql: '' }] = await query<{ sql: string }>("select sql from duckdb_views() where view_name = 'bars_history'")
    expect([900, 901].map(at => sql.includes(`'${sha256(at)}'`))).toEqual([false, true])
  })
  test('have their values in a copy below a folder such as date=2026-11-29, which DuckDB takes for a partition', async () => {
    const dated = join(data, 'symbol=X', 'release_from=7')
    await mkdir(dated, { recursive: true })
    await symlink(data, join(dated, 'copy'))
    await query(`set variable crossfile_data = '${join(dated, 'copy')}'`)
    expect(await query('select count(distinct symbol)::integer as symbols, max(release_from)::integer as release from bars_history')).toEqual([
      { symbols: 1002, release: 2 },
    ])
    const path = join(dated, 'copy', relative(data, lakePath(data, merged(1)[0] as LakeFile)))
    for (const fresh_release of [null, 3]) {
      const { sql, parameters } = fileRelation(bars, [{ path, fresh_release, lacks: [] }])
      expect(await query(`select count(distinct symbol)::integer as symbols, max(release_from)::integer as release from ${sql}`, parameters)).toEqual(
        [{ symbols: 10, release: 1 }],
      )
    }
    await query('reset variable crossfile_data')
  })
  test('have all rows in a session that compares texts without their case', async () => {
    await query("set default_collation = 'nocase'")
    expect(await query('select count(*)::integer as n from bars_history')).toEqual([{ n: 1102 }])
    await query('reset default_collation')
  })
  test('do not open the files of other runs', async () => {
    const [plan] = await query<{ explain_value: string }>("explain select * from bars where symbol = 'S0341'")
    expect(plan?.explain_value.match(/Function:/g)).toHaveLength(2)
  })
})
