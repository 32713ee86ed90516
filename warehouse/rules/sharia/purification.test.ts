import { describe, expect, test } from 'vitest'
import { decimalOf, ratioOf } from '../../datasets/prices/ratio.ts'
import type { Position } from './figures.ts'
import type { ShareCount } from './market-value.ts'
import { byDividends, byHolding, type Dividend, impureYear, totalsOf } from './purification.ts'

function aYear(end: string, given: { revenue?: string | null; interest?: string | null }): Position {
  const figure = (value: string | null | undefined) =>
    value === null || value === undefined
      ? null
      : {
          value,
          unit: 'USD',
          basis: 'reported' as const,
          concept: null,
          accession: null,
          form: null,
          filed_date: end,
          at: null,
          formula: null,
          parts: [],
        }
  return {
    period_start: `${end.slice(0, 4)}-01-01`,
    period_end: end,
    fiscal_year: Number(end.slice(0, 4)),
    currency: 'USD',
    values: new Map([
      ['revenue', figure(given.revenue)],
      ['interest_income', figure(given.interest)],
    ]),
  }
}
const measured = (percent: string) => ({ low: ratioOf(percent), high: ratioOf(percent) })
const aDividend = (ex_date: string, amount = '0.50'): Dividend => ({ ex_date, kind: 'dividend', amount, currency: 'USD', pay_date: null })
const printed = (value: Parameters<typeof decimalOf>[0] | null) => (value === null ? null : decimalOf(value))

describe('impermissible income of a year', () => {
  test('is interest and the measured share of revenue', () => {
    const year = impureYear(aYear('2025-12-31', { revenue: '1000', interest: '12' }), measured('3.5'))
    expect([printed(year.income), printed(year.total), printed(year.ratio), year.missing]).toEqual(['47', '1000', '0.047', []])
  })
  test('a missing input gives null and is named, never 0', () => {
    const of = (given: Parameters<typeof aYear>[1], share: Parameters<typeof impureYear>[1] = measured('0')) => {
      const { income, ratio, missing } = impureYear(aYear('2025-12-31', given), share)
      return [printed(income), printed(ratio), missing]
    }
    expect(of({ revenue: '1000' })).toEqual([null, null, ['interest_income']])
    expect(of({ interest: '12' })).toEqual(['12', null, ['total_income']])
    expect(of({ revenue: '0', interest: '12' })).toEqual(['12', null, ['total_income']])
    expect(of({ revenue: '1000', interest: '12' }, { low: ratioOf('0'), high: null })).toEqual([null, null, ['impermissible_revenue_pct']])
    expect(of({}, { low: ratioOf('0'), high: null })).toEqual([null, null, ['interest_income', 'impermissible_revenue_pct', 'total_income']])
  })
})

describe('the dividend method', () => {
  const years = [
    impureYear(aYear('2024-12-31', { revenue: '1000', interest: '10' }), measured('0')),
    impureYear(aYear('2025-12-31', { revenue: '1000', interest: '40' }), measured('0')),
  ]
  test('takes the ratio of the year of the dividend, and where it is not reported yet that of the year before, and reports that', () => {
    const due = byDividends([aDividend('2025-06-02'), aDividend('2026-06-02')], years, '100', '2026-11-19', [])
    expect(due.map(each => [printed(each.received), printed(each.purify), each.provisional])).toEqual([
      ['50', '2', false],
      ['50', '2', true],
    ])
    expect(byDividends([aDividend('2024-06-03')], years, '100', '2026-11-19', []).map(each => printed(each.purify))).toEqual(['0.5'])
    expect(byDividends([aDividend('2023-06-01')], years, '100', '2026-11-19', []).map(each => [each.year, each.purify])).toEqual([[null, null]])
  })
  test('fewer shares were held before a split', () => {
    const splits = [{ ex_date: '2025-09-01', ratio: ratioOf('3') }]
    const due = byDividends([aDividend('2025-06-02', '0.60'), aDividend('2025-12-01', '0.20')], years, '100', '2026-11-19', splits)
    expect(due.map(each => [printed(each.shares), printed(each.received)])).toEqual([
      ['33.333333333333', '20'],
      ['100', '20'],
    ])
  })
  test('a fraction of a share counts', () => {
    expect(byDividends([aDividend('2025-06-02')], years, '12.5', '2026-11-19', []).map(each => printed(each.purify))).toEqual(['0.25'])
  })
})

describe('the holding method', () => {
  const year = impureYear(aYear('2025-12-31', { revenue: '1000', interest: '40' }), measured('0'))
  const count: ShareCount = {
    at: '2026-02-20',
    value: '800',
    basis: 'cover',
    concept: 'dei:EntityCommonStockSharesOutstanding',
    accession: '0000990501-26-000001',
    filed_at: '2026-02-25T21:00:00Z',
    stated_at: '2026-02-20',
    reports_on: '2025-12-31',
  }
  test('is owed on what is held at the end of the year, dividend or none', () => {
    const owed = byHolding([year], [count], '100', '2025-11-20', '2026-11-19', [])
    expect(owed.map(each => [printed(each.per_share), printed(each.purify), each.missing])).toEqual([['0.05', '5', []]])
  })
  test('only years that end in the range, and null without a count of shares', () => {
    expect(byHolding([year], [count], '100', '2026-01-01', '2026-11-19', [])).toEqual([])
    expect(byHolding([year], [], '100', '2025-11-20', '2026-11-19', []).map(each => [each.purify, each.missing])).toEqual([
      [null, ['shares_outstanding']],
    ])
  })
  test('does not need total income', () => {
    const bare = impureYear(aYear('2025-12-31', { interest: '40' }), measured('0'))
    expect(byHolding([bare], [count], '100', '2025-11-20', '2026-11-19', []).map(each => [printed(each.purify), each.missing])).toEqual([['5', []]])
  })
})

test('totals are by currency, and null where one amount is not known', () => {
  const totals = totalsOf([
    { currency: 'USD', amount: ratioOf('1.25') },
    { currency: 'CAD', amount: ratioOf('2') },
    { currency: 'USD', amount: ratioOf('0.25') },
    { currency: 'CAD', amount: null },
  ])
  expect(totals.map(each => [each.currency, printed(each.amount)])).toEqual([
    ['CAD', null],
    ['USD', '1.5'],
  ])
})
