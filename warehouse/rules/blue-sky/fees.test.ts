// Every row of f.2 at amounts below, at and above what changes its fee; the sums over several states.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { BlueSkyMultiStateRequest } from '#schemas/compliance.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import { BadRequest } from '#schemas/errors.ts'
import { blueSkyRules } from '../../rulesets/blue-sky/rules.ts'
import { type BlueSkyStates, checkBlueSkyStates } from './check.ts'
import { dollars, feeOf, feeRange, feeWords } from './fees.ts'
import { readPlace, stateOf } from './places.ts'

const rules = blueSkyRules(undefined)
const row = (code: string) => {
  const found = rules.jurisdictions.find(each => each.code === code)
  if (!found) throw new Error(`no row ${code}`)
  return found
}
const many = (states: readonly string[], requested: object = {}): BlueSkyStates =>
  checkBlueSkyStates(BlueSkyMultiStateRequest.parse({ states, ...requested }), rules)

/** States with one fee for every amount. */
const fixed: Readonly<Record<string, string>> = {
  AL: '300',
  AK: '600',
  AZ: '250',
  CO: '50',
  CT: '150',
  DC: '250',
  GA: '250',
  HI: '100',
  ID: '50',
  IL: '100',
  IN: '0',
  IA: '100',
  KS: '250',
  KY: '250',
  LA: '300',
  ME: '300',
  MD: '100',
  MI: '100',
  MS: '300',
  MO: '100',
  NE: '200',
  NV: '500',
  NH: '500',
  NJ: '250',
  NM: '350',
  NC: '350',
  ND: '100',
  OH: '100',
  OK: '250',
  OR: '250',
  PA: '525',
  RI: '300',
  SC: '300',
  SD: '250',
  TN: '500',
  UT: '100',
  VT: '600',
  VA: '250',
  VI: '1500',
  WA: '300',
  WV: '125',
  WI: '200',
  WY: '200',
}
/** Code, amount sold in the state (or of the offering, for tiers), fee. */
const byAmount: readonly (readonly [string, string, string])[] = [
  ['AR', '0', '100'],
  ['AR', '99999.99', '100'],
  ['AR', '100000', '100'],
  ['AR', '250000', '250'],
  ['AR', '500000', '500'],
  ['AR', '500001', '500'],
  ['DE', '40000', '200'],
  ['DE', '40002', '200.01'],
  ['DE', '200000', '1000'],
  ['DE', '200001', '1000'],
  ['MN', '0', '100'],
  ['MN', '100000', '200'],
  ['MN', '200000', '300'],
  ['MN', '200001', '300'],
  ['MT', '0', '200'],
  ['MT', '100000', '200'],
  ['MT', '100010', '200.01'],
  ['MT', '900000', '1000'],
  ['MT', '900001', '1000'],
  ['PR', '175000', '350'],
  ['PR', '175005', '350.01'],
  ['PR', '750000', '1500'],
  ['PR', '750001', '1500'],
  ['TX', '0', '0'],
  ['TX', '123450', '123.45'],
  ['TX', '500000', '500'],
  ['TX', '500001', '500'],
  ['NY', '500000', '300'],
  ['NY', '500000.01', '1200'],
  ['MA', '500000', '150'],
  ['MA', '500001', '250'],
  ['MA', '2000000', '250'],
  ['MA', '2000001', '500'],
  ['MA', '7500000', '500'],
  ['MA', '7500001', '750'],
]

describe('the fee of a notice', () => {
  it.each(Object.entries(fixed))('%s: %s dollars, whatever the amount', (code, fee) => {
    for (const amount of ['0', '5000000', '1000000000000'])
      expect(feeRange(row(code).fee, amount)).toEqual({ basis: 'exact', exact_usd: fee, low_usd: fee, high_usd: fee })
    expect([row(code).days, row(code).notice]).toEqual([15, 'due'])
  })
  it.each(byAmount)('%s, %s dollars: %s', (code, amount, fee) => {
    expect(compareDecimals(feeOf(row(code).fee, amount) ?? '-1', fee)).toBe(0)
    expect(row(code).days).toBe(15)
  })
  it('Florida asks for nothing, Guam is not known, California asks at most 300', () => {
    expect([row('FL').days, row('FL').notice, feeRange(row('FL').fee, '5000000')]).toEqual([
      null,
      'none',
      { basis: 'none', exact_usd: '0', low_usd: '0', high_usd: '0' },
    ])
    for (const code of ['GU', 'AS', 'MP'])
      expect(feeRange(row(code).fee, '5000000')).toEqual({ basis: 'unknown', exact_usd: null, low_usd: null, high_usd: null })
    expect([row('CA').confidence, feeRange(row('CA').fee, '5000000')]).toEqual([
      'general_knowledge',
      { basis: 'most', exact_usd: null, low_usd: '0', high_usd: '300' },
    ])
  })
  it('every place of the list has a test', () => {
    const tested = new Set([...Object.keys(fixed), ...byAmount.map(([code]) => code), 'FL', 'GU', 'AS', 'MP', 'CA'])
    expect(rules.jurisdictions.map(each => each.code).filter(code => !tested.has(code))).toEqual([])
    expect([rules.jurisdictions.length, new Set(rules.jurisdictions.map(each => each.as_of))]).toEqual([56, new Set(['2021-01-12'])])
  })
  it('is a range where the amount sold in the state is not known, and one figure where the range is a point', () => {
    expect(feeRange(row('TX').fee, '5000000')).toEqual({ basis: 'range', exact_usd: null, low_usd: '0', high_usd: '500' })
    expect(feeRange(row('AR').fee, '250000')).toEqual({ basis: 'range', exact_usd: null, low_usd: '100', high_usd: '250' })
    expect(feeRange(row('DE').fee, '40000')).toEqual({ basis: 'exact', exact_usd: '200', low_usd: '200', high_usd: '200' })
  })
  it('rounds half a cent up', () => {
    expect(feeRange(row('TX').fee, '12345').high_usd).toBe('12.35')
  })
  it.each(textTable`
    ID | added       | 50   | 50
    MO | added       | 50   | 50
    OH | added       | 100  | 100
    SD | added       | 275  | 275
    VI | not_said    | 3000 | 3000
    NM | not_said    | 700  | 700
    KS | in_place_of | 500  | 5000
    MS | not_said    | 0    | 5000
    DE | in_place_of | 400  | 1000
  `)('%s late: %s, %s to %s dollars', (code, how, low, high) => {
    const [late] = row(code).late
    expect([late?.how, late && feeRange(late.fee, '5000000')]).toEqual([how, expect.objectContaining({ low_usd: low, high_usd: high })])
  })
  it('later still costs more in New Mexico; reports and the end of an offering cost in Mississippi, a renewal in Georgia', () => {
    expect(row('NM').late.map(({ step, fee }) => [step, feeWords(fee)])).toEqual([
      ['late', '$700'],
      ['later', '$1,050'],
    ])
    expect(row('MS').other_fees.map(each => each.amount_usd)).toEqual(['50', '50'])
    expect(row('GA').other_fees).toEqual([{ about: 'renewal', amount_usd: '100' }])
  })
  it('is described in words', () => {
    expect(feeWords(row('MT').fee)).toBe('$200 + 0.1 % of the amount sold in the state over $100,000, at most $1,000')
    expect(feeWords(row('DE').fee)).toBe('0.5 % of the amount sold in the state, at least $200, at most $1,000')
    expect(feeWords(row('NY').fee)).toBe('$300 up to $500,000, $1,200 above of the whole offering')
    expect([dollars('1234567.5'), dollars('0'), dollars('999')]).toEqual(['$1,234,567.50', '$0', '$999'])
  })
})

describe('several states', () => {
  it('are listed once each, in the requested order, with the spellings that named them', () => {
    const found = many(['tx', 'New York', 'NY', 'D.C.', 'US-TX'])
    expect(found.states.map(({ state, requested }) => [state.code, requested])).toEqual([
      ['TX', ['tx', 'US-TX']],
      ['NY', ['New York', 'NY']],
      ['DC', ['D.C.']],
    ])
  })
  it('are summed by what is known: one figure, a range, nothing', () => {
    const { totals, status } = many(['NY', 'TX', 'CA', 'FL', 'Guam', 'IN'])
    expect(totals).toEqual({
      exact_usd: '1200',
      low_usd: '1200',
      high_usd: '2000',
      exact: ['NY', 'FL', 'IN'],
      ranges: ['TX', 'CA'],
      unknown: ['GU'],
      depository_usd: '160',
    })
    expect(status).toBe('unknown')
  })
  it('that ask for nothing cost nothing, and the filing system neither', () => {
    expect(many(['FL']).totals).toMatchObject({ exact_usd: '0', depository_usd: '0', unknown: [] })
  })
  it('of an exemption that the list is not about have no known fee', () => {
    expect(many(['NY', 'TX'], { offering_type: 'reg_a_tier2' }).totals).toMatchObject({ exact_usd: '0', unknown: ['NY', 'TX'], depository_usd: '0' })
  })
  it('that register the offering themselves require fees that are not in the ruleset', () => {
    expect(many(['NY', 'TX'], { offering_type: 'reg_d_504' }).totals).toMatchObject({
      exact_usd: '0',
      high_usd: '0',
      exact: [],
      unknown: ['NY', 'TX'],
    })
    expect(many(['NY', 'TX'], { offering_type: 'reg_d_504', exchange: 'NYSE' }).totals.unknown).toEqual([])
  })
  it('what is no state is listed with a hint, and the others are answered', () => {
    const found = many(['NY', 'Ontario', 'Texs', 'Texs'])
    expect(found.unknown).toEqual([
      { requested: 'Ontario', hint: expect.stringContaining('combined') },
      { requested: 'Texs', hint: expect.stringContaining('Texas') },
    ])
    expect([found.states.length, found.status]).toEqual([1, 'unknown'])
  })
  it('none of them a state: refused', () => {
    expect(() => many(['Ontario', 'Bavaria'])).toThrow(BadRequest)
  })
})

describe('of every amount', () => {
  const cents = fc.bigInt({ min: 0n, max: 10n ** 13n }).map(each => `${each / 100n}.${String(each % 100n).padStart(2, '0')}`)
  const code = fc.constantFrom(...rules.jurisdictions.map(each => each.code))
  it('a fee lies between its least and its most, and grows with the amount', () => {
    fc.assert(
      fc.property(code, cents, cents, (place, a, b) => {
        const { fee } = row(place)
        const [less, more] = compareDecimals(a, b) <= 0 ? [feeOf(fee, a), feeOf(fee, b)] : [feeOf(fee, b), feeOf(fee, a)]
        if (less === null || more === null) {
          expect(fee.kind).toBe('unknown')
          return
        }
        expect(compareDecimals(less, more)).toBeLessThanOrEqual(0)
        if (fee.kind === 'percentage')
          for (const each of [less, more]) {
            if (fee.min_usd !== null) expect(compareDecimals(each, fee.min_usd)).toBeGreaterThanOrEqual(0)
            if (fee.max_usd !== null) expect(compareDecimals(each, fee.max_usd)).toBeLessThanOrEqual(0)
          }
      }),
    )
  })
  it('the fee of a part lies within the range of the whole', () => {
    fc.assert(
      fc.property(code, cents, cents, (place, a, b) => {
        const { fee } = row(place)
        const [part, whole] = compareDecimals(a, b) <= 0 ? [a, b] : [b, a]
        const range = feeRange(fee, whole)
        if (range.low_usd === null || range.high_usd === null) return
        const { exact_usd } = fee.kind === 'tiers' ? range : { exact_usd: null }
        const own = exact_usd ?? feeRange(fee, part).high_usd ?? ''
        expect([compareDecimals(own, range.low_usd) >= 0, compareDecimals(own, range.high_usd) <= 0]).toEqual([true, true])
      }),
    )
  })
  it('another state never lowers a sum', () => {
    fc.assert(
      fc.property(fc.uniqueArray(code, { minLength: 2, maxLength: 12 }), fc.integer({ min: 0, max: 10_000_000 }), (codes, offering_amount_usd) => {
        const [all, fewer] = [many(codes, { offering_amount_usd }).totals, many(codes.slice(1), { offering_amount_usd }).totals]
        for (const sum of ['exact_usd', 'low_usd', 'high_usd', 'depository_usd'] as const)
          expect(compareDecimals(all[sum], fewer[sum])).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('a place', () => {
  it.each([
    ['N.Y.', 'NY'],
    ['state of new york', 'NY'],
    ['us-ny', 'NY'],
    ['Washington', 'WA'],
    ['Washington, D.C.', 'DC'],
    ['New York, NY', 'NY'],
    ['TX, USA', 'TX'],
    ['Ohio, United States', 'OH'],
    ['Washington State', 'WA'],
    ['U.S. Virgin Islands', 'VI'],
    ['Commonwealth of Virginia', 'VA'],
    ['puerto rico', 'PR'],
    [' wv ', 'WV'],
  ])('%s is %s', (text, code) => {
    expect(readPlace(rules, text)).toMatchObject({ kind: 'state', state: { code } })
  })
  it.each(textTable`
    QC           | Quebec
    Québec       | Quebec
    CA-ON        | Ontario
    Newfoundland | Newfoundland and Labrador
  `)('%s is %s, in Canada', (text, name) => {
    expect(readPlace(rules, text)).toEqual({ kind: 'elsewhere', code: expect.any(String), name, country: 'CA' })
  })
  it('every code and name of the ruleset is read as its own', () => {
    for (const { code, name, aliases } of rules.jurisdictions)
      for (const text of [code, name, ...aliases, code.toLowerCase(), name.toUpperCase()])
        expect(readPlace(rules, text)).toMatchObject({ state: { code } })
    for (const { code, name } of rules.elsewhere)
      for (const text of [code, name]) expect(readPlace(rules, text)).toMatchObject({ kind: 'elsewhere', code })
  })
  it('any text is a state, or is refused with a hint', () => {
    const codes = rules.jurisdictions.map(each => each.code)
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), text => {
        try {
          expect(codes).toContain(stateOf(rules, text, 'investor_state').code)
        } catch (error) {
          expect(error).toMatchObject({ status: 422, hint: expect.stringMatching(/nearest: |one of |Canada/) })
        }
      }),
    )
  })
})
