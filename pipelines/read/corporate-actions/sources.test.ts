// The requests of this folder's sources, and that errors with a success status never become actions, venues or symbols.
import { describe, expect, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { answerOf, endOf, postedAs } from '#fixtures/world/upstream.ts'
import { buildWorld } from '#fixtures/world/world.ts'
import { adjustBars } from '#warehouse/datasets/prices/adjust.ts'
import { pricesOf } from '#warehouse/datasets/prices/closes.ts'
import { deriveFactors } from '#warehouse/datasets/prices/derive.ts'
import { evaluateActions } from '#warehouse/datasets/prices/evaluate-actions.ts'
import { bulkBarsUrl } from '../../fetch/sources/eodhd.ts'
import { groupedDayUrl, polygonExchangesUrl, polygonNextUrl, polygonSplitsUrl, polygonTickersUrl } from '../../fetch/sources/polygon.ts'
import { questionAt } from '../../fetch/sources/question.ts'
import { tmxDividendsUrl } from '../../fetch/sources/tmx.ts'
import { readDocument } from '../../ingest/read-document.ts'
import type { Wanted } from '../../jobs/plans/plan.ts'
import { plans } from '../../jobs/plans/plans.ts'
import type { Parsed } from '../parsed.ts'
import { readers } from '../register.ts'

const dividends = tmxDividendsUrl('MAPL-B.TO')
const read = (url: string, body: string | Uint8Array, source: string, status = 200) =>
  readDocument(readers, {
    raw_id: 1,
    document: {
      sha256: '',
      source,
      url,
      retrieved_at: '2026-11-20T00:00:00Z',
      status,
      headers: {},
      body: typeof body === 'string' ? Buffer.from(body) : body,
    },
  })

describe('TMX dividends', () => {
  test('the question spells the symbol as TMX does and keeps the canonical one as a comment', () => {
    const { url, body } = questionAt(tmxDividendsUrl('ARL-P.V', 2))
    const requested = JSON.parse(body ?? '') as { operationName: string; variables: object; query: string }
    expect([url, requested.operationName, requested.variables]).toEqual([
      'https://app-money.tmx.com/graphql',
      'getDividendsForSymbol',
      { symbol: 'ARL.P', page: 2, batch: 100 },
    ])
    expect(requested.query.startsWith('# ARL-P.V\nquery getDividendsForSymbol(')).toBe(true)
    expect(() => tmxDividendsUrl('AAPL')).toThrow('not listed in Toronto')
  })
  test('a page with more behind it leads to the next, the last one to none', () => {
    const page = (more: boolean) =>
      JSON.stringify({
        data: { dividends: { pageNumber: 1, hasNextPage: more, dividends: [{ exDate: '2026-11-13', amount: 0.1, currency: 'CAD' }] } },
      })
    const first = read(dividends, page(true), 'tmx').parsed as Parsed
    expect(first.facts.corporate_actions).toMatchObject([{ symbol: 'MAPL-B.TO', amount: '0.1', currency: 'CAD', source_name: 'tmx' }])
    expect(first.follow).toEqual([tmxDividendsUrl('MAPL-B.TO', 2)])
    expect(read(dividends, page(false), 'tmx').parsed?.follow).toEqual([])
  })
})

describe('errors dressed as success are no data', () => {
  const html = '<!DOCTYPE html><html><head><title>Access Denied</title></head><body>Reference #18.2f</body></html>'
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['GraphQL errors with status 200', dividends, 'tmx', '{"errors":[{"message":"Internal"}],"data":{"dividends":null}}'],
    ['GraphQL errors beside an empty list', dividends, 'tmx', '{"data":{"dividends":{"dividends":[]}},"errors":[{"message":"timeout"}]}'],
    ['a null where dividends were asked for', dividends, 'tmx', '{"data":{"dividends":null}}'],
    ['a bot wall', dividends, 'tmx', html],
    ['a quota in JSON', polygonExchangesUrl, 'polygon', '{"status":"ERROR","error":"You\'ve exceeded the maximum requests per minute"}'],
    ['a page instead of venues', polygonExchangesUrl, 'polygon', html],
    ['an error without results', polygonExchangesUrl, 'polygon', '{"status":"NOT_AUTHORIZED","message":"Unknown API Key"}'],
    [
      'an error instead of splits',
      'https://api.polygon.io/v3/reference/splits?execution_date=2026-11-19',
      'polygon',
      '{"status":"ERROR","error":"x"}',
    ],
    ['a refusal kept among recorded files', 'recorded:other/page.html', 'unknown', html],
  ]
  test.each(cases)('%s', (_, url, source, body) => {
    const { reader, parsed, detail } = read(url, body, source)
    expect([reader === null, parsed]).toEqual([false, null])
    expect(detail).toMatch(/upstream_unavailable|not_a_list/)
  })
  test('a web page that refuses nothing is nobody’s document', () => {
    expect(read('recorded:other/about.html', '<!DOCTYPE html><html><head><title>Our mines</title></head></html>', 'unknown').reader).toBeNull()
  })
})

describe('what the jobs ask for', () => {
  const window = { partition: '', from: '2026-11-20', to: '2026-11-20', symbols: null, today: '2026-11-20' }
  const requested = async (plan: string, more: object = {}): Promise<readonly Wanted[]> =>
    await (plans.get(plan)?.first({ ...window, ...more }, { cikOf: async () => null } as never) ?? [])
  test("Polygon's morning run asks for the session before, a backfill for its own days", async () => {
    const urls = await requested('polygon-day', { from: '2026-11-23', to: '2026-11-23', today: '2026-11-23' })
    expect(urls.map(each => each.url.replace('https://api.polygon.io', ''))).toEqual([
      '/v3/reference/splits?execution_date=2026-11-20&limit=1000',
      '/v3/reference/dividends?ex_dividend_date=2026-11-20&limit=1000',
      '/v2/aggs/grouped/locale/us/market/stocks/2026-11-20?adjusted=false&include_otc=false',
    ])
    expect(await requested('polygon-day', { from: '2026-11-13', to: '2026-11-16' })).toHaveLength(6) // a weekend is between them
  })
  test('next pages are asked at the host that we know, and nowhere else', () => {
    expect(polygonNextUrl('https://api.massive.com/v3/reference/tickers?cursor=YWN0%3D&apiKey=x')).toBe(
      'https://api.polygon.io/v3/reference/tickers?cursor=YWN0%3D',
    )
    for (const url of ['https://elsewhere.example/v3?cursor=a', 'http://api.polygon.io/v3?cursor=a', 'https://api.polygon.io/v3', 'nonsense'])
      expect(() => polygonNextUrl(url)).toThrow('not a next page')
  })
  test("EODHD's lists are asked for each exchange, listed and delisted, with the day's changes of symbol", async () => {
    const urls = (await requested('eodhd-symbol-lists')).map(each => each.url.replace('https://eodhd.com/api', ''))
    expect(urls).toEqual([
      '/exchange-symbol-list/US?fmt=json',
      '/exchange-symbol-list/US?fmt=json&delisted=1',
      '/exchange-symbol-list/TO?fmt=json',
      '/exchange-symbol-list/TO?fmt=json&delisted=1',
      '/exchange-symbol-list/V?fmt=json',
      '/exchange-symbol-list/V?fmt=json&delisted=1',
      '/symbol-change-history?fmt=json&from=2026-11-20&to=2026-11-20',
    ])
  })
  test('dividends of TMX are asked symbol by symbol', async () => {
    expect((await requested('tmx-dividends', { symbols: ['MAPL-B.TO'] })).map(each => each.url)).toEqual([dividends])
    expect(await requested('polygon-ticker-events', { symbols: ['ZED'] })).toMatchObject([{ mayBeMissing: true }])
  })
})

describe('the simulator answers what these jobs ask for', () => {
  const world = buildWorld('small', 7)
  const evening = endOf(world)
  const answered = (url: string, source: string) => {
    const address = questionAt(url).body === null ? url : url.slice(0, url.indexOf('#')) + postedAs(questionAt(url).body ?? '')
    const { status, body } = answerOf(world, address, evening)
    return { status, reading: read(url, body, source) }
  }
  test("Polygon's day has the bars that EODHD's has, and an announced split and dividend of its day", () => {
    const split = world.actions.find(each => each.kind === 'split' && each.reported_by.includes('eodhd') && !each.symbol.includes('.'))
    const days = [world.last, split?.ex_date ?? world.last]
    const bars = days.map(day => {
      const { reading } = answered(groupedDayUrl(day), 'polygon')
      const { reading: eodhd } = answered(bulkBarsUrl('US', day), 'eodhd')
      const closes = (parsed: Parsed | null) => new Map(parsed?.bars?.filter(bar => bar.volume !== 0).map(bar => [bar.symbol, [bar.date, bar.close]]))
      expect(closes(reading.parsed).get('NGP')).toEqual(closes(eodhd.parsed).get('NGP'))
      return reading.parsed?.bars?.length ?? 0
    })
    expect(Math.min(...bars)).toBeGreaterThan(10)
    expect(answered(polygonSplitsUrl(days[1] as string), 'polygon').reading.parsed?.facts.corporate_actions).toMatchObject([
      { symbol: split?.symbol, kind: 'split', ex_date: split?.ex_date, numerator: split?.numerator, denominator: split?.denominator },
    ])
  })
  test('its venues and tickers, and the dividends of a Toronto line that pays in US dollars', () => {
    expect(answered(polygonExchangesUrl, 'polygon').reading.parsed?.facts.venues?.length).toBeGreaterThan(2)
    expect(answered(polygonTickersUrl, 'polygon').reading.parsed?.directories?.[0]?.listings.map(each => each.symbol)).toContain('BXH-B')
    const abroad = world.actions.find(
      each => each.symbol.endsWith('.TO') && each.currency === 'USD' && each.amount !== null && !each.symbol.includes('-U.'),
    )
    const paid = answered(tmxDividendsUrl(abroad?.symbol ?? ''), 'tmx').reading.parsed?.facts.corporate_actions ?? []
    expect(paid.length).toBeGreaterThan(0)
    expect(new Set(paid.map(each => [each.symbol, each.currency, each.source_name].join()))).toEqual(new Set([`${abroad?.symbol},USD,tmx`]))
  })
})

describeReal('recorded files of Lean, Polygon and Tiingo', () => {
  const recorded = (path: string) => {
    const body = realBytes(`market/${path}`)
    const head = body.subarray(0, 65_536).toString('utf8')
    const found = readers.flatMap(reader => {
      const url = reader.recognise(path, head)
      return url === null ? [] : [{ reader, url }]
    })
    return { found, reading: read(found[0]?.url ?? `recorded:${path}`, body, found[0]?.reader.source ?? 'unknown') }
  }
  test.each([
    ['spy', '1998-01-02', 63.932476],
    ['googl', '2014-04-03', 571.5],
  ])("5. %s: bars and factor file, read, judged and applied, give Lean's adjusted closes to 1e-5", (symbol, day, expected) => {
    const bars = recorded(`lean/daily/${symbol}.csv`).reading.parsed?.bars ?? []
    const actions = recorded(`lean/factor_files/${symbol}.csv`).reading.parsed?.facts.corporate_actions ?? []
    const prices = pricesOf(bars)
    const { effective, held } = evaluateActions(actions, { prices, currency: 'USD', asOf: '2026-11-20', decisions: new Map() })
    expect(held).toEqual([])
    const { factors } = deriveFactors(effective, { symbol: symbol.toUpperCase(), currency: 'USD', prices, asOf: '2026-11-20' })
    const closes = new Map(adjustBars(bars, factors).map(bar => [bar.date, bar.close as number]))
    expect(closes.get(day)).toBeCloseTo(expected, 3)
    const rows = realBytes(`market/lean/factor_files/${symbol}.csv`)
      .toString()
      .trim()
      .split(/\r?\n/)
      .map(line => line.split(','))
    for (const bar of bars) {
      const [, price, split] = rows.find(([date = '']) => date >= bar.date.replaceAll('-', '')) ?? []
      expect(Math.abs((closes.get(bar.date) as number) / (bar.close * Number(price) * Number(split)) - 1)).toBeLessThan(1e-5)
    }
  })
  test('5. qqq: its file has no bars while it was QQQQ, so what was paid then is held for want of a close', () => {
    const bars = recorded('lean/daily/qqq.csv').reading.parsed?.bars ?? []
    const actions = recorded('lean/factor_files/qqq.csv').reading.parsed?.facts.corporate_actions ?? []
    const { held } = evaluateActions(actions, { prices: pricesOf(bars), currency: 'USD', asOf: '2026-11-20', decisions: new Map() })
    expect([held.length, new Set(held.map(each => each.reason))]).toEqual([23, new Set(['previous_close_stale'])])
    for (const { action } of held) expect(action.ex_date > '2004-12-20' && action.ex_date < '2011-03-23').toBe(true)
  })
  test('5. map files: QQQ was QQQQ from 2004-12-01 to 2011-03-22, GOOGL was GOOG before 2014-04-03', () => {
    const stretches = (path: string) =>
      recorded(path).reading.parsed?.directories?.[0]?.listings.map(each => {
        const { symbol, first_date, last_date } = each as { symbol: string; first_date?: string; last_date?: string | null }
        return [symbol, first_date, last_date]
      })
    expect(stretches('lean/map_files/qqq.csv')).toEqual([
      ['QQQ', '1999-03-10', '2004-11-30'],
      ['QQQQ', '2004-12-01', '2011-03-22'],
      ['QQQ', '2011-03-23', null],
    ])
    expect(recorded('lean/map_files/googl.csv').reading.parsed?.renames).toMatchObject([{ from: 'GOOG', to: 'GOOGL', date: '2014-04-03' }])
    expect(recorded('lean/map_files/goog.csv').reading.parsed?.renames).toMatchObject([{ from: 'GOOCV', to: 'GOOG', date: '2014-04-03' }])
  })
  test("Polygon's 24 venues, two of them tapes without a MIC", () => {
    const venues = recorded('polygon/v3__reference__exchanges.json').reading.parsed?.facts.venues ?? []
    expect([venues.length, venues.filter(venue => venue.mic === null).map(venue => venue.kind)]).toEqual([24, ['SIP', 'SIP']])
  })
  test('weekly rows, repaired tables and a 404 page are read as what they are, and give no bars', () => {
    const weekly = recorded('tiingo/ticker_price_pandas_weekly_multiple_tickers.0.json').reading.parsed
    expect([weekly?.bars, weekly?.refused.map(each => each.reason)]).toEqual([[], ['weekly_rows']])
    const repaired = recorded('yahoo/bad-and-fixed/SAND-1d-bad-div-fixed.csv').reading.parsed
    expect([repaired?.bars, repaired?.refused.map(each => each.reason)]).toEqual([[], ['repaired_by_hand']])
    const page = recorded('tiingo/invalid_url_404.html.txt')
    expect([page.found.map(each => each.reader.name), page.reading.parsed]).toEqual([['recorded.error-page'], null])
    expect(page.reading.detail).toMatch(/^upstream_unavailable: .*a web page instead of data/)
  })
})
