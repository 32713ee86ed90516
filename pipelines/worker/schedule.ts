// Which scheduled moments are due. Every worker asks; whoever inserts the moment's row sends its job, in one transaction.
import { Cron } from 'croner'
import type { JobDefinition } from '#schemas/jobs.ts'
import type { Db } from '#warehouse/postgres.ts'
import type { Queue } from '#warehouse/queue.ts'
import { isSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'

const calendars = { XNYS: 'XNYS', XTSE: 'XTSE', BOC: 'BOC' } as const
const dayMs = 86_400_000

/** The day of an instant in a time zone, YYYY-MM-DD. */
export const dayIn = (zone: string, at: Date): string => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at)

/** The newest moment of the schedule in the last `lookBackDays` before `now`, on a day that its calendar trades; null where there is none. */
export function lastTick(job: Pick<JobDefinition, 'schedule'>, now: Date, lookBackDays = 4): Date | null {
  if (!job.schedule) return null
  const cron = new Cron(job.schedule.cron, { timezone: job.schedule.time_zone, paused: true })
  // Often-running schedules have thousands of moments in four days: the newest half hour is looked at first.
  for (const span of [dayMs / 48, dayMs / 2, dayMs * lookBackDays]) {
    let last: Date | null = null
    for (let at = cron.nextRun(new Date(now.getTime() - span)); at !== null && at <= now; at = cron.nextRun(at)) if (trades(job, at)) last = at
    if (last) return last
  }
  return null
}

/** The next moment after `now` on a day that its calendar trades. */
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

function trades({ schedule }: Pick<JobDefinition, 'schedule'>, at: Date): boolean {
  return !schedule?.calendar || isSession(calendars[schedule.calendar], dayIn(schedule.time_zone, at))
}

/** Sends the jobs whose newest moment was not sent yet; returns how many. A moment missed while nothing ran is made up once. */
export async function sendDue(db: Db, queue: Queue, jobs: Iterable<JobDefinition>, now: Date): Promise<number> {
  let sent = 0
  for (const job of jobs) {
    const tick = lastTick(job, now)
    if (!tick || !job.schedule) continue
    const day = dayIn(job.schedule.time_zone, tick)
    const done = await db.transaction().execute(async trx => {
      const row = await trx
        .insertInto('job_tick')
        .values({ job: job.name, tick_at: tick.toISOString() })
        .onConflict(conflict => conflict.doNothing())
        .returning('job')
        .executeTakeFirst()
      if (!row) return false
      await queue.send(job.name, { partition: day, from: day, to: day, symbols: null, backfill_id: null }, { transaction: trx })
      return true
    })
    if (done) sent += 1
  }
  return sent
}
