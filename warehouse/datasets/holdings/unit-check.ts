// The final check of a filing's unit, against stored closes. If most of a filing's values per share differ from the close by a factor of
// 500 to 2,000, the filing uses the other unit, regardless of its day and its form.
import { shiftDecimal } from '#schemas/decimals.ts'

export type Priced = {
  readonly value: string | null
  readonly value_usd: string | null
  readonly shares: string | null
  readonly shares_type: string | null
  readonly put_call: string | null
  readonly flags: readonly string[]
}
export type UnitCheck = {
  /** Places by which values in dollars have to move: 0, 3 or -3. */
  readonly places: 0 | 3 | -3
  /** Rows that had a price to compare with, and the median of their value per share over that price. */
  readonly compared: number
  readonly median_ratio: number | null
}

/** Value in dollars per share over a price; null for options, principal amounts, copied columns and blanks. */
export function priceRatio(row: Priced, price: number | null): number | null {
  if (price === null || price <= 0 || row.put_call !== null || row.shares_type === 'PRN' || row.flags.includes('value_in_shares')) return null
  const [value, shares] = [Number(row.value_usd ?? row.value ?? 0), Number(row.shares ?? 0)]
  return value > 0 && shares > 0 ? value / shares / price : null
}

/** Whether a ratio is a thousand times too large or too small, or neither. */
export const placesOff = (ratio: number): 0 | 3 | -3 => (ratio > 500 && ratio < 2000 ? -3 : ratio > 1 / 2000 && ratio < 1 / 500 ? 3 : 0)

/** Checks a filing by the ratios of its rows; at least two rows must have a price, and most of them must agree. */
export function checkUnit(ratios: readonly number[]): UnitCheck {
  const middle = median(ratios)
  const places = middle === null || ratios.length < 2 ? 0 : placesOff(middle)
  const agreeing = ratios.filter(ratio => placesOff(ratio) === places).length
  return { places: agreeing * 2 > ratios.length ? places : 0, compared: ratios.length, median_ratio: middle }
}

/** The value in dollars after a check moved it. */
export const movedValue = (valueUsd: string | null, places: 0 | 3 | -3): string | null =>
  valueUsd === null || places === 0 ? valueUsd : shiftDecimal(valueUsd, places)

/** The middle of numbers (of two, the lower); null of none. */
export function median(values: readonly number[]): number | null {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}
