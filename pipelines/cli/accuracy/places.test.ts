import { describe, expect, test } from 'vitest'
import { linesOf, placesOf } from './places.ts'

const document = linesOf(`<p>Gross proceeds of $12,500,000.00</p>
The offering closed on May 6, 2024, and 05/07/2024 was the record day.
<b>Tidewrack</b>&nbsp;<i>Motors</i>
Inc sold 2,000 shares at 1.005 each
AT&amp;T Inc, item 12500000
Item 2.02 at 11 to 11.00 a share`)
const at = (value: unknown): [number, string][] => placesOf(document, value).map(place => [place.line, place.printed])

describe('the place of a value', () => {
  test.each<[string, unknown, [number, string][]]>([
    ['an amount with commas and cents', 12_500_000, [[1, '12,500,000.00']]],
    ['a decimal whose zeros are left out', '1.0050', [[4, '1.005']]],
    ['a day in words', '2024-05-06', [[2, 'May 6, 2024']]],
    ['a day in numbers', '2024-05-07', [[2, '05/07/2024']]],
    ['a name across marks of HTML and lines, shown without them', 'Tidewrack Motors Inc', [[3, 'Tidewrack Motors Inc']]],
    ['an ampersand', 'AT&T Inc', [[5, 'AT&T Inc']]],
    [
      'each part of a list',
      [['Tidewrack Motors', 2000, null, true]],
      [
        [3, 'Tidewrack Motors'],
        [4, '2,000'],
      ],
    ],
    ['part of another number is none', 500, []],
    ['a small count is none', 12, []],
    ['a price of whole dollars', '11.00', [[6, '11.00']]],
    ['the names of an object', { '2.02': 49 }, [[6, '2.02']]],
    ['a code of the reader is none', 'full', []],
    ['a part of a word is none', 'Tidewrac', []],
    ['null is none', null, []],
  ])('%s', (_name, value, places) => expect(at(value)).toEqual(places))

  test('is never inside of a tag', () => {
    const page = linesOf('<p id="f75b115ae" class="x-3152">no number</p>\n<i>115 and 3,152</i>')
    expect(placesOf(page, [115, 3152]).map(({ line, printed }) => [line, printed])).toEqual([
      [2, '115'],
      [2, '3,152'],
    ])
  })
  test('comes with the words around it', () => {
    expect(placesOf(document, 12_500_000)).toEqual([
      { line: 1, before: ' Gross proceeds of $', printed: '12,500,000.00', after: expect.stringMatching(/^ The offering/) },
    ])
  })
})
