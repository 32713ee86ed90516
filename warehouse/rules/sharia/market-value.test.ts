import { describe, expect, test } from 'vitest'
import type { BarBasis } from '#schemas/bars.ts'
import { fxLookup } from '../../datasets/prices/fx.ts'
import { decimalOf, ratioOf } from '../../datasets/prices/ratio.ts'
import {
  averageOf,
  averageValue,
  countFor,
  enoughMonths,
  type Market,
  monthEndsBefore,
  type ShareCount,
  splitBetween,
  valueOn,
} from './market-value.ts'

const aCount = (at: string, value: string, given: Partial<ShareCount> = {}): ShareCount => ({
  at,
  value,
  basis: 'cover',
  concept: 'dei:EntityCommonStockSharesOutstanding',
  accession: `0000990501-26-${at.slice(5, 7)}${at.slice(8)}00`,
  filed_at: `${at}T21:00:00Z`,
  stated_at: at,
  reports_on: null,
  ...given,
})
type Close = readonly [date: string, close: number, currency?: string]
const market = (closes: readonly Close[], counts: readonly ShareCount[], given: Partial<Market> = {}): Market => ({
  closes: { date: closes.map(([date]) => date), close: closes.map(([, close]) => close), currency: closes.map(([, , currency = 'USD']) => currency) },
  counts,
  splits: [],
  fx: fxLookup([]),
  obstacle: null,
  ...given,
})
const value = (found: ReturnType<typeof valueOn>): string => ('value' in found ? decimalOf(found.value) : found.missing)

describe('the value of a day', () => {
  const own = market([['2026-03-31', 10.5]], [aCount('2026-02-20', '1000')])
  test('is the last close up to it times the shares counted last', () => {
    expect(value(valueOn(own, '2026-03-31', 'USD'))).toBe('10500')
    expect(value(valueOn(own, '2026-04-05', 'USD'))).toBe('10500')
  })
  test('a close more than ten days old, and a count of more than a year and a month, are none', () => {
    expect(value(valueOn(own, '2026-04-10', 'USD'))).toBe('10500')
    expect(value(valueOn(own, '2026-04-11', 'USD'))).toBe('no_close')
    expect(value(valueOn(market([['2027-06-30', 10]], [aCount('2026-02-20', '1000')]), '2027-06-30', 'USD'))).toBe('no_share_count')
    expect(value(valueOn(own, '2026-03-30', 'USD'))).toBe('no_close')
  })
  test('a close that was divided by splits that are not all known values nothing, and no earlier close stands for it', () => {
    const closes = { date: ['2026-03-30', '2026-03-31'], close: [42, 10.5], currency: ['USD', 'USD'] }
    const counts = [aCount('2026-02-20', '1000')]
    const of = (basis: readonly BarBasis[]) => value(valueOn(market([], counts, { closes: { ...closes, basis } }), '2026-03-31', 'USD'))
    expect(of(['as_traded', 'split_adjusted_unknown'])).toBe('close_basis_unknown')
    expect(of(['split_adjusted_unknown', 'reconstructed'])).toBe('10500')
  })
  test('a count is in the shares of its day: a split until the close is carried over, one after it is not', () => {
    const split = { splits: [{ ex_date: '2026-03-10', ratio: ratioOf('4') }] }
    expect(value(valueOn(market([['2026-03-31', 10]], [aCount('2026-02-20', '1000')], split), '2026-03-31', 'USD'))).toBe('40000')
    expect(value(valueOn(market([['2026-03-31', 10]], [aCount('2026-03-10', '1000')], split), '2026-03-31', 'USD'))).toBe('10000')
    const later = { splits: [{ ex_date: '2026-05-01', ratio: ratioOf('2') }] }
    expect(value(valueOn(market([['2026-03-31', 10]], [aCount('2026-02-20', '1000')], later), '2026-03-31', 'USD'))).toBe('10000')
  })
  test('a balance sheet that was filed after a split counts in the shares after it: before the split there were fewer', () => {
    const restated = aCount('2025-12-31', '4000', { basis: 'balance_sheet', stated_at: '2026-03-20' })
    const split = { splits: [{ ex_date: '2026-03-10', ratio: ratioOf('4') }] }
    expect(value(valueOn(market([['2026-02-27', 40]], [restated], split), '2026-02-28', 'USD'))).toBe('40000')
    expect(value(valueOn(market([['2026-03-31', 10]], [restated], split), '2026-03-31', 'USD'))).toBe('40000')
  })
  test('a price in another currency needs a rate of that day, and names it', () => {
    const fx = fxLookup([{ base_currency: 'USD', quote_currency: 'CAD', date: '2026-03-31', rate: '1.25' }])
    const canadian = market([['2026-03-31', 10, 'CAD']], [aCount('2026-02-20', '1000')], { fx })
    const found = valueOn(canadian, '2026-03-31', 'USD')
    expect([value(found), 'rate' in found && found.rate, 'rate_date' in found && found.rate_date]).toEqual(['8000', '0.8', '2026-03-31'])
    expect(value(valueOn(canadian, '2026-03-31', 'CAD'))).toBe('10000')
    expect(value(valueOn({ ...canadian, fx: fxLookup([]) }, '2026-03-31', 'USD'))).toBe('no_exchange_rate')
  })
  test('classes at different prices have no value here', () => {
    expect(value(valueOn({ ...own, obstacle: 'class_prices_differ' }, '2026-03-31', 'USD'))).toBe('obstacle')
  })
})

describe('the count for a day', () => {
  const cover = aCount('2026-02-20', '1000')
  const sheet = aCount('2026-03-31', '1010', { basis: 'balance_sheet', stated_at: '2026-05-01' })
  const report = aCount('2026-05-01', '1020', { reports_on: '2026-03-31' })
  test('a cover goes before a balance sheet, and a later cover is not of the day', () => {
    expect(countFor([cover, sheet, report], '2026-04-30')?.value).toBe('1000')
    expect(countFor([sheet], '2026-04-30')?.value).toBe('1010')
    expect(countFor([report], '2026-04-30')).toBeNull()
  })
  test('at a position the cover of the report on it counts, unless it came more than 130 days after', () => {
    expect(countFor([cover, sheet, report], '2026-03-31', '2026-03-31')?.value).toBe('1020')
    expect(countFor([cover, { ...report, at: '2026-08-09' }], '2026-03-31', '2026-03-31')?.value).toBe('1000')
  })
  test('splits between two days, forward and back', () => {
    const splits = [{ ex_date: '2026-03-10', ratio: ratioOf('4') }]
    expect(decimalOf(splitBetween(splits, '2026-03-09', '2026-03-10'))).toBe('4')
    expect(decimalOf(splitBetween(splits, '2026-03-10', '2026-03-09'))).toBe('0.25')
    expect(decimalOf(splitBetween(splits, '2026-03-10', '2026-04-01'))).toBe('1')
  })
})

describe('averages', () => {
  test('are of the whole months before the day, its own month left out', () => {
    expect(monthEndsBefore('2026-03-31', 3)).toEqual(['2025-12-31', '2026-01-31', '2026-02-28'])
    expect(monthEndsBefore('2024-03-01', 2)).toEqual(['2024-01-31', '2024-02-29'])
    expect(monthEndsBefore('2026-01-15', 36)[0]).toBe('2023-01-31')
  })
  test('74 percent of the months are too few, 75 are enough', () => {
    expect([enoughMonths(74, 100), enoughMonths(75, 100)]).toEqual([false, true])
    expect([enoughMonths(17, 24), enoughMonths(18, 24), enoughMonths(26, 36), enoughMonths(27, 36)]).toEqual([false, true, false, true])
    const known = { ...valueOn(market([['2026-03-31', 1]], [aCount('2026-02-20', '100')]), '2026-03-31', 'USD') }
    const months = (count: number) =>
      Array.from({ length: 100 }, (_, at) => (at < count ? known : { day: '2026-03-31', missing: 'no_close' as const }))
    expect(averageOf(months(74), 100).value).toBeNull()
    expect(decimalOf(averageOf(months(75), 100).value ?? ratioOf('0'))).toBe('100')
    expect(averageOf(months(74), 100)).toMatchObject({ months_known: 74, months_required: 75 })
    expect(averageOf([], 24).value).toBeNull()
  })
  test('are the mean of close times the shares counted then, month by month', () => {
    const closes: Close[] = [
      ['2026-01-30', 10],
      ['2026-02-27', 20],
      ['2026-03-31', 30],
      ['2026-04-30', 99],
    ]
    const found = averageValue(market(closes, [aCount('2026-01-05', '100'), aCount('2026-03-01', '200')]), '2026-04-30', 3, 'USD')
    expect(decimalOf(found.value ?? ratioOf('0'))).toBe('3000')
    expect(found.months.map(month => ('count' in month ? month.count.value : month.missing))).toEqual(['100', '100', '200'])
  })
})
