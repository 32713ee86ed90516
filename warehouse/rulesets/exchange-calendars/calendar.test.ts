import { describe, expect, test } from 'vitest'
import { describeReal, realText } from '#fixtures/real.ts'
import * as calendars from './calendar.ts'
import { dayText, easterSunday } from './days.ts'

const { halfDaysOf, holidaysOf, isSession, nextSession, previousSession, sessionHours, sessionsOf } = calendars
const dates = (days: readonly { date: string }[]): string[] => days.map(({ date }) => date.slice(5))

describe('published schedules of 2024 to 2027', () => {
  const schedules = [
    ['XNYS', 2024, '01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25', '07-03 11-29 12-24', 252],
    ['XNYS', 2025, '01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25', '07-03 11-28 12-24', 250],
    ['XNYS', 2026, '01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25', '11-27 12-24', 251],
    ['XNYS', 2027, '01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24', '11-26', 251],
    ['XTSE', 2024, '01-01 02-19 03-29 05-20 07-01 08-05 09-02 10-14 12-25 12-26', '12-24', 252],
    ['XTSE', 2025, '01-01 02-17 04-18 05-19 07-01 08-04 09-01 10-13 12-25 12-26', '12-24', 251],
    ['XTSE', 2026, '01-01 02-16 04-03 05-18 07-01 08-03 09-07 10-12 12-25 12-28', '12-24', 251],
    ['XTSE', 2027, '01-01 02-15 03-26 05-24 07-01 08-02 09-06 10-11 12-27 12-28', '12-24', 251],
  ] as const
  test.each(schedules)('%s %i', (venue, year, closed, half, sessions) => {
    expect(dates(holidaysOf(venue, year)).join(' ')).toBe(closed)
    expect(dates(halfDaysOf(venue, year)).join(' ')).toBe(half)
    expect(sessionsOf(venue, `${year}-01-01`, `${year}-12-31`)).toHaveLength(sessions)
  })
})

describe('the traps of the two calendars', () => {
  test('Toronto keeps its half day on a Christmas Eve on which New York is closed', () => {
    expect(isSession('XNYS', '2027-12-24')).toBe(false)
    expect(sessionHours('XTSE', '2027-12-24')).toEqual({ open_at: '2027-12-24T14:30:00Z', close_at: '2027-12-24T18:00:00Z', early_close: true })
  })
  test('Toronto has no half day on 3 July or after the American Thanksgiving, and traded on 2025-01-09', () => {
    for (const date of ['2024-07-03', '2024-11-29', '2025-01-09']) expect(sessionHours('XTSX', date)?.early_close).toBe(false)
    expect(isSession('XNAS', '2025-01-09')).toBe(false)
    expect(holidaysOf('XNAS', 2025).find(({ date }) => date === '2025-01-09')).toMatchObject({ scheduled: false })
  })
  test('a New Year on a Saturday costs New York no session and Toronto the Monday', () => {
    expect(isSession('XNYS', '2021-12-31')).toBe(true)
    expect(isSession('XNYS', '2028-01-03')).toBe(true)
    expect(isSession('XTSE', '2028-01-03')).toBe(false)
  })
  test('Martin Luther King Day closes New York from 1998, Juneteenth from 2022, Family Day Toronto from 2008', () => {
    expect([isSession('XNYS', '1997-01-20'), isSession('XNYS', '1998-01-19')]).toEqual([true, false])
    expect([isSession('XNYS', '2021-06-18'), isSession('XNYS', '2022-06-20')]).toEqual([true, false])
    expect([isSession('XTSE', '2007-02-19'), isSession('XTSE', '2008-02-18')]).toEqual([true, false])
  })
  test('a Christmas on a Sunday takes Monday and pushes Boxing Day to Tuesday', () => {
    expect(dates(holidaysOf('XTSE', 2022)).slice(-2)).toEqual(['12-26', '12-27'])
    expect(dates(holidaysOf('XTSE', 2021)).slice(-2)).toEqual(['12-27', '12-28'])
  })
  test('the Bank of Canada sets no rate on 30 September and 11 November, when Toronto trades', () => {
    for (const date of ['2024-09-30', '2024-11-11', '2025-09-30', '2025-11-11']) {
      expect([date, isSession('BOC', date), isSession('TO', date)]).toEqual([date, false, true])
    }
  })
  test('Easter falls on the days of the almanac', () => {
    expect([1990, 2000, 2008, 2019, 2024, 2030].map(year => dayText(easterSunday(year)))).toEqual([
      '1990-04-15',
      '2000-04-23',
      '2008-03-23',
      '2019-04-21',
      '2024-03-31',
      '2030-04-21',
    ])
  })
})

describe('hours and neighbours', () => {
  test('the same local hour is another instant in winter and in summer', () => {
    expect(sessionHours('XNYS', '2024-01-02')).toEqual({ open_at: '2024-01-02T14:30:00Z', close_at: '2024-01-02T21:00:00Z', early_close: false })
    expect(sessionHours('XTSE', '2024-07-02')).toEqual({ open_at: '2024-07-02T13:30:00Z', close_at: '2024-07-02T20:00:00Z', early_close: false })
    // The Friday before and the Monday after the change of 2024-03-10, and those of 2006 (first Sunday of April then).
    expect(['2024-03-08', '2024-03-11', '2006-03-31', '2006-04-03'].map(date => sessionHours('XNYS', date)?.open_at.slice(11, 16))).toEqual([
      '14:30',
      '13:30',
      '14:30',
      '13:30',
    ])
    expect(sessionHours('XNYS', '2024-07-04')).toBeNull()
  })
  test('the evening of an instant in UTC is still the same day in New York', () => {
    expect(calendars.dateIn('America/New_York', '2024-06-29T01:00:00Z')).toBe('2024-06-28')
    expect(calendars.dateIn('America/New_York', '2024-01-02T05:00:00Z')).toBe('2024-01-02')
  })
  test('neighbours step over weekends, holidays and the years', () => {
    expect(previousSession('XNYS', '2001-09-17')).toBe('2001-09-10')
    expect(nextSession('XNYS', '2012-10-26')).toBe('2012-10-31')
    expect(previousSession('XTSE', '2025-01-02')).toBe('2024-12-31')
    expect(nextSession('XNYS', '2018-12-04')).toBe('2018-12-06')
    expect(sessionsOf('XNYS', '2024-01-02', '2024-01-01')).toEqual([])
  })
  test('an unknown venue and a year outside the ruleset are the asker’s errors, with the limits', () => {
    expect(() => isSession('XLON', '2024-01-02')).toThrow(/XLON: no such venue/)
    expect(() => isSession('XNYS', '1985-01-02')).toThrow(/1985 is outside its years 1990 to 2030/)
    expect(calendars.calendarYears('XTSX')).toEqual({ from: '1990-01-01', to: '2030-12-31' })
  })
  test('every venue has its suffix, country, currency and hours', () => {
    const venues = calendars.venues()
    expect(venues.find(({ mic }) => mic === 'XTSX')).toEqual({
      mic: 'XTSX',
      name: 'TSX Venture Exchange',
      exchange: 'V',
      suffix: '.V',
      country: 'CA',
      currency: 'CAD',
      calendar: 'XTSE',
      time_zone: 'America/Toronto',
      open: '09:30',
      close: '16:00',
    })
    expect(venues).toHaveLength(9)
    expect([calendars.calendarOf('US'), calendars.calendarOf('V'), calendars.micOf('V')]).toEqual(['XNYS', 'XTSE', 'XTSX'])
  })
})

describeReal('sessions of real bars', () => {
  const column = (path: string): string[] =>
    realText(path)
      .trim()
      .split('\n')
      .map(line => line.split(',')[0] ?? '')
  test('SPY traded on exactly the sessions of 1998-01-02 to 2021-03-31', () => {
    const traded = column('market/lean/daily/spy.csv').map(day => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`)
    expect(traded).toEqual(sessionsOf('XNYS', traded[0]!, traded.at(-1)!))
  })
  test.each(['XIU.TO', 'BMO.TO'])('%s traded on the sessions of Toronto', symbol => {
    const traded = column(`market/yahoo/csv-vintages/2024-02-17/${symbol}.csv`).slice(1)
    const sessions = sessionsOf('XTSE', traded[0]!, traded.at(-1)!)
    const tradedSet = new Set(traded)
    const sessionSet = new Set(sessions)
    expect({ missing: sessions.filter(date => !tradedSet.has(date)), beside: traded.filter(date => !sessionSet.has(date)) }).toEqual({
      missing: [],
      beside: [],
    })
  })
  test.each([2024, 2025])('the Bank of Canada published a rate on exactly its sessions of %i', year => {
    const document = JSON.parse(realText(`market/boc/boc_${year}.raw.json`)) as { observations: { d: string }[] }
    const days = document.observations.map(({ d }) => d)
    expect(days).toEqual(sessionsOf('BOC', days[0]!, days.at(-1)!))
  })
})
