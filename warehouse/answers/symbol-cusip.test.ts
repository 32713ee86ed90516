import { expect, test } from 'vitest'
import { cusipCheckDigit } from '#schemas/cusip.ts'
import { requestedCusip } from './symbol-cusip.ts'

const cusip = `99Z7X1A0${cusipCheckDigit('99Z7X1A0')}`

test('a CUSIP is known by its check digit, in any usual writing', () => {
  const other = String((Number(cusip[8]) + 1) % 10)
  expect([requestedCusip(cusip), requestedCusip(cusip.toLowerCase()), requestedCusip(`${cusip.slice(0, 6)}-${cusip.slice(6)}`)]).toEqual([
    cusip,
    cusip,
    cusip,
  ])
  expect(requestedCusip(cusip.slice(0, 8) + other)).toBeNull()
})
test('an ISIN of the United States or Canada contains the CUSIP, where both check digits hold', () => {
  const found = (country: string): (string | null)[] =>
    Array.from({ length: 10 }, (_, digit) => requestedCusip(`${country}${cusip}${digit}`)).filter(each => each !== null)
  // Of ten last digits one is right.
  expect([found('US'), found('CA'), found('GB')]).toEqual([[cusip], [cusip], []])
})
test('symbols, names and nine zeros are no CUSIP', () => {
  for (const text of ['AAPL', 'BRK.B', '000000000', 'NA', 'TRUE', 'NORTHGATE', '']) expect(requestedCusip(text)).toBeNull()
})
