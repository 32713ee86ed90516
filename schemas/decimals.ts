// Exact addition, multiplication, comparison and shifting of printed decimals, without binary floats. Addition is fast for whole
// numbers, which nearly all of them are. The first of the three number systems of docs/architecture.md#numbers.

/** Adds up decimals; 50,000 of them without a BigInt each. */
export class Sum {
  #whole = 0
  #large = 0n
  /** Of decimals with a fraction: the digits, and the number of decimals. */
  readonly #fractions = new Map<number, bigint>()

  add(decimal: string): void {
    const point = decimal.indexOf('.')
    if (point < 0) {
      if (decimal.length > 15) this.#large += BigInt(decimal)
      else {
        this.#whole += Number(decimal)
        if (this.#whole > 4e15 || this.#whole < -4e15) {
          this.#large += BigInt(this.#whole)
          this.#whole = 0
        }
      }
      return
    }
    const scale = decimal.length - point - 1
    this.#fractions.set(scale, (this.#fractions.get(scale) ?? 0n) + BigInt(decimal.slice(0, point) + decimal.slice(point + 1)))
  }

  /** The sum in plain digits, without zeros that no summand printed. */
  toString(): string {
    const scale = Math.max(0, ...this.#fractions.keys())
    let digits = (this.#large + BigInt(this.#whole)) * 10n ** BigInt(scale)
    for (const [own, value] of this.#fractions) digits += value * 10n ** BigInt(scale - own)
    return printed(digits, scale)
  }
}

function printed(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : ''
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** `left - right` of two decimals. */
export function difference(left: string, right: string): string {
  const sum = new Sum()
  sum.add(left)
  sum.add(right.startsWith('-') ? right.slice(1) : `-${right}`)
  return sum.toString()
}

/** A decimal times ten to the power of `places`, exactly: `12.5` by 3 is `12500`, `7` by -3 is `0.007`. */
export function shiftDecimal(decimal: string, places: number): string {
  const negative = decimal.startsWith('-')
  const [whole = '0', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.')
  const digits = whole + fraction
  const point = whole.length + places
  const left = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  const right = (point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point)).replace(/0+$/, '')
  const plain = left.replace(/^0+(?=\d)/, '')
  const text = right === '' ? plain : `${plain}.${right}`
  return negative && text !== '0' ? `-${text}` : text
}

/** The exact sum of decimals; `0` of none. */
export function sumOf(decimals: readonly string[]): string {
  const sum = new Sum()
  for (const decimal of decimals) sum.add(decimal)
  return sum.toString()
}

/** The exact product of two decimals. */
export function productOf(left: string, right: string): string {
  return printed(digitsOf(left, decimalsOf(left)) * digitsOf(right, decimalsOf(right)), decimalsOf(left) + decimalsOf(right))
}

/** The sum of `sign * value`, with as many decimals as the most exact of them prints. */
export function signedSum(parts: readonly { readonly sign: 1 | -1; readonly value: string }[]): string {
  const scale = Math.max(0, ...parts.map(({ value }) => decimalsOf(value)))
  let total = 0n
  for (const { sign, value } of parts) total += BigInt(sign) * digitsOf(value, scale)
  return printed(total, scale)
}

/** The number of digits after the decimal point. */
export function decimalsOf(decimal: string): number {
  const point = decimal.indexOf('.')
  return point < 0 ? 0 : decimal.length - point - 1
}

/** The digits as a whole number, counted in units of ten to the power of `-scale`; the decimal has no more places than that. */
export const digitsOf = (decimal: string, scale: number): bigint => BigInt(decimal.replace('.', '') + '0'.repeat(scale - decimalsOf(decimal)))

/** Equal as numbers: `1.50` and `1.5`. */
export const isSameNumber = (a: string, b: string): boolean =>
  a === b ||
  /^-?0*(\.0*)?$/.test(
    signedSum([
      { sign: 1, value: a },
      { sign: -1, value: b },
    ]),
  )

/**
 * True if one of the two is the other, rounded to three digits or more: a report that repeats 297,717,099 shares as 297,717 thousand is not
 * a restatement. Fewer digits are not sufficient: 500 may or may not be 480, rounded.
 */
export function isRounding(a: string, b: string): boolean {
  const scale = Math.max(decimalsOf(a), decimalsOf(b))
  const [x, y] = [digitsOf(a, scale), digitsOf(b, scale)]
  const [coarse, fine] = trailingZeros(x) > trailingZeros(y) ? [x, y] : [y, x]
  const unit = 10n ** BigInt(trailingZeros(coarse))
  const distance = coarse > fine ? coarse - fine : fine - coarse
  return unit > 1n && (coarse / unit >= 100n || coarse / unit <= -100n) && distance * 2n <= unit
}
const trailingZeros = (digits: bigint): number => (digits === 0n ? 0 : (/0*$/.exec(digits.toString())?.[0].length ?? 0))

/** `numerator / denominator` rounded half away from zero to `places` decimals, without zeros at its end; the denominator is not zero. */
export function quotientOf(numerator: string, denominator: string, places: number): string {
  const scale = Math.max(decimalsOf(numerator), decimalsOf(denominator))
  const [over, under] = [digitsOf(numerator, scale) * 10n ** BigInt(places), digitsOf(denominator, scale)]
  const negative = over < 0n !== under < 0n
  const [top, bottom] = [over < 0n ? -over : over, under < 0n ? -under : under]
  const rounded = (2n * top + bottom) / (2n * bottom)
  return shiftDecimal((negative ? -rounded : rounded).toString(), -places)
}

/** A decimal rounded half away from zero to at most `places` decimals, without zeros at its end. */
export const roundedDecimal = (decimal: string, places: number): string => quotientOf(decimal, '1', places)

/** Negative, zero or positive: compares `left` with `right` as numbers. */
export function compareDecimals(left: string, right: string): number {
  const scale = Math.max(decimalsOf(left), decimalsOf(right))
  const [a, b] = [digitsOf(left, scale), digitsOf(right, scale)]
  return a < b ? -1 : a > b ? 1 : 0
}
