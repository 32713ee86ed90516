// Backfills: a job over a past range, asked for by an operator or an administrator, cut into windows by a worker.
import { sql } from 'kysely'
import type { Db } from '../postgres.ts'

export type BackfillAsked = { readonly job: string; readonly from: string; readonly to: string; readonly symbols: readonly string[] | null }

/** The backfill of this job, range and symbols: one row, however often it is asked for. */
export async function insertBackfill(db: Db, { job, from, to, symbols }: BackfillAsked): Promise<number> {
  const row = await db
    .insertInto('backfill')
    .values({ job: job, from_date: from, to_date: to, symbols: symbols === null ? null : [...symbols] })
    .onConflict(conflict => conflict.columns(['job', 'from_date', 'to_date', 'symbols']).doUpdateSet({ job: sql`excluded.job` }))
    .returning('backfill_id')
    .executeTakeFirstOrThrow()
  return row.backfill_id
}

export type Counts = { readonly total: number; readonly done: number; readonly failed: number; readonly waiting: number }
export type BackfillLine = Counts & {
  readonly backfill_id: number
  readonly job: string
  readonly from_date: string
  readonly to_date: string
  readonly symbols: string[] | null
  readonly requested_at: string
}

/** The newest backfills with the counts of their windows. */
export async function listBackfills(db: Db, limit: number): Promise<BackfillLine[]> {
  const { rows } = await sql<BackfillLine>`
    select b.backfill_id, b.job, b.from_date, b.to_date, b.symbols, b.requested_at, count(w.partition)::int as total,
      count(*) filter (where w.state = 'done')::int as done, count(*) filter (where w.state = 'failed')::int as failed, count(*) filter (where w.state = 'waiting')::int as waiting
    from backfill as b left join backfill_window as w using (backfill_id)
    group by b.backfill_id order by b.backfill_id desc limit ${limit}`.execute(db)
  return rows
}
