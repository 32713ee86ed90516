// The three number systems of docs/architecture.md#numbers do not mix. `tsc` fails if a line below an expected error compiles.
import { expect, test } from 'vitest'
import { compareDecimals, sumOf } from '#schemas/decimals.ts'
import { Decimal, fitsDouble, plainDecimal, Real } from '#schemas/values.ts'
import { compare, decimalOf, numberOf, over, plus, type Ratio, ratioOf, times } from './ratio.ts'

const printed: string = Decimal.parse('106150.00')
const price: number = Real.parse(12.5)
const factor: Ratio = over(ratioOf('1'), ratioOf('3'))

test('mixtures do not compile', () => {
  const mixtures = [
    // @ts-expect-error: a decimal is no operand of a multiplication
    () => printed * 2,
    // @ts-expect-error: a fraction is no operand of a multiplication
    () => factor * 2,
    // @ts-expect-error: a double has no printed digits
    () => sumOf([price]),
    // @ts-expect-error: a double is not compared as a decimal
    () => compareDecimals(price, '1'),
    // @ts-expect-error: a double is not exact
    () => ratioOf(price),
    // @ts-expect-error: a decimal becomes a fraction through ratioOf
    () => plus(factor, printed),
    // @ts-expect-error: a double becomes no fraction
    () => times(factor, price),
    // @ts-expect-error: a double column takes no decimal
    () => Real.parse(price) satisfies string,
    // @ts-expect-error: only ratio.ts makes a fraction
    () => numberOf({ numerator: 1n, denominator: 0n }),
    // @ts-expect-error: a factor of a split with its digits is no fraction
    () => compare(factor, { numerator: '2', denominator: '1' }),
  ]
  expect(mixtures).toHaveLength(10)
})

test('each system is left through a function that rounds at most once', () => {
  expect(decimalOf(factor, 4)).toBe('0.3333')
  expect(numberOf(factor)).toBe(1 / 3)
  expect(decimalOf(ratioOf(printed))).toBe('106150')
  expect([fitsDouble('12.50'), fitsDouble('0.1234567890123456789')]).toEqual([true, false])
  expect(plainDecimal(price)).toBe('12.5')
})
