// Step 8 of a commit: deletes files that neither the catalogue nor a lease of a reader needs, after a grace period; also staged leftovers,
// drafts of the warehouse file, and files that were sealed but never committed.

import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { daySeconds } from '#schemas/days.ts'
import { fileSystemNow } from '../file-clock.ts'
import { withLockedTime } from '../object-store/locked-time.ts'
import type { Db } from '../postgres.ts'
import { incomingFolder, lakePath, tablesFolder } from './open.ts'
import { dropSnapshotsOf, lockPublication } from './publication/snapshots.ts'
import type { Objects, Remote } from './remote.ts'
import { isWarehouseDraft } from './views.ts'

/** The folder of a dataset that holds its log (publication/). */
const deltaLog = '_delta_log'

export type Collected = { readonly removed: number; readonly orphans: number; readonly staged: number; readonly bytes: number }

/** The folders of the lake, and its bucket if it has one. */
export type CollectedLake = { readonly data: string; readonly stageFolder: string; readonly remote?: Remote | null }

/**
 * Deletes files older than `graceSeconds` (default a day: longer than the longest job and backup). Removed files are kept while a reader
 * has a lease on a catalogue version from before their removal.
 */
export async function collect(db: Db, { data, stageFolder, remote = null }: CollectedLake, graceSeconds = daySeconds): Promise<Collected> {
  let bytes = 0
  await sql`delete from reader_lease where expires_at < clock_timestamp() - interval '10 minutes'`.execute(db)
  const { rows } = await sql<{ file_id: number; dataset: string; bucket: string; sha256: string; bytes: number }>`
    select f.file_id, f.dataset, f.bucket, f.sha256, f.bytes from lake_file f
    where f.removed_at < clock_timestamp() - make_interval(secs => ${graceSeconds})
      and not exists (select 1 from reader_lease l where l.expires_at > clock_timestamp() and l.catalogue_version < f.removed_version)
    order by f.file_id`.execute(db)
  await db.transaction().execute(async trx => {
    await lockPublication(trx)
    await dropSnapshotsOf(data, rows)
  })
  for (const row of rows) {
    // Under the lock of the head: a commit that seals the same content either finds the row, or looks for the object after its deletion.
    await db.transaction().execute(async trx => {
      await trx.selectFrom('head').select('release').forUpdate().executeTakeFirstOrThrow()
      // The object first: the row is what names it, and a failed request leaves the row for the next run.
      await withLockedTime(async () => await remote?.remove(lakePath(data, row)))
      await unlink(lakePath(data, row)).catch(ignoreMissing)
      await trx.deleteFrom('lake_file').where('file_id', '=', row.file_id).execute()
    })
    bytes += Number(row.bytes)
  }
  const now = await fileSystemNow(data)
  const here = await collectOrphans(db, data, now - graceSeconds * 1000)
  const there = remote === null ? { orphans: 0, size: 0 } : await collectObjects(db, remote.objects, graceSeconds * 1000)
  const staged = await sweepLeftovers({ data, stageFolder }, graceSeconds)
  return { removed: rows.length, orphans: here.orphans + there.orphans, staged, bytes: bytes + here.size + there.size }
}

/**
 * Deletes what killed processes left in the folders of this host, if it is older than `graceSeconds` (default a day): staged files, downloads
 * and drafts of the warehouse file. `stageFolder` null: this host stages nothing. Returns the number of files.
 */
export async function sweepLeftovers(
  { data, stageFolder }: { readonly data: string; readonly stageFolder: string | null },
  graceSeconds = daySeconds,
): Promise<number> {
  const before = (await fileSystemNow(data)) - graceSeconds * 1000
  const staged = stageFolder === null ? 0 : await sweep(stageFolder, before)
  return staged + (await sweep(incomingFolder(data), before)) + (await sweep(data, before, isWarehouseDraft))
}

async function collectOrphans(db: Db, data: string, before: number): Promise<{ orphans: number; size: number }> {
  let orphans = 0
  let size = 0
  for (const dataset of await names(tablesFolder(data))) {
    for (const bucket of await names(join(tablesFolder(data), dataset))) {
      if (bucket === deltaLog) continue
      for (const name of await names(join(tablesFolder(data), dataset, bucket))) {
        const path = join(tablesFolder(data), dataset, bucket, name)
        // The cache of a lake in a bucket deletes files at any time.
        const facts = await stat(path).catch(ignoreMissing)
        if (!facts || facts.mtimeMs >= before) continue
        const listed = await db
          .selectFrom('lake_file')
          .select('file_id')
          .where('dataset', '=', dataset)
          .where('sha256', '=', name.replace(/\.parquet$/, ''))
          .executeTakeFirst()
        if (listed) continue
        await unlink(path).catch(ignoreMissing)
        orphans += 1
        size += facts.size
      }
    }
  }
  return { orphans, size }
}

/** An object of a lake file: `delta/<dataset>/<bucket>/<sha256>.parquet`. */
const objectPattern = /^delta\/([^/]+)\/([^/]+)\/([0-9a-f]{64})\.parquet$/

/**
 * Deletes objects that no row names, by the clock of the store. Each is deleted under the lock of the head and only if its time is still
 * as old: a worker that seals the same file again commits it under that lock, after it has looked whether the object is still there.
 */
async function collectObjects(db: Db, objects: Objects, graceMs: number): Promise<{ orphans: number; size: number }> {
  const before = (await objects.now()) - graceMs
  let orphans = 0
  let size = 0
  for await (const { name, bytes, modifiedAt } of objects.list('delta/')) {
    const [, dataset, bucket, sha256] = objectPattern.exec(name) ?? []
    if (dataset === undefined || bucket === undefined || sha256 === undefined || bucket === deltaLog || modifiedAt >= before) continue
    const isListed = async (on: Db): Promise<boolean> =>
      (await on
        .selectFrom('lake_file')
        .select('file_id')
        .where('dataset', '=', dataset)
        .where('bucket', '=', bucket)
        .where('sha256', '=', sha256)
        .executeTakeFirst()) !== undefined
    if (await isListed(db)) continue
    const isDeleted = await db.transaction().execute(async trx => {
      await trx.selectFrom('head').select('release').forUpdate().executeTakeFirstOrThrow()
      if (await isListed(trx)) return false
      return await withLockedTime(async () => {
        const facts = await objects.facts(name)
        if (facts === null || facts.modifiedAt >= before) return false
        await objects.remove(name)
        return true
      })
    })
    if (!isDeleted) continue
    orphans += 1
    size += bytes
  }
  return { orphans, size }
}

async function sweep(folder: string, before: number, isLeftover: (name: string) => boolean = () => true): Promise<number> {
  let swept = 0
  for (const name of (await names(folder)).filter(isLeftover)) {
    const path = join(folder, name)
    // Other processes delete theirs at any time.
    const found = await stat(path).catch(ignoreMissing)
    if (!found?.isFile() || found.mtimeMs >= before) continue
    await unlink(path).catch(ignoreMissing)
    swept += 1
  }
  return swept
}

async function names(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    ignoreMissing(error)
    return []
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
