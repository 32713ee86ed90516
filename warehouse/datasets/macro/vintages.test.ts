import { describe, expect, test } from 'vitest'
import type { ObservationRow } from './macro.ts'
import { nearestWords } from './nearest.ts'
import { carryForward, firstPublished, isRevised, newestOf, periodValues } from './vintages.ts'

const anObservation = (date: string, value: string | null, more: Partial<ObservationRow> = {}): ObservationRow => ({
  series: 'fred:LANTERN1',
  date,
  vintage: null,
  vintage_basis: 'none',
  value,
  status: null,
  known_from: `${date}T21:30:00Z`,
  known_basis: 'published',
  source: 'fred',
  raw_sha256: '0'.repeat(64),
  ...more,
})

describe('the current values of a period', () => {
  test('a version that repeats the value before it is no revision', () => {
    const [period] = periodValues([
      anObservation('2024-01-01', '5', { vintage: '2024-02-09', vintage_basis: 'released' }),
      anObservation('2024-01-01', '5', { vintage: '2025-01-01', vintage_basis: 'seen' }),
    ])
    expect([isRevised(period!), newestOf(period!).vintage, firstPublished(period!)]).toEqual([false, '2024-02-09', '2024-02-09'])
  })
  test('a value that went and came back was published three times', () => {
    const [period] = periodValues(['5', '6', '5'].map((value, at) => anObservation('2024-01-01', value, { vintage: `2024-02-0${at + 1}` })))
    expect([period!.values.length, isRevised(period!), newestOf(period!).value]).toEqual([3, true, '5'])
  })
  test('a first figure after a missing one is no revision; a value taken back leaves none', () => {
    const [late] = periodValues([anObservation('2024-01-01', null), anObservation('2024-01-01', '7')])
    expect([isRevised(late!), newestOf(late!).value]).toEqual([false, '7'])
    const [gone] = periodValues([anObservation('2024-01-01', '7'), anObservation('2024-01-01', null, { status: 'withdrawn' })])
    expect([newestOf(gone!).value, newestOf(gone!).status]).toEqual([null, 'withdrawn'])
  })
  test('a value that was merely seen has no day of publication', () => {
    const [period] = periodValues([anObservation('2024-01-01', '5', { vintage: '2025-01-01', vintage_basis: 'seen' })])
    expect(firstPublished(period!)).toBeNull()
  })
})

describe('carried rates', () => {
  const period = periodValues([anObservation('2024-11-08', '1.39'), anObservation('2024-11-11', null), anObservation('2024-11-12', '1.40')])
  test('every day has the rate before it, with its own day', () => {
    expect(carryForward(period, '2024-11-08', '2024-11-12').map(each => [each.date, each.observed.date, each.carried])).toEqual([
      ['2024-11-08', '2024-11-08', false],
      ['2024-11-09', '2024-11-08', true],
      ['2024-11-10', '2024-11-08', true],
      ['2024-11-11', '2024-11-08', true],
      ['2024-11-12', '2024-11-12', false],
    ])
  })
  test('nothing before the first rate, and none that is older than ten days', () => {
    expect(carryForward(period, '2024-11-06', '2024-11-08').map(each => each.date)).toEqual(['2024-11-08'])
    expect(carryForward(period, '2024-11-20', '2024-11-30').map(each => each.date)).toEqual(['2024-11-20', '2024-11-21', '2024-11-22'])
  })
})

test('codes that look like what was asked come nearest first', () => {
  const codes = ['cpi', 'core_cpi', 'unemployment_rate', 'policy_rate', 'gdp']
  expect(nearestWords('cpi_core', codes, 2)).toEqual(['core_cpi', 'cpi'])
  expect(nearestWords('unemployment', codes, 1)).toEqual(['unemployment_rate'])
  expect(nearestWords('xyz', codes, 3)).toEqual([])
})
