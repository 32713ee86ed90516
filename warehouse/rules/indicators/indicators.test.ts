import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, decimalOf, ratioOf, unreduced } from '../../datasets/prices/ratio.ts'
import { AlertCondition, indicatorRules } from '../../rulesets/indicators/rules.ts'
import { type AlertTerms, evaluateAlert, evaluateCondition, fires, rescaleAlert, type Snapshot, usablePrice } from './alerts.ts'
import { gainPct, rsiWilder, sma } from './indicators.ts'

const textbook = '44.34 44.09 44.15 43.61 44.33 44.83 45.10 45.42 45.84 46.08 45.89 46.03 45.61 46.28 46.28'.split(' ')
const rsi = (closes: readonly string[]): string | null => {
  const value = rsiWilder(closes, 14, '50')
  return value && decimalOf(value, 4)
}
const aSnapshot = (given: Partial<Snapshot> = {}): Snapshot => ({ price: '10.00', closes: [], intraday: false, ...given })
const holds = (condition: AlertCondition, threshold: string | null, snapshot: Snapshot, baseline: string | null = null): boolean | null =>
  evaluateCondition(condition, threshold, baseline, snapshot, indicatorRules).holds
const flat = (close: string, count: number): string[] => Array.from({ length: count }, () => close)

describe('RSI after Wilder', () => {
  it('gives the values of the textbook closes', () => {
    expect(rsi(textbook)).toBe('70.4641')
    const later = [
      ['46.00', '66.2496'],
      ['46.03', '66.4809'],
      ['46.41', '69.3469'],
      ['46.22', '66.2947'],
      ['45.64', '57.915'],
    ]
    for (const [at, [, value]] of later.entries()) expect(rsi([...textbook, ...later.slice(0, at + 1).map(([close = '']) => close)])).toBe(value)
  })
  it('needs fifteen closes', () => {
    expect(rsi(textbook.slice(1))).toBeNull()
    expect(rsi([])).toBeNull()
  })
  it('is 100 without a loss, 0 without a gain, and 50 where nothing moved', () => {
    const rising = Array.from({ length: 20 }, (_, day) => `${10 + day}`)
    expect([rsi(rising), rsi(rising.toReversed()), rsi(flat('10', 20))]).toEqual(['100', '0', '50'])
  })
})

describe('the moving average', () => {
  it('is the mean of the last closes, the day itself included, and null before there are enough', () => {
    expect(decimalOf(sma(['1', '2', '3', '4.5'], 3) as never)).toBe('3.166666666667')
    expect(sma(['1', '2'], 3)).toBeNull()
  })
})

describe('properties', () => {
  const close = fc.integer({ min: 1, max: 1_000_000 }).map(cents => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`)
  const series = fc.array(close, { minLength: 15, maxLength: 80 })
  it('RSI lies from 0 to 100', () => {
    fc.assert(
      fc.property(series, closes => {
        const value = rsiWilder(closes, 14, '50')
        expect(value && compare(value, ratioOf('0')) >= 0 && compare(value, ratioOf('100')) <= 0).toBe(true)
      }),
    )
  })
  it('RSI does not depend on the unit: seven hundred times the price gives the same', () => {
    const times7 = (text: string): string => `${(BigInt(text.replace('.', '')) * 7n).toString()}`
    fc.assert(
      fc.property(series, closes => {
        expect(rsiWilder(closes.map(times7), 14, '50')).toEqual(rsiWilder(closes, 14, '50'))
      }),
    )
  })
  it('RSI of falling prices mirrors that of rising ones', () => {
    fc.assert(
      fc.property(series, closes => {
        const mirrored = closes.map(each => decimalOf(unreduced(10_000_000n - BigInt(each.replace('.', '')), 100n), 2))
        const [value, other] = [closes, mirrored].map(each => rsiWilder(each, 14, '50'))
        expect(decimalOf(value as never, 6)).toBe(
          decimalOf(unreduced(100n * (other?.denominator ?? 0n) - (other?.numerator ?? 0n), other?.denominator ?? 1n), 6),
        )
      }),
    )
  })
  it('a moving average lies between the lowest and the highest close', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: 1, max: 15 }), (closes, bars) => {
        const mean = sma(closes, bars)
        const last = closes.slice(-bars).map(ratioOf)
        expect(mean && last.some(each => compare(each, mean) <= 0) && last.some(each => compare(each, mean) >= 0)).toBe(true)
      }),
    )
  })
  it('a higher threshold never makes a condition of "above" hold, nor a lower one that of "below"', () => {
    fc.assert(
      fc.property(close, close, close, (price, a, b) => {
        const [low, high] = compare(ratioOf(a), ratioOf(b)) <= 0 ? [a, b] : [b, a]
        const snapshot = aSnapshot({ price })
        for (const condition of ['above', 'pct_up', 'pct_down'] as const)
          expect(holds(condition, high, snapshot, '50') === true && holds(condition, low, snapshot, '50') === false).toBe(false)
        expect(holds('below', low, snapshot) === true && holds('below', high, snapshot) === false).toBe(false)
      }),
    )
  })
  it('a split of two for one changes no result', () => {
    const half = (text: string): string => decimalOf(unreduced(BigInt(text.replace('.', '')), 200n), 3)
    fc.assert(
      fc.property(
        close,
        close,
        close,
        fc.constantFrom('above' as const, 'below' as const, 'pct_up' as const),
        (price, threshold, baseline, condition) => {
          const made: AlertTerms = { condition, threshold, baseline_price: baseline, condition2: null, threshold2: null, logic: null }
          const after = rescaleAlert(made, [{ numerator: '2', denominator: '1' }], indicatorRules)
          expect(evaluateAlert(after, aSnapshot({ price: half(price) }), indicatorRules).holds).toBe(
            evaluateAlert(made, aSnapshot({ price }), indicatorRules).holds,
          )
        },
      ),
    )
  })
})

describe('conditions of an alert', () => {
  it('are the ten of the interface, each of them once', () => {
    expect(indicatorRules.conditions.map(each => each.condition)).toEqual(AlertCondition.options)
  })
  it('above and below are strict', () => {
    expect(['9.99', '10.00', '10.01'].map(price => [holds('above', '10', aSnapshot({ price })), holds('below', '10', aSnapshot({ price }))])).toEqual(
      [
        [false, true],
        [false, false],
        [true, false],
      ],
    )
  })
  it('a change in percent of the baseline counts from the threshold on', () => {
    expect(decimalOf(gainPct('11', '10') as never)).toBe('10')
    expect([holds('pct_up', '10', aSnapshot({ price: '11' }), '10'), holds('pct_up', '10.01', aSnapshot({ price: '11' }), '10')]).toEqual([
      true,
      false,
    ])
    expect([holds('pct_down', '10', aSnapshot({ price: '9' }), '10'), holds('pct_down', '10', aSnapshot({ price: '11' }), '10')]).toEqual([
      true,
      false,
    ])
  })
  it('RSI is compared with its threshold and states whether it is warmed up', () => {
    const evaluated = evaluateCondition('rsi_above', '70', null, aSnapshot({ closes: textbook, intraday: true }), indicatorRules)
    expect(evaluated).toEqual({ condition: 'rsi_above', holds: true, value: '70.4641', against: '70', intraday: true, warmed_up: false })
    expect(holds('rsi_below', '70', aSnapshot({ closes: textbook }))).toBe(false)
    expect(evaluateCondition('rsi_above', '70', null, aSnapshot({ closes: flat('10', 100) }), indicatorRules).warmed_up).toBe(true)
  })
  it('RSI reads the last 250 closes and nothing before them', () => {
    const closes = Array.from({ length: 250 }, (_, day) => `${100 + ((day * 7) % 11)}`)
    const value = (given: readonly string[]): string | null =>
      evaluateCondition('rsi_above', '50', null, aSnapshot({ closes: given }), indicatorRules).value
    expect(value(['1', '900', ...closes])).toBe(value(closes))
    expect(value(closes.slice(1))).not.toBe(null)
  })
  it('a price is compared with the average of 50 or 200 closes; the threshold is not read', () => {
    const closes = [...flat('20', 150), ...flat('10', 50)]
    const snapshot = aSnapshot({ price: '12', closes })
    expect(AlertCondition.options.slice(6).map(condition => holds(condition, null, snapshot))).toEqual([true, false, false, true])
    expect(evaluateCondition('px_above_sma200', '1', null, snapshot, indicatorRules)).toMatchObject({ value: '12', against: '17.5' })
    expect(holds('px_above_sma200', '1', aSnapshot({ price: '12', closes: closes.slice(1) }))).toBeNull()
  })
  it('what is missing leaves a condition unknown', () => {
    const nothing = aSnapshot({ price: null })
    for (const condition of AlertCondition.options) expect(holds(condition, '10', nothing, '10')).toBeNull()
    expect([holds('pct_up', '5', aSnapshot(), null), holds('pct_up', '5', aSnapshot(), '0')]).toEqual([null, null])
    expect(holds('above', null, aSnapshot())).toBeNull()
  })
  it('zero before the open and prices of an earlier session are no prices', () => {
    expect(usablePrice('0', '2026-11-20', '2026-11-20')).toBeNull()
    expect(usablePrice('12.5', '2026-11-19', '2026-11-20')).toBeNull()
    expect(usablePrice('12.5', '2026-11-20', '2026-11-20')).toBe('12.5')
  })
})

describe('an alert', () => {
  const anAlert = (given: Partial<AlertTerms>): AlertTerms => ({
    condition: 'above',
    threshold: '9',
    baseline_price: null,
    condition2: null,
    threshold2: null,
    logic: null,
    ...given,
  })
  const evaluated = (given: Partial<AlertTerms>): boolean | null => evaluateAlert(anAlert(given), aSnapshot({ price: '10' }), indicatorRules).holds
  it('joins two conditions by AND or OR on the same snapshot; without a word by AND', () => {
    const fails = { condition2: 'above', threshold2: '11' } as const
    const passes = { condition2: 'below', threshold2: '11' } as const
    const unknown = { condition2: 'rsi_above', threshold2: '70' } as const
    expect([evaluated({ ...passes, logic: 'AND' }), evaluated({ ...fails, logic: 'AND' }), evaluated({ ...unknown, logic: 'AND' })]).toEqual([
      true,
      false,
      null,
    ])
    expect([evaluated({ ...passes, logic: 'OR' }), evaluated({ ...fails, logic: 'OR' }), evaluated({ ...unknown, logic: 'OR' })]).toEqual([
      true,
      true,
      true,
    ])
    expect([
      evaluated(fails),
      evaluated({ ...unknown, threshold: '12', logic: 'AND' }),
      evaluated({ ...unknown, threshold: '12', logic: 'OR' }),
    ]).toEqual([false, false, null])
  })
  it('fires when it becomes true, not while it stays so, not from the start and not on what is unknown', () => {
    const seen = [true, true, false, null, true, true, null, true, false, true]
    let last: boolean | null = null
    const fired = seen.map(now => {
      const fire = fires(last, now, indicatorRules)
      last = now ?? last
      return fire
    })
    expect(fired).toEqual([false, false, false, false, true, false, false, false, false, true])
  })
  it('is rescaled by every split since it was made, from the original, rounded once', () => {
    const made = anAlert({ threshold: '100', baseline_price: '90', condition2: 'pct_up', threshold2: '5', logic: 'OR' })
    const three = { numerator: '3', denominator: '1' }
    expect(rescaleAlert(made, [three], indicatorRules)).toMatchObject({ threshold: '33.333333', baseline_price: '30', threshold2: '5' })
    expect(rescaleAlert(made, [three, three, { numerator: '1', denominator: '9' }], indicatorRules)).toEqual(made)
    expect(made.threshold).toBe('100')
    expect(rescaleAlert(anAlert({ condition: 'px_above_sma50', threshold: '1' }), [three], indicatorRules).threshold).toBe('1')
    expect(rescaleAlert(anAlert({ condition: 'below', threshold: '1' }), [{ numerator: '1', denominator: '10' }], indicatorRules).threshold).toBe(
      '10',
    )
  })
})
