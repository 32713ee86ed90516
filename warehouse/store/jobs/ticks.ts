// The instants of a schedule. Pure.
import { Cron } from 'croner'
import type { JobDefinition } from '#schemas/jobs.ts'
import { isSession } from '../../rulesets/exchange-calendars/calendar.ts'

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

/** The next moment after `now` on a trading day of the calendar. */
export function nextTick(job: Pick<JobDefinition, 'schedule'>, now: Date): Date | null {
  if (!job.schedule) return null
  const cron = new Cron(job.schedule.cron, { timezone: job.schedule.time_zone, paused: true })
  let at = cron.nextRun(now)
  for (let tries = 0; at !== null && tries < 3000; tries += 1) {
    if (trades(job, at)) return at
    at = cron.nextRun(at)
  }
  return null
}

/** Whether the schedule's calendar, if it has one, trades on the day of an instant. */
export function trades({ schedule }: Pick<JobDefinition, 'schedule'>, at: Date): boolean {
  return !schedule?.calendar || isSession(calendars[schedule.calendar], dayIn(schedule.time_zone, at))
}
