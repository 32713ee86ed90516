// The running service as administrators see it: processes, release, disk, queue, keys, accounts and datasets.
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { JobDefinition } from '#schemas/jobs.ts'
import { findDataClock } from '../../store/data-clock.ts'
import { hasQueue } from '../../store/jobs/dead-letters.ts'
import { findLastRuns } from '../../store/jobs/runs.ts'
import { findRunningWorkers, runningJobs } from '../../store/jobs/workers.ts'
import type { Db } from '../../store/postgres.ts'
import { findProcesses } from '../../store/processes.ts'
import { deadLetterQueue } from '../../store/queue.ts'
import { findKeyRows } from '../../store/receipts/store.ts'
import { findKnownDamage } from '../status/damage.ts'
import { readFreshness } from '../status/freshness.ts'

export type QueueCounts = { readonly waiting: number; readonly running: number; readonly retrying: number; readonly dead: number }

/** Jobs of the queue by state; zeros before the first worker. */
export async function countQueue(db: Db): Promise<QueueCounts> {
  if (!(await hasQueue(db))) return { waiting: 0, running: 0, retrying: 0, dead: 0 }
  const { rows } = await sql<QueueCounts>`
    select count(*) filter (where name <> ${deadLetterQueue} and state = 'created')::int as waiting, count(*) filter (where state = 'active')::int as running,
      count(*) filter (where name <> ${deadLetterQueue} and state = 'retry')::int as retrying, count(*) filter (where name = ${deadLetterQueue} and state < 'active')::int as dead
    from pgboss.job`.execute(db)
  return rows[0] as QueueCounts
}

async function readAccounts(db: Db, now: Date) {
  const at = now.toISOString()
  const { rows } = await sql<{ live: number; expired: number; revoked: number; owners: number }>`
    select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > ${at}))::int as live,
      count(*) filter (where revoked_at is null and expires_at <= ${at})::int as expired,
      count(*) filter (where revoked_at is not null)::int as revoked,
      count(distinct owner) filter (where revoked_at is null and (expires_at is null or expires_at > ${at}))::int as owners from api_key`.execute(db)
  const users = await sql<{ total: number; verified: number; administrators: number; leaving: number }>`
    select count(*)::int as total, count(email_verified_at)::int as verified, count(*) filter (where is_admin)::int as administrators,
      count(erasure_requested_at)::int as leaving from app_user`.execute(db)
  const none = { live: 0, expired: 0, revoked: 0, owners: 0 }
  return { api_keys: rows[0] ?? none, users: users.rows[0] ?? { total: 0, verified: 0, administrators: 0, leaving: 0 } }
}

/**
 * `jobs`: those of jobs.yaml. Which run is recorded by the workers; while the jobs of no worker are known, a job that is `auto` counts as
 * running if it has run.
 */
export async function readOverview(db: Db, dataFolder: string, jobs: Iterable<JobDefinition>, now: Date) {
  const workers = await findRunningWorkers(db)
  const ran = await findLastRuns(db)
  const on =
    workers.known.length > 0 ? runningJobs(workers) : [...jobs].filter(job => job.enabled !== 'off' && (job.enabled === 'on' || ran.has(job.name)))
  const raw = await sql<{ documents: number; bytes: number }>`
    select count(*)::int as documents, coalesce(sum(bytes) filter (where holds_body), 0)::float8 as bytes from raw_document`.execute(db)
  const held = await sql<{ held: number }>`select count(*)::int as held from quarantine where state = 'held'`.execute(db)
  const newest = await db
    .selectFrom('release')
    .select(['release', 'committed_at', 'job', 'partition'])
    .orderBy('release', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    at: now.toISOString(),
    processes: await findProcesses(db),
    release: newest ?? null,
    data_clock: (await findDataClock(db)).frozen_at,
    disk: await statfs(dataFolder).then(
      ({ bavail, blocks, bsize }) => ({ free_bytes: bavail * bsize, total_bytes: blocks * bsize }),
      () => null,
    ),
    raw: raw.rows[0] ?? { documents: 0, bytes: 0 },
    queue: await countQueue(db),
    quarantine: held.rows[0] ?? { held: 0 },
    signing_keys: (await findKeyRows(db)).map(({ x: _x, ...row }) => row),
    ...(await readAccounts(db, now)),
    datasets: await readFreshness(db, on, now),
    damaged: [...(await findKnownDamage(db)).files],
  }
}
