// What quotes, the screener, alerts and delisting checks make of bars that their source divided by splits that are not all known: no price as traded, and adjusted
// figures as /market/eod gives them.
import { describe, expect, test } from 'vitest'
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { buildDelisting } from '#warehouse/answers/delisting.ts'
import { buildQuotes, findLastPrices } from '#warehouse/answers/quotes.ts'
import { buildScreen } from '#warehouse/answers/screener.ts'
import { findPictures, type Picture } from '#warehouse/people/alerts/pictures.ts'
import { type File, lakeOf, own } from './samples.ts'

const directory: File = {
  url: 'https://www.nasdaqtrader.com/dynamic/SymDir/nasdaqlisted.txt',
  source: 'nasdaqtrader',
  at: '2024-02-18T12:00:00Z',
  text: [
    'Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares',
    'ZED|Zed Widgets, Inc. - Common Stock|Q|N|N|100|N|N',
    'File Creation Time: 0216202421:32|||||||',
    '',
  ].join('\n'),
}
const days = ['2024-02-13', '2024-02-14', '2024-02-15', '2024-02-16'] as const
const row = (date: string, close: number): string => [date, close, close, close, close, close, 1000].join()
/** A table of Yahoo's download: divided by the splits up to its retrieval, which it does not list. */
const downloaded = (at: string, ...rows: readonly string[]): File => ({
  url: `recorded:ZED.csv`,
  source: 'yahoo',
  at,
  text: `Date,Open,High,Low,Close,Adj Close,Volume\n${rows.join('\n')}\n`,
})
const asTraded = (closes: Readonly<Record<string, number>>): File => ({
  url: 'file:traded.csv',
  at: '2024-02-17T00:00:00Z',
  text: `symbol,date,open,high,low,close,volume\n${Object.entries(closes)
    .map(([date, close]) => ['ZED', date, close, close, close, close, 1000].join())
    .join('\n')}\n`,
})

type Quote = Readonly<Record<string, unknown>>
const quoteOf = async (lake: Awaited<ReturnType<typeof lakeOf>>): Promise<Quote> => {
  const { body } = await buildQuotes(await lake.context(), { symbols: ['ZED'] } as Parameters<typeof buildQuotes>[1], '2024-02-20T12:00:00Z')
  return (body as { quotes: Quote[] }).quotes[0] as Quote
}
const screened = async (lake: Awaited<ReturnType<typeof lakeOf>>): Promise<Quote> => {
  const { body } = await buildScreen(await lake.context(), { limit: 10, fields: 'all' } as Parameters<typeof buildScreen>[1])
  return (body as { data: Quote[] }).data.find(each => each['code'] === 'ZED') as Quote
}
const later = '2024-02-18T12:00:00Z'

describe('a quote from the last bar', () => {
  test('names the basis; two bars of one download are in the same shares', async () => {
    const lake = await lakeOf([[directory, downloaded(later, ...days.map((day, at) => row(day, 10 + at)))]])
    expect(await quoteOf(lake)).toMatchObject({
      price: 13,
      previous_close: 12,
      change: 1,
      price_basis: 'split_adjusted_unknown',
      basis_note: expect.any(String),
    })
    // No number of shares may be valued by it.
    expect((await findLastPrices(await lake.context(), ['ZED'], '2024-02-20T12:00:00Z')).size).toBe(0)
  })
  test('has no previous close where that one is as traded and the price is not', async () => {
    const lake = await lakeOf([[directory, asTraded({ '2024-02-15': 120 }), downloaded(later, row('2024-02-16', 13))]])
    expect(await quoteOf(lake)).toMatchObject({ price: 13, previous_close: null, change: null, change_pct: null })
  })
  test('has one where the price is as traded and the one before was divided by splits of before that session', async () => {
    // Downloaded on the 15th: a split of the 16th is not in it, and is applied here.
    const before = downloaded('2024-02-15T23:00:00Z', row('2024-02-15', 40))
    const lake = await lakeOf([
      [directory, before],
      [asTraded({ '2024-02-16': 22 }), own('ZED', '2024-02-16,split,2,1,,,,,,,')],
    ])
    expect(await quoteOf(lake)).toMatchObject({ price: 22, previous_close: 20, change: 2 })
    expect(await quoteOf(lake)).not.toHaveProperty('price_basis')
  })
  test('of a bar as traded is as before', async () => {
    const lake = await lakeOf([[directory, asTraded({ '2024-02-15': 20, '2024-02-16': 22 })]])
    const quote = await quoteOf(lake)
    expect(quote).toMatchObject({ price: 22, previous_close: 20 })
    expect(quote).not.toHaveProperty('price_basis')
    expect(quote).not.toHaveProperty('basis_note')
  })
})

describe('a row of the screener', () => {
  test('has no close and nothing made of it, but the basis; changes are those of one scale', async () => {
    const lake = await lakeOf([[directory, downloaded(later, ...days.map((day, at) => row(day, 10 + at)))]])
    expect(await screened(lake)).toMatchObject({
      price_basis: 'split_adjusted_unknown',
      session_date: '2024-02-16',
      close: null,
      market_cap: null,
      change_1d_pct: expect.closeTo((13 / 12 - 1) * 100, 9),
    })
  })
  test('a split of before the retrieval is not applied again to what the source had divided', async () => {
    const split = own('ZED', '2024-02-15,split,2,1,,,,,,,')
    const lake = await lakeOf([[directory, downloaded(later, ...days.map((day, at) => row(day, 10 + at))), split]])
    const { bars } = await lake.ask<{ bars: { date: string; adjusted_close: number }[] }>('get_eod', { symbol: 'ZED', order: 'asc', adjust: 'none' })
    expect(bars.map(bar => bar.adjusted_close)).toEqual([10, 11, 12, 13])
    const found = await screened(lake)
    expect(found['change_1d_pct']).toBeCloseTo((13 / 12 - 1) * 100, 9)
    // The lowest split-adjusted low of the year is that of the first bar, not half of it.
    expect(found['low_52w']).toBe(10)
  })
  test('of bars as traded says so', async () => {
    const lake = await lakeOf([[directory, asTraded({ '2024-02-15': 20, '2024-02-16': 22 })]])
    expect(await screened(lake)).toMatchObject({ price_basis: 'as_traded', close: 22 })
  })
})

const pictured = async (lake: Awaited<ReturnType<typeof lakeOf>>): Promise<Picture> => {
  const requested = { symbol: 'ZED', history: true, since: null, stale: true }
  return (await findPictures(await lake.context(), [requested], '2024-02-20T12:00:00Z')).get('ZED') as Picture
}

describe('an alert', () => {
  test('knows no price, close or baseline where the bars were divided by splits that are not all known', async () => {
    const lake = await lakeOf([[directory, downloaded(later, ...days.map((day, at) => row(day, 10 + at)))]])
    expect(await pictured(lake)).toMatchObject({ reported: null, last_close: null, snapshot: { price: null, closes: [] } })
  })
  test('reads the closes behind the last one that is held back, and skips none', async () => {
    const before = downloaded('2024-02-15T23:00:00Z', row('2024-02-14', 40))
    const lake = await lakeOf([[directory, before], [asTraded({ '2024-02-13': 41, '2024-02-15': 20, '2024-02-16': 22 })]])
    expect(await pictured(lake)).toMatchObject({ reported: { price: '22' }, snapshot: { closes: ['20', '22'] } })
  })
  test('reads all closes that are as traded', async () => {
    const lake = await lakeOf([[directory, asTraded({ '2024-02-14': 41, '2024-02-15': 20, '2024-02-16': 22 })]])
    expect(await pictured(lake)).toMatchObject({ reported: { price: '22' }, snapshot: { closes: ['41', '20', '22'] } })
  })
})

describe('a delisting check', () => {
  const evaluated = async (lake: Awaited<ReturnType<typeof lakeOf>>) =>
    (await buildDelisting(await lake.context(), DelistingRiskRequest.parse({ ticker: 'ZED' }), undefined)).body
  test('compares no limit in dollars with closes that were divided by splits that are not all known', async () => {
    const lake = await lakeOf([[directory, downloaded(later, ...days.map((day, at) => row(day, 0.5 + at / 10)))]])
    const { coverage, checks } = await evaluated(lake)
    expect(coverage).toContain('split_adjusted_unknown')
    expect(checks.find(({ id }) => id === 'minimum_bid')).toMatchObject({ status: 'unknown' })
  })
  test('compares closes that are as traded', async () => {
    const lake = await lakeOf([[directory, asTraded({ '2024-02-15': 0.5, '2024-02-16': 0.6 })]])
    expect((await evaluated(lake)).checks.find(({ id }) => id === 'minimum_bid')?.status).not.toBe('unknown')
  })
})
