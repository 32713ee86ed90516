// Restores prices that a source divided by later splits: exact in fractions, and printed with as few digits as the
// source's rounding leaves certain (0.097222 of Microsoft in 1986, divided by 288, is 28.00 and not 27.999936).
import { plainDecimal } from '#schemas/values.ts'
import { compare, decimalOf, minus, numberOf, one, over, type Ratio, ratio, ratioOf, times } from '#warehouse/datasets/prices/ratio.ts'
import { priceRules } from '#warehouse/datasets/prices/rules.ts'

/** Sources round a divided price to six digits after the point, at best. */
const roundedTo = ratio(1n, 2_000_000n)
/** Half the distance of 32-bit floats, as a share of the number. */
const floatShare = ratio(1n, 2n ** 25n)
const mostDigits = 12

/** The shortest decimal that is the same 32-bit float, for sources that print those with the digits of a double. */
function shortened(value: number): number {
  if (Math.fround(value) !== value) return value
  for (let digits = 6; digits < 10; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

const sizeOf = (value: Ratio): Ratio => (value.numerator < 0n ? ratio(-value.numerator, value.denominator) : value)

/** A price that was divided by `shares` (new shares per old of all later splits), as it was traded: a decimal. */
export function undividedPrice(printed: number, shares: Ratio): string {
  if (compare(shares, one) === 0) return plainDecimal(printed)
  const short = ratioOf(plainDecimal(shortened(printed)))
  const traded = times(short, shares)
  const half = times(compare(times(short, floatShare), roundedTo) > 0 ? times(short, floatShare) : roundedTo, shares)
  for (let digits = 0; digits < mostDigits; digits++) {
    const candidate = decimalOf(traded, digits)
    if (Number(candidate) > 0 && compare(sizeOf(minus(ratioOf(candidate), traded)), half) <= 0) return candidate
  }
  return decimalOf(traded, mostDigits)
}

/** A number of shares that was multiplied by `shares`, as it was traded, to the nearest whole one. */
export const undividedVolume = (printed: number, shares: Ratio): number =>
  compare(shares, one) === 0 ? printed : Math.round(numberOf(over(ratioOf(plainDecimal(printed)), shares)))

export type KnownSplit = { readonly ex_date: string; readonly ratio: Ratio }

/** New shares per old of all splits after a day, up to and including another. */
export function sharesAfter(splits: readonly KnownSplit[], date: string, until = '9999-12-31'): Ratio {
  return splits.filter(split => split.ex_date > date && split.ex_date <= until).reduce((product, split) => times(product, split.ratio), one)
}

/** A ratio closer to 1 than this is indistinguishable from an ordinary day's move. */
const visibleFrom = priceRules.ratio_visible_from

/**
 * Whether printed closes (any order) can be divided by all of these splits. Yahoo lists a split days before it divides by it: then the
 * close jumps by the ratio over the ex-date, which a divided series does not.
 */
export function areDivided(closes: readonly { readonly date: string; readonly close: number }[], splits: readonly KnownSplit[]): boolean {
  const rows = closes.filter(row => row.close > 0).sort((a, b) => (a.date < b.date ? -1 : 1))
  return splits.every(({ ex_date, ratio: shares }) => {
    const expected = Math.log(numberOf(shares))
    const after = rows.findIndex(row => row.date >= ex_date)
    const before = rows[after - 1]
    if (!before || Math.abs(expected) < Math.log(visibleFrom)) return true
    return Math.log(before.close / rows[after]!.close) / expected < 0.5
  })
}
