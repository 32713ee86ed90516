import { describe, expect, it } from 'vitest'
import { addDays, addMonths, daysBetween } from '#schemas/days.ts'
import { sessionsOf } from '../../rulesets/exchange-calendars/calendar.ts'
import { checkOf, closesOf, evaluated, reverseSplit, sessionsWith, today, usd } from './fakes.ts'

const good = (count: number) => closesOf('2.00', count)
const low = (count: number) => closesOf('0.99', count)
const bid = (closes: readonly (string | null)[], exchange = 'NASDAQCM', ruleset?: string) =>
  checkOf(evaluated({ exchange }, { closes }, ruleset), 'bid_deficiency')

describe('30 consecutive business days below the minimum bid', () => {
  it('29 are no deficiency yet: the clock reports how many are left, and since when', () => {
    const check = bid([...good(10), ...low(29)])
    expect([check.status, check.value, check.distance]).toEqual(['pass', '29', '1'])
    expect(check.clock).toMatchObject({
      stage: 'counting',
      unit: 'sessions',
      days: 30,
      days_elapsed: 29,
      days_left: 1,
      from: sessionsWith(low(29))[0]?.date,
    })
  })
  it('the 30th is one: 180 calendar days from it', () => {
    const check = bid([...good(10), ...low(30)])
    expect(check.status).toBe('fail')
    expect(check.clock).toMatchObject({
      stage: 'period',
      unit: 'calendar_days',
      from: today,
      until: addDays(today, 180),
      days_elapsed: 0,
      days_left: 180,
      mended_after: 10,
    })
  })
  it('a close at $1.00 restarts the count', () => {
    expect(bid([...low(29), '1.00', ...low(29)])).toMatchObject({ status: 'pass', value: '29' })
  })
  it('10 closes in a row at or above $1.00 cure it, 9 do not', () => {
    const nine = bid([...low(30), ...closesOf('1.00', 9)])
    expect([nine.status, nine.clock?.mended_sessions]).toEqual(['fail', 9])
    expect(bid([...low(30), ...closesOf('1.00', 10)]).status).toBe('pass')
    expect(bid([...low(30), ...closesOf('1.00', 9), '0.99', ...closesOf('1.00', 9)]).status).toBe('fail')
  })
  it('a session without a close leaves it unknown', () => {
    const check = bid([...low(15), null, ...low(15)])
    expect([check.status, check.reason, check.clock?.gaps]).toEqual(['unknown', expect.stringContaining('1 sessions'), 1])
  })
  it('after 180 days a second period is possible on the Capital Market alone', () => {
    const sessions = sessionsOf('XNYS', '2024-01-02', today)
    const since = sessions.findLast(day => daysBetween(day, today) > 180) as string
    const closes = low(sessions.filter(day => day >= since).length + 29)
    expect(bid(closes).clock).toMatchObject({ stage: 'second_period', from: since, days: 360, days_elapsed: daysBetween(since, today) })
    expect(bid(closes, 'NASDAQGM').clock).toMatchObject({ stage: 'over', days: 180, days_left: 0 })
    expect(checkOf(evaluated({}, { closes }), 'bid_period_over').status).toBe('pass')
  })
  it.each([
    [360, 'pass'],
    [361, 'fail'],
  ])('%i days after it: the end of all periods %ss', (days, status) => {
    const since = addDays(today, -days)
    const sessions = sessionsOf('XNYS', '2024-01-02', today)
    const start = sessions.indexOf(sessions.find(day => day >= since) as string)
    const evidence = { closes: low(sessions.length - start + 29), day: addDays(sessions[start] as string, days) }
    expect(checkOf(evaluated({}, evidence), 'bid_period_over')).toMatchObject({ status, value: String(days) })
  })
})

describe('10 sessions at or below $0.10', () => {
  const dime = (closes: readonly string[], ruleset?: string) => checkOf(evaluated({}, { closes }, ruleset), 'dime')
  it('fails on the tenth, at any time since the rule was extended', () => {
    expect(dime([...good(30), ...closesOf('0.10', 9)])).toMatchObject({ status: 'pass', value: '9' })
    expect(dime([...good(30), ...closesOf('0.10', 10)]).status).toBe('fail')
    expect(dime([...good(30), ...closesOf('0.1001', 10)])).toMatchObject({ status: 'pass', value: '0' })
    expect(dime([...closesOf('0.10', 9), '0.11', ...closesOf('0.10', 9)]).status).toBe('pass')
  })
  it('before that only inside a compliance period', () => {
    const of = (closes: readonly string[]) => dime(closes, 'delisting@2024-12').status
    expect([of([...good(30), ...closesOf('0.10', 10)]), of([...low(30), ...closesOf('0.10', 10)])]).toEqual(['not_applicable', 'fail'])
    // Of the ten the sessions before the period do not count.
    expect(of([...low(20), ...closesOf('0.10', 18)])).toBe('pass')
    expect(of([...low(20), ...closesOf('0.10', 19)])).toBe('fail')
  })
})

describe('market value below its limit on 30 consecutive business days', () => {
  const mvls = (closes: readonly string[], splits: readonly ReturnType<typeof reverseSplit>[] = []) =>
    checkOf(evaluated({ total_shares: 35_000_000 }, { closes, splits }), 'capital_mvls')
  it('the clock counts the sessions in a row', () => {
    expect(mvls([...good(5), ...low(12)]).clock).toMatchObject({ stage: 'counting', days: 30, days_elapsed: 12, days_left: 18 })
    const since = sessionsWith(low(40))[29]?.date ?? ''
    expect(mvls(low(40)).clock).toMatchObject({ stage: 'period', from: since, until: addDays(since, 180), days_elapsed: daysBetween(since, today) })
    expect(mvls(good(5)).clock).toBeNull()
  })
  it('10 sessions in a row cure it; until then a value that meets the limit again is marked so', () => {
    const nine = mvls([...low(30), ...good(9)])
    expect(nine).toMatchObject({ status: 'pass', reason: expect.stringContaining('not cured yet'), clock: { mended_sessions: 9, mended_after: 10 } })
    expect(mvls([...low(30), ...good(10)])).toMatchObject({ status: 'pass', reason: null, clock: null })
  })
  it('the proposed minimum leaves no days to cure it', () => {
    const check = checkOf(evaluated({ total_shares: 5_000_000 }, { closes: low(30) }), 'mvls_minimum')
    expect(check).toMatchObject({ status: 'proposed', would_be: 'fail', clock: { stage: 'over', days: 0, until: null } })
  })
  it('shares are carried back over a split: half as many at twice the price are worth the same', () => {
    const closes = [...closesOf('0.495', 10), ...low(5)]
    const ex = sessionsWith(closes)[10]?.date ?? ''
    expect(mvls(closes, [reverseSplit('2', ex)]).clock).toMatchObject({ days_elapsed: 15 })
  })
  it('MVPHS is the float times the close', () => {
    const check = checkOf(
      evaluated({ total_shares: 2_000_000, insider_shares: 900_000, restricted_shares: 100_000 }, { closes: closesOf('0.9', 31) }),
      'capital_mvphs',
    )
    expect([check.status, check.value, check.clock?.days_left]).toEqual(['fail', '900000', 179])
  })
})

describe('the average close of NYSE', () => {
  const average = (closes: readonly (string | null)[], more = {}) =>
    checkOf(evaluated({ exchange: 'NYSE' }, { closes, ...more }), 'nyse_average_price')
  it('is of 30 sessions: below on the first whose average is', () => {
    expect(average([...good(30), ...closesOf('0.50', 19)])).toMatchObject({ status: 'pass', value: '1.05' })
    expect(average([...good(30), ...closesOf('0.50', 20)])).toMatchObject({ status: 'pass', value: '1', distance: '0' })
    const below = average([...good(30), ...closesOf('0.50', 21)])
    expect(below).toMatchObject({ status: 'fail', value: '0.95' })
    expect(below.clock).toMatchObject({
      stage: 'period',
      from: today,
      until: addMonths(today, 6),
      days: daysBetween(today, addMonths(today, 6)),
      days_elapsed: 0,
    })
  })
  it('needs 30 closes', () => {
    expect(average(low(29))).toMatchObject({ status: 'unknown', value: null })
    expect(average([...low(20), null, ...low(20)]).status).toBe('unknown')
  })
  it('is cured on the last session of a month, not before', () => {
    // 13 sessions of November to the 19th: the last of October is the 14th from the end.
    const sessions = sessionsWith(good(60))
    const october = sessions.findLastIndex(({ date }) => date.startsWith('2026-10'))
    const mended = [...low(30), ...closesOf('3.00', october + 1), ...good(60 - october - 1)]
    expect(average(mended).status).toBe('pass')
    const late = [...low(40), ...good(60 - october - 1)]
    expect(average(late)).toMatchObject({ status: 'fail', reason: expect.stringContaining('no last session of a month') })
  })
  it('compares shares of one kind: closes before a split are carried over it', () => {
    const closes = [...closesOf('0.20', 20), ...good(15)]
    const ex = sessionsWith(closes)[20]?.date ?? ''
    expect(average(closes, { splits: [reverseSplit('10', ex)] })).toMatchObject({ value: '2' })
  })
})

describe('reverse splits before a price deficiency', () => {
  const deficient = [...good(10), ...low(30)]
  const since = today
  const split = (months: number, old: string, days = 0) => reverseSplit(old, addDays(addMonths(since, -months), days))
  const of = (
    id: string,
    splits: readonly ReturnType<typeof reverseSplit>[],
    closes: readonly (string | null)[] = deficient,
    exchange = 'NASDAQCM',
  ) => checkOf(evaluated({ exchange }, { closes, splits }), id)
  it.each([
    ['reverse_split_one_year', 'NASDAQCM'],
    ['nyse_split_one_year', 'NYSE'],
  ])('%s: one within a year leaves no period, an older one does', (id, exchange) => {
    const closes = exchange === 'NYSE' ? [...good(29), ...closesOf('0.01', 40)] : deficient
    const price = evaluated({ exchange }, { closes })
    const began = checkOf(price, exchange === 'NYSE' ? 'nyse_average_price' : 'bid_deficiency').clock?.from ?? ''
    const on = (days: number) => [reverseSplit('10', addDays(addMonths(began, -12), days))]
    const status = (splits: readonly ReturnType<typeof reverseSplit>[]) => of(id, splits, closes, exchange).status
    // The closes before its ex-date are a tenth as high in shares of today: far back they change no average.
    expect([status(on(1)), status(on(0)), status([])]).toEqual(['fail', 'pass', 'pass'])
  })
  it('250 to 1 over two years, together', () => {
    const together = (...splits: readonly ReturnType<typeof reverseSplit>[]) => of('reverse_split_cumulative', splits)
    expect(together(split(20, '25'), split(6, '10'))).toMatchObject({ status: 'fail', value: '250' })
    expect(together(split(20, '24.9'.replace('.', '')), split(24, '2'))).toMatchObject({ status: 'pass', value: '249' })
    expect(together(split(24, '25', 1), split(6, '10')).status).toBe('fail')
    expect(together(split(24, '25'), split(6, '10'))).toMatchObject({ status: 'pass', value: '10' })
  })
  it('NYSE counts 200 to 1', () => {
    const closes = [...good(29), ...closesOf('0.01', 40)]
    const nyse = (old: string) => of('nyse_split_cumulative', [reverseSplit(old, '2025-03-03')], closes, 'NYSE')
    expect([nyse('200').status, nyse('199').status]).toEqual(['fail', 'pass'])
  })
  it('without a deficiency states until when one would have no period', () => {
    const check = of('reverse_split_one_year', [reverseSplit('20', '2026-06-15')], good(40))
    expect([check.status, check.reason]).toEqual(['pass', expect.stringContaining('before 2027-06-15 would have no cure period')])
  })
  it('is unknown without prices', () => {
    expect(checkOf(evaluated({}, { splits: [split(1, '10')] }), 'reverse_split_one_year').status).toBe('unknown')
  })
  it('a split that breaks another requirement does not cure the price', () => {
    const at = (total_shares: number, ex_date: string, insider_shares = 1) =>
      checkOf(
        evaluated({ total_shares, insider_shares }, { closes: good(40), splits: [reverseSplit('10', ex_date)], equity: usd('9000000') }),
        'split_side_effect',
      )
    expect(at(400_000, '2026-06-15')).toMatchObject({ status: 'fail', reason: expect.stringContaining('capital_public_shares') })
    // The number of public holders is unknown.
    expect(at(900_000, '2026-06-15').status).toBe('unknown')
    expect(at(400_000, '2025-06-15').status).toBe('not_applicable')
  })
})
