import { describe, expect, it } from 'vitest'
import { checkOf, closesOf, evaluated, usd, yearsOf } from './fakes.ts'

const closes = (close: string) => closesOf(close, 40)
/** Every listing threshold for a figure: exchange, check, rule, measure and limit. */
const levels = [
  ['NASDAQGM', 'minimum_bid', '5450(a)(1)', 'close', '1.00'],
  ['NASDAQCM', 'minimum_bid', '5550(a)(2)', 'close', '1.00'],
  ['NASDAQGS', 'global_equity_equity', '5450(b)(1)', 'equity', '10000000'],
  ['NASDAQGM', 'global_equity_shares', '5450(b)(1)', 'shares', '750000'],
  ['NASDAQGM', 'global_equity_mvphs', '5450(b)(1)', 'mvphs', '5000000'],
  ['NASDAQGM', 'global_mvls', '5450(b)(2)', 'mvls', '50000000'],
  ['NASDAQGM', 'global_other_shares', '5450(b)(2)', 'shares', '1100000'],
  ['NASDAQGS', 'global_other_mvphs', '5450(b)(2)', 'mvphs', '15000000'],
  ['NASDAQCM', 'capital_public_shares', '5550(a)(4)', 'shares', '500000'],
  ['NASDAQCM', 'capital_mvphs', '5550(a)(5)', 'mvphs', '1000000'],
  ['NASDAQCM', 'capital_equity_equity', '5550(b)(1)', 'equity', '2500000'],
  ['NASDAQCM', 'capital_mvls', '5550(b)(2)', 'mvls', '35000000'],
  ['NYSE', 'nyse_average_price', '802.01C', 'close', '1.00'],
  ['NYSE', 'nyse_market_cap_minimum', '802.01B', 'mvls', '15000000'],
  ['NYSE', 'nyse_public_shares', '802.01A', 'shares', '600000'],
] as const
/** A listing whose measure is a limit and a step. */
function at(exchange: string, measure: string, limit: string, step: -1 | 0 | 1) {
  const whole = Number(limit) + step
  if (measure === 'close') return evaluated({ exchange }, { closes: closes(step === 0 ? limit : step < 0 ? '0.9999' : '1.0001') })
  if (measure === 'equity') return evaluated({ exchange }, { equity: usd(String(whole)) })
  return evaluated(
    { exchange, total_shares: whole + 1, insider_shares: 1, ...(measure === 'mvls' ? { total_shares: whole } : {}) },
    { closes: closes('1.00') },
  )
}

describe('a limit of continued listing', () => {
  it.each(levels)('%s %s (%s): met at the limit and above it, failed just below', (exchange, id, rule, measure, limit) => {
    const check = checkOf(at(exchange, measure, limit, 0), id)
    expect([check.status, check.row.rule, Number(check.threshold)]).toEqual(['pass', expect.stringContaining(rule), Number(limit)])
    expect(Number(check.distance)).toBe(0)
    expect(checkOf(at(exchange, measure, limit, 1), id).status).toBe('pass')
    expect(checkOf(at(exchange, measure, limit, -1), id).status).toBe('fail')
  })
  it.each(levels)('%s %s: without a figure it is unknown, with the reason', (exchange, id) => {
    const check = checkOf(evaluated({ exchange }), id)
    expect([check.status, check.value, check.reason]).toEqual(['unknown', null, expect.stringMatching(/./)])
  })
  it.each([
    ['NASDAQGM', 'global_holders', 400],
    ['NASDAQGM', 'global_market_makers', 2],
    ['NASDAQCM', 'capital_public_holders', 300],
    ['NASDAQCM', 'capital_market_makers', 2],
    ['NYSE', 'nyse_holders', 400],
  ])('%s %s has a limit of %i that nothing here can tell', (exchange, id, limit) => {
    const check = checkOf(evaluated({ exchange, total_shares: 9e9, insider_shares: 1 }, { closes: closes('50') }), id)
    expect([check.status, Number(check.threshold)]).toEqual(['unknown', limit])
  })
  it('a figure in another currency is not converted', () => {
    const check = checkOf(evaluated({}, { equity: { ...usd('9000000'), unit: 'CAD' } }), 'capital_equity_equity')
    expect([check.status, check.reason]).toEqual(['unknown', expect.stringContaining('CAD')])
  })
  it('states how far a figure is from its limit, in its unit and in percent', () => {
    const check = checkOf(evaluated({}, { equity: usd('3000000') }), 'capital_equity_equity')
    expect([check.distance, check.distance_pct]).toEqual(['500000', '20'])
  })
})

describe('one of the standards', () => {
  const income = (values: readonly (string | null)[]) => ({ years: yearsOf('net_income', values) })
  it.each([
    ['the latest year', ['500000', '-1', '-1'], 'pass'],
    ['two of the last three', ['499999', '500000', '500000'], 'pass'],
    ['one of the last three, not the latest', ['499999', '500000', '499999'], 'fail'],
    ['a year that is not stated decides', ['499999', '500000', null], 'unknown'],
    ['nothing is stated', [null, null, null], 'unknown'],
  ])('net income of the Capital Market: %s', (_name, values, status) => {
    expect(checkOf(evaluated({}, income(values)), 'capital_net_income_years').status).toBe(status)
  })
  it('total assets and total revenue count together, in one year', () => {
    const years = (assets: string, revenue: string) => [{ end: '2025-12-31', net_income: null, assets: usd(assets), revenue: usd(revenue) }]
    const of = (assets: string, revenue: string) =>
      checkOf(evaluated({ exchange: 'NASDAQGM' }, { years: years(assets, revenue) }), 'global_assets_revenue_totals').status
    expect([of('50000000', '50000000'), of('50000001', '50000001')]).toEqual(['pass', 'pass'])
    // The years before the one that is stated could still be two of the last three.
    expect([of('49999999', '50000000'), of('50000000', '49999999')]).toEqual(['unknown', 'unknown'])
  })
  it('one that is met is enough; none fails until every one does', () => {
    const met = evaluated({}, { equity: usd('2500000') })
    expect(checkOf(met, 'capital_standards')).toMatchObject({ status: 'pass', reason: expect.stringContaining('capital_market_value: unknown') })
    expect(checkOf(evaluated({}, { equity: usd('1') }), 'capital_standards').status).toBe('unknown')
    const none = evaluated({ total_shares: 1_000_000 }, { equity: usd('1'), closes: closes('2'), ...income(['0', '0', '0']) })
    expect(checkOf(none, 'capital_standards').status).toBe('fail')
  })
  it('a standard of the Global Market needs its shares and their value too', () => {
    const equity = { equity: usd('10000000'), closes: closes('10.00') }
    const of = (total_shares: number) =>
      checkOf(evaluated({ exchange: 'NASDAQGM', total_shares, insider_shares: 1 }, equity), 'global_standards').reason
    expect(of(750_001)).toContain('global_equity: pass')
    expect(of(750_000)).toContain('global_equity: fail')
    expect(of(600_000)).toContain('global_equity: fail')
  })
})

describe('NYSE and NYSE American', () => {
  it('802.01B: fails only where market capitalization and equity are both below $50 million', () => {
    const of = (total_shares: number, equity: string | null) =>
      checkOf(
        evaluated({ exchange: 'NYSE', total_shares }, { closes: closes('1.00'), equity: equity === null ? null : usd(equity) }),
        'nyse_market_cap_and_equity',
      ).status
    expect([of(50_000_000, '1'), of(1, '50000000'), of(49_999_999, '49999999')]).toEqual(['pass', 'pass', 'fail'])
    expect([of(49_999_999, null), of(50_000_000, null)]).toEqual(['unknown', 'pass'])
  })
  it.each([
    ['american_equity_2m', '2000000', ['-1', '-1', '1'], ['-1', '1', '1']],
    ['american_equity_4m', '4000000', ['-1', '-1', '-1', '1'], ['-1', '-1', '1', '1']],
    ['american_equity_6m', '6000000', ['-1', '-1', '-1', '-1', '-1'], ['-1', '-1', '-1', '-1', '0']],
  ])('%s: equity below its limit fails after losses in enough years', (id, limit, losses, fewer) => {
    const of = (equity: string, net: readonly (string | null)[], total_shares = 1000) =>
      checkOf(
        evaluated({ exchange: 'NYSE American', total_shares }, { closes: closes('1.00'), equity: usd(equity), years: yearsOf('net_income', net) }),
        id,
      ).status
    const below = String(Number(limit) - 1)
    expect([of(limit, losses), of(below, losses), of(below, fewer)]).toEqual(['pass', 'fail', 'pass'])
    expect([of(below, [null, ...losses.slice(1)]), of(below, losses, 50_000_000)]).toEqual(['unknown', 'unknown'])
  })
  it('NYSE American has no bright line for the price', () => {
    const cents = evaluated({ exchange: 'NYSE MKT' }, { closes: closes('0.05') })
    expect(checkOf(cents, 'american_low_price').status).toBe('unknown')
    expect(cents.checks.filter(({ status }) => status === 'fail')).toEqual([])
  })
})
