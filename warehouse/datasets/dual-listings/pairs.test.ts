import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { curated } from '../../rulesets/dual-listings/rules.ts'
import { type Interval, symbolIndexOf } from '../symbols/symbol-index.ts'
import { checkPair, type InterlistedRow } from './check.ts'
import { likenessOf } from './names.ts'
import { type Pair, pairBookOf, stateOf } from './pairs.ts'

const book = pairBookOf([])
const today = '2026-11-20'
const current = (symbol: string, date = today): Pair[] => book.of(symbol).filter(pair => stateOf(pair, date) === 'current')
const only = (symbol: string, date = today): Pair => {
  const [pair, ...more] = current(symbol, date)
  if (!pair || more.length > 0) throw new TypeError(`${symbol}: ${more.length + (pair ? 1 : 0)} pairs`)
  return pair
}

describe('the curated pairs', () => {
  it('are 100, of which exactly 59 are tracked on any day since the table begins', () => {
    for (const date of ['2024-07-02', '2025-03-01', '2025-04-01', '2025-05-08', '2025-05-09', today]) {
      const held = book.all.filter(pair => stateOf(pair, date) === 'current')
      expect([date, held.length, held.filter(pair => pair.tracked).length]).toEqual([date, 100, 59])
    }
  })
  it('are tracked by the rule that the table states, and by nothing else', () => {
    const qualify = (rank: number): boolean => {
      const newest = curated.pairs.filter(pair => pair.rank === rank && pair.valid_to === null)
      return newest.every(
        pair => pair.evidence.some(code => /^E[1-5]$/.test(code)) && pair.evidence.includes('TMX-2026-04-04') && pair.doubt === null,
      )
    }
    const ranks = [...new Set(curated.pairs.map(pair => pair.rank))].sort((a, b) => a - b)
    const chosen = new Set(ranks.filter(qualify).slice(0, 59))
    for (const pair of curated.pairs) expect([pair.rank, pair.tracked]).toEqual([pair.rank, chosen.has(pair.rank)])
  })
  it('explain every code of their evidence', () => {
    for (const pair of curated.pairs) for (const code of pair.evidence) expect(curated.evidence[code]).toEqual(expect.any(String))
  })
  it('never have two pairs of one line on one day, nor days that end before they begin', () => {
    for (const symbol of new Set(book.all.flatMap(pair => [pair.tsx_symbol, pair.us_symbol])))
      for (const date of ['2024-07-02', '2025-05-08', '2025-05-09', today])
        expect([symbol, current(symbol, date).length <= 1]).toEqual([symbol, true])
    for (const pair of book.all) if (pair.valid_from && pair.valid_to) expect(pair.valid_from <= pair.valid_to).toBe(true)
  })
  it('change their symbol and their venue with the day', () => {
    expect([only('ABX.TO', '2025-05-08').us_symbol, only('ABX.TO', '2025-05-09').us_symbol]).toEqual(['GOLD', 'B'])
    expect([only('TRI.TO', '2025-02-24').us_mic, only('TRI.TO').us_mic]).toEqual(['XNYS', 'XNAS'])
    expect([only('SHOP.TO', '2025-03-28').us_mic, only('SHOP.TO', '2025-03-31').us_mic]).toEqual(['XNYS', 'XNAS'])
  })
  it('are of issuers: equal symbols of two companies are named as none', () => {
    for (const { tsx_symbol, us_symbol } of curated.not_pairs)
      expect(book.all.some(pair => pair.tsx_symbol === tsx_symbol && pair.us_symbol === us_symbol && pair.valid_to === null)).toBe(false)
    expect([only('T.TO').us_symbol, only('K.TO').us_symbol, only('PD.TO').us_symbol, only('CNR.TO').us_symbol]).toEqual(['TU', 'KGC', 'PDS', 'CNI'])
    expect(book.of('T')).toEqual([])
  })
})

const own = (more: Partial<Pair>): Pair => ({
  ...only('RY.TO'),
  listed_by: 'operator',
  evidence: [],
  origin: { source: 'csv', raw_sha256: 'a'.repeat(64), known_from: '2026-11-20T00:00:00Z' },
  ...more,
})

describe("the operator's pairs", () => {
  it('are listed with the curated ones, and in place of those of the same two symbols', () => {
    const merged = pairBookOf([own({ tracked: false, valid_to: '2026-10-30' }), own({ tsx_symbol: 'GLPR.TO', us_symbol: 'GLPR' })])
    expect(merged.all).toHaveLength(book.all.length + 1)
    expect(merged.of('RY').map(pair => [pair.listed_by, stateOf(pair, today)])).toEqual([['operator', 'ended']])
    expect(merged.of('GLPR.TO')).toEqual(merged.of('GLPR'))
  })
})

describe('names of issuers', () => {
  // The exchangeable share of Brookfield is of another issuer, though the names begin alike.
  it.each(textTable`
    Vermilion Energy Inc.                 | Vermilion Energy Inc. Common (Canada)                  | same
    Royal Bank of Canada                  | Royal Bank Of Canada Common Stock                      | same
    Gildan Activewear Inc.                | Gildan Activewear, Inc. Class A Sub. Vot. Common Stock | same
    Bank of Nova Scotia (The)             | Bank Nova Scotia Halifax Pfd 3 Ordinary Shares         | similar
    TELUS Corporation                     | AT&T Inc.                                              | different
    Barrick Mining Corporation            | Barnes Group, Inc. Common Stock                        | different
    Quill Telecom Inc.                    | Quartz Tractor Company                                 | different
    Brookfield Infrastructure Corporation | Brookfield Infrastructure Partners L.P.                | similar
                                          | Anything                                               | different
  `)('%s and %s are %s', (a, b, likeness) => {
    expect([likenessOf(a, b), likenessOf(b, a)]).toEqual([likeness, likeness])
  })
})

describe('what directories say of a pair', () => {
  const line = (symbol: string, issuer: string, valid_to: string | null = null): Interval =>
    ({
      instrument_id: `i_${symbol}`,
      symbol,
      exchange: symbol.endsWith('.TO') ? 'TO' : 'US',
      issuer,
      name: issuer,
      cik: null,
      valid_from: '2020-01-02',
      valid_to,
      release_from: 1,
    }) as unknown as Interval
  const check = (lines: readonly Interval[], interlisted: ReadonlyMap<string, InterlistedRow> | null = null) =>
    checkPair(only('RY.TO'), symbolIndexOf(lines, 1), interlisted)
  it('is confirmed by one name, contradicted by two, and not checked where a line is in no directory', () => {
    expect(check([line('RY', 'Royal Bank Of Canada'), line('RY.TO', 'Royal Bank of Canada')]).verdict).toBe('confirmed')
    expect(check([line('RY', 'Royal Bank Of Canada Trust'), line('RY.TO', 'Royal Bank of Canada')]).verdict).toBe('likely')
    expect(check([line('RY', 'Rayonier Inc.'), line('RY.TO', 'Royal Bank of Canada')])).toMatchObject({
      verdict: 'contradicted',
      sentence: expect.stringContaining('Rayonier'),
    })
    expect(check([line('RY.TO', 'Royal Bank of Canada')])).toMatchObject({
      verdict: 'not_checked',
      sentence: 'no directory that was loaded lists RY',
      us: { listed: null },
    })
    expect(check([line('RY', 'Royal Bank of Canada', '2026-01-30'), line('RY.TO', 'Royal Bank of Canada')])).toMatchObject({
      verdict: 'line_gone',
      sentence: 'RY was last listed on 2026-01-30',
    })
  })
  it('distinguishes that the interlisted file does not name it and that the file was not loaded', () => {
    const row = { symbol: 'RY.TO' } as InterlistedRow
    expect([check([]).interlisted_file, check([], new Map()).interlisted_file, check([], new Map([['RY.TO', row]])).interlisted_file]).toEqual([
      null,
      false,
      true,
    ])
  })
})
