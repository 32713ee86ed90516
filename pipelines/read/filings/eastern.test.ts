import { describe, expect, test } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { closingInstant, easternInstant, easternWall, isoDay } from './eastern.ts'

describe("EDGAR's Eastern clock", () => {
  test.each(textTable`
    summer and winter differ by an hour                   | 20230623194409 | 2023-06-23T23:44:09Z
    summer and winter differ by an hour                   | 20250110160730 | 2025-01-10T21:07:30Z
    before 2007 daylight saving ran from April to October | 20060315120000 | 2006-03-15T17:00:00Z
    before 2007 daylight saving ran from April to October | 20070315120000 | 2007-03-15T16:00:00Z
    before 2007 daylight saving ran from April to October | 20061101120000 | 2006-11-01T17:00:00Z
    before 2007 daylight saving ran from April to October | 20071101120000 | 2007-11-01T16:00:00Z
    the hour that autumn repeats is taken as the later    | 20241103003000 | 2024-11-03T04:30:00Z
    the hour that autumn repeats is taken as the later    | 20241103013000 | 2024-11-03T06:30:00Z
  `)('%s: %s is %s', (_rule, digits = '', instant) => {
    expect(easternInstant(digits)).toBe(instant)
  })

  test('every hour of 1993 to 2030 agrees with the time-zone data of the runtime, the repeated hour apart', () => {
    const zone = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'medium' })
    for (let utc = Date.UTC(1993, 0, 1); utc < Date.UTC(2031, 0, 1); utc += 3_600_000) {
      const hour = new Date(utc).getUTCHours()
      const day = new Date(utc).getUTCDay()
      if (day > 1 && hour % 6 !== 0) continue // the clock changes on Sundays
      const instant = `${new Date(utc).toISOString().slice(0, 19)}Z`
      const wall = zone.format(utc).replace(' ', 'T')
      expect(easternWall(instant)).toBe(wall)
      const back = easternInstant(wall.replace(/\D/g, ''))
      if (back !== instant) expect(Date.parse(back ?? '') - utc).toBe(3_600_000)
    }
  })

  test('no date gives no instant', () => {
    for (const digits of ['', '20230230120000', '20231301000000', '20230101250000', '2023010112000', 'x0230101120000'])
      expect(easternInstant(digits)).toBeNull()
  })

  test('a day closes at 22:00 Eastern', () => {
    expect(closingInstant('2020-03-18')).toBe('2020-03-19T02:00:00Z')
    expect(closingInstant('2020-01-18')).toBe('2020-01-19T03:00:00Z')
  })

  test('both spellings of a day are read, other texts are none', () => {
    expect(isoDay('20200318')).toBe('2020-03-18')
    expect(isoDay(' 2021-02-24 ')).toBe('2021-02-24')
    for (const text of ['', '20200230', '2020-3-18', '202003181']) expect(isoDay(text)).toBeNull()
  })
})
