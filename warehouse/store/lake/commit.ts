// Step 4 of a commit, the only module that adds files to the lake: one Postgres transaction that checks the fence, takes the next release
// under the lock of the head, lists the sealed files, and runs everything that must be committed with them.
import { sql, type Transaction } from 'kysely'
import { Broken, Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { releaseChannel } from '../notifications.ts'
import { withLockedTime } from '../object-store/locked-time.ts'
import type { Database, Db } from '../postgres.ts'
import { type Catalogue, loadCatalogue, versionAt } from './catalogue.ts'
import { recordManifest } from './publication/manifest.ts'
import type { Sealed } from './seal.ts'

/** The attempt that a commit belongs to: pg-boss keeps the id of a job over retries, so the attempt is part of the identity. */
export type Fence = { readonly queueJob: string; readonly attempt: number }

export type Committed = { readonly release: number; readonly committed_at: string; readonly catalogue: Catalogue }

/** Files whose rows get the release of the commit: sealed under the lock of the head, which is the only time at which it is known. */
export type Unsealed = {
  readonly length: number
  /** Throws `Upstream` if the files cannot be stored now, before the commit takes a lock for which others wait. */
  readonly ready?: () => Promise<void>
  seal(release: number): Promise<readonly Sealed[]>
}

export type CommitRequest = {
  readonly job: string
  readonly partition: string
  /** Identifies the batch by its content: a batch that is delivered again changes nothing. */
  readonly batchKey: string
  readonly files: readonly Sealed[] | Unsealed
  /** The inputs of the batch: if a later release than `base` changed one of them, the commit is refused. */
  readonly base: number
  readonly derivedFrom: readonly DatasetName[]
  readonly fence: Fence | null
  /**
   * Runs in the same transaction, after the files are listed: pages, readings, quarantine, next jobs, the job's completion. `committed` is
   * null if nothing was committed (no files, or the batch exists already).
   */
  readonly along: (trx: Transaction<Database>, committed: Committed | null) => Promise<void>
  /** Named moments at which a test ends the process. */
  readonly crashPoint?: ((name: string) => void) | undefined
}

/** Thrown if another commit changed the inputs of this batch: derive again from the new release. */
export class Conflict extends Upstream {}

/**
 * Commits and returns the release, or null if there was nothing to commit. Throws `Broken` if the fence is lost (another attempt has the
 * job, or it ended), `Conflict` if the base changed and `Upstream` if the bucket does not take the files within a limit of time
 * (locked-time.ts); all change nothing.
 */
export async function commit(database: Db, request: CommitRequest): Promise<Committed | null> {
  if ('seal' in request.files && request.files.length > 0) await request.files.ready?.()
  return await database.transaction().execute(async trx => {
    if (request.fence) await holdFence(trx, request.fence)
    request.crashPoint?.('fence-held')
    const committed = request.files.length === 0 ? null : await publish(trx, request)
    request.crashPoint?.('published')
    await request.along(trx, committed)
    if (committed) await sql`select pg_notify(${releaseChannel}, ${String(committed.release)})`.execute(trx)
    return committed
  })
}

/** Locks the row of the job for this attempt; false if another attempt has the job or it ended. */
export async function holdsFence(trx: Transaction<Database>, fence: Fence): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pgboss.job where id = ${fence.queueJob}::uuid and state = 'active' and retry_count = ${fence.attempt} for update`.execute(
      trx,
    )
  return rows.length > 0
}

/** The same, but throws `Broken`. */
async function holdFence(trx: Transaction<Database>, fence: Fence): Promise<void> {
  if (await holdsFence(trx, fence)) return
  throw new Broken(
    `job ${fence.queueJob}, attempt ${fence.attempt}: it was taken over or ended while this attempt ran; nothing of this attempt is kept`,
  )
}

async function publish(
  trx: Transaction<Database>,
  request: Pick<CommitRequest, 'job' | 'partition' | 'batchKey' | 'files' | 'base' | 'derivedFrom'>,
): Promise<Committed | null> {
  const head = await trx.selectFrom('head').select(['release', 'catalogue_version']).forUpdate().executeTakeFirstOrThrow()
  const before = await trx.selectFrom('release').select('release').where('batch_key', '=', request.batchKey).executeTakeFirst()
  if (before) return null
  const catalogue = await loadCatalogue(trx)
  const moved = versionAt(catalogue, request.derivedFrom, head.release)
  if (moved.release > request.base) {
    throw new Conflict(`${request.job} ${request.partition}: release ${moved.release} changed data that was read at release ${request.base}`)
  }
  const release = head.release + 1
  // An installation of the bundled universe dates its releases by the data clock: answers depend on these instants.
  const { rows } = await sql<{ now: string }>`
    select coalesce((select frozen_at from data_clock where released_at is null), clock_timestamp()) as now`.execute(trx)
  const committed_at = (rows[0] as { now: string }).now
  await trx
    .insertInto('release')
    .values({ release, parent: head.release, committed_at, job: request.job, partition: request.partition, batch_key: request.batchKey })
    .execute()
  const files = await withLockedTime(async () => {
    const sealed = 'seal' in request.files ? await request.files.seal(release) : request.files
    await addFiles(trx, sealed, release, head.catalogue_version + 1)
    return sealed
  })
  for (const [dataset, count] of rowsByDataset(files)) {
    await trx.insertInto('dataset_release').values({ dataset, release, rows: count }).execute()
  }
  await recordManifest(trx, release)
  await trx
    .updateTable('head')
    .set({ release, catalogue_version: head.catalogue_version + 1 })
    .execute()
  return { release, committed_at, catalogue: await loadCatalogue(trx) }
}

/** Lists sealed files, under the lock of the head; `release` is that of a fresh file's rows, null for compacted files, whose rows have theirs. */
export async function addFiles(
  trx: Transaction<Database>,
  files: readonly Sealed[],
  release: number | null,
  version: number,
  tier = 0,
): Promise<void> {
  await withLockedTime(async () => {
    for (const file of files) await file.confirmStored?.()
  })
  for (const file of files) {
    await trx
      .insertInto('lake_file')
      .values({
        dataset: file.dataset,
        bucket: file.bucket,
        sha256: file.sha256,
        bytes: file.bytes,
        rows: file.rows,
        tier,
        key_min: file.key_min,
        key_max: file.key_max,
        time_min: file.time_min,
        time_max: file.time_max,
        fresh_release: release,
        release_min: file.release_min,
        release_max: release ?? file.release_max ?? 0,
        release_in_rows: file.release_max !== null,
        added_version: version,
        removed_version: null,
        removed_at: null,
      })
      .execute()
  }
}

function rowsByDataset(files: readonly Sealed[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(file.dataset, (counts.get(file.dataset) ?? 0) + file.rows)
  return counts
}
