// The checks of `crossfile start` and the worker before they open anything: warehouse/store/start-check, and jobs.yaml against the existing
// plans and sources.
import type { Config } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { KnownNames } from '#schemas/parse-jobs.ts'
import { readJobs } from '#warehouse/store/jobs/read-jobs.ts'
import { checkRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkDatabase, checkDataFolder, checkPorts, refuseFaults, type StartFault } from '#warehouse/store/start-check/start-check.ts'
import { upstreams } from '../fetch/sources/index.ts'
import { plans } from './plans/plans.ts'
import { taskNames } from './worker/task-names.ts'

/** The plans and sources that a job may name. */
export const knownNames: KnownNames = {
  plans: new Set([...plans.keys(), ...taskNames]),
  sources: new Set([...upstreams.keys(), 'crossfile']),
}

/** Reads jobs.yaml as the worker does; every fault is a line of the message, with the line of the file and the job. */
export function checkJobs(config: Pick<Config, 'jobsFile'>): StartFault[] {
  try {
    readJobs(config, knownNames)
    return []
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    return [{ setting: 'CROSSFILE_JOBS', found: `${config.jobsFile}\n${error.message}`, remedy: error.hint ?? 'correct the file' }]
  }
}

/** What a worker needs: jobs, a writable folder, its database, and its bucket if the lake is in one. Throws `BadRequest` that names each setting. */
export async function checkWorkerStart(config: Config): Promise<void> {
  refuseFaults([...checkJobs(config), ...(await Promise.all([checkDataFolder(config), checkDatabase(config), checkRemote(config, true)])).flat()])
}

/** What `crossfile start` needs: the requirements of the worker and the API. */
export async function checkStart(config: Config): Promise<void> {
  refuseFaults([
    ...checkJobs(config),
    ...(await Promise.all([checkPorts(config), checkDataFolder(config), checkDatabase(config), checkRemote(config, true)])).flat(),
  ])
}
