import { describe, expect, test } from 'vitest'
import { dataSetSource, filingColumn, precedenceOf } from './precedence.ts'
import type { Row } from './types.ts'

const row = (filing_id: string, line: number, source: string, raw_sha256 = source): Row => ({
  filing_id,
  line,
  source,
  raw_sha256,
  known_from: source === 'edgar' ? '2024-02-14T21:05:00Z' : '2024-02-15T03:00:00Z',
  known_basis: source === 'edgar' ? 'accepted' : 'filed',
  withdrawn: false,
})
const set = dataSetSource('edgar')
const keyOf = (each: Readonly<Record<string, unknown>>): string => `${String(each['filing_id'])} ${String(each['line'])}`

describe('which document speaks for a filing', () => {
  test('its own before a data set, wherever the two meet', () => {
    const own = row('a', 1, 'edgar')
    const other = row('a', 1, set)
    expect(precedenceOf('insider_transactions', [own], [other]).takes(other)).toBe(false)
    expect(precedenceOf('insider_transactions', [other], [own]).takes(own)).toBe(true)
    const together = precedenceOf('insider_transactions', [], [other, own])
    expect([together.takes(other), together.takes(own)]).toEqual([false, true])
    expect(precedenceOf('insider_transactions', [row('b', 1, 'edgar')], [other]).takes(other)).toBe(true)
  })
  test('lines of the data set that its own document numbers otherwise are withdrawn, since the same instant', () => {
    const own = row('a', 1, 'edgar')
    const { withdrawn } = precedenceOf('insider_transactions', [row('a', 1, set), row('a', 2, set), row('b', 2, set)], [own])
    expect(withdrawn(key => key === 'a 1', keyOf)).toEqual([
      { ...row('a', 2, set), withdrawn: true, known_from: own.known_from, known_basis: 'accepted', source: 'edgar', raw_sha256: 'edgar' },
    ])
  })
  test('of rows that are appended once, the first document that brought the filing: they have no second version', () => {
    const own = row('a', 1, 'edgar')
    expect(precedenceOf('holdings', [row('a', 1, set)], [own]).takes(own)).toBe(false)
    expect(precedenceOf('holdings', [row('a', 1, set)], [own]).withdrawn(() => false, keyOf)).toEqual([])
    const twice = [row('c', 1, 'edgar', 'one'), row('c', 2, 'edgar', 'one'), row('c', 1, 'edgar', 'two')]
    const once = precedenceOf('holdings', [], twice)
    expect(twice.map(each => once.takes(each))).toEqual([true, true, false])
  })
  test('datasets whose rows are no filing’s have no such rule', () => {
    expect([filingColumn('fx_rates'), filingColumn('filings'), filingColumn('insider_filings')]).toEqual([null, null, 'filing_id'])
    expect(precedenceOf('fx_rates', [], []).takes(row('a', 1, set))).toBe(true)
  })
})
