// The workers that run and the jobs of each. Settings and keys are those of a process: only the worker can state which jobs it runs.
import { sql } from 'kysely'
import { z } from 'zod'
import { JobDefinition } from '#schemas/jobs.ts'
import { onBeat, turnMs } from '../beat.ts'
import type { Db } from '../postgres.ts'
import { findProcesses } from '../processes.ts'

type RunningWorkerTable = {
  running_worker: {
    worker: string
    host: string
    process: number
    version: string
    started_at: string
    seen_at: string
    jobs: unknown
  }
}
declare module '../database.ts' {
  interface Database extends RunningWorkerTable {}
}

/** A job of a worker's jobs.yaml; `why_off` is null if the worker runs it. */
export type WorkerJob = { readonly job: JobDefinition; readonly why_off: string | null }
export type WorkerFacts = { readonly worker: string; readonly host: string; readonly process: number; readonly version: string }
type RunningWorker = WorkerFacts & { readonly started_at: string; readonly jobs: ReadonlyMap<string, WorkerJob> }
export type RunningWorkers = {
  /** Those whose jobs are known, in the order of their start. */
  readonly known: readonly RunningWorker[]
  /** Workers that are alive and whose jobs are not known: they are starting, or of another version. */
  readonly unknown: number
}

const seenMs = 60_000
/** After two missed beats the process is no longer alive, or its machine sleeps. */
const seenSeconds = 150
/** Rows of killed workers are kept this long at most. */
const keptDays = 1

const RecordedJobs = z.array(
  z.strictObject({ job: z.intersection(JobDefinition.loose(), z.object({ name: z.string() })), why_off: z.string().nullable() }),
)

/** Records a worker and its jobs; `close` removes the record. While Postgres is down the record stays as it is. */
export async function recordWorker(
  db: Db,
  facts: WorkerFacts,
  jobs: readonly WorkerJob[],
  onFailure: (error: unknown) => void,
): Promise<{ close(): Promise<void> }> {
  const insert = async (): Promise<void> => {
    await db
      .insertInto('running_worker')
      .values({ ...facts, started_at: sql`clock_timestamp()`, seen_at: sql`clock_timestamp()`, jobs: JSON.stringify(jobs) })
      .onConflict(conflict => conflict.column('worker').doUpdateSet({ seen_at: sql`clock_timestamp()` }))
      .execute()
  }
  await sql`delete from running_worker where seen_at < clock_timestamp() - make_interval(days => ${keptDays})`.execute(db)
  await insert()
  const seeing = onBeat(seenMs, turnMs.fifth, () => {
    touchWorker(db, facts.worker)
      .then(isThere => (isThere ? undefined : insert()))
      .catch(onFailure)
  })
  return {
    async close() {
      seeing.stop()
      await db.deleteFrom('running_worker').where('worker', '=', facts.worker).execute().catch(onFailure)
    },
  }
}

/** States that the worker is alive now; false if its record is not there. */
async function touchWorker(db: Db, worker: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('running_worker')
    .set({ seen_at: sql`clock_timestamp()` })
    .where('worker', '=', worker)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * The workers that are alive. Their number is that of their database sessions, so a killed worker disappears immediately; the records are those
 * seen last.
 */
export async function findRunningWorkers(db: Db): Promise<RunningWorkers> {
  const { workers } = await findProcesses(db)
  if (workers === 0) return { known: [], unknown: 0 }
  const rows = await db
    .selectFrom('running_worker')
    .select(['worker', 'host', 'process', 'version', 'started_at', 'jobs'])
    .where('seen_at', '>', sql<string>`clock_timestamp() - make_interval(secs => ${seenSeconds})`)
    .orderBy('seen_at', 'desc')
    .orderBy('worker')
    .limit(workers)
    .execute()
  const known = rows.flatMap(({ jobs: recorded, ...facts }) => {
    const read = RecordedJobs.safeParse(recorded)
    return read.success ? [{ ...facts, jobs: new Map(read.data.map(each => [each.job.name, each as WorkerJob])) }] : []
  })
  return { known: known.sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at)), unknown: Math.max(0, workers - known.length) }
}

export type OnWorker = { readonly worker: string; readonly on: boolean; readonly why_off: string | null }
const notThere = 'the jobs.yaml of this worker does not have it'

/** One job on each worker whose jobs are known. */
export const onWorkers = ({ known }: RunningWorkers, name: string): OnWorker[] =>
  known.map(({ worker, jobs }) => {
    const found = jobs.get(name)
    return { worker, on: found !== undefined && found.why_off === null, why_off: found === undefined ? notThere : found.why_off }
  })

/** The reason why no worker runs a job; null if one does, or if no worker is known. */
export function whyNoWorker(on: readonly OnWorker[]): string | null {
  if (on.length === 0 || on.some(each => each.on)) return null
  return [...new Set(on.map(each => each.why_off))].join('; ')
}

/** The jobs that at least one known worker runs, by its definition. */
export function runningJobs({ known }: RunningWorkers): JobDefinition[] {
  const found = new Map<string, JobDefinition>()
  for (const { jobs } of known) for (const { job, why_off } of jobs.values()) if (why_off === null && !found.has(job.name)) found.set(job.name, job)
  return [...found.values()]
}

const knownMs = 5_000

/** Whether a worker that is alive runs a job of a name, by records that were read at most five seconds ago. */
export function lookForRunning(db: Db, monotonic: () => number = () => performance.now()): (name: string) => Promise<boolean> {
  let known: { readonly names: ReadonlySet<string>; readonly atMs: number } | null = null
  return async name => {
    if (known === null || monotonic() - known.atMs > knownMs)
      known = { names: new Set(runningJobs(await findRunningWorkers(db)).map(job => job.name)), atMs: monotonic() }
    return known.names.has(name)
  }
}
