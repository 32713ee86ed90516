// DuckDB: one locked-down instance per process, and its statements.
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  MAP,
  mapValue,
  VARCHAR,
} from '@duckdb/node-api'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { type ItemReader, readerOf } from './duckdb-values.ts'

export type DuckdbSettings = {
  readonly memoryLimit: string // e.g. 2GB
  readonly threads: number
  /** Folder for spilling; '' forbids it: a query over the limit fails. */
  readonly tempFolder: string
  /** Folders that SQL may read and write; everything else is refused. */
  readonly folders: readonly string[]
}

/** Settings of an instance that neither downloads nor loads an extension. */
export const withoutExtensions = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' } as const

/** An in-memory instance without extensions, network or files outside `folders`; its configuration is locked. */
export async function openDuckdb(settings: DuckdbSettings): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(settings.threads),
    memory_limit: settings.memoryLimit,
    temp_directory: settings.tempFolder,
    ...withoutExtensions,
    preserve_insertion_order: 'true',
  })
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  // Footers and blocks are not cached in addition to the operating system's file cache: for a market of a thousand files that is 150 MB and
  // more, and saves a tenth of a millisecond per look-up (docs/benchmarks.md).
  await connection.run('set parquet_metadata_cache = false')
  await connection.run('set enable_external_file_cache = false')
  const folders = settings.folders.map(folder => `'${folder.replaceAll("'", "''")}'`).join(', ')
  await connection.run(`set allowed_directories = [${folders}]`)
  await connection.run('set enable_external_access = false')
  await connection.run('set lock_configuration = true')
  connection.closeSync()
  return instance
}

/** Types of SQL parameters. A list of strings is a VARCHAR[]; a Map a MAP(VARCHAR, BIGINT). */
export type Parameter = string | number | boolean | null | readonly string[] | ReadonlyMap<string, number>
export type Parameters = Readonly<Record<string, Parameter>>

function bind(parameter: Parameter): { value: DuckDBValue; type: DuckDBType } {
  if (parameter === null) return { value: null, type: VARCHAR }
  if (typeof parameter === 'string') return { value: parameter, type: VARCHAR }
  if (typeof parameter === 'boolean') return { value: parameter, type: BOOLEAN }
  if (typeof parameter === 'number') {
    return Number.isSafeInteger(parameter) ? { value: BigInt(parameter), type: BIGINT } : { value: parameter, type: DOUBLE }
  }
  if (parameter instanceof Map) {
    const entries = [...(parameter as ReadonlyMap<string, number>)].map(([key, value]) => ({ key, value: BigInt(value) }))
    return { value: mapValue(entries), type: MAP(VARCHAR, BIGINT) }
  }
  return { value: listValue([...(parameter as readonly string[])]), type: LIST(VARCHAR) }
}

function bound(sql: string, parameters: Parameters): { values: Record<string, DuckDBValue>; types: Record<string, DuckDBType> } {
  const values: Record<string, DuckDBValue> = {}
  const types: Record<string, DuckDBType> = {}
  const named = new Set(sql.match(/\$\w+/g))
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!named.has(`$${name}`)) continue
    const { value, type } = bind(parameter)
    values[name] = value
    types[name] = type
  }
  return { values, types }
}

/** Runs one statement with named parameters (`$name`); only those in the text are bound. */
export async function runSql(connection: DuckDBConnection, sql: string, parameters: Parameters = {}) {
  const { values, types } = bound(sql, parameters)
  return await connection.runAndReadAll(sql, values, types)
}

/** Rows as columns: thousands of bars are read in half the time that records take. */
export type Columns<Row> = { readonly count: number; readonly columns: { readonly [K in keyof Row]: Row[K][] } }

/** All rows of a statement as plain values, column by column. */
export async function queryColumns<Row>(connection: DuckDBConnection, sql: string, parameters: Parameters = {}): Promise<Columns<Row>> {
  const result = await ask(connection, sql, parameters)
  const names = result.deduplicatedColumnNames()
  const columns: unknown[][] = names.map(() => [])
  for (let at = 0; at < result.chunkCount; at += 1) {
    const chunk = result.getChunk(at)
    const count = chunk.rowCount
    for (const [column, values] of columns.entries()) {
      const read = readerOf(chunk.getColumnVector(column))
      for (let row = 0; row < count; row += 1) values.push(read(row))
    }
  }
  return { count: result.rowCount, columns: Object.fromEntries(names.map((name, at) => [name, columns[at]])) as { [K in keyof Row]: Row[K][] } }
}

/** All rows of a statement as plain records. */
export async function queryRows<Row>(connection: DuckDBConnection, sql: string, parameters: Parameters = {}): Promise<Row[]> {
  const result = await ask(connection, sql, parameters)
  const names = result.deduplicatedColumnNames()
  const rows: Record<string, unknown>[] = []
  for (let at = 0; at < result.chunkCount; at += 1) {
    const chunk = result.getChunk(at)
    const readers = names.map((_, column) => readerOf(chunk.getColumnVector(column)))
    const count = chunk.rowCount
    for (let row = 0; row < count; row += 1) {
      const record: Record<string, unknown> = {}
      for (let column = 0; column < names.length; column += 1) record[names[column] as string] = (readers[column] as ItemReader)(row)
      rows.push(record)
    }
  }
  return rows as Row[]
}

const statementsOf = new WeakMap<DuckDBConnection, Map<string, DuckDBPreparedStatement>>()

/**
 * Runs one statement with its values bound. The prepared statement is reused: DuckDB plans a look-up over files when it is prepared and
 * again when its values name the files, and the first plan takes half of the time.
 */
async function ask(connection: DuckDBConnection, sql: string, parameters: Parameters): Promise<DuckDBMaterializedResult> {
  const { values, types } = bound(sql, parameters)
  if (Object.keys(values).length === 0) return await connection.run(sql)
  const kept = statementsOf.get(connection) ?? new Map<string, DuckDBPreparedStatement>()
  statementsOf.set(connection, kept)
  const statement = kept.get(sql) ?? (await connection.prepare(sql))
  kept.delete(sql)
  try {
    statement.bind(values, types)
    const result = await statement.run()
    kept.get(sql)?.destroySync()
    kept.set(sql, statement)
    const [oldest] = kept.size > cacheLimits.preparedStatements ? kept : []
    if (oldest) {
      kept.delete(oldest[0])
      oldest[1].destroySync()
    }
    return result
  } catch (error) {
    statement.destroySync()
    throw error
  }
}

/** Closes a connection with its prepared statements, which would keep its database open. */
export function closeConnection(connection: DuckDBConnection): void {
  for (const statement of statementsOf.get(connection)?.values() ?? []) statement.destroySync()
  statementsOf.delete(connection)
  connection.closeSync()
}
