// A lake of tables in memory, for the reproduction of a receipt from raw bytes, and for tests.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBInstance } from '@duckdb/node-api'
import type { DatasetName } from '#schemas/index.ts'
import { datasetOf } from '#schemas/index.ts'
import { queryRows, runSql } from '../duckdb.ts'
import { type Catalogue, type DatasetRelease, versionAt } from './catalogue.ts'
import { type ConnectionPool, openConnections } from './connections.ts'
import { readJsonSql } from './json-lines.ts'
import { type Lake, lakeOver } from './lake.ts'
import { spoolRows } from './stage.ts'

export type MemoryLake = {
  /** Adds rows as a release. */
  add(name: DatasetName, rows: readonly object[], release: DatasetRelease): Promise<void>
  at(release: number): Lake
  /** A copy, for additions that this lake does not get. */
  fork(): Promise<MemoryLake>
  /** Drops its tables. */
  drop(): Promise<void>
  /** Closes the connections, which its forks use too. */
  close(): void
}

function* released(rows: readonly object[], release_from: number): Generator<object, void> {
  for (const row of rows) yield { ...row, release_from }
}

/** Rows pass through a file in `spoolFolder`, which the instance may read; the file is removed when they are loaded. */
export async function openMemoryLake(instance: DuckDBInstance, spoolFolder: string): Promise<MemoryLake> {
  return memoryLake(await openConnections(instance, 1), spoolFolder, new Set(), new Map())
}

/** `prefix`: of the names of its tables, because an instance may have several lakes. */
function memoryLake(
  connections: ConnectionPool,
  spoolFolder: string,
  tables: Set<DatasetName>,
  releases: Map<string, DatasetRelease[]>,
  prefix = `memory_${randomBytes(4).toString('hex')}`,
): MemoryLake {
  const table = (name: DatasetName): string => `"${prefix}_${name}"`
  return {
    async add(name, rows, release) {
      const dataset = datasetOf(name)
      await connections.use(async connection => {
        if (!tables.has(name)) {
          await connection.run(`create table ${table(name)} (${dataset.columns.map(column => `"${column.name}" ${column.type}`).join(', ')})`)
          tables.add(name)
        }
        if (rows.length === 0) return
        const path = join(spoolFolder, `memory-${randomBytes(8).toString('hex')}.ndjson`)
        try {
          const { longest } = await spoolRows(released(rows, release.release), path)
          const source = readJsonSql(dataset, path, longest)
          await runSql(connection, `insert into ${table(name)} by name select * from ${source.sql}`, source.parameters)
        } finally {
          await rm(path, { force: true })
        }
      })
      const list = releases.get(name) ?? []
      if (!list.some(each => each.release === release.release))
        releases.set(
          name,
          [...list, release].sort((a, b) => a.release - b.release),
        )
    },
    async fork() {
      const copy = `memory_${randomBytes(4).toString('hex')}`
      await connections.use(async connection => {
        for (const name of tables) await connection.run(`create table "${copy}_${name}" as select * from ${table(name)}`)
      })
      return memoryLake(connections, spoolFolder, new Set(tables), new Map(releases), copy)
    },
    at(release) {
      const catalogue: Catalogue = { release, version: 0, files: new Map(), releases }
      return lakeOver(
        release,
        connections,
        async name => {
          const dataset = datasetOf(name)
          if (tables.has(name)) return { sql: table(name), parameters: {} }
          return {
            sql: `(select ${dataset.columns.map(column => `null::${column.type} as "${column.name}"`).join(', ')} where false)`,
            parameters: {},
          }
        },
        {
          versionOf: datasets => versionAt(catalogue, datasets, release),
          holds: async (name, keys) => {
            if (!tables.has(name)) return false
            const sql = `select 1 as found from ${table(name)} where "${datasetOf(name).order[0]}"::varchar in (select unnest($keys)) and release_from <= $release limit 1`
            return (await connections.use(connection => queryRows(connection, sql, { keys, release }))).length > 0
          },
        },
      )
    },
    async drop() {
      await connections.use(async connection => {
        for (const name of tables) await connection.run(`drop table ${table(name)}`)
      })
    },
    close: () => connections.close(),
  }
}
