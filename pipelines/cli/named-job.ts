// The job that an operator names, and whether it may run.
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { type Jobs, whyOff } from '../jobs-file.ts'
import { nearest } from './arguments.ts'
import type { Io } from './io.ts'

/** The job of that name; throws `BadRequest` that names the nearest. */
export function getJob(jobs: Jobs, name: string): JobDefinition {
  const job = jobs.get(name)
  if (job) return job
  const near = nearest(name, [...jobs.keys()])
  throw new BadRequest(`there is no job ${JSON.stringify(name)}`, { hint: near ? `did you mean ${near}?` : 'crossfile jobs lists them' })
}

/** Says why a job that is off by our settings may not be sent; a worker that is alive may have other settings. */
export function checkMayRun(io: Io, job: JobDefinition, jobs: Jobs, workers: number): void {
  const why = whyOff(job, io.config(), jobs)
  if (why === null) return
  if (job.enabled === 'off' || workers === 0) throw new BadRequest(`${job.name} is off: ${why}`)
  io.err(`${job.name} is off by the settings of this shell (${why}); the worker goes by its own`)
}
