// Backfills: a job over a past range, requested by an operator or an administrator, split into windows by a worker.
import { sql } from 'kysely'
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import type { Db } from '../postgres.ts'

export type BackfillQuery = { readonly job: string; readonly from: string; readonly to: string; readonly symbols: readonly string[] | null }

/** The caller's names for the members of the request, used in errors. */
export type Names = { readonly from: string; readonly to: string; readonly symbols: string }

/** Throws `BadRequest` if the range or the symbols do not fit the job. `today` is the day in UTC. */
export function checkBackfill(
  job: JobDefinition,
  { from, to, symbols }: Omit<BackfillQuery, 'job'>,
  today: string,
  names: Names = { from: 'from', to: 'to', symbols: 'symbols' },
): void {
  if (job.backfill === 'none')
    throw new BadRequest(`${job.name} cannot be backfilled: its source has only current data`, { hint: `crossfile run ${job.name} runs it now` })
  if (from > to)
    throw new BadRequest(`${names.from} ${from} comes after ${names.to} ${to}`, { hint: `give a ${names.from} that is before ${names.to}` })
  if (to > today) throw new BadRequest(`${names.to} ${to} is in the future`, { hint: `today is ${today} (UTC)` })
  if (job.backfill === 'symbol' && symbols === null)
    throw new BadRequest(`${job.name} is split by symbol, and ${names.symbols} is empty`, { hint: 'name symbols such as AAPL or RY.TO' })
  if (job.backfill !== 'symbol' && symbols !== null)
    throw new BadRequest(`${job.name} requests all symbols of a ${job.backfill} together; ${names.symbols} does not apply`, {
      hint: `leave ${names.symbols} out`,
    })
}

/** The backfill of this job, range and symbols: one row, however often it is requested. */
export async function insertBackfill(db: Db, { job, from, to, symbols }: BackfillQuery): Promise<number> {
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

/** The newest backfills, of one job if one is named, with the counts of their windows. */
export async function listBackfills(db: Db, limit: number, job: string | null = null): Promise<BackfillLine[]> {
  const { rows } = await sql<BackfillLine>`
    select b.backfill_id, b.job, b.from_date, b.to_date, b.symbols, b.requested_at, count(w.partition)::int as total,
      count(*) filter (where w.state = 'done')::int as done, count(*) filter (where w.state = 'failed')::int as failed, count(*) filter (where w.state = 'waiting')::int as waiting
    from backfill as b left join backfill_window as w using (backfill_id)
    where ${job}::text is null or b.job = ${job} group by b.backfill_id order by b.backfill_id desc limit ${limit}`.execute(db)
  return rows
}
