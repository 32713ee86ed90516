// How fresh each dataset is against the jobs that feed it.
import { sql } from 'kysely'
import { datasetNames } from '#schemas/index.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import type { Db } from '../postgres.ts'

/** `ok` loaded in time; `stale` not; `never` nothing was loaded yet; `no_limit` no job that is on and has a freshness feeds it. */
export type DatasetState = 'ok' | 'stale' | 'never' | 'no_limit'
export type DatasetStatus = {
  readonly dataset: string
  readonly state: DatasetState
  readonly rows: number
  readonly files: number
  readonly bytes: number
  /** The latest time that a row is about. */
  readonly newest: string | null
  /** When a release last changed it. */
  readonly changed_at: string | null
  /** The last good load, changed or not. */
  readonly loaded_at: string | null
  readonly limit_minutes: number | null
  /** Jobs that feed it and are on. */
  readonly jobs: readonly string[]
}
type Held = {
  readonly dataset: string
  readonly rows: number
  readonly files: number
  readonly bytes: number
  readonly newest: string | null
  readonly changed_at: string | null
}

/** Every dataset of the register at `now`; `on` are the jobs that run here. */
export async function readFreshness(db: Db, on: readonly JobDefinition[], now: Date): Promise<DatasetStatus[]> {
  const loads = await findLastLoads(db)
  const held = await findHeld(db)
  return datasetNames.map(name => judgeDataset(held.find(each => each.dataset === name) ?? nothingHeld(name), on, loads, now))
}

const nothingHeld = (dataset: string): Held => ({ dataset, rows: 0, files: 0, bytes: 0, newest: null, changed_at: null })

async function findHeld(db: Db): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select d.dataset, coalesce(f.rows, 0)::bigint as rows, coalesce(f.files, 0)::int as files, coalesce(f.bytes, 0)::bigint as bytes, f.newest, d.changed_at
    from (select dataset, max(committed_at) as changed_at from dataset_release join release using (release) group by dataset) as d
    left join (
      select dataset, sum(rows) as rows, count(*) as files, sum(bytes) as bytes, max(time_max) as newest from lake_file where removed_version is null group by dataset
    ) as f using (dataset)`.execute(db)
  return rows
}

/** When each job last ended well. */
async function findLastLoads(db: Db): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('job_run')
    .select(({ fn }) => ['job', fn.max('finished_at').as('at')])
    .where('state', '=', 'done')
    .groupBy('job')
    .execute()
  return new Map(rows.flatMap(row => (row.at === null ? [] : [[row.job, row.at]])))
}

/** A dataset against the strictest freshness of the scheduled jobs that feed it. A recorded folder counts as a load as well. */
export function judgeDataset(held: Held, on: readonly JobDefinition[], loads: ReadonlyMap<string, string>, now: Date): DatasetStatus {
  const feeding = on.filter(job => (job.datasets as readonly string[]).includes(held.dataset))
  const limits = feeding.flatMap(job => (job.freshness_minutes === null ? [] : [job.freshness_minutes]))
  const limit = limits.length === 0 ? null : Math.min(...limits)
  const times = [held.changed_at, ...feeding.map(job => loads.get(job.name) ?? null)].filter(at => at !== null)
  const loaded = times.reduce<string | null>((newest, at) => (newest === null || Date.parse(at) > Date.parse(newest) ? at : newest), null)
  const state = limit === null ? 'no_limit' : loaded === null ? 'never' : now.getTime() - Date.parse(loaded) > limit * 60_000 ? 'stale' : 'ok'
  // Some datasets have no time, and their files' range is of something else.
  const newest = held.newest !== null && /^\d{4}-\d\d/.test(held.newest) ? held.newest : null
  return { ...held, newest, state, loaded_at: loaded, limit_minutes: limit, jobs: feeding.map(job => job.name) }
}
