// EDGAR's clock is US Eastern wall time. Conversion to UTC by the statutory rules, so that a parser needs no time-zone data.

import { cacheLimits } from '#schemas/cache-limits.ts'
import { calendarDay, dayMs } from '#schemas/days.ts'

/** Days since 1970-01-01 of the nth Sunday of a month (1-based; n = 5 means the last one). */
function sunday(year: number, month: number, n: number): number {
  const first = Date.UTC(year, month - 1, 1) / dayMs
  const firstSunday = first + ((7 - ((first + 4) % 7)) % 7)
  if (n < 5) return firstSunday + 7 * (n - 1)
  const days = Date.UTC(year, month, 1) / dayMs
  const fifth = firstSunday + 28
  return fifth < days ? fifth : fifth - 7
}

/**
 * Hours by which Eastern time is behind UTC. Energy Policy Act of 2005, section 110 (from 2007: second Sunday of March to first Sunday of
 * November); before, 15 U.S.C. 260a as of 1986 (first Sunday of April to last Sunday of October), both at 2:00. An hour that occurs twice
 * in autumn is taken as the later one: a filing is never known too early.
 */
function hoursBehind(year: number, wallMinutes: number): number {
  const start = year >= 2007 ? sunday(year, 3, 2) : sunday(year, 4, 1)
  const end = year >= 2007 ? sunday(year, 11, 1) : sunday(year, 10, 5)
  return wallMinutes >= start * 1440 + 120 && wallMinutes < end * 1440 + 60 ? 4 : 5
}

/** The UTC instant of an Eastern wall time `YYYYMMDDHHMMSS`; null if that is not a date and time. */
export function easternInstant(digits: string): string | null {
  if (!/^\d{14}$/.test(digits)) return null
  const [year, month, day, hour, minute, second] = [
    Number(digits.slice(0, 4)),
    Number(digits.slice(4, 6)),
    Number(digits.slice(6, 8)),
    Number(digits.slice(8, 10)),
    Number(digits.slice(10, 12)),
    Number(digits.slice(12, 14)),
  ] as [number, number, number, number, number, number]
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  if (new Date(wall).toISOString().replace(/\D/g, '').slice(0, 14) !== digits) return null
  const utc = wall + hoursBehind(year, Math.floor(wall / 60_000)) * 3_600_000
  return `${new Date(utc).toISOString().slice(0, 19)}Z`
}

/** The Eastern wall clock `YYYY-MM-DDTHH:MM:SS` of a UTC instant. */
export function easternWall(instant: string): string {
  const utc = Date.parse(instant)
  const year = new Date(utc - 5 * 3_600_000).getUTCFullYear()
  for (const hours of [5, 4]) {
    const wall = utc - hours * 3_600_000
    if (hoursBehind(year, Math.floor(wall / 60_000)) === hours) return new Date(wall).toISOString().slice(0, 19)
  }
  // The first pass of autumn's repeated hour: hoursBehind() assumes the second.
  return new Date(utc - 4 * 3_600_000).toISOString().slice(0, 19)
}

/** Remembers the last few thousand answers: an index repeats its ninety days on every line. */
function remembering<A>(answer: (text: string) => A): (text: string) => A {
  const known = new Map<string, A>()
  return text => {
    let found = known.get(text)
    if (found === undefined) {
      found = answer(text)
      if (known.size >= cacheLimits.easternTimes) known.clear()
      known.set(text, found)
    }
    return found
  }
}

/** 22:00 Eastern of a day (`YYYY-MM-DD`): EDGAR's closing hour, from which a filing of that day is certainly public. */
export const closingInstant: (day: string) => string = remembering(closingInstantOf)
function closingInstantOf(day: string): string {
  const instant = easternInstant(`${day.replaceAll('-', '')}220000`)
  if (instant === null) throw new RangeError(`closing hour: "${day}" is not a calendar day`)
  return instant
}

/** `YYYYMMDD` or `YYYY-MM-DD` as an ISO day; null if it is no calendar day. */
export const isoDay: (text: string) => string | null = remembering(isoDayOf)
function isoDayOf(text: string): string | null {
  if (text.length > 40) return null
  const match = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text.trim())
  if (!match) return null
  const [, year = '', month = '', day = ''] = match
  return calendarDay(year, month, day)
}
