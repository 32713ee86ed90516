import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { NotFound, Unreadable, Upstream } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { corporateActionReaders } from '../corporate-actions/readers.ts'
import { decimalOf } from '../csv/cells.ts'
import { fxReaders } from '../fx/readers.ts'
import type { Parsed, Reader } from '../parsed.ts'
import { ratioParts } from './action-table.ts'
import { barReaders } from './readers.ts'

const readers = [...corporateActionReaders, ...barReaders, ...fxReaders]
const named = (name: string): Reader => readers.find(reader => reader.name === name)!
const documentOf = (reader: Reader, url: string, body: Uint8Array | string, status = 200): RawDocument => ({
  sha256: '',
  source: reader.source,
  url,
  retrieved_at: '2024-07-01T00:00:00Z',
  status,
  headers: {},
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})
const parse = (name: string, url: string, body: Uint8Array | string, status = 200): Parsed =>
  named(name).parse(documentOf(named(name), url, body, status))

type Expected = {
  reader: string
  url: string
  bars: unknown[]
  corporate_actions: unknown[]
  refused: string[]
  skipped: Record<string, number>
  follow: string[]
}
const folders = ['bars', 'corporate-actions'].map(noun => join(import.meta.dirname, '..', '..', '..', 'fixtures', noun))
const fixtures = folders.flatMap(folder =>
  readdirSync(folder)
    .filter(name => name.endsWith('.expected.json'))
    .map(name => [name.replace('.expected.json', ''), folder] as const),
)

describe('fixtures', () => {
  test.each(fixtures)('%s is known by its look, and read as expected', (name, folder) => {
    const expected = JSON.parse(readFileSync(join(folder, `${name}.expected.json`), 'utf8')) as Expected
    const body = readFileSync(join(folder, name))
    const found = readers.flatMap(reader => {
      const url = reader.recognise(name, body.toString('utf8'))
      return url === null ? [] : [{ name: reader.name, url }]
    })
    expect(found.map(item => item.name)).toEqual([expected.reader])
    if (expected.url.startsWith('https:'))
      expect(readers.filter(reader => reader.reads(expected.url)).map(reader => reader.name)).toEqual([expected.reader])
    const { bars, facts, refused, skipped, follow } = parse(expected.reader, expected.url, body)
    expect({
      bars: bars ?? [],
      corporate_actions: facts.corporate_actions ?? [],
      refused: refused.map(item => `${item.reason} ${item.subject}`),
      skipped,
      follow,
    }).toEqual({
      bars: expected.bars,
      corporate_actions: expected.corporate_actions,
      refused: expected.refused,
      skipped: expected.skipped,
      follow: expected.follow,
    })
  })
  test('every document beside them has its expected reading', () => {
    const documents = folders.flatMap(folder => readdirSync(folder)).filter(name => !name.endsWith('.expected.json') && name !== 'index.md')
    expect(documents.sort()).toEqual(fixtures.map(([name]) => name).sort())
  })
})

describe('a refusal dressed as an answer is a failure to ask, never data', () => {
  const bulk = 'https://eodhd.com/api/eod-bulk-last-day/US?date=2024-06-28&fmt=json'
  const daily = 'https://api.tiingo.com/tiingo/daily/zed/prices?startDate=2024-06-27'
  const alpha = 'https://www.alphavantage.co/query?function=TIME_SERIES_DAILY_ADJUSTED&symbol=ZED'
  test.each([
    ['eodhd.bulk_bars', bulk, '<!DOCTYPE html><html><title>Sign in</title></html>'],
    ['eodhd.bulk_bars', bulk, 'You exceeded your daily API requests limit. Please contact support'],
    ['eodhd.bulk_bars', bulk, 'Unauthenticated'],
    ['eodhd.bulk_bars', bulk, '{"error":"Forbidden"}'],
    ['tiingo.daily', daily, 'Error: You have run over your hourly request allocation. Please upgrade'],
    ['alphavantage.daily_adjusted', alpha, '{"Error Message": "the parameter apikey is invalid or missing."}'],
    ['alphavantage.daily_adjusted', alpha, '{"Note": "Our standard API call frequency is 25 requests per day."}'],
    ['yahoo.chart', 'https://query2.finance.yahoo.com/v8/finance/chart/ZED', 'Too Many Requests'],
    [
      'polygon.bars',
      'https://api.polygon.io/v2/aggs/grouped/locale/us/market/stocks/2024-06-28?adjusted=false',
      '{"status":"ERROR","error":"You\'ve exceeded the maximum requests per minute"}',
    ],
    ['bank-of-canada.observations', 'https://www.bankofcanada.ca/valet/observations/FXUSDCAD/json', '{"errors":["something"],"data":null}'],
    ['csv.bars', 'file:a.csv', 'Exceeded the daily hits limit'],
  ])('%s %s', (name, url, body) => {
    expect(() => parse(name, url, body)).toThrow(Upstream)
  })
  test('a status of 500 with a body that looks right is no answer either', () => {
    expect(() => parse('eodhd.bulk_bars', bulk, '[]', 500)).toThrow(Upstream)
  })
  test("Yahoo's chart error for an unknown symbol means that it does not exist", () => {
    const body = '{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}'
    expect(() => parse('yahoo.chart', 'https://query2.finance.yahoo.com/v8/finance/chart/GONE', body)).toThrow(NotFound)
  })
})

describe('damaged bytes are unreadable, with a reason', () => {
  const bulk = 'https://eodhd.com/api/eod-bulk-last-day/US?date=2024-06-28&fmt=json'
  test.each([
    ['cut JSON', 'eodhd.bulk_bars', bulk, '[{"code":"A","date":"2024-0'],
    ['JSON nested 200,000 deep', 'eodhd.bulk_bars', bulk, '['.repeat(200_000) + ']'.repeat(200_000)],
    ['a CSV without its columns', 'eodhd.bulk_bars', bulk, 'a,b\n1,2\n'],
    ['bytes that are not UTF-8', 'csv.bars', 'file:a.csv', new Uint8Array([0x64, 0x61, 0xff, 0xfe, 0x0a])],
    ['a file that does not say its symbol', 'csv.bars', 'file:prices of last year.csv', 'date,open,high,low,close,volume\n2024-06-28,1,1,1,1,1\n'],
    [
      'an unknown time zone',
      'yahoo.chart',
      'https://query2.finance.yahoo.com/v8/finance/chart/ZED',
      '{"chart":{"result":[{"meta":{"symbol":"ZED","currency":"USD","dataGranularity":"1d","exchangeTimezoneName":"Mars/Base","regularMarketTime":1},"timestamp":[1],"indicators":{"quote":[{}]}}],"error":null}}',
    ],
  ])('%s', (_what, name, url, body) => {
    expect(() => parse(name, url, body)).toThrow(Unreadable)
  })
})

test('an empty answer of a day without actions is no error', () => {
  expect(parse('eodhd.bulk_splits', 'https://eodhd.com/api/eod-bulk-last-day/US?type=splits&date=2024-06-28&fmt=json', '[]')).toMatchObject({
    facts: {},
    refused: [],
  })
})
test('adjusted Polygon bars are refused: they are divided by every later split', () => {
  const body = '{"adjusted":true,"results":[{"T":"ZED","v":1,"o":1,"c":1,"h":1,"l":1,"t":1719604800000}],"status":"OK"}'
  const { bars, refused } = parse('polygon.bars', 'https://api.polygon.io/v2/aggs/grouped/locale/us/market/stocks/2024-06-28', body)
  expect([bars, refused.map(item => item.reason)]).toEqual([[], ['adjusted_prices']])
})
test('listings of London, currencies and indices are no symbols of ours, whatever their letters', () => {
  const chart = (symbol: string): Parsed =>
    parse(
      'yahoo.chart',
      'https://query2.finance.yahoo.com/v8/finance/chart/X',
      JSON.stringify({
        chart: {
          result: [
            {
              meta: { symbol, currency: 'USD', dataGranularity: '1d', exchangeTimezoneName: 'Europe/London', regularMarketTime: 1 },
              timestamp: [1],
              indicators: { quote: [{ close: [1] }] },
            },
          ],
          error: null,
        },
      }),
    )
  for (const symbol of ['OCDO.L', 'EURUSD=X', '^GSPC']) expect(chart(symbol)).toMatchObject({ bars: [], skipped: { other_exchange: 1 } })
})
test('a price in pence is refused, not divided by a hundred', () => {
  const body = JSON.stringify({
    chart: {
      result: [
        {
          meta: { symbol: 'ZED', currency: 'GBp', dataGranularity: '1d', exchangeTimezoneName: 'Europe/London', regularMarketTime: 1 },
          timestamp: [1],
          indicators: { quote: [{ close: [1] }] },
        },
      ],
      error: null,
    },
  })
  expect(parse('yahoo.chart', 'https://query2.finance.yahoo.com/v8/finance/chart/ZED', body).refused.map(item => item.reason)).toEqual([
    'minor_currency_unit',
  ])
})

test('Bank of Canada: values are strings, a day may have none, other series are not rates', () => {
  const body =
    '{"terms":{"url":"https://www.bankofcanada.ca/terms/"},"observations":[{"d":"2024-06-28","FXUSDCAD":{"v":"1.3687"},"FXIDRCAD":{"v":"0.000084"},"V39079":{"v":"4.75"}},{"d":"2024-07-01"},{"d":"2024-07-02","FXUSDCAD":{"v":""}},{"d":"2024-07-03","FXUSDCAD":{"v":"-1"}}]}'
  const url = 'https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json?start_date=2024-06-28'
  expect(named('bank-of-canada.observations').reads(url)).toBe(true)
  const { facts, skipped, refused } = parse('bank-of-canada.observations', url, body)
  expect(facts.fx_rates).toEqual([
    {
      base_currency: 'USD',
      quote_currency: 'CAD',
      date: '2024-06-28',
      rate: '1.3687',
      series: 'FXUSDCAD',
      known_from: '2024-06-28T20:30:00Z',
      known_basis: 'published',
    },
    {
      base_currency: 'IDR',
      quote_currency: 'CAD',
      date: '2024-06-28',
      rate: '0.000084',
      series: 'FXIDRCAD',
      known_from: '2024-06-28T20:30:00Z',
      known_basis: 'published',
    },
  ])
  expect([skipped, refused.map(item => item.reason)]).toEqual([{ no_value: 1 }, ['bad_number']])
})

test.each(textTable`
  4.000000/1.000000 | 4      | 1
  4:1               | 4      | 1
  0.1               | 1      | 10
  0.005263          | 1      | 190
  1.3333            | 4      | 3
  1.5               | 1.5    | 1
  1.0027            | 1.0027 | 1
  0.4406            | 0.4406 | 1
`)('a printed ratio of %s is %s for %s', (text, numerator, denominator) => {
  const ratio = ratioParts(text)!
  expect(Number(ratio.numerator) / Number(ratio.denominator)).toBeCloseTo(Number(numerator) / Number(denominator), 12)
  if (text !== '0.1') expect(ratio).toEqual({ numerator, denominator })
})
test('numbers with an exponent are written out, digit for digit', () => {
  expect(['1e-7', '1.25E3', '-2.5e+1', '1e99', 'x', '0x10', '1e999'].map(decimalOf)).toEqual([
    '0.0000001',
    '1250',
    '-25',
    `1${'0'.repeat(99)}`,
    null,
    null,
    null,
  ])
})
