// DuckDB: one locked-down instance per process, and the conversion of its values (records contain plain values only).

import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBBooleanVector,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDateVector,
  DuckDBDecimalValue,
  DuckDBDoubleVector,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBListVector,
  DuckDBMapValue,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBStructType,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTimestampTZValue,
  DuckDBTimestampTZVector,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  DuckDBVarCharVector,
  type DuckDBVector,
  LIST,
  listValue,
  MAP,
  mapValue,
  VARCHAR,
} from '@duckdb/node-api'
import { dayMs, utcDay } from '#schemas/days.ts'
import { Broken } from '#schemas/errors.ts'

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

/** Number of prepared statements per connection. */
const keptStatements = 16
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
    const [oldest] = kept.size > keptStatements ? kept : []
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

type ItemReader = (row: number) => unknown

/**
 * Converts the items of a vector into plain values. Days, instants and texts repeat in runs (a bar's source, a file's hash), and each is
 * converted once.
 */
function readerOf(vector: DuckDBVector): ItemReader {
  if (vector instanceof DuckDBDateVector) {
    return row => {
      const item = vector.getItem(row)
      return item === null ? null : dayText(item.days)
    }
  }
  if (vector instanceof DuckDBVarCharVector) return textReader(vector)
  if (vector instanceof DuckDBTimestampTZVector) {
    let last: bigint | null = null
    let text = ''
    return row => {
      const item = vector.getItem(row)
      if (item === null) return null
      if (item.micros !== last) {
        last = item.micros
        text = instantOf(last)
      }
      return text
    }
  }
  if (vector instanceof DuckDBListVector) return listReader(vector)
  if (vector instanceof DuckDBStructVector) return structReader(vector)
  if (vector instanceof DuckDBDoubleVector || vector instanceof DuckDBBooleanVector) return row => vector.getItem(row)
  return row => plain(vector.getItem(row))
}

function listReader(vector: DuckDBListVector): ItemReader {
  const read = readerOf(vector.childVector)
  return row => {
    if (vector.getItemVector(row) === null) return null
    const from = vector.getEntryOffset(row)
    return Array.from({ length: vector.getEntryLength(row) }, (_, at) => read(from + at))
  }
}

function structReader(vector: DuckDBStructVector): ItemReader {
  const parts = (vector.type as DuckDBStructType).entryNames.map((name, at) => [name, readerOf(vector.entryVectorAt(at))] as const)
  return row => (vector.isItemValid(row) ? Object.fromEntries(parts.map(([name, read]) => [name, read(row)])) : null)
}

const days: string[] = []
/** The day that is so many days after 1970-01-01; each day of 1970 to 2079 is made once. */
export function dayText(day: number): string {
  if (day < 0 || day > 40_000) return utcDay(day * dayMs)
  const known = days[day] ?? utcDay(day * dayMs)
  days[day] = known
  return known
}

/** Texts of up to 12 bytes that were read, by their four words: most repeat, as currencies, kinds and flags do. */
const shortTexts = 4_096
const shortWords = new Int32Array(4 * shortTexts)
const shortHeld: (string | undefined)[] = new Array<undefined>(shortTexts)
const inlineBytes = 12
const notAscii = 0x80_80_80_80

/**
 * A text is 16 bytes in a vector: its length and 12 bytes of it, or a prefix and a pointer. If they equal the row before, the text is equal
 * too. Decoding a text takes longer than the rest of a row.
 */
function textReader(vector: DuckDBVarCharVector): ItemReader {
  const { dataView, validity } = vector as unknown as { readonly dataView?: unknown; readonly validity?: { itemValid(row: number): boolean } }
  if (!(dataView instanceof DataView) || dataView.byteOffset % 4 !== 0 || !validity) return row => vector.getItem(row)
  const words = new Int32Array(dataView.buffer, dataView.byteOffset, dataView.byteLength / 4)
  let held = -1
  let text: string | null = null
  return row => {
    if (!validity.itemValid(row)) return null
    const at = row * 4
    if (
      held >= 0 &&
      words[at] === words[held] &&
      words[at + 1] === words[held + 1] &&
      words[at + 2] === words[held + 2] &&
      words[at + 3] === words[held + 3]
    )
      return text
    held = at
    text = (words[at] as number) <= inlineBytes ? shortText(words, at) : longText(vector, row, words[at + 1] as number)
    return text
  }
}

/** The first three bytes of a text that begins with U+FEFF, in its first word. */
const byteOrderMark = 0xbf_bb_ef

/** The text of a row. The package decodes it without a first U+FEFF, which is a character of the text; `first` is the word with its first bytes. */
function longText(vector: DuckDBVarCharVector, row: number, first: number): string | null {
  const text = vector.getItem(row)
  return (first & 0xff_ff_ff) === byteOrderMark ? `\ufeff${text}` : text
}

/** The text of up to 12 bytes whose four words begin at a place; DuckDB fills the bytes behind it with zeros. */
function shortText(words: Int32Array, at: number): string {
  const [length, first, second, third] = [words[at] as number, words[at + 1] as number, words[at + 2] as number, words[at + 3] as number]
  const mixed = Math.imul(first, 0x9e_37_79_b1) ^ Math.imul(second, 0x85_eb_ca_6b) ^ Math.imul(third, 0xc2_b2_ae_35) ^ length
  const place = (mixed ^ (mixed >>> 15)) & (shortTexts - 1)
  const known = 4 * place
  const held = shortHeld[place]
  if (
    held !== undefined &&
    shortWords[known] === length &&
    shortWords[known + 1] === first &&
    shortWords[known + 2] === second &&
    shortWords[known + 3] === third
  )
    return held
  const bytes = Buffer.from(words.buffer, words.byteOffset + 4 * (at + 1), length)
  const text = ((first | second | third) & notAscii) === 0 ? bytes.toString('latin1') : decoder.decode(bytes)
  shortWords.set([length, first, second, third], known)
  shortHeld[place] = text
  return text
}
// A first U+FEFF is a character of the text, and no mark of an encoding.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A DuckDB value as records contain it: dates and instants as text, BIGINT as a safe integer, lists and structs plain. */
function plain(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') {
    const number = Number(value)
    if (!Number.isSafeInteger(number)) throw new Broken(`DuckDB returned the integer ${value}, beyond 2^53`)
    return number
  }
  if (value instanceof DuckDBDateValue) return utcDay(value.days * dayMs)
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) return instantOf(value.micros)
  if (value instanceof DuckDBDecimalValue) return value.toString()
  if (value instanceof DuckDBListValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue) return Object.fromEntries(Object.entries(value.entries).map(([name, part]) => [name, plain(part)]))
  if (value instanceof DuckDBMapValue) return Object.fromEntries(value.entries.map(({ key, value: part }) => [String(key), plain(part)]))
  throw new Broken(`DuckDB returned a value of a type that records do not have: ${String(value)}`)
}

const dayMicros = 86_400_000_000
const times: string[] = []
/** `HH:MM:SS` of a second of the day. */
function timeOf(second: number): string {
  times[second] ??= new Date(second * 1000).toISOString().slice(11, 19)
  return times[second]
}

/** An instant from microseconds since 1970; milliseconds and microseconds are printed only if they are not zero. */
export function instantOf(micros: bigint): string {
  const count = Number(micros)
  if (!Number.isSafeInteger(count)) throw new Broken(`DuckDB returned the instant ${micros} µs, beyond the years that records have`)
  const day = Math.floor(count / dayMicros)
  const ofDay = count - day * dayMicros
  const second = Math.floor(ofDay / 1_000_000)
  const rest = ofDay - second * 1_000_000
  const fraction =
    rest === 0
      ? ''
      : `.${String(rest)
          .padStart(6, '0')
          .replace(/(?<=^...)000$/, '')}`
  // Joined, not concatenated: a single rope string disables the fast path of JSON.stringify for the whole answer (three times slower).
  return [dayText(day), 'T', timeOf(second), fraction, 'Z'].join('')
}
