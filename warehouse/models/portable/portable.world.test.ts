// The statements that run in several engines: by hand over a few bars, and over the bundled universe in DuckDB, ClickHouse and Spark (with its
// workers as processes of their own), compared with the view bars_adjusted and with the screener. An engine that is missing is skipped.
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { datasetOf } from '#schemas/index.ts'
import { queryRows } from '../../store/duckdb.ts'
import { loadCatalogue } from '../../store/lake/catalogue.ts'
import { publishLake } from '../../store/lake/publication/publish.ts'
import { warehouseFile, writeWarehouseFile } from '../../store/lake/views.ts'
import { modelViews } from '../views.ts'

const folder = import.meta.dirname
const statements = readdirSync(folder)
  .filter(name => name.endsWith('.sql'))
  .sort()
  .map(name => [name.slice(3, -4).replaceAll('-', '_'), readFileSync(join(folder, name), 'utf8')] as const)
const inputs = ['bars', 'bar_corrections', 'adjustment_factors', 'symbols'] as const

async function computeIn(connection: DuckDBConnection): Promise<void> {
  for (const [name, sql] of statements) await connection.run(`create table ${name} as ${sql}`)
}

describe('by hand', () => {
  // OLD becomes NEW on 1 July 2024 and is split 2:1 the next day; another company takes OLD in September and pays 1 %. VNL comes from a vendor
  // that had divided its prices when they were retrieved in August: after the first split and the dividend, before the second split.
  const bars = [
    ['OLD', '2024-06-27', 100, 'as_traded', '2024-06-28'],
    ['OLD', '2024-06-28', 102, 'as_traded', '2024-06-28'],
    ['NEW', '2024-07-02', 52, 'as_traded', '2024-07-02'],
    ['OLD', '2024-09-03', 7, 'as_traded', '2024-09-03'],
    ['OLD', '2024-09-04', 7.7, 'as_traded', '2024-09-04'],
    ['VNL', '2024-06-27', 10, 'split_adjusted_unknown', '2024-08-01'],
    ['VNL', '2024-09-04', 4, 'as_traded', '2024-09-04'],
    ['LONE', '2024-06-27', 20, 'as_traded', '2024-06-27'],
  ] as const
  const row = ([symbol, date, close, basis, known]: readonly (string | number)[]): string =>
    `('${symbol}', date '${date}', ${close}e0, ${close}e0, ${close}e0, ${close}e0, 1000::bigint, 'USD', '${basis}', 'hand', 1::bigint, date '${known}')`
  const barColumns = 'symbol, date, open, high, low, close, volume, currency, basis, source, release_from, known_date'
  const computed = async (): Promise<DuckDBConnection> => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(`create table bars as from (values ${bars.map(row).join(', ')}) t(${barColumns})`)
    await connection.run(
      `create table bar_corrections as from (values ${row(['OLD', '2024-06-27', 98, 'as_traded', '2024-06-29'])}) t(${barColumns})`,
    )
    await connection.run(`create table symbols as from (values
      ('i1', 'OLD', date '2020-01-01', date '2024-06-28'), ('i1', 'NEW', date '2024-07-01', null), ('i2', 'OLD', date '2024-09-03', null),
      ('i3', 'VNL', date '2019-05-01', null)) t(instrument_id, symbol, valid_from, valid_to)`)
    await connection.run(`create table adjustment_factors as select *, 'yahoo_crsp' as convention from (values
      ('NEW', date '2024-07-02', '2', '1', 0.5e0), ('OLD', date '2024-09-04', '1', '1', 0.99e0), ('LONE', date '2024-07-02', '4', '1', 0.25e0),
      ('VNL', date '2024-07-02', '2', '1', 0.5e0), ('VNL', date '2024-07-15', '1', '1', 0.98e0), ('VNL', date '2024-09-04', '3', '1', 1e0 / 3))
      t(symbol, ex_date, split_numerator, split_denominator, price_factor)`)
    await computeIn(connection)
    return connection
  }
  const close = (rows: readonly { readonly value: number | null }[]): (number | null)[] =>
    rows.map(({ value }) => (value === null ? null : Number(value.toPrecision(12))))

  it('a rename, a reused symbol, a correction, and prices that a vendor divided', async () => {
    const connection = await computed()
    const adjusted = await queryRows<{ value: number | null }>(connection, 'select adjusted_close as value from bars_adjusted order by symbol, date')
    // LONE 20/4; NEW; OLD corrected 98/2, 102/2, 7 less 1 %, 7.7; VNL unknown, because a split after the bar may be in its price already.
    expect(close(adjusted)).toEqual([5, 52, 49, 51, 6.93, 7.7, null, 4])
    const sessions = await queryRows<{ value: number | null }>(connection, 'select adjusted_close as value from sessions order by code, date')
    // Listings NEW (49, 51, 52), OLD (6.93, 7.7), VNL: 2 % cash and the split of September.
    expect(close(sessions)).toEqual([49, 51, 52, 6.93, 7.7, Number(((10 * 0.98) / 3).toPrecision(12)), 4])
    const last = await queryRows<{ code: string; value: number | null }>(
      connection,
      'select code, change_1d_pct as value from last_session order by code',
    )
    expect(close(last)).toEqual([52 / 51 - 1, 7.7 / 6.93 - 1, 4 / (9.8 / 3) - 1].map(move => Number((move * 100).toPrecision(12))))
  })
})

const isInstalled = (packages: string): boolean => spawnSync('python3', ['-c', `import ${packages}`]).status === 0
const missing = (packages: string): string => (isInstalled(packages) ? '' : ` (skipped: python3 has no ${packages})`)

describe('over the bundled universe', async () => {
  const warehouse = await worldWarehouse()
  const { db } = warehouse.runtime.postgres
  const data = warehouse.config.dataFolder
  const out = await mkdtemp(join(tmpdir(), 'crossfile-portable-'))
  afterAll(() => rm(out, { recursive: true, force: true }))
  let ours: DuckDBConnection
  let release = 0
  beforeAll(async () => {
    await publishLake(db, warehouse.runtime.tools.writer)
    const catalogue = await loadCatalogue(db)
    release = catalogue.release
    await writeWarehouseFile(data, catalogue, await modelViews(db, data, release))
    ours = await (await DuckDBInstance.create(warehouseFile(data), { access_mode: 'READ_ONLY' })).connect()
  })

  /** The rows of a SELECT in DuckDB; dates as text, and numbers as doubles. */
  const rowsOf = async (connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> => await queryRows(connection, sql)
  /** Differences of more than `tolerance` (relative) in numbers, and any in other values. */
  function differences(expected: readonly Record<string, unknown>[], found: readonly Record<string, unknown>[], tolerance: number): string[] {
    const list = expected.length === found.length ? [] : [`${found.length} rows, expected ${expected.length}`]
    for (const [at, row] of expected.entries())
      for (const [name, value] of Object.entries(row)) {
        const other = found[at]?.[name]
        const isSame =
          typeof value === 'number' && typeof other === 'number' ? Math.abs(value - other) <= tolerance * Math.abs(value) : value === other
        if (!isSame) list.push(`${Object.values(row).slice(0, 2).join(' ')} ${name}: ${String(other)}, expected ${String(value)}`)
      }
    return list
  }
  /** Compares two Parquet files with the view and the model. The screener's numbers are stored with twelve digits: half a unit of the last one. */
  async function compare(adjusted: string, screened: string): Promise<void> {
    const named = await rowsOf(ours, 'describe bars_adjusted')
    const columns = named
      .map(each => (each['column_type'] === 'BIGINT' ? `${each['column_name']}::double as ${each['column_name']}` : each['column_name']))
      .join(', ')
    const bars = await rowsOf(ours, `select ${columns} from bars_adjusted order by symbol, date`)
    expect(bars.length).toBeGreaterThan(20_000)
    expect(differences(bars, await rowsOf(ours, `select ${columns} from ${adjusted} order by symbol, date`), 1e-12).slice(0, 10)).toEqual([])
    const fields = (await rowsOf(ours, `describe select * from ${screened}`)).map(each =>
      ['VARCHAR', 'DATE'].includes(String(each['column_type'])) ? each['column_name'] : `${each['column_name']}::double as ${each['column_name']}`,
    )
    expect(fields.length).toBeGreaterThan(35)
    const listings = await rowsOf(ours, `select ${fields.join(', ')} from screener where session_date is not null order by code`)
    expect(listings.length).toBeGreaterThan(40)
    expect(differences(listings, await rowsOf(ours, `select ${fields.join(', ')} from ${screened} order by code`), 6e-12).slice(0, 10)).toEqual([])
  }
  const run = async (script: string, ...args: string[]): Promise<void> => {
    await promisify(execFile)('python3', [join(folder, script), join(data, 'lake'), String(release), ...args])
  }

  it('DuckDB computes from the published files what the view and the screener hold', async () => {
    const connection = await (await DuckDBInstance.create(join(out, 'portable.duckdb'))).connect()
    await connection.run("set timezone = 'UTC'")
    for (const name of inputs) {
      const { key } = datasetOf(name)
      const published = readdirSync(join(data, 'lake')).includes(name)
      const files = join(data, 'lake', published ? name : 'bars', '**', '*.parquet')
      await connection.run(`create view ${name} as select * from (
        select *, (known_from at time zone 'America/New_York')::date as known_date,
          row_number() over (partition by ${key.join(', ')} order by release_from desc, known_from desc, raw_sha256) as turn
        from read_parquet('${files}', union_by_name = true) where ${published} and release_from <= ${release}) where turn = 1 and not withdrawn`)
    }
    await computeIn(connection)
    for (const name of ['bars_adjusted', 'screener_prices'])
      await connection.run(`copy ${name} to '${join(out, `${name}.parquet`)}' (format parquet)`)
    connection.closeSync()
    await compare(`read_parquet('${join(out, 'bars_adjusted.parquet')}')`, `read_parquet('${join(out, 'screener_prices.parquet')}')`)
  })

  const noClickhouse = missing('chdb')
  it.skipIf(noClickhouse !== '')(`ClickHouse does${noClickhouse}`, async () => {
    const at = join(out, 'clickhouse')
    await run('run_clickhouse.py', at)
    await compare(`read_parquet('${at}/bars_adjusted.parquet')`, `read_parquet('${at}/screener_prices.parquet')`)
  })

  const noSpark = missing('pyspark')
  it.skipIf(noSpark !== '')(`Spark does, with two workers of its own${noSpark}`, async () => {
    const at = join(out, 'spark')
    await run('run_spark.py', at, 'local-cluster[2,1,1024]', '4')
    await compare(`read_parquet('${at}/bars_adjusted/*.parquet')`, `read_parquet('${at}/screener_prices/*.parquet')`)
  })
})
