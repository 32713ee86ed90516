// Writes a DuckLake catalogue of the lake into one file, a DuckDB database, for programs that read DuckLake. It is an export: nothing here
// reads it, and no byte of the lake is copied.
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { sql, type Transaction } from 'kysely'
import { BadRequest } from '#schemas/errors.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import type { Database } from '../../database.ts'
import { queryRows, runSql } from '../../duckdb.ts'
import { isAlive } from '../../embedded-postgres/identity.ts'
import type { Db } from '../../postgres.ts'
import { sqlIn } from '../../sql-files.ts'
import type { LakeWriter } from '../compact.ts'
import { tablesFolder } from '../verifier.ts'
import { type DucklakeInputs, type DucklakeRows, ducklakeRows } from './ducklake.ts'
import { lockPublication } from './snapshots.ts'

const { ducklake: createTables } = sqlIn(import.meta.dirname, ['ducklake'])
const settings = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false', threads: '1' } as const

export type WrittenDucklake = { readonly path: string; readonly data_path: string; readonly releases: readonly number[]; readonly files: number }

/**
 * Writes the catalogue of the newest release, and of earlier ones whose files are all known, to `path`, and replaces an earlier export.
 * The file is read-only: a program that wrote through it would change files of the lake that the service does not know. Throws
 * `BadRequest` if `path` is another file.
 */
export async function writeDucklake(db: Db, writer: LakeWriter, path: string): Promise<WrittenDucklake> {
  await checkReplaceable(path)
  const dataPath = writer.remote ? `${writer.remote.objects.address}/delta/` : `${resolve(tablesFolder(writer.data))}/`
  const { rows, releases } = ducklakeRows({ ...(await readInputs(db)), dataPath })
  await mkdir(dirname(path), { recursive: true })
  await removeDrafts(path)
  const draft = `${path}.${process.pid}.tmp`
  try {
    await writeTables(draft, rows)
    await chmod(draft, 0o444)
    await rename(draft, path)
  } finally {
    for (const left of [draft, `${draft}.wal`, `${draft}.ndjson`]) await rm(left, { force: true })
  }
  return { path, data_path: dataPath, releases, files: rows.get('ducklake_data_file')?.length ?? 0 }
}

/** Removes what exports of this file left that were killed; that of a process that runs is left alone. */
async function removeDrafts(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const pid = name.startsWith(`${basename(path)}.`) ? /^(\d+)\.tmp(?:\.wal|\.ndjson)?$/.exec(name.slice(basename(path).length + 1))?.[1] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(dirname(path), name), { force: true })
  }
}

async function checkReplaceable(path: string): Promise<void> {
  if (!existsSync(path)) return
  const isOurs = await isExport(path).catch(() => false)
  if (!isOurs) throw new BadRequest(`${path} exists and is no DuckLake catalogue of Crossfile`, { hint: 'name a new file' })
}

/** Whether a file is an earlier export. Throws the error of DuckDB if it is no database. */
async function isExport(path: string): Promise<boolean> {
  const instance = await DuckDBInstance.create(path, { ...settings, access_mode: 'READ_ONLY' })
  try {
    const connection = await instance.connect()
    try {
      const [row] = await queryRows<{ value: string }>(connection, "select value from ducklake_metadata where key = 'created_by'")
      return row?.value === 'Crossfile'
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

/** The state of one moment: no publication or deletion of files runs meanwhile. */
async function readInputs(db: Db): Promise<Omit<DucklakeInputs, 'dataPath'>> {
  return await db.transaction().execute(async trx => {
    await lockPublication(trx)
    const { rows: files } = await sql<DucklakeInputs['files'] extends ReadonlyMap<string, readonly (infer File)[]> ? File : never>`
      select dataset, bucket, sha256, bytes, rows, key_min, key_max, time_min, time_max, fresh_release, release_min, release_max,
        added_version, removed_version, lacks
      from lake_file order by file_id`.execute(trx)
    const changes = await changesOf(trx)
    const totals = new Map<string, { readonly release: number; readonly rows: number }[]>()
    for (const { dataset, release, rows } of changes) {
      const list = totals.get(dataset) ?? []
      list.push({ release, rows: (list.at(-1)?.rows ?? 0) + rows })
      totals.set(dataset, list)
    }
    const releases = await trx.selectFrom('release').select(['release', 'committed_at']).where('release', '>', 0).orderBy('release').execute()
    const changed = Map.groupBy(changes, change => change.release)
    return {
      datasets: datasetNames.map(datasetOf),
      files: Map.groupBy(files, file => file.dataset),
      releases: releases.map(({ release, committed_at }) => ({
        release,
        committed_at: new Date(committed_at).toISOString(),
        datasets: (changed.get(release) ?? []).map(change => change.dataset),
      })),
      rowsUpTo: (dataset, upTo) => (totals.get(dataset) ?? []).findLast(row => row.release <= upTo)?.rows ?? -1,
    }
  })
}

/** Rows that each release added to each dataset, oldest first. */
async function changesOf(trx: Transaction<Database>): Promise<{ dataset: string; release: number; rows: number }[]> {
  const { rows } = await sql<{ dataset: string; release: number; rows: number }>`
    select dataset, release, sum(rows)::bigint as rows from dataset_release group by 1, 2 order by release, dataset`.execute(trx)
  return rows.map(row => ({ ...row, release: Number(row.release), rows: Number(row.rows) }))
}

async function writeTables(path: string, rows: DucklakeRows): Promise<void> {
  const instance = await DuckDBInstance.create(path, settings)
  try {
    const connection = await instance.connect()
    try {
      await connection.run("set TimeZone = 'UTC'")
      await connection.run('begin transaction')
      await connection.run(createTables)
      for (const [table, own] of rows) await insertRows(connection, table, own, `${path}.ndjson`)
      await connection.run('commit')
      await connection.run('checkpoint')
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

async function insertRows(connection: DuckDBConnection, table: string, rows: readonly object[], spool: string): Promise<void> {
  const found = await queryRows<{ name: string; type: string }>(
    connection,
    'select column_name as name, data_type as type from duckdb_columns() where table_name = $table order by column_index',
    { table },
  )
  const columns = found.map(({ name, type }) => `"${name}": '${type}'`).join(', ')
  await writeFile(spool, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  await runSql(
    connection,
    `insert into ${table} select * from read_json($spool, format = 'newline_delimited', hive_partitioning = false, columns = {${columns}})`,
    { spool },
  )
}
