import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rounded } from './rounded.ts'

describe('rounding to twelve digits', () => {
  it('is the reading of those digits', () => {
    const digits = (value: number): number => Number(value.toPrecision(12))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double({ noNaN: true }),
          fc.double({ min: 0.001, max: 1e6, noNaN: true }),
          fc.integer({ min: 1, max: 1e9 }).map(n => n / 1e4),
        ),
        value => {
          expect(Object.is(rounded(value), digits(value))).toBe(true)
        },
      ),
      { numRuns: 20_000 },
    )
    for (let power = -5; power < 14; power += 1)
      for (const near of [1, 1 - 2 ** -53, 1 + 2 ** -52, 1.0000000000005, 1.00000000000049])
        expect(rounded(near * 10 ** power)).toBe(digits(near * 10 ** power))
  })
})
