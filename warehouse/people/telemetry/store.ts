// Stores browsers' reports: measurements for two weeks and their 75th percentile by day and page, violations as counts.

import { sql } from 'kysely'
import { daysBefore, utcDay } from '#schemas/days.ts'
import { type Grade, gradeOf, vitalRules } from '../../rulesets/telemetry/vitals.ts'
import type { Db } from '../../store/postgres.ts'
import type { Violation, Vital } from './read.ts'

/** The bucket for everything beyond a day's limit. */
export const others = '(other)'

/** Stores measurements of today. */
export async function keepVitals(db: Db, vitals: readonly Vital[], now: Date): Promise<void> {
  if (vitals.length === 0) return
  await db
    .insertInto('vital_sample')
    .values(vitals.map(each => ({ ...each, day: utcDay(now) })))
    .execute()
}

/** Counts violations of today; above the day's limit, new ones share one count. */
export async function countViolations(db: Db, violations: readonly Violation[], now: Date): Promise<void> {
  const day = utcDay(now)
  for (const { directive, blocked } of violations) {
    await sql`
      insert into csp_daily (day, directive, blocked, reports)
      select ${day}::date, ${directive}, case
        when exists (select from csp_daily where day = ${day}::date and directive = ${directive} and blocked = ${blocked}) then ${blocked}
        when (select count(*) from csp_daily where day = ${day}::date) >= ${vitalRules.csp_rows_per_day} then ${others}
        else ${blocked} end, 1
      on conflict (day, directive, blocked) do update set reports = csp_daily.reports + 1`.execute(db)
  }
}

/** Recalculates the figures of the days that may have changed since the last run; returns how many rows they have. */
export async function aggregateVitals(db: Db): Promise<number> {
  const made = await sql`
    with since as (select coalesce(max(day) - 1, '-infinity'::date) as day from vital_daily),
    counted as (
      select s.day, s.page, row_number() over (partition by s.day order by count(*) desc, s.page) as place
      from vital_sample s, since where s.day >= since.day group by s.day, s.page
    )
    insert into vital_daily (day, page, metric, samples, p75)
    select s.day, case when c.place <= ${vitalRules.pages_per_day} then s.page else ${others} end as shown, s.metric, count(*),
      percentile_disc(${vitalRules.percentile}) within group (order by s.value)
    from vital_sample s join counted c on c.day = s.day and c.page = s.page
    group by s.day, shown, s.metric
    on conflict (day, metric, page) do update set samples = excluded.samples, p75 = excluded.p75`.execute(db)
  return Number(made.numAffectedRows ?? 0)
}

/** Deletes expired rows. Called after `aggregateVitals`, so that every measurement is counted. */
export async function sweepTelemetry(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('vital_sample')
    .where('day', '<', utcDay(daysBefore(now, vitalRules.raw_days)))
    .execute()
  await db
    .deleteFrom('vital_daily')
    .where('day', '<', utcDay(daysBefore(now, vitalRules.daily_days)))
    .execute()
  await db
    .deleteFrom('csp_daily')
    .where('day', '<', utcDay(daysBefore(now, vitalRules.csp_days)))
    .execute()
}

export type DailyVital = {
  readonly day: string
  readonly page: string
  readonly metric: string
  readonly samples: number
  readonly p75: number
  /** Null: not graded. */
  readonly grade: Grade | null
}
export type DailyViolation = { readonly day: string; readonly directive: string; readonly blocked: string; readonly reports: number }

/** Figures of the last days, the newest first, then by page and metric. */
export async function findVitals(db: Db, days: number, now: Date, limit = 1000): Promise<DailyVital[]> {
  const rows = await db
    .selectFrom('vital_daily')
    .selectAll()
    .where('day', '>', utcDay(daysBefore(now, days)))
    .orderBy('day', 'desc')
    .orderBy('page')
    .orderBy('metric')
    .limit(limit)
    .execute()
  return rows.map(row => ({ ...row, grade: gradeOf(row.metric, row.p75, row.day) }))
}

/** Violations of the last days, the newest first, then the most frequent. */
export async function findViolations(db: Db, days: number, now: Date, limit = 1000): Promise<DailyViolation[]> {
  return await db
    .selectFrom('csp_daily')
    .selectAll()
    .where('day', '>', utcDay(daysBefore(now, days)))
    .orderBy('day', 'desc')
    .orderBy('reports', 'desc')
    .orderBy('directive')
    .orderBy('blocked')
    .limit(limit)
    .execute()
}
