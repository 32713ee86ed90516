// Keys beyond U+FFFF against keys from U+E000 to U+FFFF: JavaScript and DuckDB order them differently.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import { queryRows } from '../duckdb.ts'
import { type LakeFile, loadCatalogue } from './catalogue.ts'
import { compactAll, fanOut, type LakeWriter } from './compact.ts'
import { compareKeys, mayHaveKeys } from './key-order.ts'
import { filesFor, openLake } from './open.ts'
import { pathsOfSymbol } from './view-files.ts'

const characters = [
  'A',
  'Z',
  '\u007f',
  '\u0080',
  'é',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\ufeff',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
]
const texts = ['', ...characters, ...characters.flatMap(one => characters.map(other => `${one}${other}`)), 'A\ue000Z', 'A\u{10000}A']
/** In the order of DuckDB; in that of JavaScript, the last two are in front of the two before them. */
const keys = ['A', '\ud7ff', '\ue000', '\uffff', '\u{10400}', '\u{10ffff}']

test('texts are in the order of their bytes in UTF-8', () => {
  const wrong = texts.flatMap(one =>
    texts.filter(other => Math.sign(compareKeys(one, other)) !== Buffer.compare(Buffer.from(one), Buffer.from(other))).map(other => [one, other]),
  )
  expect(wrong).toEqual([])
  expect(texts.toSorted() as readonly string[]).not.toEqual(texts.toSorted(compareKeys))
})

const fileOf = (key_min: string, key_max: string): LakeFile => ({
  dataset: 'bars',
  bucket: 't1-1',
  sha256: Buffer.from(key_min).toString('hex').padEnd(64, '0'),
  bytes: 1,
  rows: 1,
  tier: 1,
  key_min,
  key_max,
  time_min: null,
  time_max: null,
  fresh_release: null,
  release_min: 1,
  release_max: 1,
  lacks: [],
})

test('the files of a key are those whose range has it', () => {
  const [low, high] = [fileOf('A', '\uffff'), fileOf('\u{10000}', '\u{10ffff}')]
  expect(keys.map(key => filesFor([low, high], [key]))).toEqual([[low], [low], [low], [low], [high], [high]])
  const across = fileOf('\ue000', '\u{10400}')
  expect(keys.map(key => filesFor([across], [key]).length)).toEqual([0, 0, 1, 1, 1, 0])
  const ranges = [
    ['\uffff', '\uffff'],
    ['\u{10401}', '\u{10ffff}'],
    ['A', '\ud7ff'],
    ['A', '\u{1f600}'],
    ['A', 'Z'],
  ] as const
  expect(ranges.map(([from, to]) => mayHaveKeys(from, to)(across))).toEqual([true, false, false, true, false])
})

describe('in a lake', () => {
  let database: TestDatabase
  let writer: LakeWriter
  let data: string
  beforeAll(async () => {
    database = await testDatabase()
    data = await mkdtemp(join(tmpdir(), 'crossfile-key-order-'))
    writer = await openRatesLake(data)
    for (let day = 1; day <= fanOut; day += 1)
      await commitRates(
        database.db,
        writer,
        keys.map(base_currency => ({ ...aRate(`2024-01-0${day}`, '1.3'), base_currency })),
      )
  })
  afterAll(async () => {
    writer.connections.close()
    await rm(data, { recursive: true, force: true })
  })

  test('each key is found, before and after its files are merged', async () => {
    const found = async (): Promise<unknown[]> => {
      const lake = openLake(await loadCatalogue(database.db), writer.connections, writer.verifier)
      return await Promise.all(
        keys.map(key => lake.query('select base_currency as key, count(*) as days from fx_rates group by 1', {}, { fx_rates: [key] })),
      )
    }
    const expected = keys.map(key => [{ key, days: fanOut }])
    expect(await found()).toEqual(expected)
    expect((await compactAll(database.db, writer)).length).toBe(1)
    expect(await found()).toEqual(expected)
  })
  test('DuckDB finds the file of a symbol among those of a run', async () => {
    const files = ['\u{10400}', 'A', '\uffff', '\ue000'].map(key => fileOf(key, key))
    const paths = pathsOfSymbol(files, data)
    expect(paths.length).toBe(1)
    const rows = await writer.connections.use(connection =>
      queryRows<{ key: string; sha256: string }>(
        connection,
        `select of_symbol as key, parse_filename(${(paths[0] ?? '').replaceAll('data_folder()', "''")}, true) as sha256 from (select unnest($keys::varchar[]) as of_symbol)`,
        { keys: ['A', '\ue000', '\uffff', '\u{10400}'] },
      ),
    )
    expect(rows).toEqual(['A', '\ue000', '\uffff', '\u{10400}'].map(key => ({ key, sha256: fileOf(key, key).sha256 })))
  })
})
