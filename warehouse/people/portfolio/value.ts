// The value of positions in one currency, in exact decimals. A position without a price or a rate is in no sum and never counts as 0.
import { difference, productOf, sumOf } from '#schemas/decimals.ts'
import type { Position, Target } from '#schemas/portfolio.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { LastPrice } from '../../answers/quotes.ts'
import type { RateUsed } from './rates.ts'

type UnvaluedReason = 'unknown_symbol' | 'delisted' | 'no_price' | 'no_rate'
export type Split = { readonly ex_date: string; readonly numerator: string; readonly denominator: string }
/** A position with what is known of its listing. */
export type Holding = {
  readonly position: Position
  readonly listing: 'listed' | 'delisted' | 'unknown'
  readonly price: LastPrice | null
  readonly splits_since: readonly Split[]
}
export type Valued = Holding & {
  readonly price_rate: string | null
  readonly cost_rate: string | null
  readonly market_value: string | null
  readonly cost: string | null
  readonly gain: string | null
  readonly reason: UnvaluedReason | null
}
export type Sums = {
  readonly positions: number
  readonly priced: number
  readonly market_value: string | null
  readonly costed: number
  readonly cost: string | null
  readonly gained: number
  readonly gain: string | null
}
export type RateTo = (currency: string) => RateUsed | null

/** Values one position. A short is worth less than 0, and its cost is what it was sold for, below 0 too. */
export function valuePosition(holding: Holding, target: Target, rateTo: RateTo): Valued {
  const { position, price, listing } = holding
  const rate = (currency: string): string | null => (currency === target ? '1' : (rateTo(currency)?.rate ?? null))
  const price_rate = price === null ? null : rate(price.currency)
  const cost_rate = rate(position.currency)
  const reason: UnvaluedReason | null =
    listing === 'unknown'
      ? 'unknown_symbol'
      : listing === 'delisted'
        ? 'delisted'
        : price === null
          ? 'no_price'
          : price_rate === null
            ? 'no_rate'
            : null
  const market_value =
    reason === null && price !== null && price_rate !== null ? productOf(productOf(position.quantity, plainDecimal(price.price)), price_rate) : null
  const cost =
    position.acb_per_share === null || cost_rate === null ? null : productOf(productOf(position.quantity, position.acb_per_share), cost_rate)
  const gain = market_value === null || cost === null ? null : difference(market_value, cost)
  return { ...holding, price_rate, cost_rate, market_value, cost, gain, reason }
}

/** Sums of what is known, with the number of positions in each; null if none of several is known, 0 for an empty list. */
export function sumsOf(valued: readonly Valued[]): Sums {
  const sum = (of: 'market_value' | 'cost' | 'gain'): { readonly count: number; readonly sum: string | null } => {
    const known = valued.flatMap(each => each[of] ?? [])
    return { count: known.length, sum: known.length === 0 && valued.length > 0 ? null : sumOf(known) }
  }
  const [value, cost, gain] = [sum('market_value'), sum('cost'), sum('gain')]
  return {
    positions: valued.length,
    priced: value.count,
    market_value: value.sum,
    costed: cost.count,
    cost: cost.sum,
    gained: gain.count,
    gain: gain.sum,
  }
}

/** Sums of each group, in the order of its name. */
export const sumsBy = (valued: readonly Valued[], keyOf: (position: Position) => string): readonly (readonly [string, Sums])[] =>
  [...Map.groupBy(valued, each => keyOf(each.position))].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, group]) => [key, sumsOf(group)])
