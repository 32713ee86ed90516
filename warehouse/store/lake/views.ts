// data/warehouse.duckdb for analysts: documented views over the file lists of the current release. It is written under another name and
// renamed at each release, so an open session keeps the release that it opened. Paths are relative to a folder that a variable can change.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { queryRows, withoutExtensions } from '../duckdb.ts'
import type { Catalogue } from './catalogue.ts'
import { createDatasetViews } from './dataset-views.ts'
import { createDerivedViews } from './derived-views.ts'
import { tablesFolder } from './open.ts'
import { releasesColumns, releasesPath } from './publication/publish.ts'
import { commentDerived, commentEach } from './view-comments.ts'
import { hashInName, inFolder, inLiteralFolder, text } from './view-files.ts'

export const warehouseFile = (data: string): string => join(data, 'warehouse.duckdb')
/** Changes that a program made in the file and did not write into it yet; DuckDB makes them again whenever the file is opened. */
export const warehouseLog = (data: string): string => `${warehouseFile(data)}.wal`

/** DuckDB does not detect a flipped bit in Parquet: this view lists damaged files. */
function damagedView(data: string, catalogue: Catalogue): string {
  const files = [...catalogue.files.values()].flat()
  if (files.length === 0) return 'select null::varchar as dataset, null::varchar as sha256, null::varchar as found where false'
  const rows = files.map(file => `(${text(file.dataset)}, ${text(file.sha256)})`).join(', ')
  const glob = inLiteralFolder(data, join(tablesFolder(data), '*', '*', '*.parquet'))
  return `select dataset, sha256, coalesce(b.found, 'missing') as found from (values ${rows}) f(dataset, sha256)
    left join (select parse_path(filename)[-3] as dataset, ${hashInName} as sha256, sha256(content) as found from read_blob(${glob})) b
      using (dataset, sha256) where b.found is distinct from sha256`
}

/** Empty until the first publication. */
function releasesView(data: string): string {
  if (existsSync(releasesPath(data))) return `select * from read_parquet(${inFolder(data, releasesPath(data))}, hive_partitioning = false)`
  return `select ${releasesColumns.map(([name, type]) => `null::${type} as "${name}"`).join(', ')} where false`
}

/** A Parquet file next to the lake's that is a separate view: the newest build of a model. */
type FileView = { readonly name: string; readonly comment: string; readonly path: string; readonly columnText: (column: string) => string }

/** The views `damaged_files` and `releases`. */
async function createStateViews(connection: DuckDBConnection, catalogue: Catalogue, data: string): Promise<void> {
  await connection.run(`create view damaged_files as ${damagedView(data, catalogue)}`)
  await connection.run(
    "comment on view damaged_files is 'Files of this release whose content differs from its SHA-256, or that are missing. Reads the whole lake; no rows: every number of the other views is as it was committed.'",
  )
  await connection.run(`create view releases as ${releasesView(data)}`)
  await connection.run(
    "comment on view releases is 'Versions of the Delta log of each dataset (data/lake/delta/<dataset>): a dataset at release N is its newest version with release <= N.'",
  )
  for (const view of ['damaged_files', 'releases']) await commentDerived(connection, view)
}

/** True for the file, or its write-ahead log, of a process that is writing `data/warehouse.duckdb`; a killed process leaves both. */
export const isWarehouseDraft = (name: string): boolean => /^warehouse-[0-9a-f]{12}\.duckdb\.tmp(?:\.wal)?$/.test(name)

/**
 * Writes `data/warehouse.duckdb` for a catalogue. `bucket`: the address of a lake whose files are not in the data folder. Its file has no
 * views of datasets, because DuckDB without extensions reads no bucket; the view `lake` names the address.
 */
export async function writeWarehouseFile(
  data: string,
  catalogue: Catalogue,
  files: readonly FileView[] = [],
  bucket: string | null = null,
): Promise<void> {
  const temporary = join(data, `warehouse-${randomBytes(6).toString('hex')}.duckdb.tmp`)
  try {
    const instance = await DuckDBInstance.create(temporary, { ...withoutExtensions, threads: '1' })
    const connection = await instance.connect()
    await connection.run("set TimeZone = 'UTC'")
    // Each of the thousand statements would otherwise be synced to the disk.
    await connection.run('begin transaction')
    await connection.run(`create macro data_folder() as coalesce(getvariable('crossfile_data'), ${text(resolve(data))})`)
    await connection.run(
      "comment on macro data_folder is 'The folder of the files that the views read. After a move of the folder: SET VARIABLE crossfile_data = ''/new/folder''.'",
    )
    if (bucket === null) {
      await createDatasetViews(connection, catalogue, data)
      await createDerivedViews(connection, catalogue, data, warehouseFile(data))
    } else {
      await connection.run(`create view lake as select ${text(bucket)} as address`)
      await connection.run(
        "comment on view lake is 'The bucket that has the files of the lake, as Delta tables: address/delta/<dataset>. docs/how-to/s3-lake.md shows how programs read them.'",
      )
      await commentDerived(connection, 'lake')
    }
    for (const file of files) {
      await connection.run(
        `create or replace view "${file.name}" as select * from read_parquet(${inFolder(data, file.path)}, hive_partitioning = false)`,
      )
      await connection.run(`comment on view "${file.name}" is ${text(file.comment)}`)
      await commentEach(connection, file.name, file.columnText)
    }
    if (bucket === null) await createStateViews(connection, catalogue, data)
    await connection.run(`create view release as select ${catalogue.release}::bigint as release, ${catalogue.version}::bigint as catalogue_version`)
    await connection.run("comment on view release is 'The release that these views show.'")
    await commentDerived(connection, 'release')
    await connection.run('commit')
    await connection.run('checkpoint')
    connection.closeSync()
    instance.closeSync()
    // Before the rename: the log belongs to the file that is replaced, and DuckDB would change the new one by it.
    await rm(warehouseLog(data), { force: true })
    await rename(temporary, warehouseFile(data))
  } finally {
    await rm(temporary, { force: true })
    await rm(`${temporary}.wal`, { force: true })
  }
}

export type WarehouseFileState =
  | { readonly state: 'whole'; readonly views: number }
  | { readonly state: 'missing' | 'in use' }
  | { readonly state: 'damaged'; readonly reason: string }

/** Reads every row of the tables: the rows of factor_steps, which the file of a lake in a bucket does not have. */
async function readTables(connection: DuckDBConnection): Promise<void> {
  const tables = await queryRows<{ name: string }>(connection, 'select table_name as name from duckdb_tables() where not internal')
  for (const { name } of tables) await connection.run(`select bit_xor(hash(r)) from "${name}" as r`)
}

/**
 * Opens `data/warehouse.duckdb`, lists its views and reads its table, which is all of it; DuckDB checks the checksum of each block. A log
 * next to a file that no program has open is damage: a session that was killed, or one that has an older file open, left it.
 */
export async function inspectWarehouseFile(data: string): Promise<WarehouseFileState> {
  const path = warehouseFile(data)
  if (!existsSync(path)) return { state: 'missing' }
  try {
    const instance = await DuckDBInstance.create(path, { ...withoutExtensions, access_mode: 'READ_ONLY', threads: '1' })
    try {
      const connection = await instance.connect()
      try {
        const read = await connection.runAndReadAll('select count(*)::int as views from duckdb_views() where not internal')
        await readTables(connection)
        if (existsSync(warehouseLog(data))) return { state: 'damaged', reason: `a program left changes in ${warehouseLog(data)}` }
        return { state: 'whole', views: Number(read.getRowObjectsJson()[0]?.['views']) }
      } finally {
        connection.closeSync()
      }
    } finally {
      instance.closeSync()
    }
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
    return /could not set lock/i.test(reason) ? { state: 'in use' } : { state: 'damaged', reason }
  }
}
