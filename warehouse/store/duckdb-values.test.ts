// The values that are read from the memory of DuckDB's vectors equal those that the package's own conversion gives.
import { DuckDBBlobVector, type DuckDBConnection, type DuckDBInstance, type DuckDBValue, DuckDBVarCharVector } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { randomOf } from '#fixtures/world/random.ts'
import { closeConnection, openDuckdb, queryColumns, queryRows, runSql } from './duckdb.ts'
import { readerOf } from './duckdb-values.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await openDuckdb({ memoryLimit: '512MB', threads: 2, tempFolder: '', folders: [] })
  connection = await instance.connect()
})
afterAll(() => {
  closeConnection(connection)
  instance.closeSync()
})

/** Plain values of the package's own values, by their text for days and instants. */
function ofPackage(value: DuckDBValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  if ('items' in value) return (value.items as DuckDBValue[]).map(ofPackage)
  if ('entries' in value && !Array.isArray(value.entries))
    return Object.fromEntries(Object.entries(value.entries as Record<string, DuckDBValue>).map(([name, part]) => [name, ofPackage(part)]))
  if ('micros' in value) {
    const micros = value.micros as bigint
    const rest = ((micros % 1000n) + 1000n) % 1000n
    const [seconds, millis] = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, -1).split('.')
    const fraction = `${millis}${String(rest).padStart(3, '0')}`
    return `${seconds}${fraction === '000000' ? '' : `.${fraction.replace(/000$/, '')}`}Z`
  }
  return String(value)
}

/** Compares both readings of a statement, row by row; returns the number of rows. */
async function compare(sql: string): Promise<number> {
  const result = await connection.runAndReadAll(sql)
  const names = result.deduplicatedColumnNames()
  const expected = result.getRows().map(row => Object.fromEntries(row.map((value, at) => [names[at] as string, ofPackage(value)])))
  const rows = await queryRows<Record<string, unknown>>(connection, sql)
  const different = rows.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(expected[at]))
  expect(rows[different]).toEqual(expected[different])
  expect([different, rows.length]).toEqual([-1, expected.length])
  const { count, columns } = await queryColumns<Record<string, unknown>>(connection, sql)
  expect(count).toBe(rows.length)
  for (const name of names) expect(columns[name]?.findIndex((value, at) => value !== rows[at]?.[name] && typeof value !== 'object')).toBe(-1)
  return rows.length
}

const letters = [...'abcXYZ019.-_ é€\u{1f600}\0']
it('texts of every length, with nulls between them, in any order and in lists and structs', async () => {
  const random = randomOf(20_261_130, 'long texts')
  const text = (most: number, from: readonly string[]): string => Array.from({ length: random.int(0, most) }, () => random.pick(from)).join('')
  const texts = Array.from({ length: 9_000 }, (_, at) =>
    at % 1_500 === 7 ? text(90_000, ['x', 'yz']) : at % 11 === 3 ? text(40, letters) : text(40, ['a', 'b ', '7']),
  )
  await runSql(connection, 'create or replace temp table texts as select unnest($texts) as v, unnest(range($count)) as i', {
    texts,
    count: texts.length,
  })
  const kinds = `v, case when i % 3 > 0 then v end as holes, case when i % 5 = 0 then [v, null, 'a constant text of a list', v || i] when i % 7 = 0 then [] end as l,
    {'a': v, 'b': case when i % 2 = 0 then {'c': [v]} end} as s, 'a constant text, longer than twelve bytes' as same, i, repeat('wxyz', (i % 4)::integer) as short`
  for (const order of ['', 'order by i desc', 'order by hash(i)', 'order by v, i', 'where i % 13 = 1', 'where i < 1', 'where false'])
    expect(await compare(`select ${kinds} from texts ${order}`)).toBeGreaterThanOrEqual(order === 'where false' ? 0 : 1)
  // Rows of which most are skipped within a vector, texts that are joined again, and texts of a group.
  expect(await compare('select a.v, b.v as w from texts a join texts b on a.i = b.i * 7 order by hash(a.i)')).toBeGreaterThan(1_000)
  expect(
    await compare('select list(v order by i) as l, max(v) as m, string_agg(v, chr(10) order by i) as whole from texts group by i // 100 order by 2'),
  ).toBe(90)
})

it('texts whose memory is not in one piece', async () => {
  await connection.run(
    "create or replace temp table parts as select case when i % 2 = 0 then 'a text of the table ' || i else repeat('é', (i % 30)::integer) end as v, i from range(20000) t(i)",
  )
  expect(
    await compare('select v, substr(v, 3) as middle, v || v as twice, i from parts union all select v, upper(v), v, i from parts order by i, 2'),
  ).toBe(40_000)
})

it('numbers, days, instants and truth values, with and without nulls', async () => {
  const nulls = (of: string): string => `case when i % 3 <> 1 then ${of} end`
  const columns = [
    'i * 4503599627 - 9007199254740991',
    '(i - 500)::integer',
    '(i - 500) / 7.0::double',
    'i % 2 = 0',
    "date '1960-02-27' + i::integer",
  ]
  const instants = "timestamptz '1969-12-31 23:59:58+00' + (i // 3) * interval '500001 microseconds'"
  const all = [...columns, instants].flatMap((of, at) => [`${of} as c${at}`, `${nulls(of)} as n${at}`, `[${of}, null] as l${at}`])
  expect(await compare(`select ${all.join(', ')} from range(5000) t(i)`)).toBe(5_000)
})

it('an integer or an instant that no number holds exactly is refused', async () => {
  for (const [sql, message] of [
    ['select 9007199254740992::bigint as v', /the integer 9007199254740992, beyond 2\^53/],
    ['select -9007199254740992::bigint as v', /the integer -9007199254740992, beyond 2\^53/],
    ['select (-9223372036854775807 - 1)::bigint as v', /the integer -9223372036854775808, beyond 2\^53/],
    ["select 'infinity'::timestamptz as v", /the instant 9223372036854775807, beyond 2\^53/],
    ["select '-infinity'::timestamptz as v", /the instant -9223372036854775807, beyond 2\^53/],
  ] as const)
    await expect(queryRows(connection, sql)).rejects.toThrow(message)
  expect(await queryRows(connection, 'select 9007199254740991::bigint as a, -9007199254740991::bigint as b, -1::bigint as c')).toEqual([
    { a: 9_007_199_254_740_991, b: -9_007_199_254_740_991, c: -1 },
  ])
})

it('a call that reads many texts reads at most 64 KB: a text that is kept does not keep a long one behind it', async () => {
  const read: number[] = []
  const own = DuckDBBlobVector.prototype.getItemBytes
  DuckDBBlobVector.prototype.getItemBytes = function (row) {
    const bytes = own.call(this, row)
    read.push(bytes?.byteLength ?? 0)
    return bytes
  }
  try {
    const sql =
      "select repeat(case when i % 2 = 0 then 'a short text ' else 'x' end, case when i % 2 = 0 then 1 else 1000000 end) as v from range(6) t(i)"
    expect((await queryRows<{ v: string }>(connection, sql)).map(({ v }) => v.length)).toEqual([13, 1e6, 13, 1e6, 13, 1e6])
    expect(read).toEqual([13, 1e6, 13, 1e6, 13, 1e6])
    read.length = 0
    await queryRows(connection, "select lpad(i::varchar, 9000, '0') as v from range(100) t(i)")
    expect(Math.max(...read)).toBe(63_000)
    expect(read.reduce((sum, count) => sum + count)).toBe(900_000)
    expect(read.length).toBeLessThan(50)
  } finally {
    DuckDBBlobVector.prototype.getItemBytes = own
  }
})

/** Reads the rows of a vector of texts that a test writes: each is the length and the 12 bytes behind it. */
function readerOfRecords(count: number, records: Readonly<Record<number, readonly [length: number, bytes: string]>>): (row: number) => unknown {
  const view = new DataView(new ArrayBuffer(16 * count))
  for (const [row, [length, bytes]] of Object.entries(records)) {
    view.setUint32(16 * Number(row), length, true)
    Buffer.from(view.buffer).write(bytes, 16 * Number(row) + 4)
  }
  const [, validity, vector] = [0, { data: null, offset: 0 }, null] as unknown as ConstructorParameters<typeof DuckDBVarCharVector>
  return readerOf(new DuckDBVarCharVector(view, validity, vector, 0, count))
}

it('items of a list whose bytes are more than a string can contain', () => {
  const last = 2 ** 25
  const read = readerOfRecords(last + 1, {
    0: [3, 'the'],
    2047: [5, 'first'],
    2048: [5, 'block'],
    [last - 1]: [12, 'its last but'],
    [last]: [3, 'one'],
  })
  expect([0, 2_047, 2_048, last, last - 1, 1, 2_047].map(read)).toEqual(['the', 'first', 'block', 'one', 'its last but', '', 'first'])
})

it('a text of 2 GB or more is refused', () => {
  const read = readerOfRecords(3, { 0: [3, 'abc'], 1: [2 ** 31, 'longtext'], 2: [2 ** 32 - 1, 'longtext'] })
  expect(read(0)).toBe('abc')
  expect(() => read(1)).toThrow('DuckDB returned a text of 2147483648 bytes, more than a string can contain')
  expect(() => read(2)).toThrow('DuckDB returned a text of 4294967295 bytes, more than a string can contain')
})
