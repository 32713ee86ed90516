// jobs.yaml: the jobs, why one is off, and the queue of each.
import { readFileSync } from 'node:fs'
import type { Config } from '#schemas/config.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { type Jobs, readJobs } from '#warehouse/jobs/read-jobs.ts'
import { mailJob } from '#warehouse/mail/ring.ts'
import type { Queue } from '#warehouse/queue.ts'
import { getUpstream } from './sources/index.ts'
import { sourceSettings } from './sources/settings.ts'
import { whatIsMissing } from './sources/upstream.ts'

export { type Jobs, readJobs }

export const version = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** Why a job does not run by these settings, in one sentence; null where it does. */
export function whyOff(job: JobDefinition, config: Config, jobs: Jobs): string | null {
  if (job.enabled === 'off') return 'switched off in jobs.yaml'
  if (job.plan === 'backup' && config.backupTo === null) return 'no place for backups: set CROSSFILE_BACKUP_TO to a folder or s3://bucket/prefix'
  if (job.plan === mailJob && config.smtpUrl === null) return 'no mail server: set CROSSFILE_SMTP_URL; crossfile outbox shows what waits'
  if (job.source === 'crossfile' || job.source === 'csv') return null
  return whatIsMissing(getUpstream(job.source), sourceSettings(config, jobs.values(), version))
}

/** The queue of a job as its worker defines it, so that a command may send before the first worker started. */
export async function defineQueue(queue: Queue, jobs: Jobs, name: string): Promise<void> {
  const job = jobs.get(name)
  if (!job) throw new TypeError(`job ${name}: not in jobs.yaml`)
  await queue.define(name, {
    retryLimit: job.retry.limit,
    retryDelay: job.retry.backoff_seconds[0],
    retryDelayMax: job.retry.backoff_seconds[1],
    expireInSeconds: job.timeout_minutes * 60,
  })
}
