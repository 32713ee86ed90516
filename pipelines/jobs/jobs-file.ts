// jobs.yaml: the jobs, why one is off, and the queue of each.
import type { Config } from '#schemas/config.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { mailJob } from '#warehouse/people/mail/ring.ts'
import { type Jobs, readJobs } from '#warehouse/store/jobs/read-jobs.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import { getUpstream } from '../fetch/sources/index.ts'
import { sourceSettings } from '../fetch/sources/settings.ts'
import { whatIsMissing } from '../fetch/sources/upstream.ts'
import { version } from './version.ts'

export { type Jobs, readJobs, version }

/** Why a job does not run with these settings, in one sentence; null if it does. */
export function whyOff(job: JobDefinition, config: Config, jobs: Jobs): string | null {
  if (job.enabled === 'off') return 'switched off in jobs.yaml'
  if (['backup', 'backup-verify'].includes(job.plan) && config.backupTo === null)
    return 'no target for backups: set CROSSFILE_BACKUP_TO to a folder or s3://bucket/prefix'
  if (job.plan === mailJob && config.smtpUrl === null) return 'no mail server: set CROSSFILE_SMTP_URL; crossfile outbox lists waiting mail'
  if (job.source === 'crossfile' || job.source === 'csv' || job.source === 'transcripts') return null
  return whatIsMissing(getUpstream(job.source), sourceSettings(config, jobs.values(), version))
}

/** The queue of a job as its worker defines it, so that a command can send before the first worker started. */
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
