// Indicators over daily closes: Wilder's relative strength index and the simple moving average, exactly.
import { compareDecimals, decimalsOf, digitsOf, sumOf } from '#schemas/decimals.ts'
import { minus, one, over, type Ratio, ratio, ratioOf, times, unreduced } from '../../datasets/prices/ratio.ts'

/**
 * Wilder's RSI of the last close, from 0 to 100; closes from the oldest to the newest. Null with fewer than `period` + 1 closes; `flat` if
 * there was neither a gain nor a loss. The averages are kept as whole numbers, scaled by `period` to the power of their age, because only
 * their ratio is used. Work grows with the square of the number of closes.
 */
export function rsiWilder(closes: readonly string[], period: number, flat: string): Ratio | null {
  if (closes.length <= period) return null
  const scale = Math.max(...closes.map(decimalsOf))
  const whole = closes.map(close => digitsOf(close, scale))
  const changes = whole.slice(1).map((close, at) => close - (whole[at] as bigint))
  const gains = changes.map(change => (change > 0n ? change : 0n))
  const losses = changes.map(change => (change < 0n ? -change : 0n))
  const [gain, loss] = [smoothed(gains, period), smoothed(losses, period)]
  return gain + loss === 0n ? ratioOf(flat) : ratio(100n * gain, gain + loss)
}

/** Wilder's average of changes times `period` to the power of the number of averages taken. */
function smoothed(changes: readonly bigint[], period: number): bigint {
  const length = BigInt(period)
  let average = changes.slice(0, period).reduce((sum, change) => sum + change, 0n)
  let scale = length
  for (const change of changes.slice(period)) {
    average = average * (length - 1n) + scale * change
    scale *= length
  }
  return average
}

/** The mean of the last `bars` closes, the newest last; null with fewer closes. */
export function sma(closes: readonly string[], bars: number): Ratio | null {
  if (bars < 1 || closes.length < bars) return null
  const total = ratioOf(sumOf(closes.slice(-bars)))
  return ratio(total.numerator, total.denominator * BigInt(bars))
}

/** How far `price` is above `baseline`, in percent of it; null without a baseline above zero. */
export function gainPct(price: string, baseline: string | null): Ratio | null {
  if (baseline === null || compareDecimals(baseline, '0') <= 0) return null
  return times(unreduced(100n, 1n), minus(over(ratioOf(price), ratioOf(baseline)), one))
}
