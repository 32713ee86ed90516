// How fresh each dataset is against the jobs that feed it.
import { sql } from 'kysely'
import { datasetNames } from '#schemas/index.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { dataNow, findDataClock } from '../../store/data-clock.ts'
import type { Db } from '../../store/postgres.ts'

/** `ok` loaded in time; `stale` not; `never` nothing was loaded yet; `no_limit` no enabled job with a freshness target feeds it. */
type DatasetState = 'ok' | 'stale' | 'never' | 'no_limit'
export type DatasetStatus = {
  readonly dataset: string
  readonly state: DatasetState
  readonly rows: number
  readonly files: number
  readonly bytes: number
  /** The latest time covered by a row. */
  readonly newest: string | null
  /** When a release last changed it. */
  readonly changed_at: string | null
  /** The last successful load, with or without changes. */
  readonly loaded_at: string | null
  readonly limit_minutes: number | null
  /** Enabled jobs that feed it. */
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

/**
 * Every dataset of the register at `now`; `on` are the jobs that run here. Releases are dated by the data clock, runs by the shared one:
 * under a frozen data clock the releases are as old as they were when it stopped, so the bundled universe does not become stale.
 */
export async function readFreshness(db: Db, on: readonly JobDefinition[], now: Date): Promise<DatasetStatus[]> {
  const loads = await findLastLoads(db)
  const held = await findHeld(db)
  const frozenMs = now.getTime() - dataNow(await findDataClock(db), now).getTime()
  return datasetNames.map(name => checkDataset(held.find(each => each.dataset === name) ?? nothingHeld(name), on, loads, now, frozenMs))
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

/** When each job last succeeded. */
async function findLastLoads(db: Db): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('job_run')
    .select(({ fn }) => ['job', fn.max('finished_at').as('at')])
    .where('state', '=', 'done')
    .groupBy('job')
    .execute()
  return new Map(rows.flatMap(row => (row.at === null ? [] : [[row.job, row.at]])))
}

/**
 * A dataset against the strictest freshness of the scheduled jobs that feed it. A recorded folder counts as a load as well. `frozenMs`:
 * milliseconds by which the data clock, which dates releases, is behind `now`.
 */
export function checkDataset(held: Held, on: readonly JobDefinition[], loads: ReadonlyMap<string, string>, now: Date, frozenMs = 0): DatasetStatus {
  const feeding = on.filter(job => (job.datasets as readonly string[]).includes(held.dataset))
  const limits = feeding.flatMap(job => (job.freshness_minutes === null ? [] : [job.freshness_minutes]))
  const limit = limits.length === 0 ? null : Math.min(...limits)
  const changed = held.changed_at === null ? null : new Date(Date.parse(held.changed_at) + frozenMs).toISOString()
  const times = [changed, ...feeding.map(job => loads.get(job.name) ?? null)].filter(at => at !== null)
  const loaded = times.reduce<string | null>((newest, at) => (newest === null || Date.parse(at) > Date.parse(newest) ? at : newest), null)
  const state = limit === null ? 'no_limit' : loaded === null ? 'never' : now.getTime() - Date.parse(loaded) > limit * 60_000 ? 'stale' : 'ok'
  // Some datasets have no time column, and their files' range has another meaning.
  const newest = held.newest !== null && /^\d{4}-\d\d/.test(held.newest) ? held.newest : null
  return { ...held, newest, state, loaded_at: loaded, limit_minutes: limit, jobs: feeding.map(job => job.name) }
}
