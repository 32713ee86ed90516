import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onlyReaderOf } from '#fixtures/pairs.ts'
import { textTable } from '#fixtures/text-table.ts'
import { symbolReaders } from '#pipelines/read/symbols/readers.ts'
import { InstrumentType } from '#schemas/symbols.ts'
import { Symbol } from '#schemas/values.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'symbols')
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name))
const documents = readdirSync(folder).filter(name => !name.endsWith('.expected.json') && name !== 'index.md')

function document(url: string, body: Uint8Array | string): RawDocument {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return { sha256: '0'.repeat(64), source: 'fixture', url, retrieved_at: '2024-03-07T01:00:00Z', status: 200, headers: {}, body: bytes }
}
// Two kinds are recognised by their address only, as fetched.
const paths: Readonly<Record<string, string>> = { 'events_ticker_change.json': 'vX__reference__tickers__LATR__events_types_ticker_change.json' }
const readerOf = (name: string) => onlyReaderOf(symbolReaders, paths[name] ?? name, bytesOf(name))
const parsed = (name: string): Parsed => {
  const { reader, url } = readerOf(name)
  return reader.parse(document(url, bytesOf(name)))
}
const reader = (name: string): Reader => symbolReaders.find(candidate => candidate.name === name)!
const parseWith = (name: string, url: string, body: string): Parsed => reader(name).parse(document(url, body))

describe('symbol documents and what they say', () => {
  test.each(documents)('%s', name => {
    const { reader, url } = readerOf(name)
    expect(reader.reads(url)).toBe(true)
    expect(parsed(name)).toEqual(JSON.parse(bytesOf(`${name}.expected.json`).toString('utf8')))
  })
  test('every listing has a canonical symbol and a known type', () => {
    for (const name of documents) {
      for (const { listings } of parsed(name).directories ?? []) {
        for (const { symbol, type } of listings) {
          expect(Symbol.safeParse(symbol).success).toBe(true)
          expect(InstrumentType.options).toContain(type)
        }
      }
    }
  })
  test.each(textTable`
    nasdaqtrader.nasdaqlisted   | https://www.nasdaqtrader.com/dynamic/symdir/nasdaqlisted.txt
    nasdaqtrader.otherlisted    | https://www.nasdaqtrader.com/dynamic/symdir/otherlisted.txt
    nasdaqtrader.nasdaqtraded   | https://www.nasdaqtrader.com/dynamic/symdir/nasdaqtraded.txt
    tsx.directory               | https://www.tsx.com/json/company-directory/search/tsxv/%5E*
    tsx.interlisted             | https://www.tsx.com/files/trading/interlisted-companies.txt
    eodhd.exchange-symbol-list  | https://eodhd.com/api/exchange-symbol-list/TO?fmt=json
    eodhd.symbol-change-history | https://eodhd.com/api/symbol-change-history?from=2024-01-01&fmt=json
    polygon.ticker-events       | https://api.polygon.io/vX/reference/tickers/META/events?types=ticker_change
    polygon.tickers             | https://api.polygon.io/v3/reference/tickers?market=stocks&limit=1000
    tiingo.supported-tickers    | https://apimedia.tiingo.com/docs/tiingo/daily/supported_tickers.zip
    csv.symbols                 | file:lists/symbols-2024.csv
    csv.renames                 | file:renames.csv
  `)('%s alone knows the address at which its document is served', (name, url = '') => {
    expect(symbolReaders.filter(({ reads }) => reads(url)).map(reader => reader.name)).toEqual([name])
  })
})

describe('what is no list, though it says 200', () => {
  const listed = bytesOf('nasdaqlisted.txt').toString('utf8')
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['a Nasdaq file without its last line', 'nasdaqtrader.nasdaqlisted', listed.slice(0, listed.indexOf('File Creation')), 'no_trailer'],
    ['a Nasdaq file cut inside a line', 'nasdaqtrader.nasdaqlisted', listed.slice(0, 300), 'no_trailer'],
    ['a web page', 'nasdaqtrader.nasdaqlisted', '<!DOCTYPE html><html><body>Access denied</body></html>', 'html_instead'],
    ['another file under this name', 'nasdaqtrader.otherlisted', listed, 'wrong_header'],
    ['nothing', 'nasdaqtrader.nasdaqtraded', ' \r\n', 'empty'],
    ['a cut JSON', 'tsx.directory', '{"last_updated":1709672400,"length":2,"results":[{"symbol":"A"', 'not_json'],
    ['fewer issuers than it says', 'tsx.directory', '{"last_updated":1709672400,"length":2,"results":[]}', 'truncated'],
    ['an error in JSON', 'eodhd.symbol-change-history', '{"error":"Unauthenticated"}', 'wrong_shape'],
    ['a sentence', 'eodhd.exchange-symbol-list', 'Forbidden. Please contact support', 'wrong_header'],
    ['no events', 'polygon.ticker-events', '{"status":"NOT_FOUND"}', 'wrong_shape'],
    ['a list without the columns it needs', 'csv.symbols', 'ticker,company\nA,B\n', 'wrong_header'],
  ]
  test.each(cases)('%s (%s) is unreadable', (_, name, body, reason) => {
    expect(() => parseWith(name, 'https://eodhd.com/api/exchange-symbol-list/US', body)).toThrow(
      expect.objectContaining({ name: 'Unreadable', reason }),
    )
  })
  test('the list of delisted symbols has no days: it is counted and makes no listing', () => {
    const body = bytesOf('exchange-symbol-list-US.csv').toString('utf8')
    const { directories, skipped } = parseWith('eodhd.exchange-symbol-list', 'https://eodhd.com/api/exchange-symbol-list/US?delisted=1', body)
    expect([directories, skipped]).toEqual([undefined, { delisted_without_days: 6 }])
  })
  test('a list without a day of its own is of the day in its name, else of its retrieval in New York', () => {
    const body = bytesOf('exchange-symbol-list-US.csv').toString('utf8')
    const dateOf = (url: string): string | undefined => parseWith('eodhd.exchange-symbol-list', url, body).directories?.[0]?.date
    expect(dateOf('https://eodhd.com/api/exchange-symbol-list/US')).toBe('2024-03-06')
    expect(dateOf('recorded:2023-01-04/exchange-symbol-list-US.csv')).toBe('2023-01-04')
  })
})
