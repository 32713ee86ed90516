// Known damaged files of models and sorted copies: the API and the worker record them, and the status reads them. They are rows of
// `damaged_file` with the dataset `model NAME`. A worker replaces a damaged build or copy within a minute, because it can always be made again.
import { sql } from 'kysely'
import { type FoundBy, hasDamageTable, recordDamage } from '../store/lake/damage.ts'
import type { Expected } from '../store/lake/verifier.ts'
import type { Db } from '../store/postgres.ts'

export type ModelDamage = { readonly model: string; readonly sha256: string; readonly reason: string; readonly found_at: string }

const files = sql`(select model, sha256 from model_build union select model, origins_sha256 from model_build union select copy, sha256 from sorted_copy)`

/** Read-only commands may run before the migrations that create the tables. */
async function hasTables(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('sorted_copy') is not null as there`.execute(db)
  return (rows[0]?.there ?? false) && (await hasDamageTable(db))
}

/** The known damaged files of builds and copies that are still registered. */
export async function findModelDamage(db: Db): Promise<ModelDamage[]> {
  if (!(await hasTables(db))) return []
  const { rows } = await sql<ModelDamage>`
    select b.model, d.sha256, d.reason, d.found_at from damaged_file d join ${files} b on d.dataset = 'model ' || b.model and d.sha256 = b.sha256
    order by b.model, d.sha256`.execute(db)
  return rows
}

/** Records a damaged file of a build or copy. Returns false if none names the file any more: the collector deletes such files. */
export async function recordModelDamage(db: Db, file: Expected, reason: string, foundBy: FoundBy): Promise<boolean> {
  const { rows } = await sql`select 1 from ${files} b where ${file.dataset} = 'model ' || b.model and ${file.sha256} = b.sha256 limit 1`.execute(db)
  if (rows.length === 0) return false
  await recordDamage(db, file, reason, foundBy)
  return true
}

/** Removes the records of files that no build and no copy names any more. */
export async function forgetModelDamage(db: Db): Promise<void> {
  await sql`delete from damaged_file d where d.dataset like 'model %' and not exists (
    select 1 from ${files} b where d.dataset = 'model ' || b.model and d.sha256 = b.sha256)`.execute(db)
}

/** Removes the record of a file that was found whole. */
export async function forgetWholeModel(db: Db, file: Expected): Promise<void> {
  await sql`delete from damaged_file where dataset = ${file.dataset} and sha256 = ${file.sha256}`.execute(db)
}
