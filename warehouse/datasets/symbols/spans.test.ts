// A symbol that had several listings: each day belongs to one of them at most, in answers and in the view that analysts join.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { queryRows } from '../../store/duckdb.ts'
import { type Interval, symbolIndexOf } from './symbol-index.ts'

type Listing = readonly [instrument: string, symbol: string, from: string, to: string | null]
type Spans = readonly (readonly [instrument: string, symbol: string, from: string, to: string])[]
const view = readFileSync(join(import.meta.dirname, '../../store/lake/views/15-listing-spans.sql'), 'utf8')
const [always, open] = ['0001-01-01', '9999-12-31']

function ofIndex(listings: readonly Listing[]): Spans {
  const rows = listings.map(([instrument_id, symbol, valid_from, valid_to]) => ({ instrument_id, symbol, valid_from, valid_to, cik: null }))
  const index = symbolIndexOf(rows as unknown as Interval[], 1)
  const instruments = [...new Set(rows.map(row => row.instrument_id))]
  return instruments.flatMap(id => index.spans(id).map(span => [id, span.symbol, span.from ?? always, span.to ?? open] as const))
}

async function ofView(listings: readonly Listing[]): Promise<Spans> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run('create table symbols (instrument_id varchar, symbol varchar, valid_from date, valid_to date)')
    for (const row of listings)
      await connection.run(`insert into symbols values (${row.map(value => (value === null ? 'null' : `'${value}'`)).join(', ')})`)
    const spans = await queryRows<{ instrument_id: string; symbol: string; from_date: string; to_date: string }>(connection, view)
    return spans.map(span => [span.instrument_id, span.symbol, span.from_date, span.to_date] as const)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const sorted = (spans: Spans): Spans => [...spans].sort((a, b) => (a.join() < b.join() ? -1 : 1))

describe('the days of a symbol', () => {
  test.each<[string, Listing[], Spans]>([
    ['with one listing are all days', [['a', 'X', '2001-01-02', null]], [['a', 'X', always, open]]],
    [
      'that an instrument left and took again: those between belong to the later listing',
      [
        ['a', 'X', '1999-03-10', '2004-11-30'],
        ['a', 'XX', '2004-12-01', '2011-03-22'],
        ['a', 'X', '2016-08-15', null],
      ],
      [
        ['a', 'X', always, '2004-11-30'],
        ['a', 'X', '2004-12-01', open],
        ['a', 'XX', always, '2011-03-22'],
      ],
    ],
    [
      'that another company took after a pause belong to the later one from the end of the earlier',
      [
        ['a', 'X', '2001-01-02', '2014-04-02'],
        ['a', 'Y', '2014-04-03', null],
        ['b', 'X', '2016-08-15', null],
      ],
      [
        ['a', 'X', always, '2014-04-02'],
        ['a', 'Y', always, open],
        ['b', 'X', '2014-04-03', open],
      ],
    ],
    [
      'whose earlier listing has no known end belong to the later one from its first day',
      [
        ['a', 'X', '2001-01-02', null],
        ['b', 'X', '2016-08-15', null],
      ],
      [
        ['a', 'X', always, '2016-08-14'],
        ['b', 'X', '2016-08-15', open],
      ],
    ],
    [
      'whose listings overlap belong to the later one from its first day',
      [
        ['a', 'X', '2001-01-02', '2016-09-30'],
        ['b', 'X', '2016-08-15', null],
      ],
      [
        ['a', 'X', always, '2016-08-14'],
        ['b', 'X', '2016-08-15', open],
      ],
    ],
  ])('%s', async (_, listings, expected) => {
    expect(sorted(ofIndex(listings))).toEqual(sorted(expected))
    expect(sorted(await ofView(listings))).toEqual(sorted(expected))
  })
})
