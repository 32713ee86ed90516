// Every format of quotes and of bars below a day, as pairs of fictional documents; then the recorded ones.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { textTable } from '#fixtures/text-table.ts'
import { NotFound, Unreadable, Upstream } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { rowOf } from '../../ingest/facts.ts'
import type { Parsed, Reader } from '../parsed.ts'
import { readers } from '../register.ts'

type Facts = {
  readonly quotes?: readonly Record<string, unknown>[]
  readonly intraday_bars?: readonly Record<string, unknown>[]
  readonly bars?: unknown
}
const documentOf = (reader: Reader, url: string, body: Uint8Array | string, more: Partial<RawDocument> = {}): RawDocument => ({
  sha256: '0'.repeat(64),
  source: reader.source,
  url,
  retrieved_at: '2024-02-29T12:00:00Z',
  status: 200,
  headers: {},
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  ...more,
})
const read = (name: string, url: string, body: Uint8Array | string, more: Partial<RawDocument> = {}): Parsed => {
  const reader = readers.find(each => each.name === name) as Reader
  return reader.parse(documentOf(reader, url, body, more))
}

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures')
const pairs = ['quotes', 'intraday'].flatMap(noun =>
  readdirSync(join(folder, noun))
    .filter(name => name !== 'index.md' && !/\.(?:expected\.json|ts)$/.test(name))
    .map(name => [name, join(folder, noun)] as const),
)

describe('pairs', () => {
  test.each(pairs)('%s is known by its look alone, and read as expected', (name, place) => {
    const body = readFileSync(join(place, name))
    const knowing = readers.filter(reader => reader.recognise(name, body.toString('utf8')) !== null)
    expect(knowing.map(reader => reader.name)).toHaveLength(1)
    const [reader] = knowing as [Reader]
    const { facts, bars, refused, skipped, follow } = reader.parse(documentOf(reader, `recorded:${name}`, body))
    const made = {
      reader: reader.name,
      ...(facts as Facts),
      ...(bars ? { bars } : {}),
      refused: refused.map(each => `${each.reason} ${each.subject}`),
      skipped,
      follow,
    }
    const path = join(place, `${name}.expected.json`)
    expect(made).toEqual(JSON.parse(readFileSync(path, 'utf8')))
    for (const [dataset, rows] of Object.entries(facts))
      for (const row of rows ?? []) {
        const checked = datasetOf(dataset as 'quotes').record.safeParse(rowOf(row, documentOf(reader, name, body)))
        expect(checked.error).toBeUndefined()
      }
  })
})

describe('what every reader of quotes holds to', () => {
  const one = (row: object): string => JSON.stringify({ quoteResponse: { result: [row], error: null } })
  const quoted = (row: object, more: Partial<RawDocument> = {}) =>
    read('yahoo.quote', 'https://query2.finance.yahoo.com/v7/finance/quote?symbols=X', one(row), more)
  const zed = { quoteType: 'EQUITY', currency: 'USD', symbol: 'ZED', regularMarketPrice: 12.5, regularMarketTime: 1709150400 }

  test('pence become pounds by moving the point, and the answer can say so', () => {
    const [quote] = quoted({ ...zed, currency: 'GBp', symbol: 'PENC.V', regularMarketPrice: 308.8, bid: 0.05 }).facts.quotes ?? []
    expect(quote).toMatchObject({ currency: 'GBP', minor_unit: 'GBp', price: 3.088, bid: 0.0005 })
  })
  test('a closing print some seconds after the close is of the regular session, a later one of the post-market', () => {
    const at = (seconds: number) =>
      quoted({ ...zed, regularMarketTime: undefined, regularMarketPrice: undefined, postMarketPrice: 12, postMarketTime: seconds }).facts.quotes?.[0]
    const eodhd = (timestamp: number) =>
      read('eodhd.real_time', 'https://eodhd.com/api/real-time/ZED.US', JSON.stringify({ code: 'ZED.US', timestamp, close: 12, previousClose: 12 }))
    expect(eodhd(1709154008).facts.quotes?.[0]?.session).toBe('regular')
    expect(eodhd(1709154300).facts.quotes?.[0]?.session).toBe('post')
    expect(at(1709154008)?.session).toBe('post') // Yahoo's response states which one it is
  })
  test('a source that prints no time is never newer than our asking less its delay, nor than the close', () => {
    const tmx = (retrieved_at: string, volume: number | null = 100, headers = {}) =>
      read(
        'tmx.quote',
        'https://app-money.tmx.com/graphql#post:%7B%22operationName%22%3A%22getQuoteBySymbol%22%7D',
        JSON.stringify({ data: { getQuoteBySymbol: { symbol: 'NA', exchangeCode: 'TSX', price: 104.5, volume } } }),
        { retrieved_at, headers },
      )
    const time = (parsed: Parsed) => [parsed.facts.quotes?.[0]?.quoted_at, parsed.facts.quotes?.[0]?.time_basis]
    expect(time(tmx('2024-02-28T18:00:00Z'))).toEqual(['2024-02-28T17:45:00Z', 'asked'])
    expect(time(tmx('2024-02-29T03:00:00Z'))).toEqual(['2024-02-28T21:00:00Z', 'asked'])
    expect(time(tmx('2024-02-29T14:40:00Z'))).toEqual(['2024-02-28T21:00:00Z', 'asked']) // ten minutes after the open nothing of the day is shown
    expect(time(tmx('2024-03-02T12:00:00Z'))).toEqual(['2024-03-01T21:00:00Z', 'asked'])
    expect(time(tmx('2024-03-02T12:00:00Z', 100, { 'last-modified': 'Wed, 28 Feb 2024 23:00:00 GMT' }))).toEqual(['2024-02-28T21:00:00Z', 'asked'])
    expect(tmx('2024-02-28T18:00:00Z', 0)).toMatchObject({ facts: {}, skipped: { no_trade_of_the_session: 1 } })
  })
  test('a file without a day in its name dates nothing by the day on which it was read', () => {
    const body = JSON.stringify({ data: { getQuoteBySymbol: { symbol: 'NA', exchangeCode: 'TSX', price: 104.5 } } })
    const file = (name: string) => read('tmx.quote', `recorded:${name}`, body, { headers: { 'x-crossfile-recorded': name } })
    expect(file('quote.json').refused.map(each => each.reason)).toEqual(['time_not_stated'])
    expect(file('quote_2024-02-25.json').refused.map(each => each.reason)).toEqual(['not_a_session']) // a Sunday
    expect(file('quote_2024-02-23.json').facts.quotes?.[0]?.session_date).toBe('2024-02-23')
  })
  test('a bar that the close cuts short ends with it: 12:30 of a half day is whole at 13:20', () => {
    const bars = (retrieved_at: string) =>
      read(
        'eodhd.intraday',
        'https://eodhd.com/api/intraday/ZED.US?interval=1h&fmt=json',
        '[{"timestamp":1732901400,"gmtoffset":0,"datetime":"2024-11-29 17:30:00","open":1,"high":1,"low":1,"close":1,"volume":5}]',
        { retrieved_at },
      ).facts.intraday_bars?.[0]?.partial
    expect(bars('2024-11-29T18:20:00Z')).toBe(false)
    expect(bars('2024-11-29T18:05:00Z')).toBe(true)
  })
})

const html = '<!DOCTYPE html><html><head><title>Access Denied</title></head><body>...</body></html>'
const addresses: Readonly<Record<string, string>> = Object.fromEntries(textTable`
  yahoo.quote               | https://query2.finance.yahoo.com/v7/finance/quote?symbols=ZED
  yahoo.chart               | https://query2.finance.yahoo.com/v8/finance/chart/ZED?period1=0&period2=86400&interval=5m
  tmx.quote                 | https://app-money.tmx.com/graphql#post:%7B%22operationName%22%3A%22getQuoteBySymbol%22%7D
  eodhd.real_time           | https://eodhd.com/api/real-time/ZED.US?fmt=json
  eodhd.us_quote_delayed    | https://eodhd.com/api/us-quote-delayed?fmt=json&s=ZED.US
  eodhd.intraday            | https://eodhd.com/api/intraday/ZED.US?interval=5m&from=0&to=86400&fmt=json
  polygon.snapshot          | https://api.polygon.io/v2/snapshot/locale/us/markets/stocks/tickers?tickers=ZED
  polygon.market_status     | https://api.polygon.io/v1/marketstatus/upcoming
  polygon.open_close        | https://api.polygon.io/v1/open-close/ZED/2024-02-28?adjusted=false
  polygon.intraday          | https://api.polygon.io/v2/aggs/ticker/ZED/range/1/minute/2024-02-28/2024-02-28?adjusted=false&sort=asc&limit=50000
  tiingo.iex_quote          | https://api.tiingo.com/iex/?tickers=zed
  tiingo.iex_intraday       | https://api.tiingo.com/iex/zed/prices?startDate=2024-02-28&endDate=2024-02-28&resampleFreq=5min&format=json
  alphavantage.global_quote | https://www.alphavantage.co/query?function=GLOBAL_QUOTE&symbol=ZED
`)
/** By source: what is refused or wrong, and the body that is sent with status 200. */
const refusals: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  yahoo: {
    throttling: 'Too Many Requests',
    'a stale crumb': '{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}',
    'an error beside a null': '{"quoteResponse":{"result":null,"error":{"code":"internal-error","description":"upstream timeout"}}}',
  },
  tmx: { 'errors with 200': '{"errors":[{"message":"Could not retrieve quote","path":["getQuoteBySymbol"]}],"data":{"getQuoteBySymbol":null}}' },
  eodhd: {
    'a quota': 'You exceeded your daily API requests limit. Please contact support.',
    'a plan': 'Only EOD data allowed for free users. Please, contact our support team: forbidden.',
  },
  polygon: {
    'a limit':
      '{"status":"ERROR","request_id":"1","error":"You have exceeded the maximum requests per minute, please wait or upgrade your subscription."}',
    'a plan': '{"status":"NOT_AUTHORIZED","request_id":"1","message":"You are not entitled to this data."}',
  },
  tiingo: {
    'an allocation': 'Error: You have run over your hourly request allocation. Then upgrade at https://api.tiingo.com/pricing.',
    'the same as JSON': '{"detail":"You have run over your 500 symbol look up for this month."}',
  },
  alphavantage: {
    'a note': '{"Note":"Thank you for using Alpha Vantage! Our standard API call frequency is 25 requests per day."}',
    'an information': '{"Information":"We have detected your API key as demo and our standard rate limit is 25 requests per day."}',
  },
}

describe('"could not ask" dressed as success is never data', () => {
  const cases = Object.entries(addresses).flatMap(([name, url]) => [
    ...Object.entries(refusals[name.split('.')[0] ?? ''] ?? {}).map(([what, body]) => [name, what, url, body] as const),
    [name, 'a web page', url, html] as const,
  ])
  test.each(cases)('%s: %s', (name, _what, url, body) => {
    expect(() => read(name, url, body)).toThrow(Upstream)
  })
  test.each(Object.entries(addresses))('%s: another object than what was asked for', (name, url) => {
    expect(() => read(name, url, '{"somebody":"else"}')).toThrow(Unreadable)
    expect(() => read(name, url, '{"quoteResponse":{"result":[{"symbol"')).toThrow()
  })
})

describeReal('the recorded payloads', () => {
  const market = (path: string): Buffer => realBytes(`market/${path}`)
  const quote = (symbols: string) => `https://query2.finance.yahoo.com/v7/finance/quote?symbols=${symbols}&crumb=REMOVED`
  const recorded = (path: string): Partial<RawDocument> => ({ retrieved_at: '2026-11-21T05:00:00Z', headers: { 'x-crossfile-recorded': path } })

  test('fact 18: SIMP and BRKS are answered with 200 and quoteType NONE, which says that they do not exist', () => {
    for (const symbol of ['SIMP', 'BRKS'])
      expect(() => read('yahoo.quote', quote(symbol), market(`yahoo/json/quote-${symbol}.json`), recorded(''))).toThrow(NotFound)
  })
  test('fact 18: OCDO.L is quoted in GBp, and of a market that is not covered', () => {
    expect(read('yahoo.quote', quote('OCDO.L'), market('yahoo/json/quote-OCDO.L.json'), recorded(''))).toMatchObject({
      facts: {},
      skipped: { other_exchange: 1 },
    })
  })
  test('fact 18: the minutes of a weekend are no bars, and no error', () => {
    const path = 'yahoo/json/chart-AAPL-2025-02-01-to-2025-02-02-includePrePost-false-interval-1m.json'
    const url = 'https://query2.finance.yahoo.com/v8/finance/chart/AAPL?interval=1m&period1=1738368000&period2=1738454400'
    expect(read('yahoo.chart', url, market(path), recorded(path))).toMatchObject({ facts: {}, refused: [], skipped: {} })
  })
  test('AAPL after hours on 2025-02-14: the post-market price with its own time, the regular one beside', () => {
    const parsed = read('yahoo.quote', quote('AAPL%2CBABA'), market('yahoo/json/quote-AAPL-BABA.json'), recorded(''))
    expect(parsed.facts.quotes?.map(each => [each.symbol, each.session, each.quoted_at, each.price, each.regular_price, each.delay_seconds])).toEqual(
      [
        ['AAPL', 'post', '2025-02-15T00:59:58Z', 244.64, 244.6, 0],
        ['BABA', 'post', '2025-02-15T00:59:59Z', 124.81, 124.73, 0],
      ],
    )
    expect(parsed.facts.quotes?.every(each => each.session_date === '2025-02-14')).toBe(true)
  })
  test('a fund of Toronto is quoted in the afternoon; a dead fund has no price', () => {
    const fund = read('yahoo.quote', quote('0P000071W8.TO'), market('yahoo/json/quote-0P000071W8.TO.json'), recorded(''))
    expect(fund.facts.quotes?.[0]).toMatchObject({ symbol: '0P000071W8.TO', price: 152.63, currency: 'CAD', delay_seconds: 900 })
    expect(read('yahoo.quote', quote('ADH'), market('yahoo/json/quote-ADH.json'), recorded(''))).toMatchObject({
      facts: {},
      skipped: { no_price: 1 },
    })
  })
  test('fact 15: TMX prints SHOP without its exchange, a time or a currency; the file is of 2024-06-27', () => {
    const path = 'tmx/getQuoteBySymbol_SHOP_2024-06-27.json'
    expect(read('tmx.quote', `recorded:${path}`, market(path), recorded(path)).facts.quotes).toMatchObject([
      { symbol: 'SHOP.TO', price: 89.67, currency: 'CAD', session_date: '2024-06-27', time_basis: 'day', previous_close: 88.47, volume: 1845792 },
    ])
  })
  test('fact 15: a day that TMX could not answer is errors with status 200, and no quote either', () => {
    const body = market('tmx/getEnhancedEarningsForDate_2023-01-11_http200-with-errors.json')
    expect(() => read('tmx.quote', addresses['tmx.quote'] as string, body)).toThrow(Upstream)
  })
  test("Polygon's snapshot: p and s are the bid, P and S the ask; times are nanoseconds", () => {
    const path = 'polygon/v2__snapshot__locale__us__markets__stocks__tickers__AAPL.json'
    expect(read('polygon.snapshot', `recorded:${path}`, market(path), recorded(path)).facts.quotes).toMatchObject([
      {
        symbol: 'AAPL',
        price: 159.99,
        bid: 159.98,
        bid_size: 3,
        ask: 159.99,
        ask_size: 5,
        quoted_at: '2022-04-29T17:05:48.294Z',
        previous_close: 163.64,
      },
    ])
  })
  test('every closing that Polygon announced in 2022 is in our calendar', () => {
    const path = 'polygon/v1__marketstatus__upcoming.json'
    expect(read('polygon.market_status', `recorded:${path}`, market(path), recorded(path))).toMatchObject({
      refused: [],
      skipped: { agrees_with_the_calendar: 14 },
    })
  })
  test('a quote of Shenzhen is not covered; an open and close that are adjusted are no bar', () => {
    expect(read('alphavantage.global_quote', 'recorded:q.json', market('alphavantage/GLOBAL_QUOTE.json'))).toMatchObject({
      facts: {},
      skipped: { other_exchange: 1 },
    })
    const path = 'polygon/v1__open-close__AAPL__2005-04-01_adjusted_true.json'
    expect(read('polygon.open_close', `recorded:${path}`, market(path))).toMatchObject({ bars: [], skipped: { adjusted_prices: 1 } })
  })
  test("Tiingo's half hours of GOOGL on 2018-01-02: thirteen, in regular hours, from 14:30 UTC", () => {
    const url = 'https://api.tiingo.com/iex/GOOGL/prices?format=json&resampleFreq=30Min&startDate=2018-01-02&endDate=2018-01-02'
    const bars =
      read('tiingo.iex_intraday', url, market('tiingo/intraday_price.json'), recorded('tiingo/intraday_price.json')).facts.intraday_bars ?? []
    expect(new Set(bars.map(bar => `${bar.symbol} ${bar.interval} ${bar.session_date} ${bar.session} ${bar.partial}`))).toEqual(
      new Set(['GOOGL 30m 2018-01-02 regular false']),
    )
    expect([bars[0]?.start_at, bars[0]?.open, bars.length]).toEqual(['2018-01-02T14:30:00Z', 1057.47, 13])
  })
  test("Lean's coarse day: last prices of the whole market, and no bars", () => {
    const path = 'lean/coarse/20140324.csv'
    const parsed = read('lean.coarse', `recorded:${path}`, market(path), recorded(path))
    expect(parsed.bars).toBeUndefined()
    expect(parsed.facts.quotes?.find(each => each.symbol === 'AA')).toMatchObject({ price: 12.01, volume: 28620078, session_date: '2014-03-24' })
    expect(parsed.facts.quotes?.some(each => each.symbol === 'SCOK')).toBe(true)
  })
})
