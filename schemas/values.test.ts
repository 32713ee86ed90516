import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, isCalendarDay } from './days.ts'
import { decimalText } from './values.ts'

describe('a printed decimal', () => {
  test.each([
    ['0', '0'],
    ['10', '10'],
    ['0.5', '0.5'],
    ['43.830', '43.830'],
    ['007', '7'],
    ['00', '0'],
    ['00.5', '0.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['.', null],
    ['', null],
    ['1.2.3', null],
    ['1..2', null],
    ['1,000.50', '1000.50'],
    ['10,00', null],
    ['$1,000', '1000'],
    ['+5', '5'],
    ['-5', '-5'],
    [' 5 ', '5'],
    ['1e5', null],
    ['٣', null],
  ])('%j is %j', (text, expected) => expect(decimalText(text)).toBe(expected))

  test('any text of digits, points, signs and separators reads as by the rule alone', () => {
    // The rule: a sign, a dollar sign, digits with or without separators of thousands, a point and digits; zeros in front go.
    const byRule = (text: string): string | null => {
      const match = /^([+-]?)\$?(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?$/.exec(text.trim())
      const [, sign = '', whole = '', fraction = ''] = match ?? []
      if (match === null || whole + fraction === '') return null
      return `${sign === '-' ? '-' : ''}${whole.replaceAll(',', '').replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
    }
    const text = fc.array(fc.constantFrom(...'0012.5,-+$ '), { maxLength: 9 }).map(parts => parts.join(''))
    fc.assert(
      fc.property(text, each => {
        expect(decimalText(each)).toBe(byRule(each))
      }),
      { numRuns: 3000, seed: 20261129 },
    )
  })
})

describe('a calendar day', () => {
  test('every day of 1899 to 2101 is one, and the days between them that the calendar does not have are none', () => {
    const days = new Set<string>()
    for (let day = '1899-01-01'; day <= '2101-12-31'; day = addDays(day, 1)) days.add(day)
    const two = (number: number): string => String(number).padStart(2, '0')
    for (let year = 1899; year <= 2101; year += 1)
      for (let month = 0; month <= 13; month += 1)
        for (const day of [0, 1, 28, 29, 30, 31, 32, 99]) {
          const text = `${year}-${two(month)}-${two(day)}`
          if (isCalendarDay(text) !== days.has(text)) expect.unreachable(text)
        }
  })
  test.each(['2024-1-1', '02024-01-01', '2024-01-1x', 'NaN-01-01', '', '2024/01/01', '2024-01-01T'])('%j is none', text =>
    expect(isCalendarDay(text)).toBe(false),
  )
  test.each(['0000-02-29', '0004-02-29', '9999-12-31'])('%j is one', text => expect(isCalendarDay(text)).toBe(true))
})
