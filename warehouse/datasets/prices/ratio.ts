// Exact fractions of integers: split ratios and factors are multiplied here, and rounded once, when they become a double. The second of
// the three number systems of docs/architecture.md#numbers.

declare const made: unique symbol
/** A fraction whose denominator is above 0. Only the functions of this file make one, which the type checker enforces. */
export type Ratio = { readonly numerator: bigint; readonly denominator: bigint; readonly [made]: true }

/** A fraction that is only compared or divided: not reduced to lowest terms, which costs more than both. The denominator must be above 0. */
export const unreduced = (numerator: bigint, denominator: bigint): Ratio => ({ numerator, denominator }) as Ratio

export const zero = unreduced(0n, 1n)
export const one = unreduced(1n, 1n)

/** A fraction in lowest terms with a positive denominator; the denominator must not be 0. */
export function ratio(numerator: bigint, denominator: bigint): Ratio {
  if (denominator === 0n) throw new RangeError('ratio: the denominator is 0')
  const sign = denominator < 0n ? -1n : 1n
  const shared = divisor(numerator < 0n ? -numerator : numerator, denominator * sign)
  return unreduced((numerator * sign) / shared, (denominator * sign) / shared)
}

function divisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x === 0n ? 1n : x
}

/** The exact value of a decimal in JSON-number form without exponent (`Decimal` of schemas/values.ts). */
export function ratioOf(decimal: string): Ratio {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return ratio(BigInt(whole + fraction), 10n ** BigInt(fraction.length))
}

export const times = (a: Ratio, b: Ratio): Ratio => ratio(a.numerator * b.numerator, a.denominator * b.denominator)
export const over = (a: Ratio, b: Ratio): Ratio => ratio(a.numerator * b.denominator, a.denominator * b.numerator)
export const plus = (a: Ratio, b: Ratio): Ratio => ratio(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
export const negated = ({ numerator, denominator }: Ratio): Ratio => unreduced(-numerator, denominator)
export const minus = (a: Ratio, b: Ratio): Ratio => plus(a, negated(b))
export const compare = (a: Ratio, b: Ratio): number => {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The double nearest to the fraction (one rounding). */
export function numberOf({ numerator, denominator }: Ratio): number {
  if (numerator === 0n) return 0
  const negative = numerator < 0n
  const top = negative ? -numerator : numerator
  const shift = bits(denominator) - bits(top) + 66 // a quotient of 66 bits or more: the lowest cannot be one of the 53
  const [scaledTop, scaledBottom] = shift >= 0 ? [top << BigInt(shift), denominator] : [top, denominator << BigInt(-shift)]
  const quotient = scaledTop / scaledBottom
  const sticky = scaledTop % scaledBottom === 0n ? quotient : quotient | 1n
  const value = Number(sticky) * 2 ** -shift
  return negative ? -value : value
}
const bits = (n: bigint): number => n.toString(2).length

/** The fraction as a decimal with at most `digits` digits after the point (half away from zero), trailing zeros dropped. */
export function decimalOf({ numerator, denominator }: Ratio, digits = 12): string {
  const negative = numerator < 0n
  const scale = 10n ** BigInt(digits)
  const scaled = ((negative ? -numerator : numerator) * scale * 2n + denominator) / (denominator * 2n)
  const fraction = (scaled % scale).toString().padStart(digits, '0').replace(/0+$/, '')
  return `${negative && scaled !== 0n ? '-' : ''}${scaled / scale}${fraction === '' ? '' : `.${fraction}`}`
}
