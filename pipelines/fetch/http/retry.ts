// When to retry.

import { dayMs } from '#schemas/days.ts'

const shortestSeconds = 1
const longestSeconds = 300
/** A longer `Retry-After` (a year, a date in 2099) is treated as a mistake: the job retries then, and may have to wait again. */
const longestRetryAfterSeconds = 3600

/** Full jitter: uniform between 1 s and a bound that doubles from 2 s to 5 min, so that many clients do not return together. */
export function jitterSeconds(attempt: number, random: () => number): number {
  const bound = Math.min(longestSeconds, 2 ** Math.min(attempt, 20))
  return Math.max(shortestSeconds, random() * bound)
}

/** `Retry-After` in seconds (RFC 9110, 10.2.3: delay or HTTP date), capped; null if missing or invalid. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (text === '') return null
  const delay = /^\d{1,20}$/.test(text)
    ? Number(text)
    : /^[A-Za-z]{3,9},? /.test(text) && text.length < 60
      ? (Date.parse(text) - nowMs) / 1000
      : Number.NaN
  if (Number.isNaN(delay) || delay < 0) return null
  return Math.min(Math.ceil(delay), longestRetryAfterSeconds)
}

/** Seconds from `nowMs` until the next UTC hour or day begins. */
export function secondsUntil(next: 'next_hour' | 'next_day', nowMs: number): number {
  const span = next === 'next_hour' ? 3_600_000 : dayMs
  return Math.ceil(((Math.floor(nowMs / span) + 1) * span - nowMs) / 1000)
}
