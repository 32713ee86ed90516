import { describe, expect, test } from 'vitest'
import type { OwnershipPerson, OwnershipSchedule } from '#schemas/beneficial-ownership.ts'
import { chainsOf, stakeOf } from './chain.ts'

const aPerson = (aggregate: string | null, percent: string | null, name = 'A'): OwnershipPerson =>
  ({ line: 1, name, aggregate, percent, percent_printed: percent }) as OwnershipPerson
const aFiling = (accession: string, at: string, more: Partial<OwnershipSchedule> = {}): OwnershipSchedule =>
  ({
    filing_id: accession,
    accession,
    issuer_key: '1',
    filer_cik: '9',
    previous_accession: null,
    cusips: ['99010L103'],
    known_from: at,
    ...more,
  }) as OwnershipSchedule

describe('the stake of a filing', () => {
  test('is the largest single person’s, never a sum', () => {
    expect(stakeOf([aPerson('3394114', '5.31'), aPerson('3394114', '5.31', 'B')])).toMatchObject({ aggregate: '3394114', percent: '5.31', name: 'A' })
    expect(stakeOf([aPerson('9', '1'), aPerson('10.5', '2', 'B')])).toMatchObject({ aggregate: '10.5', name: 'B' })
  })

  test('goes by the percentage only where no page has an amount', () => {
    expect(stakeOf([aPerson(null, '9.9', 'A'), aPerson('0', '0', 'B')])?.name).toBe('B')
    expect(stakeOf([aPerson(null, '4', 'A'), aPerson(null, '5', 'B')])?.name).toBe('B')
    expect(stakeOf([aPerson(null, null)])).toBeNull()
  })
})

describe('a chain', () => {
  const a = aFiling('a', '2025-01-01')
  const b = aFiling('b', '2025-02-01', { previous_accession: 'a' })
  const c = aFiling('c', '2025-03-01')

  test('follows the accession that a filing names, else the same filer’s last one', () => {
    const chains = chainsOf([c, a, b], () => [])
    expect(chains.previousOf(b)).toMatchObject({ basis: 'previous_accession', filing: a })
    expect(chains.previousOf(c)).toMatchObject({ basis: 'same_filer', filing: b })
    expect(chains.historyOf(c, 10).map(each => each.accession)).toEqual(['c', 'b', 'a'])
    expect(chains.historyOf(c, 2).map(each => each.accession)).toEqual(['c', 'b'])
  })

  test('names a filing that is not held, and compares with no other in its place', () => {
    const d = aFiling('d', '2025-04-01', { previous_accession: 'z' })
    expect(chainsOf([a, d], () => []).previousOf(d)).toEqual({ accession: 'z', basis: 'previous_accession', filing: null })
  })

  test('joins neither another filer, nor another class, nor what was filed later', () => {
    for (const other of [
      aFiling('o', '2025-01-15', { filer_cik: '8' }),
      aFiling('o', '2025-01-15', { cusips: ['99020P201'] }),
      aFiling('o', '2026-01-15'),
    ]) {
      expect(chainsOf([other, c], () => []).previousOf(c)).toBeNull()
    }
  })

  test('of documents without a submission goes by the first person’s name', () => {
    const bare = { filer_cik: null, accession: null }
    const [first, second] = [aFiling('sha256:1', '2010-01-01', bare), aFiling('sha256:2', '2011-01-01', bare)]
    const chains = chainsOf([first, second], id => [aPerson('1', '5', id === 'sha256:1' ? 'Fund, L.P.' : 'FUND LP')])
    expect(chains.previousOf(second)?.filing).toBe(first)
  })

  test('that names itself or a later filing ends', () => {
    const loop = aFiling('l', '2025-05-01', { previous_accession: 'm' })
    const later = aFiling('m', '2025-06-01', { previous_accession: 'l' })
    expect(chainsOf([loop, later], () => []).historyOf(later, 50)).toHaveLength(2)
  })
})
