// What a text for holders selects, if it names no listing.
import { expect, test } from 'vitest'
import type { ReleaseContext } from '../context/answer.ts'
import { readIssuerQuery } from './holdings-issuer-question.ts'

/** A release without listings and without the SEC's map. */
const context = {
  symbols: { all: [], find: () => null, byCik: () => [], history: () => [] },
  issuers: { cikOf: () => null, symbolOf: () => null, symbolNamed: () => null },
} as unknown as ReleaseContext

test.each([
  ['037833100', { cusip: '037833100' }],
  ['g0001a109', { cusip: 'G0001A109' }],
  ['594918ab', { issuer: '594918AB' }],
  ['Apple Inc.', { keys: ['APPLE'] }],
  ["O'Reilly 50%_", { keys: ['OREILLY 50'] }],
])('%s', async (text, find) => {
  expect((await readIssuerQuery(context, text, null)).find).toEqual(find)
})

// The names '', '.' and '\u65e5\u672c' in filings have one key, the empty one.
test.each(['.', '-', '!!!', '%', '\u65e5\u672c', '\u{1f600}'])('%s is the name of no issuer, and selects nothing', async text => {
  expect(await readIssuerQuery(context, text, null)).toMatchObject({ kind: 'name', find: { keys: [] } })
})
