// The requests of the jobs of quotes and intraday bars: within each source's limits, in its spelling.
import { describe, expect, test } from 'vitest'
import { intradayRequests, quoteRules, trackingOf } from '#warehouse/rulesets/quotes/rules.ts'
import { eodhd } from '../../fetch/sources/eodhd.ts'
import { getUpstream } from '../../fetch/sources/index.ts'
import type { Window } from '../../jobs/plans/plan.ts'
import { plans } from '../../jobs/plans/plans.ts'

const tracked = ['MAPL.TO', 'ZED', 'BRK-B', 'CJR-B.TO', 'ARL-P.V', 'NA.TO']
const window = (more: Partial<Window> = {}): Window => ({
  partition: 'x',
  from: '2026-11-19',
  to: '2026-11-19',
  symbols: null,
  today: '2026-11-19',
  ...more,
})
const requested = async (name: string, more: Partial<Window> = {}, symbols: readonly string[] = tracked) =>
  (await plans.get(name)?.first(window(more), { cikOf: async () => null, tracked: async () => symbols })) ?? []
const urls = async (name: string, more: Partial<Window> = {}, symbols?: readonly string[]) =>
  (await requested(name, more, symbols)).map(({ url }) => url)
const days = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1

describe('quotes', () => {
  test('each source is asked in its own spelling, for what it covers', async () => {
    expect(await urls('yahoo-quotes')).toEqual([
      'https://query2.finance.yahoo.com/v7/finance/quote?symbols=MAPL.TO%2CZED%2CBRK-B%2CCJR-B.TO%2CARL-P.V%2CNA.TO',
    ])
    expect(await urls('eodhd-quotes')).toEqual([
      'https://eodhd.com/api/us-quote-delayed?fmt=json&s=ZED.US,BRK-B.US',
      'https://eodhd.com/api/real-time/MAPL.TO?fmt=json&s=CJR-B.TO,ARL-P.V,NA.TO',
    ])
    expect(await urls('polygon-quotes')).toEqual(['https://api.polygon.io/v2/snapshot/locale/us/markets/stocks/tickers?tickers=ZED%2CBRK.B'])
    expect(await urls('tiingo-quotes')).toEqual(['https://api.tiingo.com/iex/?tickers=zed,brk-b'])
    const tmx = (await urls('tmx-quotes')).map(
      url => JSON.parse(decodeURIComponent(url.split('#post:')[1] ?? '')) as { variables: { symbol: string } },
    )
    expect(tmx.map(({ variables }) => variables.symbol)).toEqual(['MAPL', 'CJR.B', 'ARL.P', 'NA'])
  })
  test('a scheduled run takes the first of what is tracked, as many as the ruleset lets; symbols by name are all asked for', async () => {
    const many = Array.from({ length: 700 }, (_, at) => `Z${at}`)
    const { quotes, per_request } = trackingOf('eodhd')
    const symbolsOf = (addresses: readonly string[]) => addresses.flatMap(url => (URL.parse(url)?.searchParams.get('s') ?? '').split(','))
    const scheduled = await urls('eodhd-quotes', {}, many)
    expect(symbolsOf(scheduled)).toEqual(many.slice(0, quotes).map(symbol => `${symbol}.US`))
    expect(Math.max(...scheduled.map(url => symbolsOf([url]).length))).toBe(per_request)
    expect(symbolsOf(await urls('eodhd-quotes', { symbols: many }))).toHaveLength(700)
  })
  test('no address is longer than the raw store keeps, and a quote is always asked for anew', async () => {
    const long = Array.from({ length: 400 }, (_, at) => `ABCDEFGH-PR-${at}.TO`.slice(0, 16))
    for (const name of ['eodhd-quotes', 'yahoo-quotes', 'tmx-quotes'])
      for (const wanted of await requested(name, {}, [...long, ...tracked])) {
        expect(wanted.url.length).toBeLessThan(2000)
        expect(wanted).toMatchObject({ final: false, mayBeMissing: true })
      }
  })
  test('a call weighs what EODHD counts: one a symbol, five for intraday bars', async () => {
    const weights = (await urls('eodhd-quotes')).map(url => eodhd.cost(new URL(url)))
    expect(weights).toEqual([2, 4])
    const [intraday = ''] = await urls('eodhd-intraday')
    expect(eodhd.cost(new URL(intraday))).toBe(5)
  })
  test('a day of all scheduled runs stays below the daily quota of each source', () => {
    // 8:00 to 17:55 every five minutes are 120 runs; 10:00 to 17:30 every half hour are 16.
    const eodhdDay = 120 * trackingOf('eodhd').quotes + 16 * 5 * trackingOf('eodhd').intraday
    expect(eodhdDay).toBeLessThan(getUpstream('eodhd').limits.perDay ?? 0)
    expect(trackingOf('alphavantage').quotes).toBeLessThan(getUpstream('alphavantage').limits.perDay ?? 0)
    // Every minute fifty symbols in one request, and every quarter of an hour one chart per symbol.
    const yahooHour = 60 * Math.ceil(trackingOf('yahoo').quotes / trackingOf('yahoo').per_request) + 4 * trackingOf('yahoo').intraday
    expect(yahooHour).toBeLessThan(getUpstream('yahoo').limits.perHour ?? 0)
  })
})

describe('intraday bars', () => {
  test('minutes of a month are cut into weeks, older days are asked for in coarser bars, and what Yahoo no longer has is not', () => {
    const requests = intradayRequests('yahoo', 'US', '2024-01-01', '2026-11-19', '2026-11-19')
    expect(requests[0]).toEqual({ interval: '1m', from: '2026-11-13', to: '2026-11-19' })
    for (const { interval, from, to } of requests) {
      const limit = { '1m': [8, 30], '5m': [60, 60], '15m': [60, 60], '30m': [60, 60], '1h': [730, 730] }[interval] as [number, number]
      expect(days(from, to)).toBeLessThan(limit[0])
      expect(days(from, '2026-11-19')).toBeLessThanOrEqual(limit[1])
    }
    // Together they cover the days that there are, each once.
    const oldest = requests.at(-1)?.from ?? ''
    expect(requests.reduce((sum, { from, to }) => sum + days(from, to), 0)).toBe(days(oldest, '2026-11-19'))
    expect(days(oldest, '2026-11-19')).toBe(730)
    expect(new Set(requests.map(({ interval }) => interval))).toEqual(new Set(['1m', '5m', '1h']))
  })
  test('a window of the past is asked for at what the source still has of it', () => {
    expect(intradayRequests('yahoo', 'US', '2026-10-01', '2026-10-02', '2026-11-19')).toEqual([
      { interval: '5m', from: '2026-10-01', to: '2026-10-02' },
    ])
    expect(intradayRequests('yahoo', 'US', '2020-01-01', '2020-02-01', '2026-11-19')).toEqual([])
    expect(intradayRequests('eodhd', 'TO', '2026-11-19', '2026-11-19', '2026-11-19').map(({ interval }) => interval)).toEqual(['5m'])
    expect(intradayRequests('tiingo', 'TO', '2026-11-19', '2026-11-19', '2026-11-19')).toEqual([])
  })
  test('days are Eastern ones, and final once their last session has ended everywhere', async () => {
    const [wanted] = await requested('yahoo-intraday', { symbols: ['ZED'] })
    expect(wanted?.url).toBe(
      'https://query2.finance.yahoo.com/v8/finance/chart/ZED?period1=1795060800&period2=1795147200&interval=1m&includePrePost=true&events=div%7Csplit%7CcapitalGains',
    )
    expect(wanted?.final).toBe(false)
    // At 00:30 UTC of the next day the post-market of the day still runs.
    expect((await requested('yahoo-intraday', { symbols: ['ZED'], today: '2026-11-20' }))[0]?.final).toBe(false)
    expect((await requested('yahoo-intraday', { symbols: ['ZED'], today: '2026-11-21' }))[0]?.final).toBe(true)
  })
  test("Polygon's next page is asked for without the key that it carries", () => {
    const next = plans
      .get('polygon-intraday')
      ?.next?.(
        'x',
        { facts: {}, refused: [], skipped: {}, follow: ['https://api.polygon.io/v2/aggs/ticker/ZED/range/1/minute/1/2?cursor=bGlt&apiKey=secret'] },
        window(),
      )
    expect(next?.map(({ url }) => url)).toEqual(['https://api.polygon.io/v2/aggs/ticker/ZED/range/1/minute/1/2?cursor=bGlt'])
  })
  test('every source of the ruleset has limits for the symbols that it is asked for', () => {
    for (const { source } of quoteRules.intraday_requests) expect(trackingOf(source).intraday).toBeGreaterThan(0)
  })
})
