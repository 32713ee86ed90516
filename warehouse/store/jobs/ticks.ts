// The instants of a schedule. Pure.
import { Cron } from 'croner'
import type { JobDefinition } from '#schemas/jobs.ts'
import { calendarYears, isSession } from '../../rulesets/exchange-calendars/calendar.ts'

const minuteMs = 60_000
const calendars = { XNYS: 'XNYS', XTSE: 'XTSE', BOC: 'BOC' } as const

/** Formats by time zone: making one takes longer than using it. Zones are those of jobs.yaml. */
const formats = new Map<string, Intl.DateTimeFormat>()
/** The day of an instant in a time zone, YYYY-MM-DD. */
export function dayIn(zone: string, at: Date): string {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
    formats.set(zone, format)
  }
  return format.format(at)
}

/**
 * The next moment after `now` on a trading day of the calendar; null if there is none within the years of the calendar. Throws `BadRequest` if
 * `now` is after these years.
 */
export function nextTick(job: Pick<JobDefinition, 'schedule'>, now: Date): Date | null {
  if (!job.schedule) return null
  const { cron: text, time_zone: zone, calendar } = job.schedule
  const cron = new Cron(text, { timezone: zone, paused: true })
  const last = calendar === null ? null : calendarYears(calendars[calendar]).to
  // Only for its error: after the years of the calendar, nothing below would say why there is no moment.
  trades(job, now)
  let at = cron.nextRun(now)
  while (at !== null && (last === null || dayIn(zone, at) <= last)) {
    if (trades(job, at)) return at
    // Cron texts have no seconds, so the other moments of that day are passed over.
    at = cron.nextRun(edgeOfDay(zone, at, 1))
  }
  return null
}

/** An instant in the last minute of the day of another (`towards` 1), or in its first one (-1). */
export function edgeOfDay(zone: string, at: Date, towards: 1 | -1): Date {
  const day = dayIn(zone, at)
  let edge = at.getTime()
  // Halved steps ask for some 20 days; steps of hours and minutes for 80.
  for (let minutes = 1024; minutes >= 1; minutes /= 2) {
    const step = towards * minutes * minuteMs
    while (dayIn(zone, new Date(edge + step)) === day) edge += step
  }
  return new Date(edge)
}

/** Whether the schedule's calendar, if it has one, trades on the day of an instant. */
export function trades({ schedule }: Pick<JobDefinition, 'schedule'>, at: Date): boolean {
  return !schedule?.calendar || isSession(calendars[schedule.calendar], dayIn(schedule.time_zone, at))
}
