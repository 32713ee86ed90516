// What a screen may ask: texts in, SQL with bound values out.
import { describe, expect, test } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { compileFilter } from './filter.ts'
import { readScreen } from './query.ts'

const faultOf = (work: () => unknown): BadRequest => {
  try {
    work()
  } catch (error) {
    if (error instanceof BadRequest) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('a filter', () => {
  test.each([
    ['pe<15', '("pe" < $f0)', { f0: 15 }],
    ['market_cap_usd >= 1e9', '("market_cap_usd" >= $f0)', { f0: 1e9 }],
    ['change_1d_pct > -2.5', '("change_1d_pct" > $f0)', { f0: -2.5 }],
    ['exchange in (TO, v)', '(lower("exchange") in ($f0, $f1))', { f0: 'to', f1: 'v' }],
    ["industry = 'Metal Mining'", '(lower("industry") = $f0)', { f0: 'metal mining' }],
    ["name contains 'O''Hare'", '(contains(lower("name"), $f0))', { f0: "o'hare" }],
    ["name not like 'A%'", '(lower("name") not like $f0)', { f0: 'a%' }],
    ['code = BRK-B', '(lower("code") = $f0)', { f0: 'brk-b' }],
    ['code = RY.TO', '(lower("code") = $f0)', { f0: 'ry.to' }],
    ['pe between 5 and 10 and pb<1', '(("pe" between $f0 and $f1) and ("pb" < $f2))', { f0: 5, f1: 10, f2: 1 }],
    ['dividend_yield_pct is not null', '("dividend_yield_pct" is not null)', {}],
    ['PE IS NULL', '("pe" is null)', {}],
    ['close > sma200', '("close" > "sma200")', {}],
    ['last_ex_date >= 2026-01-01', '("last_ex_date" >= $f0::date)', { f0: '2026-01-01' }],
    ['next_report_date > last_report_date', '("next_report_date" > "last_report_date")', {}],
    ['price_is_old', '"price_is_old"', {}],
    ['price_is_old = false', '("price_is_old" = $f0)', { f0: false }],
  ])('%s', (text, sql, parameters) => {
    expect(compileFilter(text)).toMatchObject({ sql, parameters })
  })
  test('and binds closer than or, not closer than both, and brackets win', () => {
    expect(compileFilter('pe<1 or pb<2 and not ps<3').sql).toBe('(("pe" < $f0) or (("pb" < $f1) and (not ("ps" < $f2))))')
    expect(compileFilter('(pe<1 or pb<2) and ps<3').sql).toBe('((("pe" < $f0) or ("pb" < $f1)) and ("ps" < $f2))')
  })
  test('the content of a value never becomes SQL', () => {
    const text = `name = "x') or 1=1; drop table screener --"`
    expect(compileFilter(text)).toMatchObject({ sql: '(lower("name") = $f0)', parameters: { f0: "x') or 1=1; drop table screener --" } })
    expect(faultOf(() => compileFilter('pe < 1; drop table screener')).message).toMatch(/";" means nothing at character 7/)
  })
  test('an unknown field is reported with the nearest ones', () => {
    const fault = faultOf(() => compileFilter('marketcap > 1'))
    expect(fault.status).toBe(400)
    expect(fault.message).toContain('no field marketcap')
    expect(fault.hint).toContain('nearest fields: market_cap, market_cap_usd')
    expect(faultOf(() => compileFilter('dividend_yeild_pct > 1')).hint).toContain('dividend_yield_pct')
    expect(faultOf(() => compileFilter('zzzzzzzzzzzz > 1')).hint).not.toContain('nearest')
  })
  test.each([
    ['', /empty/],
    ['pe', /a comparison, in, between/],
    ['pe <', /a value for pe was expected at character 5/],
    ['pe < cheap', /pe is compared with a number, not with "cheap"/],
    ["last_ex_date > '2026-02-30'", /a calendar day/],
    ['pe in (1, 2', /"\)" was expected/],
    ['pe in ()', /a value for pe was expected/],
    ["name = 'open", /a quote is not closed at character 8/],
    ['pe < 1 pb < 2', /"pb" follows/],
    ['pe contains 1', /pe is no text/],
    ['and', /no field and/],
    ['pe < 10x', /is no number/],
    ['price_is_old = 1', /true or false/],
    ['sector > close and', /a field was expected/],
  ])('%s is refused with its place', (text, message) => {
    expect(faultOf(() => compileFilter(text)).message).toMatch(message)
  })
  test('depth, length and lists are bounded', () => {
    expect(faultOf(() => compileFilter(`${'('.repeat(40)}pe<1${')'.repeat(40)}`)).message).toMatch(/nest deeper than 20/)
    expect(faultOf(() => compileFilter('not '.repeat(40))).message).toMatch(/nest deeper than 20/)
    expect(faultOf(() => compileFilter(`pe in (${Array.from({ length: 201 }, (_, at) => at).join(',')})`)).message).toMatch(/more than 200 values/)
    expect(faultOf(() => compileFilter(' '.repeat(2001))).message).toMatch(/more than 2000 characters/)
  })
})

describe('a screen', () => {
  test('sorts by several fields, ascending where no direction is given; ties end at the code', () => {
    const { sort } = readScreen({ sort: 'sector.asc, market_cap_usd.DESC, pe, code' })
    expect(sort.map(({ field, descending }) => [field.name, descending])).toEqual([
      ['sector', false],
      ['market_cap_usd', true],
      ['pe', false],
      ['code', false],
    ])
  })
  test('refuses a direction that is none, too many keys, a key twice and an unknown one', () => {
    expect(faultOf(() => readScreen({ sort: 'pe.down' })).message).toMatch(/no <field>.<direction>/)
    expect(faultOf(() => readScreen({ sort: 'pe,pb,ps,close,volume' })).message).toMatch(/more than 4/)
    expect(faultOf(() => readScreen({ sort: 'pe.asc,pe.desc' })).message).toMatch(/is listed twice/)
    expect(faultOf(() => readScreen({ sort: 'volum.desc' })).hint).toContain('volume')
  })
  test('shows what it filters and sorts by where no fields are named; groups and all are names of many', () => {
    expect(readScreen({ filter: 'beta_1y < 1', sort: 'atr14_pct.desc' }).fields).toEqual(expect.arrayContaining(['code', 'beta_1y', 'atr14_pct']))
    expect(readScreen({ fields: 'pe,close,pe' }).fields).toEqual(['code', 'pe', 'close'])
    expect(readScreen({ fields: 'valuation' }).fields).toEqual(['code', 'pe', 'pb', 'ps', 'ev_ebitda', 'fcf_yield_pct'])
    expect(readScreen({ fields: 'all' }).fields.length).toBeGreaterThan(100)
    expect(faultOf(() => readScreen({ fields: 'closse' })).hint).toContain('close')
  })
})
