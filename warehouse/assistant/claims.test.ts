import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import type { Result } from './calls.ts'
import { claimsOf, date, difference, escapeMarkdown, growth, must, percentOf, plain, print, read, sum } from './claims.ts'
import { parseAnswer } from './json-values.ts'
import { findPeriods } from './periods.ts'
import { listed, renderParts, t, words } from './writer.ts'

const result: Result = {
  n: 2,
  operation: 'get_eod',
  release: 7,
  as_of: '2026-11-20T09:30:00Z',
  receipt_id: null,
  tree: parseAnswer('{"bars":[{"close":1000.50,"date":"2026-11-18"},{"close":1100.55,"date":"2026-11-19"}],"a/b":{"~x":1.10},"none":null}'),
}

describe('claims', () => {
  it('keep the digits of their source, and point to them', () => {
    const [claim] = claimsOf([must(result, '/bars/0/close')])
    expect(claim).toMatchObject({ n: 1, text: '1,000.50', value: '1000.50', call: 2, pointer: '/bars/0/close', release: 7, operands: [], rule: null })
    expect(read(result, '/a~1b/~0x')?.value).toBe('1.10')
    expect(read(result, '/none')).toBeNull()
    expect(() => must(result, '/bars/5/close')).toThrow('get_eod: no value at /bars/5/close')
  })
  it('compute on decimals and keep their operands', () => {
    const [a, b] = [must(result, '/bars/0/close'), must(result, '/bars/1/close')]
    expect(sum([a, b]).value).toBe('2101.05')
    expect(difference(b, a).value).toBe('100.05')
    expect(percentOf(a, { ...plainFigure('15') }).value).toBe('150.075')
    const grown = growth(a, b)
    // 100.05 / 1000.5 = 0.1 exactly.
    expect([grown?.value, grown?.text]).toEqual(['10', '+10 %'])
    const claims = claimsOf(grown === null ? [] : [grown])
    expect(claims.map(each => [each.n, each.operands, each.rule])).toEqual([
      [1, [], null],
      [2, [], null],
      [3, [1, 2], 'growth_pct'],
    ])
  })
  it('have no growth from nothing', () => {
    expect(growth(plainFigure('0'), plainFigure('5'))).toBeNull()
    expect(growth(plainFigure('-2'), plainFigure('5'))).toBeNull()
  })
  it('print groups, units and days', () => {
    expect(print('1234567.891', { as: 'number', unit: 'CAD', places: 2 })).toBe('1,234,567.89 CAD')
    expect(print('-0.005', { as: 'number', places: 2 })).toBe('-0.01')
    expect(print('1e-7', plain)).toBe('0.0000001')
    expect(print('2026-11-18T10:00:00Z', date)).toBe('2026-11-18')
  })
  it('cannot carry Markdown', () => {
    expect(escapeMarkdown('![a](https://x.example) | `b` <c>')).toBe('\\!\\[a\\](https:\u200b//x.example) \\| \\`b\\` \\<c\\>')
  })
})
const plainFigure = (value: string) => ({ text: value, value, unit: null, call: null, pointer: null, operands: [], rule: 'question' as const })

describe('the writer', () => {
  it('refuses a literal with a figure, in digits or words', () => {
    expect(() => words('7 transactions')).toThrow('may not write the figure "7" itself')
    expect(() => words('two transactions')).toThrow('figure "two"')
    expect(() => t`${must(result, '/bars/0/close')} in 2026`).toThrow('figure "2026"')
    expect(renderParts(words('Form 4 and the 52-week high').parts).text).toBe('Form 4 and the 52-week high')
  })
  it('joins lists', () => {
    expect(renderParts(listed([words('a'), words('b'), words('c')]).parts).text).toBe('a, b and c')
  })
})

describe('periods', () => {
  const today = '2026-11-20'
  const of = (text: string) => findPeriods(text, today).map(({ from, to, kind }) => `${kind} ${from} to ${to}`)
  it.each(textTable`
    in 2024                           | year 2024-01-01 to 2024-12-31
    Q3 2026                           | quarter 2026-07-01 to 2026-09-30
    last quarter                      | quarter 2026-07-01 to 2026-09-30
    since yesterday                   | since 2026-11-19 to null
    on November 5, 2026               | day 2026-11-05 to 2026-11-05
    on Dec 3                          | day 2025-12-03 to 2025-12-03
    between 1 March and 30 June 2026  | range 2026-03-01 to 2026-06-30
    over the last 6 months            | range 2026-05-20 to 2026-11-20
    last month                        | month 2026-10-01 to 2026-10-31
    calendar for December             | month 2026-12-01 to 2026-12-31
    next week                         | ahead 2026-11-23 to 2026-11-29
    since the first of October 2026   | since 2026-10-01 to null
  `)('%s', (text, period) => {
    expect(of(text)).toEqual([period])
  })
  it('finds none in prices, shares and days that no calendar has', () => {
    expect(of('at $2026, 2,026 shares, 2024.5 and 2026-02-30')).toEqual([])
  })
})
