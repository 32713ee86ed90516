import fc from 'fast-check'
import { expect, test } from 'vitest'
import { difference, Sum, shiftDecimal } from '#schemas/decimals.ts'
import { checkUnit, movedValue, priceRatio } from './unit-check.ts'

const row = { value: '100', value_usd: '100', shares: '2', shares_type: 'SH', put_call: null, flags: [] as string[] }

test('a filing most of whose rows are a thousand times off the close is in the other unit', () => {
  expect(checkUnit([0.00098, 0.00101, 0.001, 1.02])).toMatchObject({ places: 3, compared: 4 })
  expect(checkUnit([990, 1015, 1001])).toMatchObject({ places: -3 })
})
test('a stale price or a split does not move values: a factor of two or twenty is no unit', () => {
  expect(checkUnit([0.05, 0.5, 1, 2, 20]).places).toBe(0)
  expect(checkUnit([0.001]).places).toBe(0)
  expect(checkUnit([]).places).toBe(0)
})
test('options, principal amounts and copied columns imply no price', () => {
  expect(priceRatio(row, 50)).toBe(1)
  expect(priceRatio({ ...row, put_call: 'put' }, 50)).toBeNull()
  expect(priceRatio({ ...row, shares_type: 'PRN' }, 50)).toBeNull()
  expect(priceRatio({ ...row, flags: ['value_in_shares'] }, 50)).toBeNull()
  expect(priceRatio(row, null)).toBeNull()
})
test('values move digit by digit and back again', () => {
  expect([movedValue('192767', 3), movedValue('12.5', 3), movedValue('7', -3), movedValue(null, 3)]).toEqual(['192767000', '12500', '0.007', null])
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), whole => {
      expect(shiftDecimal(shiftDecimal(String(whole), 3), -3)).toBe(String(whole))
    }),
  )
})
test('sums are exact, whatever the mixture of digits', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat(4))), list => {
      const sum = new Sum()
      for (const [digits, scale] of list) sum.add(shiftDecimal(String(digits), -scale))
      const exact = list.reduce((total, [digits, scale]) => total + digits * 10n ** BigInt(4 - scale), 0n)
      expect(Number(difference(sum.toString(), shiftDecimal(String(exact), -4)))).toBe(0)
    }),
  )
})
