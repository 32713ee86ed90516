// What answers about prices are made of: bars, factors and held actions, of one instrument or of many that are read together.
import type { ReleaseContext } from '../context/answer.ts'
import type { ModelPrices } from '../context/price-model.ts'
import { type Days, type Factor, findFactorsOf, findPricesOf, ofSpans, orderedPrices, type Prices, rowsOfSymbols } from '../datasets/bars/bars.ts'
import { findHeldOf, type HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'
import type { Span } from '../datasets/symbols/symbol-index.ts'

const earliest = '0001-01-01'

/**
 * Everything stored of the symbols of the spans, of one instrument or several: bars of the days, factors and held actions. From the model of prices, else by one query for each table
 * of the lake. `asOfDay`: ex-dates after it are not read; `asOf`: null, or the instant at which rows must have been known.
 */
export async function findPriceRows(
  { lake, prices }: ReleaseContext,
  spans: readonly Span[],
  days: Days,
  asOfDay: string,
  asOf: string | null,
): Promise<ModelPrices> {
  const keys = [...new Set(spans.map(span => span.symbol))]
  const found = asOf === null ? await prices?.read(keys, days) : null
  if (found) return found
  const [bars, factors, held] = await Promise.all([
    findPricesOf(lake, keys, days, asOf),
    findFactorsOf(lake, keys, asOfDay, asOf),
    findHeldOf(lake, keys, days.from ?? earliest, asOfDay, asOf),
  ])
  return { prices: bars, factors, held }
}

/** The bars of an instrument, oldest first, its factors up to `asOfDay`, and its held actions after the first of the days up to then. */
export type Series = { readonly bars: Prices; readonly factors: readonly Factor[]; readonly held: readonly HeldAction[] }

export function seriesOf({ prices, factors, held }: ModelPrices, spans: readonly Span[], days: Days, asOfDay: string): Series {
  return {
    bars: orderedPrices(rowsOfSymbols(prices, new Set(spans.map(span => span.symbol))), spans),
    ...actionsOf({ factors: ofSpans(factors, spans), held: ofSpans(held, spans) }, days, asOfDay),
  }
}

/** Of an instrument's factors and held actions those that a series has. */
export function actionsOf(
  { factors, held }: Pick<ModelPrices, 'factors' | 'held'>,
  days: Days,
  asOfDay: string,
): { readonly factors: readonly Factor[]; readonly held: readonly HeldAction[] } {
  const after = days.from ?? earliest
  return {
    factors: factors.filter(factor => factor.ex_date <= asOfDay),
    held: held.filter(action => action.ex_date > after && action.ex_date <= asOfDay),
  }
}
