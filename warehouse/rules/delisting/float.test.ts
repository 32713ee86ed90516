import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '#fixtures/refusal.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import { delistingRules } from '../../rulesets/delisting/rules.ts'
import { checkOf, closesOf, evaluated } from './fakes.ts'
import { floatOf } from './float.ts'
import type { LargeHolder } from './types.ts'

const rules = delistingRules(undefined)
const numbers = (total_shares: number, insider_shares = 0, institutional_shares = 0, restricted_shares = 0) => ({
  total_shares,
  insider_shares,
  institutional_shares,
  restricted_shares,
})
const of = (...given: Parameters<typeof numbers>) => floatOf(numbers(...given), [], rules)
const holder = (shares: string | null): LargeHolder => ({
  name: 'A Fund',
  shares,
  percent: '12',
  filed_date: '2026-02-13',
  accession: '0000000002-26-000001',
})

describe('the public float', () => {
  it('is the total less insider and restricted shares; institutions are inside it', () => {
    expect(of(10_000_000, 2_000_000, 3_000_000, 500_000)).toMatchObject({
      public_float_shares: '7500000',
      retail_float_shares: '4500000',
      public_float_pct: '75',
      insider_pct: '20',
      institutional_pct: '30',
      restricted_pct: '5',
      retail_pct: '45',
      flags: [],
    })
  })
  it('a total of 0 counts as not stated: nothing is known, and no part is a zero', () => {
    const float = of(0, 500)
    expect(float).toMatchObject({ public_float_shares: null, retail_float_shares: null, insider_pct: null, band: null })
    expect(float.flags.map(({ code }) => code)).toEqual(['total_shares_zero'])
    expect(of(0).flags).toEqual([])
  })
  it('a negative float is refused with the numbers that contradict', () => {
    const error = refusalOf(() => of(1000, 900, 0, 101))
    expect([error.status, error.code]).toEqual([400, 'bad_request'])
    expect(error.message).toBe('insider_shares 900 and restricted_shares 101 are together 1 more than total_shares 1000')
    expect(of(1000, 900, 0, 100).public_float_shares).toBe('0')
    expect(refusalOf(() => of(1000, 0, 1001)).message).toContain('institutional_shares 1001')
  })
  it('institutions above the float are an overlap: retail is 0', () => {
    const float = of(1000, 400, 700, 0)
    expect([float.retail_float_shares, float.retail_pct, float.flags.map(({ code }) => code)]).toEqual(['0', '0', ['overlap']])
    expect(of(1000, 300, 700, 0).flags).toEqual([])
  })
  it.each([
    [999_999, 'micro_float'],
    [1_000_000, 'low_float'],
    [4_999_999, 'low_float'],
    [5_000_000, 'small_float'],
    [19_999_999, 'small_float'],
    [20_000_000, null],
  ])('%i shares: %s', (shares, band) => {
    expect(of(shares + 1, 1).band).toBe(band)
  })
})

describe('publicly held shares', () => {
  it('holders above a tenth are not public: between the float without them and the whole float', () => {
    const float = floatOf(numbers(2_000_000, 1), [holder('1000000'), holder('600000')], rules)
    expect([float.public_float_shares, float.publicly_held_least]).toEqual(['1999999', '399999'])
    const check = (shares: string | null, id: string) =>
      checkOf(evaluated({ total_shares: 2_000_000, insider_shares: 1 }, { closes: closesOf('1.00', 40), large_holders: [holder(shares)] }), id)
    expect(check('1500000', 'capital_public_shares')).toMatchObject({ status: 'unknown', value: '1999999', value_low: '499999' })
    expect(check('1499999', 'capital_public_shares').status).toBe('pass')
    expect(check(null, 'capital_public_shares').status).toBe('unknown')
    expect(check('1000000', 'capital_mvphs')).toMatchObject({ status: 'unknown', documents: ['0000000002-26-000001'], basis: 'request_and_lake' })
  })
  it('without insider shares: the float is an upper bound, which fails a check and never passes one', () => {
    const check = (total_shares: number) => checkOf(evaluated({ total_shares }), 'capital_public_shares').status
    expect([check(499_999), check(500_000), check(900_000_000)]).toEqual(['fail', 'unknown', 'unknown'])
  })
})

it('parts are never more than the whole, and percentages lie between 0 and 100', () => {
  const shares = fc.integer({ min: 0, max: 1e13 })
  fc.assert(
    fc.property(shares, shares, shares, shares, (total, insider, institutional, restricted) => {
      const given = numbers(total, insider, institutional, restricted)
      if (total > 0 && (insider + restricted > total || institutional > total)) {
        expect(refusalOf(() => floatOf(given, [], rules)).status).toBe(400)
        return
      }
      const float = floatOf(given, [], rules)
      for (const pct of [float.public_float_pct, float.insider_pct, float.institutional_pct, float.restricted_pct, float.retail_pct]) {
        expect(pct === null).toBe(total === 0)
        if (pct !== null) expect([compareDecimals(pct, '0') >= 0, compareDecimals(pct, '100') <= 0]).toEqual([true, true])
      }
      if (total > 0) expect(Number(float.public_float_shares) + insider + restricted).toBe(total)
    }),
  )
})
