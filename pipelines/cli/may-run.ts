// Whether a command may send a job.
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { findRunningWorkers, onWorkers, whyNoWorker } from '#warehouse/store/jobs/workers.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { type Jobs, whyOff } from '../jobs/jobs-file.ts'
import type { Io } from './io.ts'

/**
 * Throws `BadRequest` if the job is off: on every worker that is alive, else by the settings of this shell, which then runs it. The settings of
 * a worker whose jobs are not known may differ from ours.
 */
export async function checkMayRun(io: Io, db: Db, job: JobDefinition, jobs: Jobs): Promise<void> {
  const workers = await findRunningWorkers(db)
  if (workers.known.length > 0 && workers.unknown === 0) {
    const why = whyNoWorker(onWorkers(workers, job.name))
    if (why !== null)
      throw new BadRequest(`${job.name} is off in the worker that runs: ${why}`, { hint: 'change the settings of the worker and restart it' })
    return
  }
  const why = whyOff(job, io.config(), jobs)
  if (why === null) return
  if (job.enabled === 'off' || (workers.known.length === 0 && workers.unknown === 0)) throw new BadRequest(`${job.name} is off: ${why}`)
  io.err(`${job.name} is off by the settings of this shell (${why}); the worker uses its own settings`)
}
