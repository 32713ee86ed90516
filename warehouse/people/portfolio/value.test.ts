// What positions come to: by hand, in exact decimals; rates carried, turned round and crossed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sumOf } from '#schemas/decimals.ts'
import type { LastPrice } from '../../answers/quotes.ts'
import { type RateRow, rateOn } from './rates.ts'
import { type Holding, sumsBy, sumsOf, valuePosition } from './value.ts'

const rate = (base_currency: string, date: string, value: string): RateRow => ({
  base_currency,
  quote_currency: 'CAD',
  date,
  rate: value,
  series: `FX${base_currency}CAD`,
  source: 'bank-of-canada',
})
const rows = [rate('USD', '2026-11-19', '1.3626'), rate('EUR', '2026-11-18', '1.5000'), rate('USD', '2026-11-18', '1.2000')]

describe('a rate', () => {
  it('is the published one of the day, or of the last day before it that has one', () => {
    expect(rateOn(rows, 'USD', 'CAD', '2026-11-19')).toMatchObject({ rate: '1.3626', date: '2026-11-19', carried_days: 0, basis: 'published' })
    expect(rateOn(rows, 'USD', 'CAD', '2026-11-22')).toMatchObject({ rate: '1.3626', date: '2026-11-19', carried_days: 3 })
    expect(rateOn(rows, 'USD', 'CAD', '2026-11-18')).toMatchObject({ rate: '1.2000', date: '2026-11-18', carried_days: 0 })
  })
  it('is turned round, or crossed on one day', () => {
    expect(rateOn(rows, 'CAD', 'USD', '2026-11-19')).toMatchObject({ rate: '0.733891090562', basis: 'inverse', series: ['FXUSDCAD'] })
    expect(rateOn(rows, 'EUR', 'USD', '2026-11-19')).toMatchObject({ rate: '1.25', date: '2026-11-18', carried_days: 1, basis: 'cross' })
  })
  it('is none after two weeks, before the first one, and of an unpublished currency', () => {
    expect(rateOn(rows, 'USD', 'CAD', '2026-12-03')).toMatchObject({ carried_days: 14 })
    for (const [from, on] of [
      ['USD', '2026-12-04'],
      ['USD', '2026-11-17'],
      ['ZZZ', '2026-11-19'],
    ] as const)
      expect(rateOn(rows, from, 'CAD', on)).toBeNull()
  })
})

const holding = (quantity: string, acb_per_share: string | null, price: number | null, more: Partial<Holding> = {}, currency = 'USD'): Holding => ({
  position: {
    id: 'pos_1',
    ticker: 'AAA',
    instrument_id: 'i_1',
    quantity,
    acb_per_share,
    currency,
    account_type: 'tfsa',
    note: null,
    created_at: '2026-11-01T00:00:00Z',
    stated_at: '2026-11-01T00:00:00Z',
  },
  listing: 'listed',
  price: price === null ? null : ({ price, currency: 'USD', session_date: '2026-11-19' } as LastPrice),
  splits_since: [],
  ...more,
})
const value = (each: Holding) => valuePosition(each, 'CAD', currency => rateOn(rows, currency, 'CAD', '2026-11-19'))

describe('a position', () => {
  it('is worth quantity times price times rate, to the last digit', () => {
    expect(value(holding('150.5', '12.25', 82.42))).toMatchObject({
      market_value: '16901.9765460',
      cost: '2512.1234250',
      gain: '14389.8531210',
      reason: null,
    })
  })
  it('that is short is worth less than nothing, and gains where the price fell', () => {
    expect(value(holding('-100', '90', 82.42))).toMatchObject({ market_value: '-11230.549200', cost: '-12263.4000', gain: '1032.850800' })
  })
  it('of unknown cost has no gain; without price, listing or rate it has no value', () => {
    expect(value(holding('1', null, 2))).toMatchObject({ cost: null, gain: null, market_value: '2.7252' })
    expect(value(holding('1', '0', 2))).toMatchObject({ cost: '0.0000', gain: '2.7252' })
    expect(value(holding('1', '1', null))).toMatchObject({ market_value: null, gain: null, cost: '1.3626', reason: 'no_price' })
    expect(value(holding('1', '1', null, { listing: 'unknown' }))).toMatchObject({ market_value: null, reason: 'unknown_symbol' })
    expect(value(holding('1', '1', 2, { listing: 'delisted' }))).toMatchObject({ market_value: null, reason: 'delisted' })
    expect(value(holding('1', '1', 2, { price: { price: 2, currency: 'ZZZ' } as LastPrice }))).toMatchObject({
      market_value: null,
      reason: 'no_rate',
    })
    expect(value(holding('1', '1', 2, {}, 'ZZZ'))).toMatchObject({ market_value: '2.7252', cost: null, cost_rate: null, gain: null, reason: null })
  })
})

it('sums are exact, of what is known alone, and say of how many; none of several is null, not 0', () => {
  expect(sumsOf([])).toEqual({ positions: 0, priced: 0, market_value: '0', costed: 0, cost: '0', gained: 0, gain: '0' })
  expect(sumsOf([value(holding('1', null, null))])).toEqual({
    positions: 1,
    priced: 0,
    market_value: null,
    costed: 0,
    cost: null,
    gained: 0,
    gain: null,
  })
  const digits = fc.tuple(fc.boolean(), fc.nat(), fc.nat(999)).map(([short, whole, part]) => `${short ? '-' : ''}${whole}.${part}`)
  fc.assert(
    fc.property(fc.array(fc.tuple(digits, fc.option(fc.nat(999)), fc.option(fc.nat(999))), { maxLength: 20 }), given => {
      const valued = given.map(([quantity, cost, price]) => value(holding(quantity, cost === null ? null : `${cost}.25`, price)))
      const sums = sumsOf(valued)
      expect(sums.market_value).toBe(valued.length > 0 && sums.priced === 0 ? null : sumOf(valued.flatMap(each => each.market_value ?? [])))
      expect([sums.priced, sums.costed]).toEqual([given.filter(each => each[2] !== null).length, given.filter(each => each[1] !== null).length])
      const groups = sumsBy(valued, position => String(position.quantity.startsWith('-'))).map(([, group]) => group)
      expect(groups.reduce((sum, group) => sum + group.priced, 0)).toBe(sums.priced)
      if (sums.gained === sums.positions) expect(sumOf(groups.map(group => group.gain ?? '0'))).toBeDefined()
    }),
  )
})
