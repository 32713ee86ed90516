// A symbol of which bars are held and which no directory lists answers everywhere, and says so.
import { describe, expect, test } from 'vitest'
import { SymbolAnswer } from '#schemas/operations/reference.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { resolveHeld } from '#warehouse/answers/listed.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { bars, type File, lakeOf, own } from './samples.ts'

type Covered = { count: number; coverage: { status: string; sentence: string } }
const documents = [bars('XIU.TO', { '2024-01-04': 30, '2024-01-05': 31 }), own('XIU.TO', '2024-01-05,dividend,,,0.2,CAD,,,,,')]

test('answers of bars say that no directory lists it; of other symbols, that nothing was loaded', async () => {
  const lake = await lakeOf([documents])
  const eod = (symbol: string, more: object = {}) => lake.ask<Covered>('get_eod', { symbol, order: 'asc', adjust: 'none', ...more })
  expect(await eod('XIU.TO')).toMatchObject({ count: 2, coverage: { status: 'not_listed' } })
  expect(await eod('XIU.TO', { from: '2025-01-01' })).toMatchObject({ count: 0, coverage: { status: 'not_loaded' } })
  expect(await eod('ZED')).toMatchObject({ count: 0, coverage: { status: 'not_loaded' } })
  expect(await lake.ask<Covered>('get_chart', { symbol: 'XIU.TO', timeframe: '1y', adjust: 'none' })).toMatchObject({
    count: 2,
    coverage: { status: 'not_listed', sentence: 'Bars of XIU.TO are held; no directory that was read lists it.' },
  })
  expect(await lake.ask<Covered>('list_eod_revisions', { symbol: 'XIU.TO', limit: 10 })).toMatchObject({
    count: 1,
    coverage: { status: 'not_listed' },
  })
  expect(await lake.ask<Covered>('get_intraday', { symbol: 'XIU.TO', interval: '5m', session: 'regular', adjust: 'none', limit: 10 })).toMatchObject({
    count: 0,
    coverage: { status: 'not_loaded' },
  })
  expect(await resolveHeld(await lake.context(), 'XIU.TO')).toBe('XIU.TO')
  await expect(resolveHeld(await lake.context(), 'ZED')).rejects.toThrow('no symbol ZED is known')
})

test('every operation about a symbol answers it, with what is held', async () => {
  const lake = await lakeOf([documents])
  for (const requested of ['XIU.TO', 'TSX:XIU'])
    expect(await lake.ask('get_symbol', { symbol: requested })).toMatchObject({
      symbol: 'XIU.TO',
      asked: requested,
      alias_of: requested === 'XIU.TO' ? null : 'XIU.TO',
      name: null,
      exchange: 'TO',
      currency: 'CAD',
      instrument_id: null,
      listed: false,
      history: [],
      coverage: { status: 'not_listed', bars: 2, first_date: '2024-01-04', last_date: '2024-01-05' },
    })
  const before = await lake.ask<{ coverage: unknown }>('get_symbol', { symbol: 'XIU.TO', as_of: '2001-01-01T00:00:00Z' })
  expect(before.coverage).toMatchObject({ status: 'not_loaded', bars: 0, nearest: [] })
  // Parsing removes what the description does not have.
  expect(SymbolAnswer.shape.coverage.parse(before.coverage)).toEqual(before.coverage)
  await expect(lake.ask('get_symbol', { symbol: 'ZED' })).rejects.toThrow('no symbol ZED is known')
  const empty: readonly (readonly [Parameters<typeof lake.ask>[0], object, object])[] = [
    ['list_dual_listings', { symbol: 'XIU.TO', limit: 10 }, { count: 0, coverage: { status: 'none' } }],
    ['get_form4', { ticker: 'XIU.TO', limit: 10 }, { cik: null, count: 0 }],
    ['get_s1', { ticker: 'XIU.TO' }, { cik: null, filing: null }],
    ['get_fundamentals', { symbol: 'XIU.TO', years: 5 }, { cik: null, count: 0 }],
    ['get_earnings', { symbol: 'XIU.TO', limit: 10 }, { cik: null, count: 0 }],
    ['search_filings', { ticker: 'XIU.TO', limit: 10 }, { count: 0, filings: [] }],
    ['list_activist_13d', { ticker: 'XIU.TO', days: 21, limit: 10 }, { count: 0, coverage: { status: 'no_sec_registrant' } }],
    ['get_filing_diff', { ticker: 'XIU.TO', form: '10-K', item: '1A', limit: 10 }, { cik: null, count: 0 }],
    ['get_analyst_recs', { symbol: 'XIU.TO' }, { symbol: 'XIU.TO' }],
    ['get_sharia_screen_all', { symbol: 'XIU.TO' }, { symbol: 'XIU.TO' }],
    ['list_earnings_calendar', { symbol: 'XIU.TO', limit: 10, from: '2024-01-01', to: '2024-02-01' }, { count: 0 }],
  ]
  for (const [operation, question, expected] of empty) expect([operation, await lake.ask(operation, question)]).toMatchObject([operation, expected])
  // Nothing at all is known of another symbol.
  await expect(lake.ask('get_form4', { ticker: 'ZED', limit: 10 })).rejects.toThrow('no symbol ZED is known')
})

describe('a consolidation that comes with a new ticker', () => {
  const directory = (date: string, ...rows: readonly string[]): File => ({
    url: `file:symbols-${date}.csv`,
    at: `${date}T22:00:00Z`,
    text: `symbol,name,exchange,type,currency,date\n${rows.map(row => `${row},${date}`).join('\n')}\n`,
  })
  const prices = [
    bars('KCX.V', { '2024-05-02': 0.1, '2024-05-03': 0.1 }, 'KCX'),
    bars('KCG.V', { '2024-05-06': 1, '2024-05-07': 1.1 }, 'KCG'),
    own('KCG.V', '2024-05-06,consolidation,1,10,,,,,,,'),
  ]
  type Named = { symbol: string; history: { symbol: string; successor: string | null; predecessor: string | null; link_known_from?: string }[] }
  const linked = [
    { symbol: 'KCX.V', successor: 'KCG.V', link_known_from: '2024-05-06T22:00:00Z' },
    { symbol: 'KCG.V', predecessor: 'KCX.V', link_known_from: '2024-05-06T22:00:00Z' },
  ]
  test('is linked by two directories that show one issuer, and both symbols name the link', async () => {
    const whole = (date: string, symbol: string): File => ({
      url: 'https://eodhd.com/api/exchange-symbol-list/V?fmt=json',
      source: 'eodhd',
      at: `${date}T22:00:00Z`,
      text: JSON.stringify(
        [
          [symbol, 'Kestrel Copper Corp'],
          ['AAA', 'Abacus Ore Ltd'],
          ['BBB', 'Bravo Gold Corp'],
        ].map(([Code, Name]) => ({ Code, Name, Country: 'Canada', Exchange: 'V', Currency: 'CAD', Type: 'Common Stock', Isin: null })),
      ),
    })
    const lake = await lakeOf([[whole('2024-05-03', 'KCX')], [whole('2024-05-06', 'KCG')], prices])
    for (const symbol of ['KCX.V', 'KCG.V']) expect((await lake.ask<Named>('get_symbol', { symbol })).history, symbol).toMatchObject(linked)
    expect(await lake.adjusted('KCG.V')).toEqual({ '2024-05-02': 1, '2024-05-03': 1, '2024-05-06': 1, '2024-05-07': 1.1 })
  })
  test("is linked by the operator's copy of the exchange's bulletin, where the name changed too", async () => {
    const bulletin: File = {
      ...own('KCX.V', '2024-05-06,rename,1,10,,,,,,KCG.V,TSX Venture bulletin of 2024-05-03: one new share for ten'),
      at: '2024-05-06T22:00:00Z',
    }
    const lists = [
      [directory('2024-05-03', 'KCX.V,Kestrel Copper Corp,V,common,CAD', 'AAA.V,Abacus Ore Ltd,V,common,CAD')],
      [directory('2024-05-06', 'KCG.V,Osprey Gold Inc,V,common,CAD', 'AAA.V,Abacus Ore Ltd,V,common,CAD')],
    ]
    const without = await lakeOf([...lists, prices])
    // Two names and two symbols: nothing links them.
    expect((await without.ask<Named>('get_symbol', { symbol: 'KCG.V' })).history).toHaveLength(1)
    expect(Object.keys(await without.adjusted('KCG.V'))).toEqual(['2024-05-06', '2024-05-07'])
    const lake = await lakeOf([...lists, [bulletin], prices])
    for (const symbol of ['KCX.V', 'KCG.V']) expect((await lake.ask<Named>('get_symbol', { symbol })).history, symbol).toMatchObject(linked)
    expect(await lake.adjusted('KCG.V')).toEqual({ '2024-05-02': 1, '2024-05-03': 1, '2024-05-06': 1, '2024-05-07': 1.1 })
  })
})

test('its answers name a document of its bars, without which a re-execution would not know it', async () => {
  const lake = await lakeOf([documents])
  const [{ text }] = documents as [File]
  const ofBars = { source: 'csv', raw_sha256: sha256Hex(Buffer.from(text)) }
  for (const [operation, question] of [
    ['get_form4', { ticker: 'XIU.TO', limit: 10 }],
    ['get_fundamentals', { symbol: 'XIU.TO', years: 5 }],
  ] as const) {
    const payload = await buildPayload(operation, await lake.context(), question as never, '2026-11-20T12:00:00Z')
    expect(await payload?.origins()).toEqual([ofBars])
    expect(payload?.datasets).toContain('bars')
  }
})

test('its answers change when a Form 4 names its issuer: they are made again after each release of such filings', async () => {
  const lake = await lakeOf([documents])
  for (const [operation, question] of [
    ['get_symbol', { symbol: 'XIU.TO' }],
    ['get_fundamentals', { symbol: 'XIU.TO', years: 5 }],
    ['get_earnings', { symbol: 'XIU.TO', limit: 10 }],
    ['get_sharia_screen_all', { symbol: 'XIU.TO' }],
  ] as const) {
    const payload = await buildPayload(operation, await lake.context(), question as never, '2026-11-20T12:00:00Z')
    expect([operation, payload?.datasets.includes('insider_filings')]).toEqual([operation, true])
  }
})
