// The rows of a backfill: the request, its windows, their jobs, and their progress.
import { sql } from 'kysely'
import type { Counts } from '#warehouse/store/jobs/backfills.ts'
import { windowKey } from '#warehouse/store/jobs/dead-letters.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { deadLetterQueue, type Queue } from '#warehouse/store/queue.ts'
import type { BackfillPlan } from './backfill-plan.ts'

export type Sent = {
  readonly backfill_id: number
  /** Windows that were already done. */
  readonly done: number
  /** Windows whose job is already waiting or running. */
  readonly waiting: number
  readonly sent: number
}

/** Receives the number of windows handled. */
type Progress = { update(state: { readonly done: number; readonly total: number }): void; end(): void }

/** Windows whose jobs are sent in one transaction. */
const chunk = 200

/** Sends a job for every window that is not done; a failed window gets new attempts. May be killed at any point. `progress` null: no progress output. */
export async function sendWindows(db: Db, queue: Queue, plan: BackfillPlan, backfillId: number, progress: Progress | null): Promise<Sent> {
  const states = await db.selectFrom('backfill_window').select(['partition', 'state']).where('backfill_id', '=', backfillId).execute()
  const done = new Set(states.filter(row => row.state === 'done').map(row => row.partition))
  const open = plan.windows.map((window, at) => ({ window, priority: -1 - at })).filter(({ window }) => !done.has(window.partition))
  let sent = 0
  for (let from = 0; from < open.length; from += chunk) {
    const part = open.slice(from, from + chunk)
    const partitions = part.map(({ window }) => window.partition)
    await db.transaction().execute(async trx => {
      await trx
        .insertInto('backfill_window')
        .values(partitions.map(partition => ({ backfill_id: backfillId, partition, finished_at: null })))
        .onConflict(conflict =>
          conflict
            .columns(['backfill_id', 'partition'])
            .doUpdateSet({ state: 'waiting', finished_at: null })
            .where('backfill_window.state', '=', 'failed'),
        )
        .execute()
      await sql`delete from pgboss.job where name = ${deadLetterQueue} and state < 'active' and data ->> 'backfill_id' = ${String(backfillId)} and data ->> 'partition' = any(${partitions})`.execute(
        trx,
      )
      for (const { window, priority } of part) {
        const data = {
          partition: window.partition,
          from: window.from,
          to: window.to,
          symbols: window.symbols,
          backfill_id: backfillId,
          ...(window.route ? { route: window.route } : {}),
        }
        // Below the scheduled runs of the same job, the first window first.
        if ((await queue.send(plan.job.name, data, { key: windowKey(backfillId, window.partition), transaction: trx, priority })) !== null) sent += 1
      }
    })
    progress?.update({ done: from + part.length, total: open.length })
  }
  progress?.end()
  return { backfill_id: backfillId, done: done.size, waiting: open.length - sent, sent }
}

export type FailedWindow = { readonly partition: string; readonly attempts: number; readonly reason: string }
export type State = { readonly windows: Counts; readonly rows: number; readonly documents: number; readonly fetched: number }

export async function readState(db: Db, backfillId: number): Promise<State> {
  const { rows: counted } = await sql<Counts>`
    select count(*)::int as total, count(*) filter (where state = 'done')::int as done, count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where state = 'waiting')::int as waiting
    from backfill_window where backfill_id = ${backfillId}`.execute(db)
  const { rows: summed } = await sql<Omit<State, 'windows'>>`
    select coalesce(sum(rows), 0)::bigint as rows, coalesce(sum(documents), 0)::bigint as documents, coalesce(sum(fetched), 0)::bigint as fetched
    from job_run where backfill_id = ${backfillId}`.execute(db)
  return { windows: counted[0] as Counts, ...(summed[0] as Omit<State, 'windows'>) }
}

/** Attempts that failed since the run `after`, and the newest run's number. */
export async function findFailures(
  db: Db,
  backfillId: number,
  after: number,
): Promise<readonly { readonly run_id: number; readonly partition: string; readonly error: string | null }[]> {
  return await db
    .selectFrom('job_run')
    .select(['run_id', 'partition', 'error'])
    .where('backfill_id', '=', backfillId)
    .where('run_id', '>', after)
    .where('state', 'in', ['failed', 'lost'])
    .orderBy('run_id')
    .limit(100)
    .execute()
}

/** The failed windows, each with the error of its last attempt. */
export async function findFailedWindows(db: Db, backfillId: number): Promise<FailedWindow[]> {
  const { rows } = await sql<FailedWindow>`
    select w.partition, coalesce(r.attempt + 1, 0)::int as attempts, coalesce(r.error, 'its worker was killed at the last attempt') as reason
    from backfill_window as w
    left join lateral (select attempt, error from job_run where backfill_id = w.backfill_id and partition = w.partition order by run_id desc limit 1) as r on true
    where w.backfill_id = ${backfillId} and w.state = 'failed' order by w.partition`.execute(db)
  return rows
}

/** Windows without a remaining job (its worker died at the last attempt) count as failed. */
export async function failAbandoned(db: Db, backfillId: number, job: string): Promise<void> {
  await sql`
    update backfill_window as w set state = 'failed', finished_at = clock_timestamp()
    where w.backfill_id = ${backfillId} and w.state = 'waiting' and not exists (
      select 1 from pgboss.job as j where j.name = ${job} and j.state < 'completed' and j.data ->> 'backfill_id' = ${String(backfillId)} and j.data ->> 'partition' = w.partition)`.execute(
    db,
  )
}
