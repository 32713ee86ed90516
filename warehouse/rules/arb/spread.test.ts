import { describe, expect, it } from 'vitest'
import { type Costs, costNames, costsOn } from '../../rulesets/arb/rules.ts'
import { type SpreadInput, spreadOf } from './spread.ts'

const free = costsOn('2026-11-20')
const sides = (bid: string, ask: string) => ({ bid, ask, last: null })
const vector: SpreadInput = {
  toronto: sides('101.20', '101.24'),
  us: sides('73.60', '73.62'),
  fx: sides('1.3740', '1.3742'),
  ratio: '1',
  costs: free,
  tolerance_bps: '1',
}
const must = (input: SpreadInput) => {
  const spread = spreadOf(input)
  if (!spread) throw new TypeError('no spread')
  return spread
}

/** Numbers from a seed: the same at each run. */
function draws(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
function randomInput(next: () => number): SpreadInput {
  const price = (from: number, to: number, digits: number) => (from + next() * (to - from)).toFixed(digits)
  const market = (from: number, to: number, digits: number) => {
    const bid = price(from, to, digits)
    return sides(bid, (Number(bid) * (1 + next() / 200)).toFixed(digits + 1))
  }
  const us = market(1, 400, 2)
  const toronto = { bid: (Number(us.bid) * (1.2 + next() / 3)).toFixed(2), ask: '', last: null }
  return {
    ...vector,
    us,
    toronto: { ...toronto, ask: (Number(toronto.bid) * (1 + next() / 200)).toFixed(3) },
    fx: market(1.2, 1.6, 4),
    ratio: ['1', '2', '0.5', '10', '0.1'][Math.floor(next() * 5)] as string,
  }
}

describe('the spread of a pair', () => {
  it('is 7.17 basis points in the vector, with edges of 3.10 and -11.22 before costs', () => {
    const spread = must(vector)
    expect(spread).toMatchObject({
      basis: 'mid',
      tsx_price: '101.22',
      us_price: '73.61',
      fx_rate: '1.3741',
      us_in_cad: '101.147501',
      spread_abs: '0.072499',
    })
    expect(spread.spread_bps).toBeCloseTo(7.17, 2)
    expect(spread.spread_pct).toBeCloseTo(0.0717, 4)
    expect(spread.premium_side).toBe('toronto')
    expect(spread.edges?.buy_us_sell_toronto.edge_bps).toBeCloseTo(3.1, 2)
    expect(spread.edges?.buy_toronto_sell_us.edge_bps).toBeCloseTo(-11.22, 2)
    expect(spread.net_edge_bps).toBe(spread.edges?.buy_us_sell_toronto.edge_bps)
    // The rate at which a journalled share converts: 101.22 / 73.61.
    expect(spread.fx_implied).toBeCloseTo(1.375085, 6)
    expect(spread.fx_implied_diff_bps).toBeCloseTo(7.17, 2)
    expect(spread.fx_sides).toBe('two_sided')
  })
  it('counts a US share as so many Toronto shares', () => {
    const spread = must({ ...vector, toronto: sides('50.60', '50.62'), ratio: '2' })
    expect(spread.us_in_cad).toBe('50.5737505')
    expect(spread.spread_bps).toBeCloseTo(must(vector).spread_bps, 9)
    expect(spread.edges?.buy_us_sell_toronto.edge).toBe(must(vector).edges?.buy_us_sell_toronto.edge)
  })
  it('of last prices has no executable edge', () => {
    const spread = must({ ...vector, us: { bid: null, ask: null, last: '73.61' }, toronto: { ...vector.toronto, last: '101.21' } })
    expect(spread).toMatchObject({ basis: 'last', tsx_price: '101.21', us_price: '73.61', edges: null, net_edge_bps: null })
  })
  it('takes neither a crossed quote nor one of a single side for two sides', () => {
    expect(must({ ...vector, us: { bid: '73.70', ask: '73.60', last: '73.61' } }).basis).toBe('last')
    expect(must({ ...vector, us: { bid: '73.60', ask: '0', last: '73.61' } }).edges).toBeNull()
    expect(spreadOf({ ...vector, us: { bid: '73.70', ask: '73.60', last: null } })).toBeNull()
    expect(spreadOf({ ...vector, fx: { bid: null, ask: null, last: null } })).toBeNull()
    expect(spreadOf({ ...vector, ratio: '0' })).toBeNull()
  })
  it('has a premium on neither side within the tolerance, and on the edge of it', () => {
    const toronto = (price: string) => must({ ...vector, fx: sides('1', '1'), us: sides('100', '100'), toronto: sides(price, price) }).premium_side
    expect([toronto('100.01'), toronto('100.0101'), toronto('99.99'), toronto('99.9899')]).toEqual(['none', 'toronto', 'none', 'us'])
  })
  it('makes sides of one rate where a half-spread is stated, and reports which it did', () => {
    const one = must({ ...vector, fx: { bid: null, ask: null, last: '1.3741' } })
    const half = must({ ...vector, fx: { bid: null, ask: null, last: '1.3741' }, costs: { ...free, fx_half_spread: '2' } })
    expect([one.fx_sides, half.fx_sides]).toEqual(['one_rate', 'half_spread'])
    expect(half.edges?.buy_us_sell_toronto.edge_bps).toBeCloseTo((one.edges?.buy_us_sell_toronto.edge_bps ?? 0) - 2, 1)
    expect(half.spread_bps).toBe(one.spread_bps)
  })
  it('counts each cost where it falls: Section 31 and the activity fee on a sale in the United States alone', () => {
    const with_ = (costs: Partial<Costs>) => must({ ...vector, costs: { ...free, ...costs } }).edges
    expect(with_({ section_31: '27.8' })?.buy_us_sell_toronto.costs).toBe('0')
    // 73.60 x 27.8 / 1,000,000 x 1.3742
    expect(with_({ section_31: '27.8' })?.buy_toronto_sell_us.costs).toBe('0.002811723136')
    expect(with_({ commission_us: '0.005', commission_toronto: '0.01' })?.buy_us_sell_toronto.costs).toBe('0.016871')
    expect(with_({ finra_taf: '0.000166' })?.buy_toronto_sell_us.costs).toBe('0.0002281172')
    expect(with_({ borrow: '1' })?.buy_us_sell_toronto.costs).toBe('0.01012')
  })
})

describe('whatever the prices are', () => {
  const next = draws(7)
  const inputs = Array.from({ length: 300 }, () => randomInput(next))
  it('scaling a line and its ratio changes no ratio', () => {
    for (const input of inputs) {
      const scale = (text: string | null) =>
        text === null
          ? null
          : String(BigInt(text.replace('.', '')) * 2n)
              .padStart(4, '0')
              .replace(new RegExp(`(\\d{${text.split('.')[1]?.length ?? 0}})$`), '.$1')
      const doubled = {
        ...input,
        toronto: { bid: scale(input.toronto.bid), ask: scale(input.toronto.ask), last: null },
        us: input.us,
        ratio: String(Number(input.ratio) / 2),
      }
      const [a, b] = [must(input), must(doubled)]
      expect(b.spread_bps).toBe(a.spread_bps)
      expect(b.net_edge_bps).toBe(a.net_edge_bps)
      expect(b.fx_implied).toBe(a.fx_implied)
    }
  })
  it('at most one of the two edges is above 0 before costs, and none where the quotes overlap', () => {
    for (const input of inputs) {
      const { edges } = must(input)
      if (!edges) throw new TypeError('no edges')
      expect(edges.buy_us_sell_toronto.edge_bps > 0 && edges.buy_toronto_sell_us.edge_bps > 0).toBe(false)
    }
  })
  it('a cost never raises an edge, and more of it never does', () => {
    for (const [at, input] of inputs.entries()) {
      const name = costNames[at % costNames.length] as (typeof costNames)[number]
      const rateAlone = at % 2 === 0 ? input : { ...input, fx: { bid: null, ask: null, last: input.fx.bid } }
      const edges = ['0', '0.5', '3', '250'].map(value => must({ ...rateAlone, costs: { ...free, [name]: value } }).edges)
      for (const way of ['buy_us_sell_toronto', 'buy_toronto_sell_us'] as const) {
        const values = edges.map(each => each?.[way].edge_bps as number)
        expect(values).toEqual([...values].sort((a, b) => b - a))
      }
    }
  })
  it('the implied rate differs from the spot by as much as the prices do', () => {
    for (const input of inputs) {
      const { spread_bps, fx_implied_diff_bps } = must(input)
      expect(fx_implied_diff_bps).toBe(spread_bps)
    }
  })
  it('swapping what is dear and what is cheap swaps the side of the premium', () => {
    for (const input of inputs) {
      const here = must({ ...input, fx: sides('1', '1'), ratio: '1' })
      const there = must({ ...input, toronto: input.us, us: input.toronto, fx: sides('1', '1'), ratio: '1' })
      expect(Math.sign(there.spread_bps)).toBe(-Math.sign(here.spread_bps))
      expect(there.edges?.buy_us_sell_toronto.edge).toBe(here.edges?.buy_toronto_sell_us.edge)
    }
  })
})
