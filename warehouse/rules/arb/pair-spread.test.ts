import { describe, expect, it } from 'vitest'
import { operatorPair } from '#fixtures/dual-listings/pair.ts'
import { dollarSymbol } from '#schemas/fx.ts'
import { costsOn } from '../../rulesets/arb/rules.ts'
import type { ArbInputs, CloseRow, QuoteRow, RateRow } from './inputs.ts'
import { pairSpreadOf } from './pair-spread.ts'

const at = '2026-11-19T18:00:00Z' // a Thursday, 13:00 in New York
const provenance = { source: 'eodhd', known_from: at, raw_sha256: 'a'.repeat(64) }
const aPair = operatorPair('GLPR.TO', 'GLPR', 'Great Lakes')
const aQuote = (symbol: string, more: Partial<QuoteRow> = {}): QuoteRow => ({
  ...provenance,
  symbol,
  source_name: 'eodhd',
  quoted_at: '2026-11-19T17:59:50Z',
  time_basis: 'trade',
  book_at: null,
  session_date: '2026-11-19',
  session: 'regular',
  price: 73.61,
  regular_price: null,
  bid: 73.6,
  ask: 73.62,
  currency: 'USD',
  halted: null,
  delay_seconds: 0,
  ...more,
})
const here = (more: Partial<QuoteRow> = {}) => aQuote('GLPR.TO', { price: 101.22, bid: 101.2, ask: 101.24, currency: 'CAD', ...more })
const spot = (more: Partial<QuoteRow> = {}) => aQuote(dollarSymbol, { price: 1.3741, bid: 1.374, ask: 1.3742, currency: 'CAD', ...more })
const aClose = (symbol: string, date: string, close: number, currency: string): CloseRow => ({ ...provenance, symbol, date, close, currency })
const aRate: RateRow = {
  ...provenance,
  source: 'bank-of-canada',
  base_currency: 'USD',
  quote_currency: 'CAD',
  date: '2026-11-18',
  rate: '1.3700',
  series: 'FXUSDCAD',
}
const inputs = (
  quotes: readonly QuoteRow[],
  closes: readonly CloseRow[] = [],
  rate: RateRow | null = null,
  actions: ArbInputs['actions'] = new Map(),
): ArbInputs => ({
  quotes: Map.groupBy(quotes, row => row.symbol),
  closes: new Map(closes.map(row => [row.symbol, row])),
  actions,
  rate,
})
const spread = (given: ArbInputs, now = at, pair = aPair) => pairSpreadOf(pair, given, now, costsOn('2026-11-19'))

describe('a pair at one instant', () => {
  it('is live and actionable with two-sided quotes and a two-sided rate: the vector, end to end', () => {
    const each = spread(inputs([here(), aQuote('GLPR'), spot()]))
    expect(each).toMatchObject({
      status: 'live',
      actionable: true,
      data_lag_seconds: 10,
      spread: { basis: 'mid', spread_abs: '0.072499' },
      fx: { basis: 'quote' },
    })
    expect(each.spread?.net_edge_bps).toBeCloseTo(3.1, 2)
  })
  it('is not actionable at one rate without quoted sides, nor after costs that eat the edge', () => {
    expect(spread(inputs([here(), aQuote('GLPR'), spot({ bid: null, ask: null })]))).toMatchObject({
      status: 'live',
      actionable: false,
      spread: { fx_sides: 'one_rate' },
    })
    const costs = { ...costsOn('2026-11-19'), commission_us: '0.05' }
    expect(pairSpreadOf(aPair, inputs([here(), aQuote('GLPR'), spot()]), at, costs)).toMatchObject({ status: 'live', actionable: false })
  })
  it('uses the published rate if no source quotes the dollar, and reports that it is stale', () => {
    const each = spread(inputs([here(), aQuote('GLPR')], [], aRate))
    expect(each).toMatchObject({
      status: 'fx_stale',
      actionable: false,
      fx: { basis: 'reference_rate', date: '2026-11-18', observed_at: '2026-11-18T21:30:00Z', last: '1.3700' },
    })
    expect(each.reasons[0]?.sentence).toContain('the published rate of 2026-11-18 (FXUSDCAD)')
    // Printed the other way round it is turned.
    const turned = spread(
      inputs([here(), aQuote('GLPR')], [], { ...aRate, base_currency: 'CAD', quote_currency: 'USD', rate: '0.8', series: 'FXCADUSD' }),
    )
    expect(turned.fx?.last).toBe('1.25')
    // An older quote gives way to a rate that was published since.
    expect(spread(inputs([here(), aQuote('GLPR'), spot({ quoted_at: '2026-11-18T15:00:00Z' })], [], aRate)).fx?.basis).toBe('reference_rate')
  })
  it('falls back to the last daily bars, which have no executable edge and a session each', () => {
    const each = spread(inputs([], [aClose('GLPR.TO', '2026-11-18', 101.22, 'CAD'), aClose('GLPR', '2026-11-18', 73.61, 'USD')], aRate))
    expect(each).toMatchObject({
      status: 'stale_leg',
      actionable: false,
      toronto: { basis: 'last_close', observed_at: '2026-11-18T21:00:00Z', session_date: '2026-11-18' },
      spread: { basis: 'last', edges: null },
      data_lag_seconds: 75_600,
    })
    // The day before a holiday of one country the closes are of two sessions.
    const apart = spread(
      inputs([], [aClose('GLPR.TO', '2026-11-26', 101, 'CAD'), aClose('GLPR', '2026-11-25', 73, 'USD')], aRate),
      '2026-11-27T03:00:00Z',
    )
    expect(apart).toMatchObject({ status: 'one_market_closed', reasons: [{ leg: 'us' }, {}, {}, {}, {}] })
  })
  it('prefers a fresh two-sided quote to a newer trade without sides, and any trade to an older quote', () => {
    const sides = here({ quoted_at: '2026-11-19T17:59:30Z', source_name: 'yahoo', source: 'yahoo' })
    const trade = here({ bid: null, ask: null, quoted_at: '2026-11-19T17:59:55Z' })
    expect(spread(inputs([sides, trade, aQuote('GLPR'), spot()])).toronto?.source).toBe('yahoo')
    expect(spread(inputs([{ ...sides, quoted_at: '2026-11-19T17:50:00Z' }, trade, aQuote('GLPR'), spot()])).toronto?.source).toBe('eodhd')
  })
  it("compares two delayed lines rather than one source's live line with another's delayed one", () => {
    const late = { quoted_at: '2026-11-19T17:46:00Z', delay_seconds: 840 }
    const live = aQuote('GLPR', { source: 'yahoo', source_name: 'yahoo' })
    const each = spread(inputs([here(late), live, aQuote('GLPR', { ...late, quoted_at: '2026-11-19T17:45:30Z' }), spot()]))
    expect(each).toMatchObject({ status: 'live', data_lag_seconds: 870, us: { source: 'eodhd' } })
    // If there is no such pair of moments, the newest prices are compared and marked as being of two moments.
    expect(spread(inputs([here(late), live, spot()]))).toMatchObject({ status: 'skewed', us: { source: 'yahoo' } })
  })
  it('is as old as the book where bid and ask are compared, and as the trade where trades are', () => {
    const quiet = here({ quoted_at: '2026-11-19T16:00:00Z', book_at: '2026-11-19T17:59:45Z' })
    expect(spread(inputs([quiet, aQuote('GLPR'), spot()]))).toMatchObject({ status: 'live', data_lag_seconds: 15 })
    const oneSided = spread(inputs([quiet, aQuote('GLPR', { bid: null, ask: null }), spot()]))
    expect(oneSided).toMatchObject({ status: 'stale_leg', reasons: [{ leg: 'toronto' }, {}], spread: { basis: 'last' }, data_lag_seconds: 7200 })
  })
  it('compares no evening price with a session price if the line has both', () => {
    const evening = '2026-11-19T21:30:00Z'
    const post = aQuote('GLPR', { session: 'post', price: 75, quoted_at: '2026-11-19T21:25:00Z', regular_price: 73.7 })
    const done = here({ quoted_at: '2026-11-19T21:00:00Z' })
    const each = spread(inputs([done, post, spot()]), evening)
    expect(each).toMatchObject({ us: { last: '73.7', session: 'regular', observed_at: '2026-11-19T21:00:00Z' } })
    // An hour later the post-market still trades if a feed delayed by a quarter of an hour reports it.
    expect(spread(inputs([done, { ...post, delay_seconds: 900 }, spot()]), evening)).toMatchObject({
      status: 'one_market_closed',
      us: { outside: { session: 'post' } },
    })
    expect(spread(inputs([done, { ...post, delay_seconds: 900 }, spot()]), '2026-11-20T03:00:00Z').reasons.map(reason => reason.code)).not.toContain(
      'one_market_closed',
    )
    // Without a regular price there is only the one of the evening.
    expect(spread(inputs([done, { ...post, regular_price: null }, spot()]), evening)).toMatchObject({
      status: 'one_market_closed',
      us: { last: '75' },
    })
  })
  it('is halted if a newer quote of any source reports it', () => {
    const halt = aQuote('GLPR', {
      source_name: 'tmx',
      source: 'tmx',
      halted: true,
      price: null,
      bid: null,
      ask: null,
      quoted_at: '2026-11-19T17:59:52Z',
    })
    expect(spread(inputs([here(), aQuote('GLPR'), halt, spot()]))).toMatchObject({
      status: 'halted',
      actionable: false,
      us: { halted_by: { source: 'tmx' } },
    })
    expect(spread(inputs([here(), aQuote('GLPR'), { ...halt, halted: false }, spot()])).status).toBe('live')
  })
  it('needs no rate in one currency, and has no number in currencies that no rate is kept for', () => {
    const usd = here({ currency: 'USD', price: 73.6, bid: 73.59, ask: 73.61 })
    expect(spread(inputs([usd, aQuote('GLPR')]))).toMatchObject({
      status: 'live',
      fx: { basis: 'identity', last: '1' },
      spread: { us_in_cad: '73.61' },
    })
    expect(spread(inputs([here({ currency: 'GBP' }), aQuote('GLPR')], [], aRate))).toMatchObject({
      status: 'no_data',
      spread: null,
      reasons: [{ leg: null }, {}],
    })
  })
  it('counts the ratio of a pair', () => {
    const each = spread(inputs([here({ bid: 50.6, ask: 50.62, price: 50.61 }), aQuote('GLPR'), spot()]), at, { ...aPair, ratio: '2' })
    expect(each.spread?.spread_bps).toBeCloseTo(7.17, 2)
  })
  it('has no data where a line has no price, a price of 0, or one that is no number', () => {
    expect(spread(inputs([here(), spot()]))).toMatchObject({ status: 'no_data', us: null, spread: null, data_lag_seconds: null, actionable: false })
    expect(spread(inputs([here(), aQuote('GLPR', { price: 0, bid: 0, ask: 0 }), spot()])).status).toBe('no_data')
    expect(spread(inputs([here(), aQuote('GLPR', { price: Number.NaN, bid: null, ask: null }), spot()])).status).toBe('no_data')
  })
  it('sees a split of one line', () => {
    const actions = new Map([['GLPR', [{ ...provenance, symbol: 'GLPR', kind: 'split', ex_date: '2026-11-19', source_name: 'eodhd' }]]])
    expect(spread(inputs([here(), aQuote('GLPR'), spot()], [], null, actions))).toMatchObject({ status: 'corporate_action', actionable: false })
  })
})
