import { describe, expect, test } from 'vitest'
import { aListing } from '#fixtures/listings.ts'
import { classLetter, issuerKey } from '#schemas/issuer-name.ts'
import { issuerIndexOf } from '../filings/issuer-index.ts'
import { type Interval, symbolIndexOf } from '../symbols/symbol-index.ts'
import { symbolMatcher } from './symbol-match.ts'

const listing = (symbol: string, issuer: string, more: Partial<Interval> = {}): Interval =>
  aListing(symbol, `${issuer} Common Stock`, { issuer, known_basis: 'published', ...more })
const issuers = issuerIndexOf(
  [
    { symbol: 'DOVE', cik: '0000990701', name: 'Dovetail Marine Inc' },
    { symbol: 'TWO', cik: '0000990702', name: 'Twoclass Corp' },
    { symbol: 'TWO-B', cik: '0000990702', name: 'Twoclass Corp' },
  ],
  [],
  new Set(),
)
const matcher = symbolMatcher({
  issuers,
  symbols: symbolIndexOf(
    [
      listing('BCKL', 'Buckle & Hinge Manufacturing Company'),
      listing('BCKL-PR-A', 'Buckle & Hinge Manufacturing Company', { type: 'preferred' }),
      listing('BCKL.TO', 'Buckle & Hinge Manufacturing Company', { exchange: 'TO' }),
      listing('OMG', 'Omegabet Inc.', { name: 'Omegabet Inc. - Class C Capital Stock' }),
      listing('OMGL', 'Omegabet Inc.', { name: 'Omegabet Inc. - Class A Common Stock' }),
      listing('ZVID', 'Zebra Video Communications International, Inc.'),
      listing('TWNA', 'Twin Falls Corp', { valid_to: '2022-01-01' }),
      listing('TWNB', 'Twin Falls Inc'),
    ],
    1,
  ),
})

describe('names of issuers as keys', () => {
  test.each([
    ['3M CO COM', '3M Company'],
    ['INTL BUSINESS MACHS CORP', 'International Business Machines Corporation'],
    ['BK OF AMERICA CORP', 'Bank of America Corporation'],
    ['PROCTER & GAMBLE CO', 'Procter and Gamble Company'],
    ['ALPHABET INC CAP STK CL C', 'Alphabet Inc. Capital Stk Class A'],
    ['MERIDIAN HLDGS INC /DE/', 'Meridian Holdings, Inc.'],
    ['NESTLÉ SA SPONSORED ADR', 'NESTLE S.A.'],
  ])('%s and %s', (a, b) => {
    expect(issuerKey(a)).toBe(issuerKey(b))
  })
  test('names of legal words only keep them; different issuers stay apart', () => {
    expect(issuerKey('THE COMPANY INC')).not.toBe('')
    expect(issuerKey('FIRST BANK CORP')).not.toBe(issuerKey('FIRST FINANCIAL CORP'))
  })
  test('class letters', () => {
    expect(['CAP STK CL C', 'CL A', 'Class B Common Stock', 'CLA', 'COM'].map(classLetter)).toEqual(['C', 'A', 'B', 'A', ''])
  })
})

describe('listings by issuer and class', () => {
  test('abbreviations and legal forms: the common line in the United States, and how sure that is', () => {
    expect(matcher.match('BUCKLE & HINGE MFG CO', 'COM')).toEqual({ symbol: 'BCKL', method: 'name_normalised', confidence: 0.85 })
    expect(matcher.match('BUCKLE & HINGE MANUFACTURING COMPANY', 'COM')?.method).toBe('name')
  })
  test('a preferred share is not the common one, and a note is none of them', () => {
    expect(matcher.match('BUCKLE & HINGE MFG CO', 'PFD SER A')?.symbol).toBe('BCKL-PR-A')
    expect(matcher.match('BUCKLE & HINGE MFG CO', 'NOTE 2.500% 6/0')).toBeNull()
  })
  test('the class decides between lines; without it it is unknown which', () => {
    expect(matcher.match('OMEGABET INC', 'CAP STK CL C')?.symbol).toBe('OMG')
    expect(matcher.match('OMEGABET INC', 'CL A')?.symbol).toBe('OMGL')
    expect(matcher.match('OMEGABET INC', 'COM')).toBeNull()
  })
  test('a name that the form cut is matched, and less sure', () => {
    expect(matcher.match('ZEBRA VIDEO COMMUNICATIONS IN', 'CL A')).toEqual({ symbol: 'ZVID', method: 'name_truncated', confidence: 0.7 })
  })
  test('of two with one name, the one that is listed today; an unknown name is unmatched', () => {
    expect(matcher.match('TWIN FALLS', 'COM')?.symbol).toBe('TWNB')
    expect(matcher.match('NOBODY KNOWS IT INC', 'COM')).toBeNull()
    expect(matcher.match(null, null)).toBeNull()
  })
})

test('a name that no listing has is looked for in the SEC’s map, where one line alone bears it', () => {
  expect(matcher.match('DOVETAIL MARINE INC', 'COM')).toEqual({ symbol: 'DOVE', method: 'name_of_sec_map', confidence: 0.8 })
  expect(matcher.match('DOVETAIL MARINE INC', 'NOTE 4.5%')).toBeNull()
  expect(matcher.match('TWOCLASS CORP', 'CL B')).toBeNull()
})
