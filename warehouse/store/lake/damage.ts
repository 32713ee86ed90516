// Known damaged lake files, for all processes: the API and the worker record what they find, the status reads it, and every process hashes
// a file again that another process found damaged. The table also contains files of models (warehouse/models/damage.ts) and raw documents
// (../raw/damage.ts).
import { sql } from 'kysely'
import { StoreUnavailable } from '#schemas/errors.ts'
import { datasetNames } from '#schemas/index.ts'
import type { Db } from '../postgres.ts'
import type { LakeFile } from './catalogue.ts'
import type { Expected, Verifier } from './verifier.ts'

type DamagedFileTable = {
  damaged_file: { dataset: string; sha256: string; reason: string; found_by: string; found_at: string }
}

declare module '../database.ts' {
  interface Database extends DamagedFileTable {}
}
export type FoundBy = 'api' | 'worker' | 'cli'
export type DamagedFile = LakeFile & { readonly reason: string; readonly found_by: string; readonly found_at: string }

/** Read-only commands may run before the migration that creates the table. */
export async function hasDamageTable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('damaged_file') is not null as there`.execute(db)
  return rows[0]?.there ?? false
}

/** Records a damaged file once; a second report of the same file changes nothing. */
export async function recordDamage(db: Db, { dataset, sha256 }: Omit<Expected, 'path'>, reason: string, foundBy: FoundBy): Promise<void> {
  await sql`insert into damaged_file (dataset, sha256, reason, found_by) values (${dataset}, ${sha256}, ${reason}, ${foundBy})
    on conflict do nothing`.execute(db)
}

/** Damaged files that the current catalogue still needs, by dataset. */
export async function findDamage(db: Db): Promise<DamagedFile[]> {
  const { rows } = await sql<DamagedFile>`
    select f.dataset, f.bucket, f.sha256, f.bytes, f.rows, f.tier, f.key_min, f.key_max, f.time_min, f.time_max, f.fresh_release, f.release_min,
      f.release_max, d.reason, d.found_by, d.found_at
    from damaged_file d join lake_file f using (dataset, sha256) where f.removed_version is null order by dataset, f.file_id`.execute(db)
  return rows
}

/** Hashes the known damaged files again and removes those that are whole, or that no release needs any more. Returns the rest. */
export async function recheckDamage(db: Db, verifier: Verifier): Promise<DamagedFile[]> {
  const left: DamagedFile[] = []
  // A bucket that does not answer delays each file by many seconds, so the others stay recorded until it answers.
  let isUnavailable = false
  for (const file of await findDamage(db)) {
    const whole =
      !isUnavailable &&
      (await verifier.recheck(verifier.expected(file)).then(
        () => true,
        error => {
          isUnavailable = error instanceof StoreUnavailable
          return false
        },
      ))
    if (!whole) left.push(file)
    else await sql`delete from damaged_file where dataset = ${file.dataset} and sha256 = ${file.sha256}`.execute(db)
  }
  await sql`delete from damaged_file d where d.dataset = any(${datasetNames}) and not exists (
    select 1 from lake_file f where f.dataset = d.dataset and f.sha256 = d.sha256 and f.removed_version is null)`.execute(db)
  return left
}

/** One sentence per dataset: how many of its files are damaged. */
export function damageByDataset(files: readonly DamagedFile[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  for (const { dataset } of files) counts.set(dataset, (counts.get(dataset) ?? 0) + 1)
  return new Map(
    [...counts].map(([dataset, n]) => [
      dataset,
      `${n} of its files ${n === 1 ? 'is' : 'are'} damaged or missing; crossfile repair restores ${n === 1 ? 'it' : 'them'}`,
    ]),
  )
}
