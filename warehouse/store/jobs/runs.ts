// Runs of jobs: the worker writes the rows, operators and administrators read them.
import { sql } from 'kysely'
import type { Db } from '../postgres.ts'

export type LastRun = {
  readonly run_id: number
  readonly state: string
  readonly at: string
  readonly rows: number
  readonly release: number | null
  readonly error: string | null
}
export const runStates = ['running', 'done', 'failed', 'lost'] as const

/** The newest run of every job. */
export async function findLastRuns(db: Db): Promise<Map<string, LastRun>> {
  const { rows } = await sql<LastRun & { job: string }>`
    select distinct on (job) job, run_id, state, coalesce(finished_at, started_at) as at, rows, release, error
    from job_run order by job, run_id desc`.execute(db)
  return new Map(rows.map(({ job, ...run }) => [job, run]))
}

const runColumns = [
  'run_id',
  'job',
  'partition',
  'backfill_id',
  'attempt',
  'state',
  'started_at',
  'finished_at',
  'documents',
  'fetched',
  'rows',
  'refused',
  'release',
  'worker',
  'error',
] as const

export type RunsQuery = {
  readonly job: string | null
  readonly state: (typeof runStates)[number] | null
  readonly limit: number
  /** The last run that was read: the following ones are returned. */
  readonly before?: number | null
}
/** Runs, newest first. */
export async function findRuns(db: Db, { job, state, limit, before = null }: RunsQuery) {
  return await db
    .selectFrom('job_run')
    .select(runColumns)
    .$if(job !== null, query => query.where('job', '=', job ?? ''))
    .$if(state !== null, query => query.where('state', '=', state ?? 'done'))
    .$if(before !== null, query => query.where('run_id', '<', before ?? 0))
    .orderBy('run_id', 'desc')
    .limit(limit)
    .execute()
}

/** One run; undefined if there is none. */
export const findRun = (db: Db, runId: number) => db.selectFrom('job_run').select(runColumns).where('run_id', '=', runId).executeTakeFirst()
