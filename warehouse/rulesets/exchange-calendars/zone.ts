// Local time of a venue to UTC and back, daylight saving included, by the time zone data that Node carries.

import { cacheLimits } from '#schemas/cache-limits.ts'
import { utcDay } from '#schemas/days.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(timeZone, format)
  return format
}

/** Wall clocks that were asked for before: bars of many listings have the same instants, and the format takes 10 µs. */
const clocks = new Map<string, Map<number, number>>()
let clocksHeld = 0

/** The local wall clock at an instant, as if it were UTC, in ms. */
function wallClock(timeZone: string, at: number): number {
  const known = clocks.get(timeZone) ?? new Map<number, number>()
  const found = known.get(at)
  if (found !== undefined) return found
  const read = readWallClock(timeZone, at)
  if (clocksHeld >= cacheLimits.localTimes) {
    clocks.clear()
    known.clear()
    clocksHeld = 0
  }
  clocks.set(timeZone, known.set(at, read))
  clocksHeld += 1
  return read
}

function readWallClock(timeZone: string, at: number): number {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = value
  const { year, month, day, hour, minute, second } = parts
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** The instant of a local time `HH:MM`. For a time that daylight saving repeats, the first one; sessions never contain one. */
export function instantIn(timeZone: string, date: string, clock: string): string {
  const wanted = Date.parse(`${date}T${clock}:00Z`)
  const guess = wanted - (wallClock(timeZone, wanted) - wanted)
  const at = guess - (wallClock(timeZone, guess) - wanted)
  return new Date(at).toISOString().replace('.000Z', 'Z')
}

/** The calendar day that an instant falls on in a time zone, `2024-06-28` for 2024-06-29T01:00:00Z in New York. */
export function dateIn(timeZone: string, instant: string): string {
  return utcDay(wallClock(timeZone, Date.parse(instant)))
}
