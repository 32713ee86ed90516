// Whether this shell may send a job.
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { type Jobs, whyOff } from '../jobs/jobs-file.ts'
import type { Io } from './io.ts'

/** States why a job that is off by our settings may not be sent. A live worker may have other settings. */
export function checkMayRun(io: Io, job: JobDefinition, jobs: Jobs, workers: number): void {
  const why = whyOff(job, io.config(), jobs)
  if (why === null) return
  if (job.enabled === 'off' || workers === 0) throw new BadRequest(`${job.name} is off: ${why}`)
  io.err(`${job.name} is off by the settings of this shell (${why}); the worker uses its own settings`)
}
