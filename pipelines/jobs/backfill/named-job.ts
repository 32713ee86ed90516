// Finds the job that an operator names.
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { nearest } from '#schemas/nearest-name.ts'
import type { Jobs } from '../jobs-file.ts'

/** The job of that name; throws `BadRequest` that names the nearest. */
export function getJob(jobs: Jobs, name: string): JobDefinition {
  const job = jobs.get(name)
  if (job) return job
  const near = nearest(name, [...jobs.keys()])
  throw new BadRequest(`there is no job ${JSON.stringify(name)}`, { hint: near ? `did you mean ${near}?` : 'crossfile jobs lists them' })
}
