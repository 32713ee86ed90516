// Which jobs run: by the workers that are alive, else by the settings of this shell, which may differ from those of a service.
import type { Config } from '#schemas/config.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { findRunningWorkers, type OnWorker, onWorkers, type RunningWorkers, whyNoWorker } from '#warehouse/store/jobs/workers.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { type Jobs, readJobs, whyOff } from '../jobs/jobs-file.ts'

export type CurrentJob = {
  readonly job: JobDefinition
  /** Null if the job runs: on at least one worker, or without a known worker by the settings of this shell. */
  readonly why_off: string | null
  /** The job on each worker whose jobs are known. */
  readonly workers: readonly OnWorker[]
  /** The job by the settings of this shell. */
  readonly shell: { readonly on: boolean; readonly why_off: string | null }
}
export type CurrentJobs = { readonly workers: RunningWorkers; readonly jobs: readonly CurrentJob[] }

const notInShell = 'the jobs.yaml of this shell does not have it'
const noWorkers: RunningWorkers = { known: [], unknown: 0 }

/** The jobs of this shell's jobs.yaml, then those that only a worker has. Without a database (`db` null) no worker is known. */
export async function readCurrentJobs(db: Db | null, config: Config): Promise<CurrentJobs> {
  const workers = db === null ? noWorkers : await findRunningWorkers(db)
  return { workers, jobs: currentJobs(workers, readJobs(config), config) }
}

function currentJobs(workers: RunningWorkers, ours: Jobs, config: Config): CurrentJob[] {
  const names = new Set([...ours.keys(), ...workers.known.flatMap(({ jobs }) => [...jobs.keys()])])
  return [...names].flatMap(name => {
    const on = onWorkers(workers, name)
    const own = ours.get(name)
    const holder =
      workers.known.find(({ worker }) => on.some(each => each.on && each.worker === worker)) ?? workers.known.find(each => each.jobs.has(name))
    const job = holder?.jobs.get(name)?.job ?? own
    if (job === undefined) return []
    const why = own === undefined ? notInShell : whyOff(own, config, ours)
    return [{ job, why_off: on.length === 0 ? why : whyNoWorker(on), workers: on, shell: { on: why === null, why_off: why } }]
  })
}
