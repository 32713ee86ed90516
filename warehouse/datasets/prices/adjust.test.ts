import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adjustBars, deriveFactors } from './adjust.ts'
import { pricesOf } from './closes.ts'
import { anAction, aSplit, barsOf } from './samples.ts'

const derive = (
  bars: ReturnType<typeof barsOf>,
  actions: Parameters<typeof deriveFactors>[0],
  more: Partial<Parameters<typeof deriveFactors>[1]> = {},
) => deriveFactors(actions, { symbol: 'XYZ', currency: 'USD', prices: pricesOf(bars), asOf: '2030-01-01', ...more })
const adjusted = (bars: ReturnType<typeof barsOf>, actions: Parameters<typeof deriveFactors>[0], mode: 'none' | 'split' | 'all' = 'all') =>
  adjustBars(bars, derive(bars, actions).factors, mode)

describe("Yahoo's help-page example", () => {
  const bars = barsOf({
    '2012-02-16': 46.99,
    '2012-02-17': 48.3,
    '2012-02-18': 24.96,
    '2012-02-19': 24.91,
    '2012-02-20': 24.95,
    '2012-02-21': 24.53,
    '2012-02-22': 24.54,
  })
  const actions = [aSplit('2012-02-18', '2', '1'), anAction({ ex_date: '2012-02-21', amount: '0.08' })]

  test('a 2:1 split halves and a dividend of 0.08 on 24.95 takes 0.99679 of every close before', () => {
    const closes = adjusted(bars, actions).map(bar => bar.close?.toFixed(2))
    expect(closes).toEqual(['23.42', '24.07', '24.88', '24.83', '24.87', '24.53', '24.54'])
    expect(derive(bars, actions).factors.map(row => row.price_factor)).toEqual([0.5, 1 - 0.08 / 24.95])
  })
  test('split-adjusted series leave the dividend out, and adjust volume the other way', () => {
    const [first] = adjusted(bars, actions, 'split')
    expect(first).toMatchObject({ close: 23.495, volume: 2000, factor: 0.5 })
    expect(adjusted(bars, actions, 'none')[0]).toMatchObject({ close: 46.99, factor: 1 })
  })
})

test('on a split day a dividend per new share and one per old share give the same factor when they are the same money', () => {
  const bars = barsOf({ '2024-01-02': 100, '2024-01-03': 49 })
  const split = aSplit('2024-01-03', '2', '1')
  const perNew = derive(bars, [split, anAction({ ex_date: '2024-01-03', amount: '0.5' })]).factors
  const perOld = derive(bars, [split, anAction({ ex_date: '2024-01-03', amount: '1', amount_basis: 'pre_split' })]).factors
  expect(perNew[0]?.price_factor).toBe(0.5 * 0.99)
  expect(perOld).toEqual(perNew)
})
test('two dividends on one day are added before they are divided by the price', () => {
  const bars = barsOf({ '2024-01-02': 100, '2024-01-03': 95 })
  const two = [anAction({ ex_date: '2024-01-03', amount: '1' }), anAction({ ex_date: '2024-01-03', kind: 'special_dividend', amount: '4' })]
  expect(derive(bars, two).factors[0]).toMatchObject({ price_factor: 0.95, cash_amount: '5' })
})
test('the Quandl WIKI convention is P_ex/(P_ex + D), and is not the Yahoo one', () => {
  const bars = barsOf({ '2014-05-07': 592.33, '2014-05-08': 587.99 })
  const dividend = [anAction({ ex_date: '2014-05-08', amount: '3.29' })]
  expect(derive(bars, dividend, { convention: 'quandl_wiki' }).factors[0]?.price_factor).toBeCloseTo(0.9944358, 7)
  expect(derive(bars, dividend).factors[0]?.price_factor).toBeCloseTo(0.9944457, 7)
})
test('an ex-date that is no session adjusts the bars before it and none after', () => {
  const bars = barsOf({ '2024-06-28': 100, '2024-07-02': 99 })
  expect(adjusted(bars, [anAction({ ex_date: '2024-07-01', amount: '1' })]).map(bar => bar.factor)).toEqual([0.99, 1])
})
test('an ex-date on or before the first bar keeps the action, gives no factor and no error', () => {
  const bars = barsOf({ '2024-01-02': 100 })
  const { factors, unapplied } = derive(bars, [anAction({ ex_date: '2024-01-02', amount: '1' }), aSplit('2020-01-02', '2', '1')])
  expect(factors).toEqual([])
  expect(unapplied.map(item => item.reason)).toEqual(['before_first_bar', 'before_first_bar'])
})
test('the previous close is that of the last session with a trade', () => {
  const bars = [
    ...barsOf({ '2024-01-02': 100 }),
    { date: '2024-01-03', open: null, high: null, low: null, close: 120, volume: 0 },
    ...barsOf({ '2024-01-04': 99 }),
  ]
  expect(derive(bars, [anAction({ ex_date: '2024-01-04', amount: '1' })]).factors[0]).toMatchObject({
    previous_close: 100,
    previous_close_date: '2024-01-02',
  })
  const fund = barsOf({ '2024-01-02': 10, '2024-01-03': 11, '2024-01-04': 12 }).map(bar => ({ ...bar, volume: 0 }))
  expect(derive(fund, [anAction({ ex_date: '2024-01-04', amount: '1' })]).factors[0]?.previous_close).toBe(11)
})
test('a dividend in another currency is converted at the rate given, which stays in the row', () => {
  const bars = barsOf({ '2024-06-27': 50, '2024-06-28': 50 })
  const usd = [anAction({ ex_date: '2024-06-28', amount: '0.10', currency: 'USD' })]
  const fx = () => ({ rate: '1.3687', date: '2024-06-27' })
  const [factor] = derive(bars, usd, { currency: 'CAD', fx }).factors
  expect(factor).toMatchObject({ cash_amount: '0.13687', fx_rate: '1.3687', fx_rate_date: '2024-06-27', price_factor: 1 - 0.13687 / 50 })
  expect(derive(bars, usd, { currency: 'CAD' }).unapplied[0]?.reason).toBe('no_fx_rate')
})
test("a spin-off takes 1 - V/p, is flagged, can be excluded, and Yahoo's ratio of 1.236 means the same value", () => {
  const bars = barsOf({ '2022-12-09': 100, '2022-12-12': 80 })
  const byValue = derive(bars, [anAction({ ex_date: '2022-12-12', kind: 'spinoff', amount: '20' })]).factors
  expect(byValue[0]).toMatchObject({ price_factor: 0.8, spinoff: true, split_numerator: '1' })
  expect(adjustBars(bars, byValue, 'all', { excludeSpinoffs: true })[0]?.close).toBe(100)
  const byRatio = derive(bars, [{ ...aSplit('2022-12-12', '1.25', '1'), kind: 'spinoff' }]).factors
  expect(byRatio[0]).toMatchObject({ price_factor: 0.8, cash_amount: '20', split_numerator: '1' })
})
test('an announced action does nothing before its ex-date', () => {
  const bars = barsOf({ '2024-01-02': 100, '2024-01-03': 50 })
  expect(derive(bars, [aSplit('2024-01-03', '2', '1')], { asOf: '2024-01-02' })).toMatchObject({
    factors: [],
    unapplied: [{ reason: 'ex_date_ahead' }],
  })
  const { factors } = derive(bars, [aSplit('2024-01-03', '2', '1')])
  expect(adjustBars(bars, factors, 'all', { asOf: '2024-01-02' })[0]?.close).toBe(100)
})
test('an amount at or above the price is never applied, while the split of that day is', () => {
  const bars = barsOf({ '2024-01-02': 1, '2024-01-03': 10 })
  const { factors, unapplied } = derive(bars, [aSplit('2024-01-03', '1', '10'), anAction({ ex_date: '2024-01-03', amount: '12' })])
  expect(factors[0]).toMatchObject({ price_factor: 10, cash_amount: null })
  expect(unapplied[0]).toMatchObject({ reason: 'amount_exceeds_price' })
})

describe('precision', () => {
  test('three 1:10 consolidations multiply by exactly 1000, three 10:1 splits divide by exactly 1000', () => {
    const days = ['2024-01-03', '2024-01-04', '2024-01-05']
    const bars = barsOf({ '2024-01-02': 0.37, '2024-01-03': 3.7, '2024-01-04': 37, '2024-01-05': 370 })
    expect(
      adjusted(
        bars,
        days.map(day => aSplit(day, '1', '10')),
      )[0],
    ).toMatchObject({ factor: 1000, close: 370 })
    const [first] = adjusted(barsOf({ '2024-01-02': 451.04, '2024-01-03': 45 }), [aSplit('2024-01-03', '10', '1')])
    expect(first?.close).toBe(45.104)
  })
  test('a 1:190 consolidation is 190, not 1/0.005263', () => {
    const { factors } = derive(barsOf({ '2024-01-02': 0.01, '2024-01-03': 1.9 }), [aSplit('2024-01-03', '1', '190')])
    expect(factors[0]).toMatchObject({ price_factor: 190, split_numerator: '1', split_denominator: '190' })
  })
  test('a stock dividend of 0.27 % keeps its ratio in integers', () => {
    const { factors } = derive(barsOf({ '2015-04-24': 565.06, '2015-04-27': 555 }), [
      { ...aSplit('2015-04-27', '1.0027', '1'), kind: 'stock_dividend' },
    ])
    expect(factors[0]).toMatchObject({ split_numerator: '10027', split_denominator: '10000', price_factor: 10000 / 10027 })
  })
})

describe('properties', () => {
  const day = (at: number): string => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10)
  const history = fc.record({
    closes: fc.array(
      fc.integer({ min: 500, max: 50_000 }).map(cents => cents / 100),
      { minLength: 5, maxLength: 60 },
    ),
    picks: fc.uniqueArray(
      fc.record({ at: fc.integer({ min: 0, max: 70 }), split: fc.boolean(), a: fc.integer({ min: 1, max: 20 }), b: fc.integer({ min: 1, max: 20 }) }),
      {
        maxLength: 12,
        selector: pick => pick.at,
      },
    ),
  })
  const made = ({ closes, picks }: { closes: number[]; picks: { at: number; split: boolean; a: number; b: number }[] }) => ({
    bars: barsOf(Object.fromEntries(closes.map((close, at) => [day(at), close]))),
    actions: picks.map(({ at, split, a, b }) =>
      split ? aSplit(day(at), String(a), String(b)) : anAction({ ex_date: day(at), amount: `0.${a}${b}` }),
    ),
  })

  test('the return of a day without an action is the raw return', () => {
    fc.assert(
      fc.property(history, given => {
        const { bars, actions } = made(given)
        const series = adjusted(bars, actions)
        const exDates = new Set(actions.map(action => action.ex_date))
        for (let at = 1; at < bars.length; at++) {
          if (exDates.has(bars[at]!.date)) continue
          const [raw, ours] = [bars[at]!.close! / bars[at - 1]!.close!, series[at]!.close! / series[at - 1]!.close!]
          expect(Math.abs(ours / raw - 1)).toBeLessThan(1e-12)
        }
      }),
    )
  })
  test('the order in which actions and bars arrive changes no bit', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), (given, order) => {
        const { bars, actions } = made(given)
        const shuffled = [...actions]
          .map(action => [order.next().value, action] as const)
          .sort((a, b) => a[0]! - b[0]!)
          .map(pair => pair[1])
        const reversed = [...bars].reverse()
        expect(derive(reversed, shuffled).factors).toEqual(derive(bars, actions).factors)
        expect(adjusted(reversed, shuffled).reverse()).toEqual(adjusted(bars, actions))
      }),
    )
  })
  test('a new action multiplies every bar before it by its factor and touches nothing from it on', () => {
    fc.assert(
      fc.property(history, given => {
        const { bars, actions } = made({ ...given, picks: given.picks.filter(pick => pick.at !== 3) })
        const extra = anAction({ ex_date: day(3), amount: '0.5' })
        const k = derive(bars, [extra]).factors[0]!.price_factor
        const [before, after] = [adjusted(bars, actions), adjusted(bars, [...actions, extra])]
        for (let at = 0; at < bars.length; at++) expect(after[at]!.close! / before[at]!.close!).toBeCloseTo(at < 3 ? k : 1, 12)
      }),
    )
  })
})
