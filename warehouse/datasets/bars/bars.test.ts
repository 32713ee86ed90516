import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDuckdb } from '../../store/duckdb.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { type MemoryLake, openMemoryLake } from '../../store/lake/memory.ts'
import { findBars, findFactors, findPrices } from './bars.ts'

let lake: MemoryLake
let folder: string
const provenance = { known_basis: 'retrieved', source: 'eodhd', raw_sha256: 'a'.repeat(64), withdrawn: false }
const aBar = (symbol: string, date: string, close: number, known_from = `${date}T22:00:00Z`) => ({
  symbol,
  date,
  open: close === 4 ? null : close - 1,
  high: close + 1,
  low: close - 2,
  close,
  volume: close === 4 ? null : 100 * close,
  currency: 'CAD',
  basis: 'as_traded',
  known_from,
  ...provenance,
})
const aFactor = (ex_date: string, price_factor: number, known_from: string, more: object = {}) => ({
  symbol: 'NRTH.TO',
  ex_date,
  convention: 'yahoo_crsp',
  split_numerator: '1',
  split_denominator: '1',
  cash_amount: '0.10',
  price_factor,
  previous_close: 10,
  previous_close_date: '2024-01-02',
  fx_rate: null,
  fx_rate_date: null,
  spinoff: false,
  actions: ['dividend:eodhd:0'],
  reason: 'action',
  known_from,
  ...provenance,
  ...more,
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfile-bars-'))
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })
  lake = await openMemoryLake(instance, folder)
  const add = async (name: 'bars' | 'bar_corrections' | 'adjustment_factors', release: number, rows: readonly object[]) => {
    await lake.add(name, rows, { release, committed_at: `2024-02-0${release}T00:00:00Z` })
  }
  // The history came after the newest day, and the symbol worn before shares a day with the one worn now.
  await add('bars', 1, [aBar('NRTH.TO', '2024-01-09', 9)])
  await add('bars', 2, [aBar('NRTH.TO', '2024-01-05', 5), aBar('NRTH.TO', '2024-01-04', 4), aBar('NRTH.TO', '2024-01-08', 8)])
  await add('bars', 3, [aBar('OLDN.TO', '2024-01-02', 2), aBar('OLDN.TO', '2024-01-03', 3), aBar('OLDN.TO', '2024-01-04', 44)])
  await add('bar_corrections', 4, [{ ...aBar('NRTH.TO', '2024-01-08', 80, '2024-01-20T00:00:00Z'), reason: 'vendor_corrected', previous_close: 8 }])
  await add('adjustment_factors', 1, [aFactor('2024-01-04', 0.99, '2024-01-04T00:00:00Z'), aFactor('2024-01-08', 0.9, '2024-01-08T00:00:00Z')])
  await add('adjustment_factors', 2, [
    aFactor('2024-01-04', 0.98, '2024-01-03T00:00:00.25Z'),
    aFactor('2024-01-05', 0.5, '2024-01-05T00:00:00Z'),
    aFactor('2024-01-05', 0.6, '2024-01-05T00:00:00.000001Z', { raw_sha256: 'b'.repeat(64) }),
    aFactor('2024-01-08', 0.9, '2024-01-09T00:00:00Z', { withdrawn: true }),
  ])
})
afterAll(async () => {
  lake.close()
  await rm(folder, { recursive: true, force: true })
})

const all = { from: null, to: null }
const now = [{ symbol: 'NRTH.TO', from: null, to: null }]
const worn = [
  { symbol: 'OLDN.TO', from: null, to: '2024-01-04' },
  { symbol: 'NRTH.TO', from: '2024-01-04', to: null },
]
async function prices(at: Lake, spans: typeof worn | typeof now, days: { from: string | null; to: string | null }, asOf: string | null) {
  const { date, close, open, volume, known_us } = await findPrices(at, spans, days, asOf)
  return date.map((day, place) => ({
    date: day,
    close: close[place],
    open: open[place],
    volume: volume[place],
    known: new Date((known_us[place] ?? 0) / 1000).toISOString(),
  }))
}

describe('prices', () => {
  it('are the bars, oldest first, a correction in place of what it corrects, the symbol worn last on a day of two', async () => {
    for (const release of [1, 2, 3, 4])
      for (const spans of [now, worn])
        for (const days of [all, { from: '2024-01-04', to: '2024-01-08' }])
          for (const asOf of [null, '2024-01-10T00:00:00Z']) {
            const at = lake.at(release)
            const bars = await findBars(at, spans, days, asOf)
            const expected = bars.map(bar => ({
              date: bar.date,
              close: bar.close,
              open: bar.open,
              volume: bar.volume,
              known: new Date(bar.known_from).toISOString(),
            }))
            expect(await prices(at, spans, days, asOf)).toEqual(expected)
          }
    const closes = async (spans: typeof worn | typeof now, asOf: string | null) => (await prices(lake.at(4), spans, all, asOf)).map(bar => bar.close)
    expect(await closes(now, null)).toEqual([4, 5, 80, 9])
    expect(await closes(now, '2024-01-10T00:00:00Z')).toEqual([4, 5, 8, 9])
    expect(await closes(worn, null)).toEqual([2, 3, 4, 5, 80, 9])
  })
})

describe('factors', () => {
  it('are the newest version of each: of the latest release, then the one known last; a withdrawn one is none', async () => {
    const factors = async (release: number, to: string | null = null) =>
      (await findFactors(lake.at(release), now, to, null)).map(row => [row.ex_date, row.price_factor])
    expect(await factors(1)).toEqual([
      ['2024-01-04', 0.99],
      ['2024-01-08', 0.9],
    ])
    expect(await factors(2)).toEqual([
      ['2024-01-04', 0.98],
      ['2024-01-05', 0.6],
    ])
    expect(await factors(2, '2024-01-04')).toEqual([['2024-01-04', 0.98]])
    for (const release of [1, 2]) {
      const ranked = await lake
        .at(release)
        .query<{ ex_date: string; price_factor: number }>(
          'select ex_date, price_factor from adjustment_factors order by ex_date',
          {},
          { adjustment_factors: ['NRTH.TO'] },
        )
      expect(await factors(release)).toEqual(ranked.map(row => [row.ex_date, row.price_factor]))
    }
  })
})
