import { expect, test } from 'vitest'
import { type Interval, symbolIndexOf } from '../symbols/symbol-index.ts'
import { listingChanges } from './listing-changes.ts'

const line = (symbol: string, more: Partial<Interval> = {}): Interval =>
  ({
    instrument_id: `i_${symbol}`,
    symbol,
    exchange: symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US',
    issuer: symbol,
    name: symbol,
    cik: null,
    valid_from: '2024-01-02',
    valid_to: null,
    end_reason: null,
    successor: null,
    predecessor: null,
    source: 'nasdaqtrader',
    release_from: 1,
    ...more,
  }) as unknown as Interval
const changes = (symbol: string, ...rows: readonly Interval[]) => {
  const index = symbolIndexOf(
    [line('AA'), line('AA.TO'), line('AA.V'), ...rows].sort((a, b) => (a.symbol + a.valid_from < b.symbol + b.valid_from ? -1 : 1)),
    1,
  )
  const history = index.history(index.find(symbol)?.instrument_id ?? '')
  return listingChanges(index, history).map(({ kind, date, symbol: of, successor, predecessor }) => [kind, date, of, successor, predecessor])
}

test('what was there when a directory was first read is no listing; what came later alone is', () => {
  expect(changes('AA')).toEqual([])
  expect(changes('NOVA', line('NOVA', { valid_from: '2024-05-06' }))).toEqual([['listing', '2024-05-06', 'NOVA', null, null]])
})
test('a directory of another source that brings hundreds on one day is a list that was loaded', () => {
  const loaded = Array.from({ length: 40 }, (_, at) => line(`L${String.fromCharCode(65 + (at % 26))}${at}`, { valid_from: '2024-05-06' }))
  expect(changes(loaded[0]!.symbol, ...loaded)).toEqual([])
})
test('a symbol that vanished is a delisting of its last day, with its evidence', () => {
  const gone = line('GONE.V', { valid_to: '2024-06-28', end_reason: 'unknown', source: 'tsx' })
  expect(changes('GONE.V', gone)).toEqual([['delisting', '2024-06-28', 'GONE.V', null, null]])
  const index = symbolIndexOf([line('AA.V'), gone], 1)
  expect(listingChanges(index, index.history('i_GONE.V'))[0]?.terms).toBe('no longer shown by the directory of tsx; last shown on 2024-06-28')
})
test('a rename and a move lead from the old symbol to the new one on its first day', () => {
  const old = line('OLD', { valid_to: '2024-03-01', end_reason: 'renamed', successor: 'NEW' })
  expect(changes('NEW', old, line('NEW', { instrument_id: 'i_OLD', valid_from: '2024-03-04', predecessor: 'OLD' }))).toEqual([
    ['rename', '2024-03-04', 'OLD', 'NEW', 'OLD'],
  ])
  const venture = line('UP.V', { valid_to: '2024-03-01', end_reason: 'moved', successor: 'UP.TO' })
  expect(changes('UP.TO', venture, line('UP.TO', { instrument_id: 'i_UP.V', valid_from: '2024-03-04', predecessor: 'UP.V' }))).toEqual([
    ['move', '2024-03-04', 'UP.V', 'UP.TO', 'UP.V'],
  ])
})
