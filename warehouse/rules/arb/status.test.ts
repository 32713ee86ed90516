import { describe, expect, it } from 'vitest'
import { arbRules } from '../../rulesets/arb/rules.ts'
import { fxOpenAt, hoursAt, lastClose } from './market-hours.ts'
import { evaluatePair, type LegState, type PairState, statuses } from './status.ts'

const at = '2026-11-19T18:00:00Z' // a Thursday, 13:00 in New York: both exchanges are open
const leg = (symbol: string, more: Partial<LegState> = {}): LegState => ({
  symbol,
  observed_at: '2026-11-19T17:59:50Z',
  session_date: '2026-11-19',
  session: 'regular',
  halted: false,
  delay_seconds: 0,
  ...more,
})
const rate = (observed_at = '2026-11-19T17:59:55Z') => ({ observed_at, what: 'a quote' })
const pair = (more: Partial<PairState> = {}): PairState => ({
  toronto: leg('GLPR.TO'),
  us: leg('GLPR'),
  fx: rate(),
  actions: [],
  fault: null,
  ...more,
})
const evaluated = (more: Partial<PairState> = {}, now = at) => evaluatePair(pair(more), now, arbRules)

describe('the state of a pair', () => {
  it('is live where everything is young and near one another', () => {
    expect(evaluated()).toEqual({ status: 'live', reasons: [] })
  })
  it('is no_data where a price or the rate is missing, and names it', () => {
    expect(evaluated({ us: null })).toMatchObject({ status: 'no_data', reasons: [{ leg: 'us', sentence: 'no price of the us line is known' }] })
    expect(evaluated({ fx: null })).toMatchObject({ status: 'no_data', reasons: [{ leg: 'fx' }] })
    expect(evaluated({ fx: 'none_needed' }).status).toBe('live')
  })
  it('is stale where a leg is older than its feed allows: a minute live, a quarter of an hour delayed', () => {
    const old = (seconds: number) => new Date(Date.parse(at) - seconds * 1000).toISOString().replace('.000Z', 'Z')
    const us = (seconds: number, delay_seconds: number | null) =>
      evaluated({ us: leg('GLPR', { observed_at: old(seconds), delay_seconds }), fx: 'none_needed' })
    expect(us(61, 0)).toMatchObject({ status: 'stale_leg', reasons: [{ leg: 'us' }, { code: 'skewed' }] })
    expect(us(61, 900).status).toBe('live')
    expect(us(901, 900).status).toBe('stale_leg')
    // A source that does not say how late it is is taken for a delayed one.
    expect(us(61, null).status).toBe('live')
  })
  it('is skewed where the legs were observed too far apart; the rate only has to be young', () => {
    expect(evaluated({ us: leg('GLPR', { observed_at: '2026-11-19T17:59:30Z' }) })).toMatchObject({ status: 'skewed', reasons: [{ leg: 'both' }] })
    expect(evaluated({ fx: rate('2026-11-19T17:59:20Z') }).status).toBe('live')
    const delayed = { delay_seconds: 900 }
    expect(evaluated({ toronto: leg('GLPR.TO', delayed), us: leg('GLPR', { ...delayed, observed_at: '2026-11-19T17:55:00Z' }) }).status).toBe('live')
    expect(evaluated({ toronto: leg('GLPR.TO', delayed), us: leg('GLPR', { ...delayed, observed_at: '2026-11-19T17:54:00Z' }) }).status).toBe(
      'skewed',
    )
  })
  it('is fx_stale where the rate is older than five minutes, or on a weekend whatever its age', () => {
    const delayed = { toronto: leg('GLPR.TO', { delay_seconds: 900 }), us: leg('GLPR', { delay_seconds: 900 }) }
    expect(evaluated({ ...delayed, fx: rate('2026-11-19T17:54:59Z') })).toMatchObject({ status: 'fx_stale', reasons: [{ leg: 'fx' }] })
    expect(fxOpenAt('2026-11-20T21:59:59Z', arbRules.fx_week)).toBe(true) // Friday 16:59:59 in New York
    expect(fxOpenAt('2026-11-20T22:00:00Z', arbRules.fx_week)).toBe(false)
    expect(fxOpenAt('2026-11-21T15:00:00Z', arbRules.fx_week)).toBe(false)
    expect(fxOpenAt('2026-11-22T21:59:00Z', arbRules.fx_week)).toBe(false) // Sunday 16:59
    expect(fxOpenAt('2026-11-22T22:00:00Z', arbRules.fx_week)).toBe(true)
    expect(evaluated({ fx: rate('2026-11-21T15:00:00Z') }, '2026-11-21T15:00:00Z').reasons.map(reason => reason.code)).toContain('fx_stale')
  })
  it('is halted where either line is', () => {
    expect(evaluated({ toronto: leg('GLPR.TO', { halted: true }) })).toMatchObject({
      status: 'halted',
      reasons: [{ leg: 'toronto', sentence: 'GLPR.TO is halted' }],
    })
  })
  it('states which market is closed, and why', () => {
    const closedAt = (now: string, us: Partial<LegState> = {}, toronto: Partial<LegState> = {}) =>
      evaluated(
        { us: leg('GLPR', us), toronto: leg('GLPR.TO', { observed_at: now, session_date: now.slice(0, 10), ...toronto }), fx: rate(now) },
        now,
      )
    // Thanksgiving in the United States: Toronto trades.
    const us = { observed_at: '2026-11-25T21:00:00Z', session_date: '2026-11-25' }
    expect(closedAt('2026-11-26T18:00:00Z', us)).toMatchObject({
      status: 'one_market_closed',
      reasons: [
        { code: 'one_market_closed', leg: 'us', sentence: expect.stringContaining('closed on 2026-11-26: ') },
        { code: 'stale_leg' },
        { code: 'skewed' },
      ],
    })
    // The day after it ends at 13:00 in New York.
    expect(closedAt('2026-11-27T19:00:00Z', { observed_at: '2026-11-27T18:00:00Z', session_date: '2026-11-27' }).reasons[0]?.sentence).toContain(
      'closed at 2026-11-27T18:00:00Z, early',
    )
    // Canada Day: New York trades.
    const toronto = { observed_at: '2026-06-30T20:00:00Z', session_date: '2026-06-30' }
    const canadaDay = '2026-07-01T15:00:00Z'
    expect(closedAt(canadaDay, { observed_at: canadaDay, session_date: '2026-07-01' }, toronto)).toMatchObject({
      status: 'one_market_closed',
      reasons: [{ leg: 'toronto' }, {}, {}],
    })
    // In the evening both are closed; what counts is when the newer price was made.
    expect(closedAt('2026-11-27T01:00:00Z', us, { observed_at: '2026-11-26T21:00:00Z', session_date: '2026-11-26' }).status).toBe('one_market_closed')
  })
  it('compares no price made before or after the regular session with one of it', () => {
    expect(evaluated({ us: leg('GLPR', { session: 'post' }) })).toMatchObject({
      status: 'one_market_closed',
      reasons: [{ leg: 'us', sentence: 'GLPR trades in the post-market session alone' }],
    })
    expect(evaluated({ us: leg('GLPR', { outside: { session: 'pre' } }) })).toMatchObject({ status: 'one_market_closed', reasons: [{ leg: 'us' }] })
    expect(evaluated({ us: leg('GLPR', { session: 'post' }), toronto: leg('GLPR.TO', { session: 'post' }) }).status).toBe('live')
  })
  it('is a corporate action where an ex-date is known of one line only, or lies between the two prices', () => {
    const split = (symbol: string, ex_date = '2026-11-19', kind = 'split') => ({ symbol, kind, ex_date })
    expect(evaluated({ actions: [split('GLPR')] })).toMatchObject({ status: 'corporate_action', reasons: [{ leg: 'us' }] })
    expect(evaluated({ actions: [split('GLPR'), split('GLPR.TO')] }).status).toBe('live')
    // A distribution on the one side does not answer for a split on the other.
    expect(
      evaluated({ actions: [split('GLPR'), split('GLPR.TO', '2026-11-19', 'dividend')] }).reasons.filter(each => each.code === 'corporate_action'),
    ).toHaveLength(2)
    expect(evaluated({ actions: [split('GLPR', '2026-11-18')] }).status).toBe('live')
    const before = leg('GLPR.TO', { observed_at: '2026-11-18T21:00:00Z', session_date: '2026-11-18' })
    expect(evaluated({ toronto: before, actions: [split('GLPR'), split('GLPR.TO')] })).toMatchObject({
      status: 'corporate_action',
      reasons: [{ leg: 'toronto' }, {}, {}],
    })
  })
  it('gives every reason, gravest first', () => {
    const { status, reasons } = evaluated({
      us: leg('GLPR', { observed_at: '2026-11-18T17:00:00Z', session_date: '2026-11-18', halted: true }),
      fx: rate('2026-11-18T21:30:00Z'),
    })
    expect(status).toBe('halted')
    expect(reasons.map(reason => reason.code)).toEqual(['halted', 'stale_leg', 'fx_stale', 'skewed'])
    expect(reasons.map(reason => statuses.indexOf(reason.code))).toEqual(
      [...reasons.map(reason => statuses.indexOf(reason.code))].sort((a, b) => a - b),
    )
  })
  it('knows the last close by the calendar of the line: half days, holidays and weekends counted', () => {
    expect(lastClose('GLPR', '2026-11-27T19:00:00Z')).toBe('2026-11-27T18:00:00Z')
    expect(lastClose('GLPR.TO', '2026-11-27T19:00:00Z')).toBe('2026-11-26T21:00:00Z')
    expect(lastClose('GLPR', '2026-11-27T14:00:00Z')).toBe('2026-11-25T21:00:00Z')
    expect(lastClose('GLPR', '2026-11-22T12:00:00Z')).toBe('2026-11-20T21:00:00Z')
    expect(lastClose('GLPR', '1850-01-05T15:00:00Z')).toBe('1850-01-05T15:00:00Z')
  })
  it('is reported for days that no calendar knows, too', () => {
    expect(hoursAt('GLPR.TO', '1850-01-05T15:00:00Z')).toEqual({ open: false, why: 'Toronto: no calendar for 1850-01-05' })
  })
})
