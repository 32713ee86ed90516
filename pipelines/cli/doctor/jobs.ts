// Jobs that do not finish: without heartbeat, waiting too long, given up, or waiting while no worker runs.
import { sql } from 'kysely'
import { hasQueue } from '#warehouse/store/jobs/dead-letters.ts'
import { findRunningWorkers } from '#warehouse/store/jobs/workers.ts'
import { findProcesses } from '#warehouse/store/processes.ts'
import { deadLetterQueue } from '#warehouse/store/queue.ts'
import { version } from '../../jobs/version.ts'
import { some } from '../output.ts'
import { type Finding, ok, withDb, wrong } from './check.ts'

/** A worker takes over a job without heartbeat after 30 s; a due job is taken within seconds. */
const stalledMinutes = 5
const waitingMinutes = 30

export const jobsCheck = withDb('jobs', async db => {
  if (!(await hasQueue(db))) return [wrong('the tables of the queue are missing', 'run crossfile start, or crossfile worker, once')]
  const { rows } = await sql<{ stalled: number; late: number; due: number; dead: number; stalled_job: string | null; late_job: string | null }>`
    select count(*) filter (where stalled)::int as stalled, min(name) filter (where stalled) as stalled_job, count(*) filter (where late)::int as late, min(name) filter (where late) as late_job,
      count(*) filter (where due)::int as due, count(*) filter (where dead)::int as dead
    from (select name,
        state = 'active' and coalesce(heartbeat_on, started_on) < now() - make_interval(mins => ${stalledMinutes}) as stalled,
        name <> ${deadLetterQueue} and state in ('created', 'retry') and start_after < now() as due,
        name <> ${deadLetterQueue} and state in ('created', 'retry') and start_after < now() - make_interval(mins => ${waitingMinutes}) as late,
        name = ${deadLetterQueue} and state < 'active' as dead
      from pgboss.job) as each`.execute(db)
  const { stalled = 0, late = 0, due = 0, dead = 0, stalled_job = null, late_job = null } = rows[0] ?? {}
  const { workers } = await findProcesses(db)
  const findings: Finding[] = []
  const { known } = await findRunningWorkers(db)
  for (const other of known.filter(each => each.version !== version))
    findings.push(
      wrong(
        `the worker (process ${other.process} on ${other.host}) is of version ${other.version}, this command of version ${version}`,
        'restart the service with the version of this command',
      ),
    )
  if (due > 0 && workers === 0)
    findings.push(wrong(`${some(due, 'job is', 'jobs are')} due and no worker runs`, 'crossfile start, or crossfile worker'))
  else if (late > 0)
    findings.push(
      wrong(
        `${some(late, 'job has', 'jobs have')} been due for more than ${waitingMinutes} minutes, such as ${late_job}`,
        'crossfile runs --state running shows what occupies the workers; CROSSFILE_WORKER_CONCURRENCY allows more at a time',
      ),
    )
  if (stalled > 0)
    findings.push(
      wrong(
        `${some(stalled, 'running job has', 'running jobs have')} sent no heartbeat for ${stalledMinutes} minutes, such as ${stalled_job}`,
        'restart the worker: it takes over such jobs',
      ),
    )
  if (dead > 0)
    findings.push(
      wrong(`${some(dead, 'job')} failed permanently`, 'crossfile runs dead lists the reasons, crossfile runs redrive puts such jobs back'),
    )
  return findings.length > 0 ? findings : [ok(workers === 0 ? 'nothing is due; no worker runs' : 'nothing is stuck')]
})
