// DuckDB: one instance per process, locked down; and how values cross the border (records hold plain values only).
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  MAP,
  mapValue,
  VARCHAR,
} from '@duckdb/node-api'
import { Broken } from '#schemas/errors.ts'

export type DuckdbSettings = {
  readonly memoryLimit: string // e.g. 2GB
  readonly threads: number
  /** Folder for spilling; '' forbids it: a query over the limit fails instead of writing. */
  readonly tempFolder: string
  /** Folders that SQL may read and write; everything else is refused. */
  readonly folders: readonly string[]
}

/** An in-memory instance without extensions, network or files outside `folders`, its configuration locked. */
export async function openDuckdb(settings: DuckdbSettings): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(settings.threads),
    memory_limit: settings.memoryLimit,
    temp_directory: settings.tempFolder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
  })
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await connection.run('set parquet_metadata_cache = true')
  const folders = settings.folders.map(folder => `'${folder.replaceAll("'", "''")}'`).join(', ')
  await connection.run(`set allowed_directories = [${folders}]`)
  await connection.run('set enable_external_access = false')
  await connection.run('set lock_configuration = true')
  connection.closeSync()
  return instance
}

/** What SQL parameters may be. A list of strings is a VARCHAR[]; a Map a MAP(VARCHAR, BIGINT). */
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

/** Runs one statement with named parameters (`$name`); only those that the text names are bound. */
export async function runSql(connection: DuckDBConnection, sql: string, parameters: Parameters = {}) {
  const values: Record<string, DuckDBValue> = {}
  const types: Record<string, DuckDBType> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!new RegExp(`\\$${name}\\b`).test(sql)) continue
    const bound = bind(parameter)
    values[name] = bound.value
    types[name] = bound.type
  }
  return await connection.runAndReadAll(sql, values, types)
}

/** All rows of a statement as plain records. */
export async function queryRows<Row>(connection: DuckDBConnection, sql: string, parameters: Parameters = {}): Promise<Row[]> {
  const result = await runSql(connection, sql, parameters)
  const names = result.deduplicatedColumnNames()
  const columns = result.getColumns()
  const rows: Row[] = []
  const count = result.currentRowCount
  for (let row = 0; row < count; row += 1) {
    const record: Record<string, unknown> = {}
    for (let column = 0; column < names.length; column += 1)
      record[names[column] as string] = plain((columns[column] as readonly DuckDBValue[])[row] as DuckDBValue)
    rows.push(record as Row)
  }
  return rows
}

/** A DuckDB value as records have it: dates and instants as text, BIGINT as a safe integer, lists and structs plain. */
export function plain(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') {
    const number = Number(value)
    if (!Number.isSafeInteger(number)) throw new Broken(`DuckDB returned the integer ${value}, beyond 2^53`)
    return number
  }
  if (value instanceof DuckDBDateValue) return isoDate(value.days)
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) return instantOf(value.micros)
  if (value instanceof DuckDBDecimalValue) return value.toString()
  if (value instanceof DuckDBListValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue) return Object.fromEntries(Object.entries(value.entries).map(([name, part]) => [name, plain(part)]))
  if (value instanceof DuckDBMapValue) return Object.fromEntries(value.entries.map(({ key, value: part }) => [String(key), plain(part)]))
  throw new Broken(`DuckDB returned a value of a type that records do not have: ${String(value)}`)
}

/** The calendar day that is `days` after 1970-01-01. */
export const isoDate = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10)

/** An instant from microseconds since 1970; milliseconds and microseconds are printed only where there are any. */
export function instantOf(micros: bigint): string {
  const millis = micros / 1000n
  const rest = micros % 1000n
  const text = new Date(Number(rest < 0n ? millis - 1n : millis)).toISOString()
  if (rest !== 0n) return `${text.slice(0, -1)}${String(rest < 0n ? rest + 1000n : rest).padStart(3, '0')}Z`
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text
}
