// Step 8 of a commit: deletes files that neither the catalogue nor a lease of a reader needs, after a grace period; also staged leftovers,
// drafts of the warehouse file, and files that were sealed but never committed.

import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { daySeconds } from '#schemas/days.ts'
import { fileSystemNow } from '../file-clock.ts'
import type { Db } from '../postgres.ts'
import { lakePath, tablesFolder } from './open.ts'
import { dropSnapshotsOf, lockPublication } from './publication/snapshots.ts'
import { isWarehouseDraft } from './views.ts'

/** The folder of a dataset that holds its log (publication/). */
const deltaLog = '_delta_log'

export type Collected = { readonly removed: number; readonly orphans: number; readonly staged: number; readonly bytes: number }

/**
 * Deletes files older than `graceSeconds` (default a day: longer than the longest job and backup). Removed files are kept while a reader
 * has a lease on a catalogue version from before their removal.
 */
export async function collect(db: Db, data: string, stageFolder: string, graceSeconds = daySeconds): Promise<Collected> {
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
    await unlink(lakePath(data, row)).catch(ignoreMissing)
    await db.deleteFrom('lake_file').where('file_id', '=', row.file_id).execute()
    bytes += Number(row.bytes)
  }
  const now = await fileSystemNow(data)
  const { orphans, size } = await collectOrphans(db, data, now - graceSeconds * 1000)
  const staged = (await sweep(stageFolder, now - graceSeconds * 1000)) + (await sweep(data, now - graceSeconds * 1000, isWarehouseDraft))
  return { removed: rows.length, orphans, staged, bytes: bytes + size }
}

async function collectOrphans(db: Db, data: string, before: number): Promise<{ orphans: number; size: number }> {
  let orphans = 0
  let size = 0
  for (const dataset of await names(tablesFolder(data))) {
    for (const bucket of await names(join(tablesFolder(data), dataset))) {
      if (bucket === deltaLog) continue
      for (const name of await names(join(tablesFolder(data), dataset, bucket))) {
        const path = join(tablesFolder(data), dataset, bucket, name)
        const facts = await stat(path)
        if (facts.mtimeMs >= before) continue
        const listed = await db
          .selectFrom('lake_file')
          .select('file_id')
          .where('dataset', '=', dataset)
          .where('sha256', '=', name.replace(/\.parquet$/, ''))
          .executeTakeFirst()
        if (listed) continue
        await unlink(path)
        orphans += 1
        size += facts.size
      }
    }
  }
  return { orphans, size }
}

async function sweep(folder: string, before: number, isLeftover: (name: string) => boolean = () => true): Promise<number> {
  let swept = 0
  for (const name of (await names(folder)).filter(isLeftover)) {
    const path = join(folder, name)
    if ((await stat(path)).mtimeMs >= before) continue
    await unlink(path)
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
