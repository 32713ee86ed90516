// The rows that operators see: one per attempt of a job, and the windows of a backfill.
import { type Kysely, sql } from 'kysely'
import { dismissDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import type { Database } from '#warehouse/store/postgres.ts'
import type { Claimed, JobData } from '#warehouse/store/queue.ts'

export type Tally = { documents: number; fetched: number; rows: number; refused: number; release: number | null }

export async function startRun(
  db: Kysely<Database>,
  { job, claimed, worker }: { readonly job: string; readonly claimed: Claimed; readonly worker: string },
): Promise<number> {
  // An earlier attempt of the same job that never ended was lost with its worker.
  await db
    .updateTable('job_run')
    .set({ state: 'lost', finished_at: sql`clock_timestamp()`, error: 'taken over by a later attempt' })
    .where('queue_job', '=', claimed.fence.queueJob)
    .where('state', '=', 'running')
    .execute()
  // So was one whose worker died in the last attempt of its job: the queue gave that job up, and no attempt follows.
  await sql`update job_run set state = 'lost', finished_at = clock_timestamp(), error = 'its worker ended in the last attempt'
    where job = ${job} and state = 'running' and queue_job is not null and not exists (
      select from pgboss.job where name = ${job} and id = job_run.queue_job and state = 'active')`.execute(db)
  const { run_id } = await db
    .insertInto('job_run')
    .values({
      job,
      queue_job: claimed.fence.queueJob,
      attempt: claimed.fence.attempt,
      partition: claimed.data.partition,
      backfill_id: claimed.data.backfill_id,
      worker,
      state: 'running',
      finished_at: null,
      release: null,
      error: null,
    })
    .returning('run_id')
    .executeTakeFirstOrThrow()
  return run_id
}

/** The run of an attempt that was taken over: it ends, and its result changes nothing else. */
export async function loseRun(db: Kysely<Database>, run: number, error: string): Promise<void> {
  await db.updateTable('job_run').set({ state: 'lost', finished_at: sql`clock_timestamp()`, error }).where('run_id', '=', run).execute()
}

/** What an attempt has committed so far, so that a run whose worker ends shows it. */
export async function recordProgress(db: Kysely<Database>, run: number, tally: Tally): Promise<void> {
  await db.updateTable('job_run').set(tally).where('run_id', '=', run).execute()
}

export async function finishRun(
  db: Kysely<Database>,
  run: number,
  data: JobData,
  end: { readonly state: 'done' | 'failed'; readonly tally: Tally; readonly error: string | null },
  windowFailed = false,
): Promise<void> {
  await db
    .updateTable('job_run')
    .set({
      state: end.state,
      finished_at: sql`clock_timestamp()`,
      ...end.tally,
      error: end.error,
    })
    .where('run_id', '=', run)
    .execute()
  if (end.state === 'done') await dismissDeadLetters(db, run, data)
  if (data.backfill_id === null || (end.state === 'failed' && !windowFailed)) return
  await db
    .updateTable('backfill_window')
    .set({ state: end.state === 'done' ? 'done' : 'failed', finished_at: sql`clock_timestamp()` })
    .where('backfill_id', '=', data.backfill_id)
    .where('partition', '=', data.partition)
    .execute()
}
