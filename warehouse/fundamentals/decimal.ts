// Exact sums of printed decimals: no binary float stands between a filing's figures and what is derived from them.

/** The sum of `sign * value`, with as many decimals as the most exact of them prints. */
export function signedSum(parts: readonly { readonly sign: 1 | -1; readonly value: string }[]): string {
  const scale = Math.max(0, ...parts.map(({ value }) => decimalsOf(value)))
  let total = 0n
  for (const { sign, value } of parts) {
    const digits = BigInt(value.replace('.', '') + '0'.repeat(scale - decimalsOf(value)))
    total += sign === 1 ? digits : -digits
  }
  const text = (total < 0n ? -total : total).toString().padStart(scale + 1, '0')
  const printed = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`
  return total < 0n ? `-${printed}` : printed
}

const decimalsOf = (value: string): number => {
  const point = value.indexOf('.')
  return point < 0 ? 0 : value.length - point - 1
}

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
 * True where one of the two is the other, rounded to three digits or more: a report that repeats 297,717,099 shares as 297,717
 * thousand restates nothing. With fewer digits nobody can tell: 500 is not 480, rounded.
 */
export function isRounding(a: string, b: string): boolean {
  const scale = Math.max(decimalsOf(a), decimalsOf(b))
  const digits = (value: string): bigint => BigInt(value.replace('.', '') + '0'.repeat(scale - decimalsOf(value)))
  const [x, y] = [digits(a), digits(b)]
  const [coarse, fine] = trailingZeros(x) > trailingZeros(y) ? [x, y] : [y, x]
  const unit = 10n ** BigInt(trailingZeros(coarse))
  const distance = coarse > fine ? coarse - fine : fine - coarse
  return unit > 1n && (coarse / unit >= 100n || coarse / unit <= -100n) && distance * 2n <= unit
}
const trailingZeros = (digits: bigint): number => (digits === 0n ? 0 : (/0*$/.exec(digits.toString())?.[0].length ?? 0))
