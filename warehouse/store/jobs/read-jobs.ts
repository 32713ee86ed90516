// Reads jobs.yaml, for both programs.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { type KnownNames, parseJobs } from '#schemas/parse-jobs.ts'

export type Jobs = ReadonlyMap<string, JobDefinition>

/** The jobs of jobs.yaml (or CROSSFILE_JOBS). Throws `BadRequest` that names file and line. With `known`, plans and sources are checked too. */
export function readJobs(config: Pick<Config, 'jobsFile'>, known: KnownNames | null = null): Jobs {
  let text: string
  try {
    text = readFileSync(config.jobsFile, 'utf8')
  } catch (cause) {
    throw new BadRequest(`${config.jobsFile} cannot be read`, {
      cause,
      hint: 'CROSSFILE_JOBS names the file of jobs; unset, it is the one that came with Crossfile',
    })
  }
  return parseJobs(text, basename(config.jobsFile), known)
}
