// Which scheduled instants are due. Every worker checks; the one that inserts the instant's row sends its job, in one transaction.

import { Cron } from 'croner'
import { dayMs } from '#schemas/days.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { turnMs, untilBeat } from '#warehouse/store/beat.ts'
import { dayIn, edgeOfDay, nextTick, trades } from '#warehouse/store/jobs/ticks.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Wakeup } from '#warehouse/store/notifications.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Queue } from '#warehouse/store/queue.ts'

/** The newest instant of the schedule in the last `lookBackDays` before `now`, on a day that its calendar trades; null if there is none. */
export function lastTick(job: Pick<JobDefinition, 'schedule'>, now: Date, lookBackDays = 4): Date | null {
  if (!job.schedule) return null
  const cron = new Cron(job.schedule.cron, { timezone: job.schedule.time_zone, paused: true })
  const oldest = now.getTime() - dayMs * lookBackDays
  // Runs before the next whole second are those up to `now`.
  let [at] = cron.previousRuns(1, new Date((Math.floor(now.getTime() / 1000) + 1) * 1000))
  // The other moments of a closed day are passed over: those of a job of every minute took 0.15 s over a long weekend.
  while (at !== undefined && at.getTime() > oldest) {
    if (trades(job, at)) return at
    ;[at] = cron.previousRuns(1, edgeOfDay(job.schedule.time_zone, at, -1))
  }
  return null
}

export type Schedule = {
  /**
   * Sends the jobs whose newest instant was not sent yet; returns how many. An instant missed while nothing ran is made up once. Throws
   * after the last job if some could not be sent; the next check tries them again.
   */
  readonly sendDue: (db: Db, queue: Queue, now: Date) => Promise<number>
  /**
   * Milliseconds from `now` until the next instant of any job, at least 1. An instant that passed while others were sent counts as due; one that
   * could not be sent does not.
   */
  readonly dueInMs: (now: Date) => number
}

/**
 * The schedule of some jobs. It remembers when each job is due next, so that a check costs nothing in between: the search for the instants
 * of 50 jobs and a transaction for each, every second, took 5 % of a core.
 */
export function createSchedule(jobs: Iterable<JobDefinition>): Schedule {
  const all = [...jobs]
  const next = new Map<JobDefinition, number>()
  const unsent = new Set<JobDefinition>()
  let last = Number.NEGATIVE_INFINITY
  return {
    async sendDue(db, queue, now) {
      // The clock was set back: what was due next by the wrong one may be far away.
      if (now.getTime() < last) next.clear()
      last = now.getTime()
      let sent = 0
      const failures: unknown[] = []
      for (const job of all) {
        if (now.getTime() < (next.get(job) ?? Number.NEGATIVE_INFINITY)) continue
        try {
          if (await sendNewest(db, queue, job, now)) sent += 1
          // Without a next moment: a calendar may have ended, which is an error of each later check.
          next.set(job, nextTick(job, now)?.getTime() ?? now.getTime() + dayMs)
          unsent.delete(job)
        } catch (error) {
          // One job that cannot be sent does not hold up those behind it.
          failures.push(error)
          unsent.add(job)
        }
      }
      if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(String).join('; '))
      return sent
    },
    dueInMs(now) {
      const waiting = [...next].filter(([job]) => !unsent.has(job)).map(([, at]) => at - now.getTime())
      return Math.max(1, Math.min(dayMs, ...waiting))
    },
  }
}

const lookMs = 30_000

type Keeping = {
  readonly db: Db
  readonly queue: Queue
  readonly now: () => Date
  readonly log: Log
  /** Woken when the database can be reached again: what could not be sent is then sent without waiting for the next look. */
  readonly reachable: Wakeup
  readonly stop: AbortSignal
}

/** Sends each job at its moment, and looks twice a minute for what could not be sent, until `stop`. What aborts it notifies `reachable` too. */
export async function keepSchedule(schedule: Schedule, { db, queue, now, log, reachable, stop }: Keeping): Promise<void> {
  while (!stop.aborted) {
    await schedule.sendDue(db, queue, now()).catch(error => log('warn', `schedule: ${String(error)}`))
    if (stop.aborted) return
    const dueMs = Math.ceil(schedule.dueInMs(now()))
    await reachable.wait(Math.min(dueMs, untilBeat(lookMs, turnMs.fourth)))
  }
}

/**
 * The newest instant of a job of which an earlier one was sent, however long ago: a weekly or monthly job was missed in a downtime of a week.
 * Null for a job that never ran: a new installation does not make up the last month.
 */
async function lastSinceSent(db: Db, job: JobDefinition, now: Date): Promise<Date | null> {
  const sent = await db
    .selectFrom('job_tick')
    .select('tick_at')
    .where('job', '=', job.name)
    .where('tick_at', '<=', now.toISOString())
    .orderBy('tick_at', 'desc')
    .executeTakeFirst()
  return sent === undefined ? null : lastTick(job, now, (now.getTime() - Date.parse(sent.tick_at)) / dayMs)
}

/** Sends a job for its newest instant; false if there is none, or if a worker has sent it. */
async function sendNewest(db: Db, queue: Queue, job: JobDefinition, now: Date): Promise<boolean> {
  const tick = lastTick(job, now) ?? (await lastSinceSent(db, job, now))
  if (!tick || !job.schedule) return false
  const day = dayIn(job.schedule.time_zone, tick)
  return await db.transaction().execute(async trx => {
    const row = await trx
      .insertInto('job_tick')
      .values({ job: job.name, tick_at: tick.toISOString() })
      .onConflict(conflict => conflict.doNothing())
      .returning('job')
      .executeTakeFirst()
    if (!row) return false
    // The retry of a failed attempt is due no later than the next scheduled run.
    const data = { partition: day, from: day, to: day, symbols: null, backfill_id: null }
    await queue.send(job.name, data, { transaction: trx, pullForward: true })
    return true
  })
}
