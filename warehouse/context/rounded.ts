// Computed ratios have twelve significant digits, so that noise of the last bits is not printed as precision.

/** Ratios from `leastFast` on and below `mostFast` are rounded with a multiplication; printing and reading the digits takes ten times as long. */
const leastFast = 0.01
const mostFast = 1e11
const [leastWhole, mostWhole] = [1e11, 1e12]
/** 10^0 to 10^13: all exact doubles. */
const powers = Array.from({ length: 14 }, (_, exponent) => 10 ** exponent)

/** How many decimals a ratio from 0.01 to 1e11 has with twelve significant digits. A search costs less than a logarithm. */
export function decimalPlaces(value: number): number {
  if (value < 100) return value < 1 ? (value < 0.1 ? 13 : 12) : value < 10 ? 11 : 10
  let decimals = 9
  while (value >= (powers[12 - decimals] as number)) decimals -= 1
  return decimals
}

/**
 * The twelve digits of a ratio as an integer, which has `decimals` decimals; NaN if a multiplication and a rounding do not give them for
 * certain: outside of the range, at its powers of ten, and if the thirteenth digit is next to a half.
 */
export function twelveDigits(value: number, decimals: number): number {
  const scaled = value * (powers[decimals] as number)
  const whole = Math.round(scaled)
  return Math.abs(Math.abs(scaled - whole) - 0.5) > 0.001 && whole >= leastWhole && whole < mostWhole ? whole : Number.NaN
}

export const isFastRatio = (value: number): boolean => value >= leastFast && value < mostFast

/** A computed ratio, rounded once to twelve significant digits. */
export function rounded(value: number): number {
  if (isFastRatio(value)) {
    const decimals = decimalPlaces(value)
    const whole = twelveDigits(value, decimals)
    if (!Number.isNaN(whole)) return whole / (powers[decimals] as number)
  }
  return Number(value.toPrecision(12))
}
