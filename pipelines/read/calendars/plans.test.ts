import { describe, expect, test } from 'vitest'
import { calendarPlans, monthsOf } from '../../jobs/plans/calendars.ts'
import { plans } from '../../jobs/plans/plans.ts'
import { readers } from '../register.ts'

const lookup = { cikOf: async () => null }
const urlsOf = async (plan: string, from: string, to: string, symbols: readonly string[] | null = null): Promise<string[]> =>
  ((await plans.get(plan)?.first({ partition: 'x', from, to, symbols, today: '2026-11-20' }, lookup)) ?? []).map(wanted => wanted.url)
const datesIn = (urls: readonly string[]): string[] => urls.map(url => /date=([\d-]+)/.exec(url)?.[1] ?? '')

describe('which calendars a job asks for', () => {
  test('a window that reaches today reaches the weeks ahead, on weekdays; a past one does not', async () => {
    const ahead = datesIn(await urlsOf('nasdaq-earnings', '2026-11-20', '2026-11-20'))
    expect([ahead[0], ahead[1], ahead.at(-1), ahead.length]).toEqual(['2026-11-20', '2026-11-23', '2026-12-18', 21])
    expect(datesIn(await urlsOf('nasdaq-earnings', '2026-10-02', '2026-10-05'))).toEqual(['2026-10-02', '2026-10-05'])
    expect(await urlsOf('nasdaq-earnings', '2026-11-18', '2026-11-18')).toHaveLength(21)
    expect(await urlsOf('eodhd-earnings', '2026-11-20', '2026-11-20')).toEqual([expect.stringContaining('from=2026-11-20&to=2027-01-19')])
    expect(await urlsOf('eodhd-ipos', '2026-09-01', '2026-09-30')).toEqual([expect.stringContaining('from=2026-09-01&to=2026-09-30')])
  })
  test('months are asked for once each, over the turn of a year', async () => {
    expect(monthsOf('2026-11-30', '2027-01-01')).toEqual(['2026-11', '2026-12', '2027-01'])
    expect(datesIn(await urlsOf('nasdaq-ipos', '2026-11-20', '2026-11-20'))).toEqual(['2026-11', '2026-12'])
  })
  test('TMX is asked for a day at a time and only for the days of the window', async () => {
    const urls = await urlsOf('tmx-earnings', '2026-11-20', '2026-11-23')
    expect(urls.map(url => /"date":"([\d-]+)"/.exec(decodeURIComponent(url))?.[1])).toEqual(['2026-11-20', '2026-11-23'])
  })
  test('a symbol is asked for in the vendor’s spelling, and not where the vendor has none', async () => {
    expect((await urlsOf('eodhd-ratings', '', '', ['BRK-B', 'CJR-B.TO'])).map(url => /fundamentals\/([^?]+)/.exec(url)?.[1])).toEqual([
      'BRK-B.US',
      'CJR-B.TO',
    ])
    expect((await urlsOf('alphavantage-overview', '', '', ['SHOP.TO'])).map(url => /symbol=(.+)$/.exec(url)?.[1])).toEqual(['SHOP.TRT'])
    expect(await urlsOf('yahoo-summary', '', '', null)).toEqual([])
  })
  test('every address has a reader', async () => {
    for (const [name] of calendarPlans) {
      const urls = await urlsOf(name, '2026-11-20', '2026-11-20', ['MPLS'])
      expect(urls.length).toBeGreaterThan(0)
      for (const url of urls) expect(readers.filter(reader => reader.reads(url))).toHaveLength(1)
    }
  })
})
