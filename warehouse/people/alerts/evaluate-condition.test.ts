// Alerts evaluated by hand: transitions, splits, baselines, closes in place of a day's close, and the results of a dry run.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QuoteRow } from '../../datasets/quotes/quotes.ts'
import type { AlertTerms, Snapshot } from '../../rules/indicators/alerts.ts'
import { adjusted, ofInstrument } from './closes.ts'
import { replay } from './dry-run.ts'
import { barsRead, evaluate, inWords, readsHistory, type State } from './evaluate-condition.ts'
import { lastSession, type Picture, pictureOf } from './pictures.ts'

const anAlert = (given: Partial<AlertTerms> = {}): AlertTerms => ({
  condition: 'above',
  threshold: '10',
  baseline_price: null,
  condition2: null,
  threshold2: null,
  logic: null,
  ...given,
})
const aPicture = (price: string | null, given: Partial<Picture> & { readonly closes?: readonly string[] } = {}): Picture => {
  const { closes = price === null ? [] : [price], ...rest } = given
  const snapshot: Snapshot = { price, closes, intraday: false }
  const reported =
    price === null ? null : { price, price_basis: 'last_bar' as const, price_at: '2026-11-19T21:00:00Z', session_date: '2026-11-19', source: 'csv' }
  return {
    symbol: 'ZED',
    snapshot,
    known: snapshot,
    reported,
    day: price === null ? null : '2026-11-19',
    last_close: price,
    days: closes.map(() => '2026-11-19'),
    splits: [],
    ...rest,
  }
}
/** Evaluates one price after the other, each from the previous state. */
function seen(alert: AlertTerms, prices: readonly (string | null)[]): boolean[] {
  let state: State | null = null
  return prices.map(price => {
    const verdict = evaluate(alert, state, aPicture(price))
    state = verdict.state
    return verdict.fires
  })
}

describe('an alert on a listing', () => {
  it('fires when it becomes true: not from the start, not while it stays so, not on what is unknown', () => {
    expect(seen(anAlert(), ['11', '12', null, '9', null, '10.01', '12', '10', '11'])).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      false,
      false,
      true,
    ])
  })
  it('takes its baseline from the first close that it sees, unless one is given', () => {
    expect(evaluate(anAlert({ condition: 'pct_up' }), null, aPicture('50')).state).toMatchObject({
      baseline_price: '50',
      priced_on: '2026-11-19',
      holds: false,
    })
    expect(seen(anAlert({ condition: 'pct_up', threshold: '10' }), ['50', '54.99', '55'])).toEqual([false, false, true])
    expect(evaluate(anAlert({ condition: 'pct_up', baseline_price: '40' }), null, aPicture('50')).state).toMatchObject({
      baseline_price: '40',
      holds: true,
    })
  })
  it('is rescaled by splits after the day in whose shares it was made, and a split alone never fires it', () => {
    const state = { baseline_price: '100', priced_on: '2026-11-18', splits: [], holds: false }
    const split = { ex_date: '2026-11-19', numerator: '2', denominator: '1' }
    const below = anAlert({ condition: 'below', threshold: '60', baseline_price: '100' })
    const verdict = evaluate(below, state, aPicture('50', { splits: [{ ex_date: '2026-11-18', numerator: '9', denominator: '1' }, split] }))
    expect(verdict).toMatchObject({
      fires: false,
      terms: { threshold: '30', baseline_price: '50' },
      state: { splits: [split], baseline_price: '100' },
    })
    expect(evaluate(below, state, aPicture('29.99', { splits: [split] })).fires).toBe(true)
    expect(evaluate(below, { ...state, splits: [split] }, aPicture(null)).terms.threshold).toBe('30')
  })
  it('that is armed before the price of the day is there starts from the session before, and fires on the next', () => {
    const stale = { ...aPicture('9'), snapshot: { price: null, closes: [], intraday: false } }
    const { state, fires } = evaluate(anAlert(), null, stale)
    expect([state.holds, fires, evaluate(anAlert(), state, aPicture('11')).fires]).toEqual([false, false, true])
    const before = { ...stale, known: { price: '11', closes: ['11'], intraday: false } }
    expect(evaluate(anAlert(), evaluate(anAlert(), null, before).state, aPicture('12')).fires).toBe(false)
    // An old price fires nothing and does not replace the stored result.
    expect(evaluate(anAlert(), { ...state, holds: false }, before)).toMatchObject({ fires: false, state: { holds: false } })
  })
  it('describes its rule in words', () => {
    expect(inWords(anAlert({ threshold: '12.50', condition2: 'rsi_below', threshold2: '30', logic: 'OR' }))).toBe(
      'price above 12.50 or RSI(14) below 30',
    )
    expect(inWords(anAlert({ condition: 'pct_down', threshold: '5', baseline_price: '40', condition2: 'px_below_sma200' }))).toBe(
      'price down by at least 5 % from 40 and price below the average of its last 200 closes',
    )
  })
  it('names the closes that it read: none behind a quote, 50 of an average, 250 of an RSI', () => {
    const closes = Array.from({ length: 260 }, (_, at) => `${at + 1}`)
    const picture = aPicture('260', { closes })
    const counts = (['above', 'px_above_sma50', 'rsi_above'] as const).map(condition => barsRead(anAlert({ condition }), picture).length)
    expect(counts).toEqual([1, 50, 250])
    const quoted = { ...picture, reported: { ...(picture.reported as NonNullable<Picture['reported']>), price_basis: 'quote' as const } }
    expect(barsRead(anAlert(), quoted)).toEqual([])
    expect([readsHistory(anAlert()), readsHistory(anAlert({ condition2: 'px_above_sma50' }))]).toEqual([false, true])
  })
})

describe('the picture of a listing', () => {
  const spans = [{ symbol: 'ZED', from: null, to: null }]
  const closes = { dates: ['2026-11-18', '2026-11-19'], closes: [100, 102] }
  const quote = (given: Partial<QuoteRow>): QuoteRow =>
    ({
      symbol: 'ZED',
      price: 103,
      session: 'regular',
      session_date: '2026-11-20',
      quoted_at: '2026-11-20T16:00:00Z',
      source_name: 'eodhd',
      currency: 'USD',
      ...given,
    }) as QuoteRow
  const at = (now: string, given: QuoteRow | undefined, factors: Parameters<typeof pictureOf>[0]['factors'] = []) =>
    pictureOf({ symbol: 'ZED', spans, closes, source: 'csv', factors, quote: given, now })

  it("has the session's last price as the day's close, marked while the session runs", () => {
    expect(at('2026-11-20T16:15:00Z', quote({})).snapshot).toEqual({ price: '103', closes: ['100', '102', '103'], intraday: true })
    expect(at('2026-11-20T21:15:00Z', quote({ quoted_at: '2026-11-20T21:00:00Z' })).snapshot).toMatchObject({
      closes: ['100', '102', '103'],
      intraday: false,
    })
  })
  it('has no price of zero, none before the open as a close, and the bar in place of a quote from before its close', () => {
    expect(at('2026-11-20T13:00:00Z', quote({ price: 0, session: 'pre' })).snapshot).toMatchObject({ price: '102', closes: ['100', '102'] })
    expect(at('2026-11-20T13:00:00Z', quote({ session: 'pre', quoted_at: '2026-11-20T13:00:00Z' })).snapshot).toMatchObject({
      price: '103',
      closes: ['100', '102'],
    })
    expect(at('2026-11-19T22:00:00Z', quote({ session_date: '2026-11-19', quoted_at: '2026-11-19T20:59:00Z' })).reported).toMatchObject({
      price: '102',
      price_basis: 'last_bar',
    })
  })
  it('is of the last session or of none: after the next close it has no effect, though a baseline may be taken from it', () => {
    expect(at('2026-11-20T20:59:00Z', undefined).snapshot.price).toBe('102')
    expect(at('2026-11-20T21:01:00Z', undefined)).toMatchObject({ snapshot: { price: null, closes: [] }, last_close: '102', days: [] })
    expect([lastSession('US', Date.parse('2026-11-22T12:00:00Z')), lastSession('US', Date.parse('2026-11-27T18:30:00Z'))]).toEqual([
      '2026-11-20',
      '2026-11-27',
    ])
  })
  it('has closes in shares of its newest day', () => {
    const split = { symbol: 'ZED', ex_date: '2026-11-20', split_numerator: '3', split_denominator: '1' } as Parameters<
      typeof pictureOf
    >[0]['factors'][number]
    expect(at('2026-11-20T16:15:00Z', quote({ price: 34 }), [split]).snapshot.closes).toEqual(['33.333333333333', '34', '34'])
    // Before a price of the day is there, nothing is in new shares yet.
    expect(at('2026-11-20T16:15:00Z', undefined, [split]).snapshot.closes).toEqual(['100', '102'])
  })
  it('follows an instrument over the symbols that it wore', () => {
    const held = new Map([
      ['OLD', { dates: ['2026-01-02', '2026-01-05'], closes: [1, 2] }],
      ['ZED', { dates: ['2026-01-05', '2026-01-06'], closes: [3, 4] }],
    ])
    const worn = [
      { symbol: 'OLD', from: null, to: '2026-01-05' },
      { symbol: 'ZED', from: '2026-01-05', to: null },
    ]
    expect(ofInstrument(held, worn).closes).toEqual([1, 3, 4])
    expect(adjusted(ofInstrument(held, worn), [{ ex_date: '2026-01-05', numerator: '1', denominator: '10' }])).toEqual(['10', '3', '4'])
  })
})

describe('a dry run', () => {
  const dates = ['2026-11-12', '2026-11-13', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']
  it('reports each day on which it would have fired, and what it read', async () => {
    const run = await replay(anAlert(), { dates, closes: ['12', '9', '11', '11', '10', '10.5'] }, '2026-11-13')
    expect(run).toMatchObject({ from: '2026-11-13', sessions: 5, unknown: 0, baseline_price: '12', holds_now: true })
    expect(run.firings.map(({ date, price }) => [date, price])).toEqual([
      ['2026-11-16', '11'],
      ['2026-11-19', '10.5'],
    ])
    expect(run.firings[0]?.conditions).toMatchObject([{ condition: 'above', holds: true, value: '11', against: '10' }])
  })
  it('counts the days on which an indicator was not known', async () => {
    const run = await replay(anAlert({ condition: 'px_above_sma50' }), { dates, closes: ['1', '2', '3', '4', '5', '6'] }, '2026-11-12')
    expect(run).toMatchObject({ sessions: 6, unknown: 6, holds_now: null, firings: [] })
    expect(await replay(anAlert(), { dates: [], closes: [] }, '2026-11-12')).toMatchObject({ sessions: 0, from: null })
  })
  it('fires as often as the service would that is armed again after each firing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 40 }), async closes => {
        const days = closes.map((_, at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10))
        const run = await replay(anAlert(), { dates: days, closes: closes.map(String) }, days[0] as string)
        const expected = closes.filter((close, at) => close > 10 && at > 0 && (closes[at - 1] as number) <= 10).length
        expect(run.firings).toHaveLength(expected)
      }),
      { numRuns: 200 },
    )
  })
})
