// A signed quote, page of bars or chart is made again, byte for byte, from the raw documents that its receipt names and nothing
// else; and an older release answers as it did.
import { expect, test } from 'vitest'
import { answersOf } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'

const warehouse = await worldWarehouse()
const { world } = warehouse
const noon = `${world.last}T18:15:00Z`
const evening = '2026-11-20T12:00:00Z'

const { ask, reproduced } = answersOf(warehouse, evening)

test.each([
  ['get_quotes', { symbols: 'GLPR.TO,GLPR,CPP-UN.TO,CPPL,NOBODY,NA.TO', as_of: noon }],
  ['get_quotes', { symbols: 'GLPR.TO,GLPR,HMQ.V,CBC.TO,TRUE', as_of: evening }],
  ['get_quote', { ticker: 'CBC.TO', as_of: noon }],
  ['get_intraday', { symbol: 'GLPR', interval: '15m' }],
  ['get_intraday', { symbol: 'NA.TO', interval: '1h' }],
  ['get_intraday', { symbol: 'GLPR.TO', interval: '5m', from: '2024-12-01', limit: '50' }],
  ['get_intraday', { symbol: 'GLPR.TO', interval: '1m' }],
  ['get_intraday', { symbol: 'ASG.TO', from: '2026-01-05', to: '2026-01-06' }],
  ['get_intraday', { symbol: 'CBC.TO' }],
  ['get_chart', { symbol: 'GLPR.TO', timeframe: '1d' }],
  ['get_chart', { symbol: 'GLPR.TO', timeframe: '5d' }],
  ['get_chart', { symbol: 'NA.TO', timeframe: '5d', as_of: noon }],
  ['get_chart', { symbol: 'CBC.TO', timeframe: '5d' }],
] as const)('%s %o', async (id, requested) => {
  expect(await reproduced(id, requested)).toMatchObject({ reproduced: true, reason: null })
})

type Quote = Readonly<Record<string, unknown>>
const quotesAt = async (symbols: string, as_of: string): Promise<Quote[]> => (await ask<{ quotes: Quote[] }>('get_quotes', { symbols, as_of })).quotes

test('the day of the universe: a price before the open, a stale line beside a live one at noon, late trading in the evening', async () => {
  expect(await quotesAt('GLPR', `${world.last}T13:50:00Z`)).toMatchObject([{ price_session: 'pre', session: 'pre', open: null }])
  expect(await quotesAt('CPP-UN.TO,CPPL', noon)).toMatchObject([
    { symbol: 'CPP-UN.TO', quoted_at: `${world.last}T16:03:00Z`, data_lag_seconds: 7920, stale: true },
    { symbol: 'CPPL', quoted_at: `${world.last}T17:57:00Z` },
  ])
  expect(await quotesAt('GLPR,GLPR.TO', evening)).toMatchObject([
    { symbol: 'GLPR', price_session: 'post', session: 'pre' },
    { symbol: 'GLPR.TO', price_session: 'regular', session: 'closed' },
  ])
})
test('minutes of the universe add up to the bar of their day', async () => {
  type Bars = { readonly bars: readonly Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', number>>[] }
  const { bars } = await ask<Bars>('get_intraday', { symbol: 'GLPR', interval: '1m' })
  const { bars: eod } = await ask<Bars>('get_eod', { symbol: 'GLPR', from: world.last })
  expect({
    open: bars[0]?.open,
    high: Math.max(...bars.map(bar => bar.high)),
    low: Math.min(...bars.map(bar => bar.low)),
    close: bars.at(-1)?.close,
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
  }).toEqual({ open: eod[0]?.open, high: eod[0]?.high, low: eod[0]?.low, close: eod[0]?.close, volume: eod[0]?.volume })
})
test('the release before any bar below a day answers that none is loaded', async () => {
  expect(await ask('get_intraday', { symbol: 'GLPR' }, 1)).toMatchObject({ count: 0, coverage: { status: 'not_loaded' } })
})
