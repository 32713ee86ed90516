// The order in which symbols are requested: the operator's own, both lines of an issuer, then the most traded of each exchange in turn.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listingsOf } from '#fixtures/listings.ts'
import { openDuckdb, queryRows } from '../../store/duckdb.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { trackedSymbols } from './tracked.ts'

const index = listingsOf([
  { symbol: 'BIG', name: 'Big Works, Inc.' },
  { symbol: 'GONE', name: 'Gone Works, Inc.', to: '2026-11-10' },
  { symbol: 'MAPL', name: 'Maple Railway Ltd.' },
  { symbol: 'MAPL.TO', name: 'Maple Railway Ltd.' },
  { symbol: 'PINE.V', name: 'Pine Gold Corp.' },
  { symbol: 'SAME', name: 'Somebody Else, Inc.' },
  { symbol: 'SAME.TO', name: 'Quite Another Ltd.' },
])
let close = (): void => {}
let lake: Lake
beforeAll(async () => {
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [] })
  const connection = await instance.connect()
  await connection.run(`create table bars as select * from (values
    ('BIG', date '2026-11-19', 100.0, 1000), ('GONE', date '2026-11-09', 900.0, 1000), ('MAPL', date '2026-11-19', 5.0, 10), ('MAPL.TO', date '2026-11-19', 7.0, 10),
    ('PINE.V', date '2026-11-19', 0.5, 10), ('SAME', date '2026-01-05', 9000.0, 1000), ('SAME.TO', date '2026-11-19', 1.0, 1)) as t(symbol, date, close, volume)`)
  // The statements as the lake runs them, over a table in place of files.
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
