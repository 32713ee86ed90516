// The spread of one pair from two prices and a rate (ruleset arb, section d.1). Prices, rates and costs are exact fractions; only the
// ratios at the end are floats. Nothing here reads a clock: status.ts decides whether a spread may be traded.
import { compare, decimalOf, minus, numberOf, one, over, plus, type Ratio, ratio, ratioOf, times, zero } from '../../datasets/prices/ratio.ts'
import type { CostName, Costs } from '../../rulesets/arb/rules.ts'

/** Both sides of a market as decimals, or only the last trade price; `last` is null if there is no trade. */
export type Prices = { readonly bid: string | null; readonly ask: string | null; readonly last: string | null }
export type SpreadInput = {
  readonly toronto: Prices
  readonly us: Prices
  /** Units of the Toronto line's currency for one of the US line's (CAD per USD). */
  readonly fx: Prices
  /** Toronto shares per one US share. */
  readonly ratio: string
  readonly costs: Costs
  readonly tolerance_bps: string
}
export type Edge = {
  /** Per US share, in the Toronto line's currency: proceeds, price paid, costs of the trade, and what remains. */
  readonly proceeds: string
  readonly outlay: string
  readonly costs: string
  readonly edge: string
  readonly edge_bps: number
}
export type Spread = {
  readonly basis: 'mid' | 'last'
  readonly tsx_price: string
  readonly us_price: string
  readonly fx_rate: string
  /** The US price in the Toronto line's currency, per Toronto share. */
  readonly us_in_cad: string
  readonly spread_abs: string
  readonly spread_pct: number
  readonly spread_bps: number
  readonly premium_side: 'toronto' | 'us' | 'none'
  readonly fx_implied: number
  readonly fx_implied_diff_bps: number
  /** Null with last prices only: an edge requires quotes. */
  readonly edges: { readonly buy_us_sell_toronto: Edge; readonly buy_toronto_sell_us: Edge } | null
  readonly net_edge_bps: number | null
  /** `two_sided`: the rate had a bid and an ask; `half_spread`: both were derived from one rate and the stated cost; `one_rate`: one rate for both. */
  readonly fx_sides: 'two_sided' | 'half_spread' | 'one_rate'
}

const bps = (value: Ratio): number => numberOf(times(value, ratio(10_000n, 1n)))
const positive = (decimal: string | null): Ratio | null => {
  if (decimal === null) return null
  const value = ratioOf(decimal)
  return compare(value, zero) > 0 ? value : null
}

type Sides = { readonly bid: Ratio; readonly ask: Ratio }
/** Bid and ask if both exist and are not crossed: a crossed quote combines two moments. */
function sidesOf({ bid, ask }: Prices): Sides | null {
  const [low, high] = [positive(bid), positive(ask)]
  return low && high && compare(low, high) <= 0 ? { bid: low, ask: high } : null
}
const midOf = ({ bid, ask }: Sides): Ratio => over(plus(bid, ask), ratio(2n, 1n))

/** The middle of bid and ask if both are tradable, else the last trade price; null if there is neither. */
export function priceOf(prices: Prices): string | null {
  const sides = sidesOf(prices)
  return sides ? decimalOf(midOf(sides)) : prices.last
}

/** True if a market's bid and ask are tradable. */
export const isTwoSided = (prices: Prices): boolean => sidesOf(prices) !== null

/** Spread, premium, implied rate and both edges; null if one of the three inputs has no price above 0. */
export function spreadOf(input: SpreadInput): Spread | null {
  const r = positive(input.ratio)
  const [here, there, fx] = [sidesOf(input.toronto), sidesOf(input.us), sidesOf(input.fx)]
  const last = { here: positive(input.toronto.last), there: positive(input.us.last) }
  const rate = fx ? midOf(fx) : positive(input.fx.last)
  const mid = here !== null && there !== null
  const tsx = mid ? midOf(here) : (last.here ?? (here && midOf(here)))
  const us = mid ? midOf(there) : (last.there ?? (there && midOf(there)))
  if (!r || !rate || !tsx || !us) return null
  const usInCad = over(times(us, rate), r)
  const difference = minus(tsx, usInCad)
  const share = over(difference, usInCad)
  const implied = over(times(tsx, r), us)
  const edges = mid ? edgesOf(here, there, fx ?? madeSides(rate, input.costs.fx_half_spread), r, input.costs) : null
  return {
    basis: mid ? 'mid' : 'last',
    tsx_price: decimalOf(tsx),
    us_price: decimalOf(us),
    fx_rate: decimalOf(rate),
    us_in_cad: decimalOf(usInCad),
    spread_abs: decimalOf(difference),
    spread_pct: numberOf(times(share, ratio(100n, 1n))),
    spread_bps: bps(share),
    premium_side: sideOf(share, input.tolerance_bps),
    fx_implied: numberOf(implied),
    fx_implied_diff_bps: bps(over(minus(implied, rate), rate)),
    edges,
    net_edge_bps: edges && Math.max(edges.buy_us_sell_toronto.edge_bps, edges.buy_toronto_sell_us.edge_bps),
    fx_sides: fx ? 'two_sided' : ratioOf(input.costs.fx_half_spread).numerator > 0n ? 'half_spread' : 'one_rate',
  }
}

function sideOf(share: Ratio, toleranceBps: string): Spread['premium_side'] {
  const tolerance = over(ratioOf(toleranceBps), ratio(10_000n, 1n))
  if (compare(share, tolerance) > 0) return 'toronto'
  return compare(share, minus(zero, tolerance)) < 0 ? 'us' : 'none'
}

/** Bid and ask around one rate, half a spread of the given basis points to either side; a bid is never below 0. */
function madeSides(rate: Ratio, halfSpreadBps: string): Sides {
  const half = over(ratioOf(halfSpreadBps), ratio(10_000n, 1n))
  const below = minus(one, half)
  return { bid: compare(below, zero) > 0 ? times(rate, below) : zero, ask: times(rate, plus(one, half)) }
}

function edgesOf(here: Sides, there: Sides, fx: Sides, r: Ratio, costs: Costs): NonNullable<Spread['edges']> {
  const cost = (name: CostName): Ratio => ratioOf(costs[name])
  const perShare = plus(
    times(r, plus(cost('commission_toronto'), cost('access_fee_toronto'))),
    times(plus(cost('commission_us'), cost('access_fee_us')), fx.ask),
  )
  const ofAmount = (name: 'borrow' | 'carry', amount: Ratio): Ratio => times(amount, over(cost(name), ratio(10_000n, 1n)))
  const edge = (proceeds: Ratio, outlay: Ratio, more: Ratio): Edge => {
    const all = plus(plus(perShare, more), plus(ofAmount('borrow', proceeds), ofAmount('carry', outlay)))
    const left = minus(minus(proceeds, outlay), all)
    return {
      proceeds: decimalOf(proceeds),
      outlay: decimalOf(outlay),
      costs: decimalOf(all),
      edge: decimalOf(left),
      edge_bps: bps(over(left, outlay)),
    }
  }
  // Section 31 fees and the trading activity fee apply only to a sale in the United States.
  const usSale = plus(times(there.bid, over(cost('section_31'), ratio(1_000_000n, 1n))), cost('finra_taf'))
  return {
    buy_us_sell_toronto: edge(times(here.bid, r), times(there.ask, fx.ask), zero),
    buy_toronto_sell_us: edge(times(there.bid, fx.bid), times(here.ask, r), times(usSale, fx.ask)),
  }
}
