import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dualListings } from '#schemas/dual-listings.ts'
import { Unreadable, Upstream } from '#schemas/errors.ts'
import type { RawDocument } from '../parsed.ts'
import { readers } from '../register.ts'
import { tsxReaders } from '../symbols/tsx-directory.ts'
import { dualListingReaders } from './drop-in.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'dual-listings')
const names = readdirSync(folder).filter(name => name.endsWith('.csv'))
const document = (url: string, body: string, source = 'csv'): RawDocument => ({
  sha256: '0'.repeat(64),
  source,
  url,
  retrieved_at: '2026-11-20T05:00:00Z',
  status: 200,
  headers: {},
  body: new TextEncoder().encode(body),
})
const [reader] = dualListingReaders
if (!reader) throw new TypeError('no reader')

describe("the operator's pairs", () => {
  test.each(names)('%s', name => {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(readers.filter(each => each.recognise(name, text) !== null).map(each => each.name)).toEqual(['csv.dual-listings'])
    const parsed = reader.parse(document(`file:${name}`, text))
    expect(parsed).toEqual(JSON.parse(readFileSync(join(folder, `${name}.expected.json`), 'utf8')))
    for (const pair of parsed.facts.dual_listings ?? []) expect(dualListings.facts.safeParse(pair).success).toBe(true)
  })
  test('a file without both columns, a web page and a sentence about limits are no pairs', () => {
    const parse = (body: string) => () => reader.parse(document('file:dual-listings.csv', body))
    expect(parse('tsx_symbol,issuer\nNFR.TO,Northferry\n')).toThrow(Unreadable)
    expect(parse('<!DOCTYPE html><html><body>Access denied</body></html>')).toThrow(Upstream)
    expect(parse('Exceeded the daily hits limit')).toThrow(Upstream)
  })
})

describe("TMX's interlisted file", () => {
  const interlisted = tsxReaders.find(each => each.name === 'tsx.interlisted')
  if (!interlisted) throw new TypeError('no reader')
  const url = 'https://www.tsx.com/files/trading/interlisted-companies.txt'
  test('says where else an issuer is listed, each symbol once', () => {
    const text =
      'As of November 19, 2026\n\nSymbol\tName\tUS Symbol\tSector\tInternational Market\nNFR:TSX\tNorthferry Rail\tNFR\tRail\tNYSE\nNFR:TSX\tNorthferry Rail\tNFR\tRail\tNYSE\nKIN.B:TSXV\tKinship\t\tPaper\tOTCQX\n'
    expect(interlisted.parse(document(url, text, 'tsx')).facts).toEqual({
      interlistings: [
        { symbol: 'NFR.TO', name: 'Northferry Rail', other_symbol: 'NFR', market: 'NYSE' },
        { symbol: 'KIN-B.V', name: 'Kinship', other_symbol: null, market: 'OTCQX' },
      ],
    })
  })
  test.each([
    ['a block page', '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.</body></html>'],
    ['a sentence', 'You have exceeded the request limit. Try again later.'],
    ['an empty body', ''],
    ['JSON with an error', '{"errors":[{"message":"not available"}],"data":null}'],
  ])('%s with status 200 is no list, and never an empty one', (_what, body) => {
    expect(() => interlisted.parse(document(url, body, 'tsx'))).toThrow(Unreadable)
  })
})
