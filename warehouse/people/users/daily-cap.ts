// Daily caps: a number of units of a class per user and UTC day. One statement takes a unit, so concurrent processes cannot exceed the cap.

import { sql } from 'kysely'
import { daysBefore, utcDay } from '#schemas/days.ts'
import type { Tier } from '#schemas/plans.ts'
import { plans } from '../../rulesets/plans/plans.ts'
import type { Db } from '../../store/postgres.ts'

/** What is counted per day: questions to the assistant. */
export type DailyClass = 'assistant'
export type DailyUse = {
  readonly allowed: boolean
  /** Units left on the day after this one. */
  readonly used: number
  readonly cap: number
  /** When the next day begins. */
  readonly resets_at: string
}
const nextDay = (at: Date): string => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1)).toISOString()

/** Questions that a tier may ask the assistant on one day, as `/api/v1/data/plans` publishes it. */
export const assistantCap = (tier: Tier): number => plans.plans.find(plan => plan.tier === tier)?.assistant_queries_per_day ?? 0

/** Takes one unit of the user's day if one is left: in the transaction of the counted action, or in a separate one. */
export async function takeDaily(db: Db, userId: string, dailyClass: DailyClass, cap: number, now: Date): Promise<DailyUse> {
  const day = utcDay(now)
  const taken =
    cap < 1
      ? []
      : (
          await sql<{ used: number }>`
            insert into daily_use as d (user_id, day, class, used) values (${userId}, ${day}::date, ${dailyClass}, 1)
            on conflict (user_id, day, class) do update set used = d.used + 1 where d.used < ${cap}
            returning used`.execute(db)
        ).rows
  const row = taken[0]
  const used = row?.used ?? (await usedOn(db, userId, dailyClass, day))
  return { allowed: row !== undefined, used, cap, resets_at: nextDay(now) }
}

/** Refunds one unit of a UTC day `YYYY-MM-DD`, in the transaction that ends the counted action; the count never falls below 0. */
export async function giveBackDaily(db: Db, userId: string, dailyClass: DailyClass, day: string): Promise<void> {
  await db
    .updateTable('daily_use')
    .set(eb => ({ used: eb('used', '-', 1) }))
    .where('user_id', '=', userId)
    .where('day', '=', day)
    .where('class', '=', dailyClass)
    .where('used', '>', 0)
    .execute()
}

async function usedOn(db: Db, userId: string, dailyClass: DailyClass, day: string): Promise<number> {
  const row = await db
    .selectFrom('daily_use')
    .select('used')
    .where('user_id', '=', userId)
    .where('day', '=', day)
    .where('class', '=', dailyClass)
    .executeTakeFirst()
  return row?.used ?? 0
}

/** Questions that the user asked the assistant on a UTC day `YYYY-MM-DD`: `queries_today` of the profile. */
export const queriesToday = (db: Db, userId: string, day: string): Promise<number> => usedOn(db, userId, 'assistant', day)

/** Deletes days of more than 400 days ago, so that a year can be reviewed. */
export async function sweepDailyUse(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('daily_use')
    .where('day', '<', utcDay(daysBefore(now, 400)))
    .execute()
}
