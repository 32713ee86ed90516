// The recorded payloads of calendars and their numbered facts.
import { expect, test } from 'vitest'
import { firstReaderOf } from '#fixtures/pairs.ts'
import { describeReal, realBytes, realText } from '#fixtures/real.ts'
import { Upstream } from '#schemas/errors.ts'
import type { Parsed } from '../parsed.ts'

const folder = 'market'
function read(path: string): Parsed {
  const body = realBytes(`${folder}/${path}`)
  const { reader, url } = firstReaderOf(path, body)
  return reader.parse({ sha256: '0'.repeat(64), source: reader.source, url, retrieved_at: '2026-11-20T12:00:00Z', status: 200, headers: {}, body })
}

describeReal('recorded calendars', () => {
  test('fact 16: 22 reports on 2024-07-03, money and days as printed, two of them with a time and so confirmed', () => {
    const { facts, refused } = read('nasdaq/earnings-calendar_2024-07-03_captured-2024-07-01.json')
    const rows = facts.earnings_dates ?? []
    expect([rows.length, refused.length]).toEqual([22, 0])
    expect(new Set(rows.map(row => row.date))).toEqual(new Set(['2024-07-03']))
    const constellation = rows.find(row => row.symbol === 'STZ')
    expect(constellation).toMatchObject({
      status: 'confirmed',
      time_of_day: 'before_open',
      eps_estimate: '3.46',
      estimates: 10,
      report: '2024-05',
      currency: 'USD',
    })
    expect(rows.find(row => row.symbol === 'SPWR')).toMatchObject({ status: 'estimated', eps_estimate: '-0.29' })
    const printed = realText(`${folder}/nasdaq/earnings-calendar_2024-07-03_captured-2024-07-01.json`)
    const timed = printed.match(/time-pre-market|time-after-hours/g)?.length ?? 0
    expect(rows.filter(row => row.status === 'confirmed').length).toBe(timed)
    expect(rows.filter(row => row.status === 'estimated').length).toBe(22 - timed)
  })
  test('fact 16: the IPO calendar of 2024-07 has nobody priced and five to come, a range, a single price and none', () => {
    const { facts, refused, skipped } = read('nasdaq/ipo-calendar_2024-07_captured-2024-07-01.json')
    const deals = facts.ipo_events ?? []
    expect([deals.length, refused.length]).toEqual([5, 0])
    expect(skipped['section_without_deals']).toBe(3)
    expect(deals.every(deal => deal.section === 'expected' && deal.price === null)).toBe(true)
    const prices = Object.fromEntries(deals.map(deal => [deal.symbol, [deal.price_low, deal.price_high, deal.expected_date]]))
    expect(prices['PGHL']).toEqual(['4.00', '6.00', '2024-07-12'])
    expect(prices['OSTX']).toEqual(['4.00', '4.00', '2024-07-10'])
    expect(prices['ZENA']).toEqual([null, null, '2024-07-16'])
  })
  test('fact 15: a day of TMX with errors[] beside a null says nothing, neither data nor that there is none', () => {
    const path = 'tmx/getEnhancedEarningsForDate_2023-01-11_http200-with-errors.json'
    expect(firstReaderOf(path, realBytes(`${folder}/${path}`)).reader.name).toBe('tmx.enhanced-earnings')
    expect(() => read(path)).toThrow(Upstream)
  })
  test('fact 15: BTO and AMC are a time of day, N/A is none and no number; the day is that of the file', () => {
    const rows = read('tmx/getEnhancedEarningsForDate_2023-01-13.json').facts.earnings_dates ?? []
    expect(rows.length).toBe(6)
    expect(rows[0]).toMatchObject({
      symbol: 'CJR-B.CA',
      date: '2023-01-13',
      status: 'confirmed',
      time_of_day: 'before_open',
      eps_estimate: '0.23',
      eps_actual: '0.16',
    })
    expect(rows.slice(1).every(row => row.status === 'estimated' && row.time_of_day === null)).toBe(true)
    expect(rows.find(row => row.symbol === 'GEC.CA')).toMatchObject({ eps_estimate: null, eps_actual: null })
    expect(rows.at(-1)?.symbol).toBe('ZKL-H.V')
    const later = read('tmx/getEnhancedEarningsForDate_2023-01-24.json').facts.earnings_dates ?? []
    expect(later.find(row => row.symbol === 'CNR.CA')).toMatchObject({ status: 'confirmed', time_of_day: 'after_close' })
  })
  test.each([
    ['AAPL', '2025-04-30', '2025-05-05'],
    ['CRON', '2025-02-26', '2025-03-03'],
    ['BABA', '2025-05-12', '2025-05-16'],
  ])('fact 17: %s has two instants and a flag: a window, no date', (symbol, first, last) => {
    const rows = read(`yahoo/json/quoteSummary-calendarEvents-${symbol}.json`).facts.earnings_dates ?? []
    expect(rows).toMatchObject([{ symbol, date: first, window_end: last, status: 'window', time_of_day: null }])
  })
  test('statements and ratios of vendors are recognised, counted and not taken; a fund has no report', () => {
    expect(read('yahoo/json/quoteSummary-all-HISU-U.TO.json').facts).toEqual({})
    for (const path of [
      'yahoo/json/fundamentalsTimeSeries-0P000071W8.TO-financials-quarterly.json',
      'polygon/vX__reference__financials.json',
      'tiingo/fundamentals_daily.json',
      'tiingo/fundamentals_statements.json',
    ]) {
      const { facts, refused, skipped } = read(path)
      expect([facts, refused]).toEqual([{}, []])
      expect(Object.keys(skipped).every(reason => reason.endsWith('_not_taken')) && Object.values(skipped).some(count => count > 0)).toBe(true)
    }
  })
  test('the overview’s target is taken with its currency; what it does not print stays open', () => {
    expect(read('alphavantage/OVERVIEW.json').facts.analyst_consensus).toMatchObject([
      { symbol: 'IBM', target_mean: '140.79', target_currency: 'USD', buy: null },
    ])
    expect(() => read('alphavantage/error-apikey.json')).toThrow(Upstream)
  })
})
