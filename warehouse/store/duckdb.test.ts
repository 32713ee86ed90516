import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { randomOf } from '#fixtures/world/random.ts'
import { closeConnection, openDuckdb, type Parameter, queryRows } from './duckdb.ts'
import { instantOf } from './duckdb-values.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [] })
  connection = await instance.connect()
})
afterAll(() => {
  closeConnection(connection)
  instance.closeSync()
})

const value = async (parameter: Parameter): Promise<unknown> =>
  (await queryRows<{ v: unknown }>(connection, 'select $value as v', { value: parameter }))[0]?.v
test('a column of many short texts, of which some repeat, comes back as it was', async () => {
  const random = randomOf(20_261_129, 'short texts')
  const letters = [...'abcXYZ019.-_ é€\ufeff\u{1f600}\0']
  const few = Array.from({ length: 40 }, () => Array.from({ length: random.int(0, 12) }, () => random.pick(letters)).join(''))
  const texts = Array.from({ length: 30_000 }, (_, at) =>
    at % 3 === 0 ? random.pick(few) : Array.from({ length: random.int(0, 14) }, () => random.pick(letters)).join(''),
  )
  for (let round = 0; round < 2; round += 1) {
    const rows = await queryRows<{ v: unknown; n: unknown }>(
      connection,
      'select v, case when length(v) % 2 = 0 then v end as n from (select unnest($value) as v)',
      { value: texts },
    )
    expect(rows.map(row => row.v)).toEqual(texts)
    expect(rows.filter(row => row.n !== null && row.n !== row.v)).toEqual([])
  }
})
test('a text that begins with U+FEFF keeps it, also in lists and structs', async () => {
  const mark = '\ufeff'
  const texts = [mark, `${mark}a`, `${mark}${mark}b`, `${mark}123456789`, `${mark}a text of more than twelve bytes`, `${mark.repeat(6)}c`, 'ï»¿', '']
  const rows = await queryRows<{ v: string; l: unknown; s: unknown; n: unknown }>(
    connection,
    `select v, [v, null, v || 'x'] as l, {'a': [{'b': v}], 'c': null::varchar, 'd': 1} as s,
       case when length(v) > 2 then [[v], []] end as n
     from (select unnest($value) as v)`,
    { value: texts },
  )
  expect(rows.map(({ v }) => v)).toEqual(texts)
  for (const { v, l, s, n } of rows) {
    expect(l).toEqual([v, null, `${v}x`])
    expect(s).toEqual({ a: [{ b: v }], c: null, d: 1 })
    expect(n).toEqual([...v].length > 2 ? [[v], []] : null)
  }
  const none = await queryRows(connection, "select null::struct(a varchar) as s, null::varchar[] as l, []::varchar[] as e, [null, {'a': $v}] as o", {
    v: mark,
  })
  expect(none).toEqual([{ s: null, l: null, e: [], o: [null, { a: mark }] }])
})
const type = async (parameter: Parameter): Promise<unknown> =>
  (await queryRows<{ t: unknown }>(connection, 'select typeof($value) as t', { value: parameter }))[0]?.t
describe('a value of a statement', () => {
  it('comes back as it was, whatever characters it has', async () => {
    const hostile = [
      "'",
      "''",
      "\\'",
      "'; select 1; --",
      '$value',
      '/*',
      'a\nb',
      '\u2028',
      'é',
      '\u{1f600}',
      '',
      "'\0'",
      '\0',
      '{}',
      '$$x$$',
      '\ufeff',
      '\ufeffa',
      '\ufeff\ufeffa text of more than 12 bytes',
    ]
    for (const text of hostile) expect(await value(text)).toBe(text)
    expect(await value(hostile)).toEqual(hostile)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async text => {
        fc.pre(text.isWellFormed())
        expect(await value(text)).toBe(text)
      }),
      { numRuns: 300 },
    )
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async number => {
        fc.pre(!Object.is(number, -0) && !(Number.isInteger(number) && !Number.isSafeInteger(number)))
        expect(await value(number)).toBe(number)
      }),
      { numRuns: 500 },
    )
  })
  it('is bound with its type, empty or long', async () => {
    const types = await Promise.all(['x', 1, 1.5, true, [], new Map<string, number>()].map(type))
    expect(types).toEqual(['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'VARCHAR[]', 'MAP(VARCHAR, BIGINT)'])
    const many = Array.from({ length: 3_000 }, (_, at) => `S${at}`)
    expect(await value(many)).toEqual(many)
  })
})

describe('a statement', () => {
  it('that is kept prepared takes new values, and none of the last', async () => {
    const between = (from: number, to: number): Promise<{ i: number }[]> =>
      queryRows(connection, 'select i::integer as i from range(10) as t(i) where i between $from and $to order by i', { from, to })
    expect(await between(2, 4)).toEqual([{ i: 2 }, { i: 3 }, { i: 4 }])
    expect(await between(9, 20)).toEqual([{ i: 9 }])
    expect(await between(5, 4)).toEqual([])
  })
  it('that failed is prepared again, and outlives many others', async () => {
    const number = (text: string): Promise<{ n: number }[]> => queryRows(connection, 'select $text::integer as n', { text })
    expect(await number('7')).toEqual([{ n: 7 }])
    await expect(number('seven')).rejects.toThrow(/seven/)
    expect(await number('8')).toEqual([{ n: 8 }])
    for (let at = 0; at < 200; at += 1) expect(await queryRows(connection, `select $value + ${at} as n`, { value: 1 })).toEqual([{ n: at + 1 }])
    expect(await number('9')).toEqual([{ n: 9 }])
  })
})

describe('rows', () => {
  it('repeat texts, days and instants without mixing them up', async () => {
    const rows = await queryRows<Record<string, unknown>>(
      connection,
      `select i, case when i % 7 = 3 then null when i % 5 < 3 then 'short' else repeat('long and longer ', 3) || (i // 10) end as text,
         date '1969-12-30' + (i // 100)::integer as day, case when i % 9 = 4 then null else timestamptz '2024-03-10 06:59:59.5+00' + (i // 3) * interval 1 second end as at
       from range(5000) as t(i)`,
    )
    expect(rows).toHaveLength(5000)
    for (const [i, row] of rows.entries()) {
      const text = i % 7 === 3 ? null : i % 5 < 3 ? 'short' : `${'long and longer '.repeat(3)}${Math.floor(i / 10)}`
      const day = new Date(Date.UTC(1969, 11, 30 + Math.floor(i / 100))).toISOString().slice(0, 10)
      const at = i % 9 === 4 ? null : new Date(Date.UTC(2024, 2, 10, 6, 59, 59 + Math.floor(i / 3), 500)).toISOString()
      expect(row).toEqual({ i, text, day, at })
    }
  })
  it('print an instant with the fraction that it has', () => {
    expect([0n, 1_000n, 1n, -1n, 1_700_000_000_000_000n, 1_700_000_000_120_000n].map(instantOf)).toEqual([
      '1970-01-01T00:00:00Z',
      '1970-01-01T00:00:00.001Z',
      '1970-01-01T00:00:00.000001Z',
      '1969-12-31T23:59:59.999999Z',
      '2023-11-14T22:13:20Z',
      '2023-11-14T22:13:20.120Z',
    ])
  })
})
