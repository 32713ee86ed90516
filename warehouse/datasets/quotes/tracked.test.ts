// The order in which symbols are requested: the operator's own, both lines of an issuer, then the most traded of each exchange in turn.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDuckdb, queryRows } from '../../store/duckdb.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { type Interval, symbolIndexOf } from '../symbols/symbol-index.ts'
import { trackedSymbols } from './tracked.ts'

const listing = (symbol: string, issuer: string, valid_to: string | null = null): Interval => ({
  instrument_id: `i_${symbol}`,
  symbol,
  exchange: symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US',
  mic: null,
  name: issuer,
  issuer,
  type: 'common',
  currency: 'USD',
  cik: null,
  valid_from: '2020-01-02',
  valid_to,
  end_reason: valid_to === null ? null : 'delisted',
  successor: null,
  predecessor: null,
  etf: false,
  source_symbol: symbol,
  known_from: '2020-01-02T00:00:00Z',
  known_basis: 'retrieved',
  source: 'test',
  raw_sha256: '0'.repeat(64),
  withdrawn: false,
  release_from: 1,
})
const index = symbolIndexOf(
  [
    listing('BIG', 'Big Works, Inc.'),
    listing('GONE', 'Gone Works, Inc.', '2026-11-10'),
    listing('MAPL', 'Maple Railway Ltd.'),
    listing('MAPL.TO', 'Maple Railway Ltd.'),
    listing('PINE.V', 'Pine Gold Corp.'),
    listing('SAME', 'Somebody Else, Inc.'),
    listing('SAME.TO', 'Quite Another Ltd.'),
  ],
  1,
)
let close = (): void => {}
let lake: Lake
beforeAll(async () => {
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [] })
  const connection = await instance.connect()
  await connection.run(`create table bars as select * from (values
    ('BIG', date '2026-11-19', 100.0, 1000), ('GONE', date '2026-11-09', 900.0, 1000), ('MAPL', date '2026-11-19', 5.0, 10), ('MAPL.TO', date '2026-11-19', 7.0, 10),
    ('PINE.V', date '2026-11-19', 0.5, 10), ('SAME', date '2026-01-05', 9000.0, 1000), ('SAME.TO', date '2026-11-19', 1.0, 1)) as t(symbol, date, close, volume)`)
  // The statement as the lake runs it, over a table in place of files.
  lake = { query: (sql: string, parameters: Parameters<typeof queryRows>[2]) => queryRows(connection, sql, parameters) } as unknown as Lake
  close = () => {
    connection.closeSync()
    instance.closeSync()
  }
})
afterAll(() => close())

test('named ones first, then pairs of one issuer, then the most traded of each exchange in turn; what is no longer listed is not asked for', async () => {
  expect(await trackedSymbols(lake, index, ['PINE.V'])).toEqual(['PINE.V', 'MAPL.TO', 'MAPL', 'SAME.TO', 'BIG'])
  // A confirmed pair precedes those that are only found by name.
  const known = [
    ['SAME.TO', 'SAME'],
    ['GONE.TO', 'GONE'],
  ]
  expect(await trackedSymbols(lake, index, [], known)).toEqual(['SAME.TO', 'SAME', 'MAPL.TO', 'MAPL', 'PINE.V', 'BIG'])
})
