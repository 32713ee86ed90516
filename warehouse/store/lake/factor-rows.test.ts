import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryRows } from '../duckdb.ts'
import { createFactorRows } from './factor-rows.ts'

const statementOf = (name: string): string => readFileSync(join(import.meta.dirname, 'views', name), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'crossfile-factor-rows-'))
let count = 0

/** A file like warehouse.duckdb, of a lake with two listings and the actions of `ex_dates`. */
async function fileOf(
  factors: string,
  previous: string,
  isWhole = true,
): Promise<{ readonly path: string; readonly rows: unknown[]; readonly comment: string }> {
  count += 1
  const path = join(folder, `${count}.duckdb`)
  return await opened(path, async connection => {
    await connection.run(`
      create view symbols_history as select * from (values ('AAA', 'i1', date '2000-01-01', null::date), ('BBB', 'i2', date '2000-01-01', null))
        as s(symbol, instrument_id, valid_from, valid_to);
      create view symbols as select * from symbols_history;
      create view adjustment_factors_history as ${factors};
      create view adjustment_factors as select * from adjustment_factors_history;
      create view filing_corrections_history as select null where false;
      create macro newest_bar_date() as date '2024-01-01';
      create view listing_spans as ${statementOf('15-listing-spans.sql')}`)
    await createFactorRows(connection, statementOf('20-factor-steps.sql'), [factors], previous, async () => isWhole)
    // The table is stored in order; a view has none.
    const order = isWhole ? '' : ' order by symbol'
    const columns = 'symbol, price_multiplier as price, split_multiplier as split'
    const rows = await queryRows(connection, `select ${columns} from factor_rows${order}`).catch(String)
    const [table] = await queryRows<{ comment: string }>(
      connection,
      "select comment from duckdb_tables() where table_name = 'factor_rows' union all select comment from duckdb_views() where view_name = 'factor_rows'",
    )
    return { path, rows: rows as unknown[], comment: table?.comment ?? '' }
  })
}
/** Closes the file, also if `use` fails. */
async function opened<Result>(path: string, use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  try {
    return await use(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
const factors = (...splits: readonly string[]): string =>
  `select * from (values ${splits.join(', ')}) as f(symbol, ex_date, price_factor, split_numerator_printed, split_denominator_printed, convention)`
const split = "('AAA', date '2010-06-01', 0.5::double, '2', '1', 'yahoo_crsp')"
const dividend = "('BBB', date '2011-06-01', 0.75::double, '1', '1', 'yahoo_crsp')"
const nowhere = join(folder, 'none.duckdb')
const expected = [
  { symbol: 'AAA', price: 0.5, split: 0.5 },
  { symbol: 'BBB', price: 0.75, split: 1 },
]

describe('the rows of factor_steps in the file of the analysts', () => {
  let first: Awaited<ReturnType<typeof fileOf>>
  beforeAll(async () => {
    first = await fileOf(factors(split, dividend), nowhere)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** The first file with other rows. `isStated`: its comment gives their sum, as if they had been computed. */
  async function changed(isStated: boolean): Promise<string> {
    count += 1
    const path = join(folder, `${count}.duckdb`)
    copyFileSync(first.path, path)
    await opened(path, async connection => {
      await connection.run("update factor_rows set price_multiplier = 7 where symbol = 'AAA'")
      const [sum] = await queryRows<{ sum: string }>(
        connection,
        "select format('{:d} rows, hash {:d}', count(*), bit_xor(hash(r))) as sum from factor_rows as r",
      )
      const comment = first.comment.replace(/\d+ rows, hash \d+/, sum?.sum ?? '')
      expect(comment).not.toBe(first.comment)
      if (isStated) await connection.run(`comment on table factor_rows is '${comment}'`)
    })
    return path
  }

  test('are computed in order of symbol, and the comment has their number', () => {
    expect(first.rows).toEqual(expected)
    expect(first.comment).toMatch(/^The rows of the view factor_steps, as they were when this file was written\. 2 rows, hash \d+; /)
  })
  test('are copied from the file before if files and statements are the same', async () => {
    const { rows } = await fileOf(factors(split, dividend), await changed(true))
    expect(rows).toEqual([{ ...expected[0], price: 7 }, expected[1]])
  })
  test('are computed if a session has changed those of the file before', async () => {
    expect((await fileOf(factors(split, dividend), await changed(false))).rows).toEqual(expected)
  })
  test('are computed if a session has exchanged the names of two columns of the file before, or renamed one', async () => {
    const rename = (...names: readonly (readonly [string, string])[]): string =>
      names.map(([from, to]) => `alter table factor_rows rename column ${from} to ${to}`).join('; ')
    const exchange = rename(['price_multiplier', 'x'], ['split_multiplier', 'price_multiplier'], ['x', 'split_multiplier'])
    for (const change of [exchange, rename(['price_multiplier', 'mine']), 'alter table factor_rows alter price_multiplier type float']) {
      count += 1
      const path = join(folder, `${count}.duckdb`)
      copyFileSync(first.path, path)
      await opened(path, async connection => void (await connection.run(change)))
      expect(await fileOf(factors(split, dividend), path), change).toMatchObject({ rows: expected, comment: first.comment })
    }
  })
  test('are computed if the files are others', async () => {
    expect((await fileOf(factors(split), await changed(true))).rows).toEqual([expected[0]])
  })
  test('are computed if the file before is damaged', async () => {
    const path = join(folder, 'damaged.duckdb')
    writeFileSync(path, readFileSync(first.path).subarray(0, 5000))
    expect(await fileOf(factors(split, dividend), path)).toMatchObject({ rows: expected, comment: first.comment })
  })
  test('are computed whenever they are read if a file of the lake is damaged, and again when the file is whole', async () => {
    const damaged = await fileOf(factors(split, dividend), nowhere, false)
    expect(damaged).toMatchObject({ rows: expected, comment: 'The rows of the view factor_steps, as they were when this file was written.' })
    expect(await fileOf(factors(split, dividend), damaged.path)).toMatchObject({ rows: expected, comment: first.comment })
  })
  test('fail when they are read if a file of the lake cannot be read', async () => {
    const { rows, comment } = await fileOf(`${factors(split)} where error('damaged') is null`, first.path)
    expect(rows).toMatch(/damaged/)
    expect(comment).toBe('The rows of the view factor_steps, as they were when this file was written.')
  })
})
