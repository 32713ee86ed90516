import { describe, expect, test } from 'vitest'
import type { ReleaseContext } from '../../context/answer.ts'
import { type Interval, symbolIndexOf } from '../../datasets/symbols/symbol-index.ts'
import { findDirectoryDays, mayFollow, newListings } from './new-listings.ts'

let serial = 0
function aLine(overrides: Partial<Interval> & Pick<Interval, 'symbol' | 'valid_from'>): Interval {
  serial += 1
  const exchange = overrides.exchange ?? (overrides.symbol.endsWith('.V') ? 'V' : overrides.symbol.endsWith('.TO') ? 'TO' : 'US')
  return {
    instrument_id: `i_${serial}`,
    exchange,
    mic: { US: 'XNAS', TO: 'XTSE', V: 'XTSX' }[exchange],
    name: `${overrides.symbol} Industries Inc.`,
    issuer: null,
    type: 'common',
    currency: 'USD',
    cik: null,
    valid_to: null,
    end_reason: null,
    successor: null,
    predecessor: null,
    etf: false,
    source_symbol: overrides.symbol,
    known_from: `${overrides.valid_from}T23:00:00Z`,
    known_basis: 'retrieved',
    source: exchange === 'US' ? 'nasdaqtrader' : 'tsx',
    raw_sha256: 'a'.repeat(64),
    withdrawn: false,
    release_from: 1,
    ...overrides,
  }
}
const old = (symbol: string, overrides: Partial<Interval> = {}): Interval => aLine({ symbol, valid_from: '2024-01-02', ...overrides })
type Sighting = { readonly source_name: string; readonly venue: string; readonly date: string }
const seen = (source_name: string, venue: string, ...dates: string[]): Sighting[] => dates.map(date => ({ source_name, venue, date }))
const daily = [
  ...seen('nasdaqtrader', 'XNAS', '2026-09-08', '2026-09-09', '2026-09-10'),
  ...seen('tsx', 'V', '2026-09-08', '2026-09-09', '2026-09-10'),
]

async function found(lines: readonly Interval[], sightings: readonly Sighting[] = daily) {
  const symbols = symbolIndexOf(
    lines.toSorted((a, b) => (a.symbol + a.valid_from < b.symbol + b.valid_from ? -1 : 1)),
    1,
  )
  const lake = { query: async () => sightings } as unknown as ReleaseContext['lake']
  const days = await findDirectoryDays({ lake, symbols }, null)
  const { listings, capitalPools, undated } = newListings(symbols, days, '2026-09-01', '2026-09-30')
  return { listed: listings.map(line => line.symbol), capitalPools, undated, symbols }
}

describe('a first listing', () => {
  test('is a line that yesterday’s directory did not have', async () => {
    expect((await found([old('AAA'), aLine({ symbol: 'NEWC', valid_from: '2026-09-10' })])).listed).toEqual(['NEWC'])
  })
  test('is not reported by the first directory there is, nor by one after a gap', async () => {
    expect(await found([aLine({ symbol: 'NEWC', valid_from: '2026-09-10' })], [])).toMatchObject({ listed: [], undated: 0 })
    const lines = [old('AAA'), aLine({ symbol: 'NEWC', valid_from: '2026-09-10' })]
    expect(await found(lines, seen('nasdaqtrader', 'XNAS', '2026-08-20', '2026-09-10'))).toMatchObject({ listed: [], undated: 1 })
    // Another source's directory does not apply to this one's.
    expect(await found(lines, seen('tiingo', 'XNAS', '2026-09-09'))).toMatchObject({ listed: [], undated: 1 })
  })
  test('is none of a fund, a warrant, a second class or the other side of the border', async () => {
    const lines = [
      old('AAA'),
      old('MAPL.TO', { name: 'Maple Kilns Ltd.' }),
      aLine({ symbol: 'FNDX', valid_from: '2026-09-10', name: 'Themes Of Tin ETF' }),
      aLine({ symbol: 'ETFX', valid_from: '2026-09-10', etf: true }),
      aLine({ symbol: 'AAA-WT', valid_from: '2026-09-10', type: 'warrant' }),
      aLine({ symbol: 'MAPL', valid_from: '2026-09-10', name: 'Maple Kilns Ltd. Common Shares', issuer: 'Maple Kilns Limited' }),
      aLine({ symbol: 'TWO-A', valid_from: '2026-09-10', name: 'Two Classes Inc. Class A' }),
      aLine({ symbol: 'TWO-B', valid_from: '2026-09-10', name: 'Two Classes Inc. Class B' }),
    ]
    expect((await found(lines)).listed).toEqual(['TWO-A'])
  })
  test('is none of a line that was renamed or moved; capital pools are counted', async () => {
    const lines = [
      old('OLDN.V', { instrument_id: 'same', valid_to: '2026-09-09', successor: 'NEWN.V' }),
      aLine({ symbol: 'NEWN.V', valid_from: '2026-09-10', instrument_id: 'same', predecessor: 'OLDN.V' }),
      aLine({ symbol: 'POOL-P.V', valid_from: '2026-09-10', type: 'capital_pool' }),
    ]
    expect(await found(lines)).toMatchObject({ listed: [], capitalPools: 1 })
  })
  test('names the lines that ended before it and may be the same company', async () => {
    const lines = [
      old('KCX.V', { name: 'Kettle Creek Exploration Ltd.', valid_to: '2026-09-09' }),
      old('PND-P.V', { name: 'Pond Capital Corp.', type: 'capital_pool', valid_to: '2026-09-08' }),
      old('GONE.V', { name: 'Gone Mines Inc.', valid_to: '2026-09-09' }),
      old('LONG.V', { name: 'Kettle Longago Inc.', valid_to: '2026-06-01' }),
      aLine({ symbol: 'KCG.V', valid_from: '2026-09-10', name: 'Kettle Creek Gold Inc.' }),
    ]
    const { symbols, listed } = await found(lines)
    expect(listed).toEqual(['KCG.V'])
    expect(mayFollow(symbols, symbols.find('KCG.V') as Interval)).toEqual(['KCX.V', 'PND-P.V'])
  })
})
