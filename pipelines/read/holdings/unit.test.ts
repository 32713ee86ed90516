import { describe, expect, test } from 'vitest'
import { decideUnit, type UnitEvidence } from './unit.ts'

const prices = (...values: number[]): number[] => values.sort((a, b) => a - b)
const evidence = (given: Partial<UnitEvidence>): UnitEvidence => ({
  filed_date: '2024-02-14',
  schema_version: 'X0202',
  signature_date: null,
  prices: prices(20, 50, 90, 150, 300),
  rows: 5,
  sum: 200_000_000,
  cover: 200_000_000,
  ...given,
})

describe('the unit of a 13F’s values', () => {
  test('a filing of before 2023-01-03 is in thousands, one of that day or later in dollars', () => {
    const raw = { prices: prices(0.02, 0.05, 0.09, 0.15, 0.3), sum: 200_000, cover: 200_000 }
    expect(decideUnit(evidence({ ...raw, filed_date: '2023-01-02' }))).toMatchObject({ unit: 'thousands', unit_source: 'filing_date' })
    expect(decideUnit(evidence({ filed_date: '2023-01-03' }))).toMatchObject({ unit: 'dollars', unit_source: 'filing_date', flags: [] })
  })
  test('an amendment filed in 2023 for a quarter of 2021 is in dollars: the day counts, not the quarter', () => {
    expect(decideUnit(evidence({ filed_date: '2023-06-01' })).unit).toBe('dollars')
  })
  test('a bare document goes by the version of its form, then by its signature', () => {
    expect(decideUnit(evidence({ filed_date: null }))).toMatchObject({ unit: 'dollars', unit_source: 'form_version' })
    expect(decideUnit(evidence({ filed_date: null, schema_version: null, signature_date: '2021-10-15', prices: [] }))).toMatchObject({
      unit: 'thousands',
      unit_source: 'filing_date',
    })
    expect(decideUnit(evidence({ filed_date: null, schema_version: null, prices: [] }))).toMatchObject({ unit: null, unit_source: null })
  })
  test('thousands after the change show in the prices that the table implies (edgartools 749)', () => {
    const decided = decideUnit(evidence({ prices: prices(0.05, 0.1, 0.12, 0.2, 0.45), sum: 192_767, cover: 192_767 }))
    expect(decided).toMatchObject({ unit: 'thousands', unit_source: 'implied_price', unit_by_rule: 'dollars', flags: ['unit_against_rule'] })
  })
  test('dollars before the change show too', () => {
    const decided = decideUnit(evidence({ filed_date: '2009-02-10', prices: prices(0.5, 9, 14, 32, 60), sum: 3_411_305_621, cover: 3_411_305_621 }))
    expect(decided).toMatchObject({ unit: 'dollars', unit_source: 'implied_price', unit_by_rule: 'thousands' })
  })
  test('a single holding of a share that costs $450,000 is no table in dollars', () => {
    expect(decideUnit(evidence({ filed_date: '2022-11-10', prices: [450], rows: 1, sum: 450_000, cover: 450_000 })).unit).toBe('thousands')
  })
  test('a portfolio of penny shares with some dearer ones stays in dollars', () => {
    expect(decideUnit(evidence({ prices: prices(0.2, 0.4, 0.6, 4, 9) })).unit).toBe('dollars')
  })
  test('a cover a thousand times the sum of the table decides where no price does', () => {
    expect(decideUnit(evidence({ prices: [], sum: 340_000, cover: 340_000_000 }))).toMatchObject({
      unit: 'thousands',
      unit_source: 'cover_ratio',
      cover_unit: 'dollars',
    })
  })
  test('an extra 000 on the cover alone scales no sound table', () => {
    const decided = decideUnit(evidence({ sum: 200_000_000, cover: 200_000_000_000 }))
    expect(decided).toMatchObject({ unit: 'dollars', unit_source: 'filing_date', flags: ['cover_in_other_unit'] })
  })
})
