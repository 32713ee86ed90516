// What `crossfile start` and the worker check before they open anything: warehouse/start-check, and jobs.yaml against the plans and
// sources that exist.
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { KnownNames } from '#schemas/jobs.ts'
import { readJobs } from '#warehouse/jobs/read-jobs.ts'
import { checkDatabase, checkDataFolder, checkPorts, refuseFaults, type StartFault } from '#warehouse/start-check/start-check.ts'
import { plans } from './plans.ts'
import { upstreams } from './sources/index.ts'
import { taskNames } from './worker/task-names.ts'

/** The plans and sources that a job may name. */
export const knownNames: KnownNames = {
  plans: new Set([...plans.keys(), ...taskNames]),
  sources: new Set([...upstreams.keys(), 'crossfile']),
}

/** Reads jobs.yaml as the worker will; every fault is a line of the message, with the line of the file and the job. */
export function checkJobs(config: Pick<Config, 'jobsFile'>): StartFault[] {
  try {
    readJobs(config, knownNames)
    return []
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    return [{ setting: 'CROSSFILE_JOBS', found: `${config.jobsFile}\n${error.message}`, remedy: error.hint ?? 'correct the file' }]
  }
}

/** What a worker needs: jobs, a folder that it can write, its database. Throws `BadRequest` that names each setting. */
export async function checkWorkerStart(config: Config): Promise<void> {
  refuseFaults([...checkJobs(config), ...(await Promise.all([checkDataFolder(config), checkDatabase(config)])).flat()])
}

/** What `crossfile start` needs: that of the worker and that of the API. */
export async function checkStart(config: Config): Promise<void> {
  refuseFaults([...checkJobs(config), ...(await Promise.all([checkPorts(config), checkDataFolder(config), checkDatabase(config)])).flat()])
}
