// Restores a damaged lake file: the same bytes from a backup, or the same rows from datasets that were derived again from raw documents.
import { randomBytes } from 'node:crypto'
import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { sql } from 'kysely'
import { Damaged } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { queryRows, runSql } from '../duckdb.ts'
import type { Db } from '../postgres.ts'
import type { Catalogue, LakeFile } from './catalogue.ts'
import { addFiles, Conflict } from './commit.ts'
import { type LakeWriter, mergedRowGroup } from './compact.ts'
import { columnList, fileRelation } from './relation.ts'
import { leaveOutReplaced } from './replaced-versions.ts'
import { type Sealed, seal } from './seal.ts'
import { freshRowGroup, stage, versionKey } from './stage.ts'
import { lakeFolder, lakePath, sha256OfFile, type Verifier } from './verifier.ts'

export type Damage = { readonly file: LakeFile; readonly reason: string }

/** Reads every object of the live files in the bucket and returns those that differ or are missing. Empty for a lake on this disk. */
export async function findDamagedObjects(catalogue: Catalogue, { remote, verifier }: LakeWriter): Promise<Damage[]> {
  const found: Damage[] = []
  if (!remote) return found
  for (const file of [...catalogue.files.values()].flat()) {
    const reason = await remote.inspect(verifier.expected(file))
    if (reason !== null) found.push({ file, reason })
  }
  return found
}

/** True if the file on this disk has its SHA-256. */
export async function isWholeHere(data: string, file: LakeFile): Promise<boolean> {
  const path = lakePath(data, file)
  return ((await stat(path).catch(() => null))?.isFile() ?? false) && (await sha256OfFile(path)) === file.sha256
}

/** Uploads the cached copy of a damaged object if it is whole. Returns false if it is not here or damaged too. */
export async function restoreObject({ data, remote }: LakeWriter, file: LakeFile): Promise<boolean> {
  if (!remote || !(await isWholeHere(data, file))) return false
  await remote.store({ dataset: file.dataset, sha256: file.sha256, path: lakePath(data, file) }, file.bytes)
  return true
}

/**
 * Hashes every live file and returns those that differ, are missing or cannot be read. Throws for errors that are not about a file. A file
 * whose object in the bucket is whole, and which is not on this disk, is whole; `damagedObjects` are those that are not.
 */
export async function findDamagedFiles(catalogue: Catalogue, verifier: Verifier, damagedObjects: readonly Damage[] = []): Promise<Damage[]> {
  const found: Damage[] = []
  const damaged = new Set(damagedObjects.map(({ file }) => file.sha256))
  for (const file of [...catalogue.files.values()].flat()) {
    try {
      if (damaged.has(file.sha256)) await verifier.recheck(verifier.expected(file))
      else await verifier.lookAhead(verifier.expected(file), true)
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      found.push({ file, reason: error.message })
    }
  }
  return found
}

/**
 * Path of the file in a backup, at the same relative path as in the data folder, also that of copies from before tables had a folder of
 * their own; null if no file there has its SHA-256.
 */
export async function findInBackup(folder: string, file: LakeFile): Promise<string | null> {
  const bases = [folder, join(folder, '..')]
  const former = (base: string): string => join(lakeFolder(base), file.dataset, file.bucket, `${file.sha256}.parquet`)
  for (const path of bases.flatMap(base => [lakePath(base, file), former(base)])) {
    if ((await stat(path).catch(() => null))?.isFile() && (await sha256OfFile(path)) === file.sha256) return path
  }
  return null
}

/** Copies a backup's file, hashes the copy and replaces the damaged file. Returns false if the copy differs. */
export async function restoreFile(writer: LakeWriter, file: LakeFile, from: string): Promise<boolean> {
  const path = join(writer.stageFolder, `restore-${randomBytes(8).toString('hex')}.parquet`)
  await copyFile(from, path)
  if ((await sha256OfFile(path)) !== file.sha256) return false
  await seal(writer, { ...file, dataset: datasetOf(file.dataset as DatasetName), path }, file.bucket)
  return true
}

export type Remade =
  | { readonly outcome: 'same bytes'; readonly rows: number }
  | { readonly outcome: 'same rows'; readonly rows: number }
  | { readonly outcome: 'failed'; readonly reason: string }

/** The inputs for rebuilding a file. `connection` may read both lakes; `rebuilt` are the files of the lake that was derived again. */
export type Source = {
  readonly db: Db
  readonly writer: LakeWriter
  readonly connection: DuckDBConnection
  readonly rebuilt: { readonly data: string; readonly catalogue: Catalogue }
}

/**
 * Rebuilds a damaged file from the derived rows that no whole file of the dataset contains. If the bytes are equal, the SHA-256 proves it,
 * and the file takes its old place. Otherwise (another version of the Parquet writer) the new file replaces the old one in the catalogue if
 * number of rows, keys, times and releases equal those of the catalogue; no release is created. Where rows were left out
 * that no release had (replaced-versions.ts), only equal bytes are accepted. `others`: the dataset's other damaged
 * files.
 */
export async function remakeFile(
  { db, writer, connection, rebuilt }: Source,
  catalogue: Catalogue,
  file: LakeFile,
  others: readonly LakeFile[],
): Promise<Remade> {
  const dataset = datasetOf(file.dataset as DatasetName)
  const all = catalogue.files.get(file.dataset) ?? []
  const whole = all.filter(each => each.sha256 !== file.sha256 && !others.some(other => other.sha256 === each.sha256))
  const again = rebuilt.catalogue.files.get(file.dataset) ?? []
  // Whole files that are only in the bucket are downloaded.
  for (const each of whole) await writer.verifier.open(each)
  if (again.length === 0) return { outcome: 'failed', reason: 'raw gives no rows of this dataset' }
  const facts = dataset.columns.filter(column => column.name !== 'release_from').map(column => `"${column.name}"`)
  const held = fileRelation(
    dataset,
    whole.map(each => ({ path: lakePath(writer.data, each), fresh_release: null, lacks: each.lacks })),
  )
  const made = fileRelation(
    dataset,
    again.map(each => ({ path: lakePath(rebuilt.data, each), fresh_release: null, lacks: each.lacks })),
  )
  const [key] = dataset.order
  await connection.run('drop table if exists "remade"; drop table if exists "held"; drop table if exists "documents"')
  await runSql(connection, `create temp table "held" as select ${facts.join(', ')} from ${held.sql}`, held.parameters)
  const columns = columnList(dataset).replace('"release_from"', 'null::bigint as "release_from"')
  await runSql(
    connection,
    `create temp table "remade" as select ${columns} from (select ${facts.join(', ')} from ${made.sql} where "${key}"::varchar between $key_min and $key_max except select * from "held")`,
    { ...made.parameters, key_min: file.key_min, key_max: file.key_max },
  )
  await releaseDocuments(db, connection)
  if (others.length > 0 && file.fresh_release !== null)
    await runSql(connection, 'delete from "remade" where raw_sha256 not in (select sha256 from "documents" where release = $release)', {
      release: file.fresh_release,
    })
  if (file.fresh_release === null) {
    const [unclear] = await queryRows<{ n: number }>(
      connection,
      'select count(*) as n from "remade" r where (select count(*) from "documents" d where d.sha256 = r.raw_sha256) <> 1',
    )
    if ((unclear?.n ?? 0) > 0)
      return { outcome: 'failed', reason: `${unclear?.n} rows come from documents that several releases read; their release is not known` }
    await connection.run('update "remade" r set release_from = d.release from "documents" d where d.sha256 = r.raw_sha256')
  }
  if (file.fresh_release !== null && file.release_in_rows)
    await runSql(connection, 'update "remade" set release_from = $release', { release: file.fresh_release })
  // Rows that were in no release are left out: then only equal bytes prove that the right ones remain.
  const left = await leaveOutReplaced(connection, dataset, file, { made, held })
  const [counted] = await queryRows<{ rows: number; keys: number }>(
    connection,
    `select count(*) as rows, count(distinct "${key}") as keys from "remade"`,
  )
  if (counted?.rows !== file.rows) return { outcome: 'failed', reason: `raw gives ${counted?.rows ?? 0} of its ${file.rows} rows` }
  const rowGroup = file.fresh_release === null ? await runRowGroup(connection, writer, file, all, counted) : freshRowGroup
  const unique = file.fresh_release === null ? [...versionKey(dataset), 'release_from'] : versionKey(dataset)
  const path = join(writer.stageFolder, `remade-${randomBytes(8).toString('hex')}.parquet`)
  const staged = await stage(connection, dataset, { sql: '"remade"', parameters: {} }, path, unique, rowGroup)
  const differs = (['key_min', 'key_max', 'time_min', 'time_max'] as const).find(name => staged[name] !== file[name])
  if (differs) return { outcome: 'failed', reason: `raw gives rows with another ${differs}: ${staged[differs]}, expected ${file[differs]}` }
  if ((file.fresh_release === null || file.release_in_rows) && staged.release_max !== file.release_max)
    return { outcome: 'failed', reason: `raw gives rows up to release ${staged.release_max}, expected ${file.release_max}` }
  if (file.release_min !== null && staged.release_min !== file.release_min)
    return { outcome: 'failed', reason: `raw gives rows from release ${staged.release_min} on, expected ${file.release_min}` }
  if (left > 0 && (await sha256OfFile(path)) !== file.sha256)
    return { outcome: 'failed', reason: 'raw gives several versions of a row, and with the last ones the bytes differ' }
  const sealed = await seal(writer, staged, file.bucket)
  if (sealed.sha256 === file.sha256) return { outcome: 'same bytes', rows: sealed.rows }
  await replaceInCatalogue(db, file, sealed)
  return { outcome: 'same rows', rows: sealed.rows }
}

/** Which releases read which document, as a table of the connection. */
async function releaseDocuments(db: Db, connection: DuckDBConnection): Promise<void> {
  const { rows } = await sql<{ sha256: string; release: number }>`
    select distinct d.sha256, read_in.release from reading r join raw_document d using (raw_id)
      cross join lateral (values (r.first_release), (r.release)) read_in (release) where read_in.release is not null`.execute(db)
  await connection.run('create temp table "documents" (sha256 varchar, release bigint)')
  for (let from = 0; from < rows.length; from += 20_000) {
    const some = rows.slice(from, from + 20_000)
    await runSql(
      connection,
      `insert into "documents" select split_part(pair, ' ', 1), split_part(pair, ' ', 2)::bigint from (select unnest($pairs::varchar[]) as pair)`,
      {
        pairs: some.map(row => `${row.sha256} ${row.release}`),
      },
    )
  }
}

/** The row group size that compaction chose for the whole run of files of this one. */
async function runRowGroup(
  connection: DuckDBConnection,
  writer: LakeWriter,
  file: LakeFile,
  all: readonly LakeFile[],
  own: { readonly rows: number; readonly keys: number },
): Promise<number> {
  const [key] = datasetOf(file.dataset as DatasetName).order
  const siblings = all.filter(each => each.bucket === file.bucket && each.sha256 !== file.sha256)
  let { rows, keys } = own
  for (const each of siblings) {
    await writer.verifier.open(each)
    const [found] = await queryRows<{ keys: number }>(
      connection,
      `select count(distinct "${key}") as keys from read_parquet($path, hive_partitioning = false)`,
      {
        path: lakePath(writer.data, each),
      },
    )
    rows += each.rows
    keys += found?.keys ?? 0
  }
  return mergedRowGroup(rows, keys)
}

/** The new file replaces the old one in the catalogue: same release of its rows, same tier. */
async function replaceInCatalogue(db: Db, file: LakeFile, sealed: Sealed): Promise<void> {
  await db.transaction().execute(async trx => {
    const head = await trx.selectFrom('head').select('catalogue_version').forUpdate().executeTakeFirstOrThrow()
    const version = head.catalogue_version + 1
    const removed = await trx
      .updateTable('lake_file')
      .set({ removed_version: version, removed_at: new Date().toISOString() })
      .where('dataset', '=', file.dataset)
      .where('sha256', '=', file.sha256)
      .where('removed_version', 'is', null)
      .returning('file_id')
      .execute()
    if (removed.length !== 1) throw new Conflict(`${file.dataset}: the damaged file was merged by a worker while it was made again`)
    await addFiles(trx, [sealed], file.fresh_release, version, file.tier)
    await trx.updateTable('head').set({ catalogue_version: version }).execute()
  })
}
