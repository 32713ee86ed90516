// When the keys of a prospectus are equal: sellers with aliases and roles, one of several readings, a document that offers nothing.
import { describe, expect, test } from 'vitest'
import { namesOnly, offering, sameReading, sameSellers } from './offering.ts'

const entry = {
  aliases: { 'Siskin Securities, LLC': ['Siskin'] },
  underwriters_also: ['Wren Clearing LLC'],
}
const expected = [
  ['Siskin Securities, LLC', 'underwriter'],
  ['Linnet & Co.', null],
]

describe('sellers', () => {
  test.each([
    [
      'case and punctuation aside, in any order',
      [
        ['LINNET & CO', 'agent'],
        ['Siskin Securities LLC', 'underwriter'],
      ],
      true,
    ],
    [
      'by an alias, and with one that may be given too',
      [
        ['Siskin', 'underwriter'],
        ['Linnet & Co.', 'agent'],
        ['Wren Clearing, LLC', 'agent'],
      ],
      true,
    ],
    ['one missing', [['Siskin', 'underwriter']], false],
    [
      'one too many',
      [
        ['Siskin', 'underwriter'],
        ['Linnet & Co.', 'agent'],
        ['Approximately 12 months', 'underwriter'],
      ],
      false,
    ],
    [
      'named twice',
      [
        ['Siskin', 'underwriter'],
        ['Siskin Securities, LLC', 'underwriter'],
        ['Linnet & Co.', 'agent'],
      ],
      false,
    ],
    [
      'another role',
      [
        ['Siskin', 'agent'],
        ['Linnet & Co.', 'agent'],
      ],
      false,
    ],
  ] as const)('%s', (_what, got, equal) => {
    expect(sameSellers(entry, expected, got)).toBe(equal)
  })
  test('a sales agent is an agent', () => {
    expect(sameSellers({}, [['Linnet & Co.', 'sales_agent']], [['Linnet & Co.', 'agent']])).toBe(true)
  })
  test('nothing but these firms; names without roles', () => {
    expect(sameReading({}, 'underwriters_subset_of', ['Linnet & Co.'], [])).toBe(true)
    expect(sameReading({}, 'underwriters_subset_of', ['Linnet & Co.'], [['Siskin', 'agent']])).toBe(false)
    expect(sameReading({}, 'underwriters', namesOnly([['Linnet & Co.', 'agent']]), [['Linnet & Co.', '']])).toBe(true)
  })
})

test('any of the listed readings is right, null only where it is listed', () => {
  expect(sameReading({}, 'price_any', ['5.50', null], null)).toBe(true)
  expect(sameReading({}, 'price_any', ['5.50', null], '5.5')).toBe(true)
  expect(sameReading({}, 'price_any', ['5.50'], null)).toBe(false)
})

test('of a document that offers nothing no row is right for every key', () => {
  const text = 'This post-effective amendment removes from registration the securities that remain unsold. '.repeat(9)
  const found = {
    document: { sha256: '', source: 'edgar', url: 'recorded:a.txt', retrieved_at: '', status: 200, headers: {}, body: Buffer.from(text) },
    reader: null,
    other: () => '',
  }
  const facts = { no_offering: true, kind: 'other', underwriters: [], price: null }
  expect(offering(found, facts, Object.keys(facts)).map(({ field, equal }) => [field, equal])).toEqual([
    ['underwriters', true],
    ['price', true],
  ])
  expect(() => offering(found, { price: null }, ['price'])).toThrow('no security on the cover')
})
