// The newest days of a dataset's large files, cached in memory. A bulk file of a day is compared with the weeks before it, of every symbol.
// Large files are sorted by symbol, so these weeks are in every row group of all of them. A file does not change, so the cached rows stay
// valid: only the first query reads them.

import type { DatasetDefinition } from '#schemas/dataset.ts'
import { daysBetween } from '#schemas/days.ts'
import { runSql } from '../duckdb.ts'
import type { LakeFile } from './catalogue.ts'
import type { ConnectionPool } from './connections.ts'
import { type Proof, proven } from './proof.ts'
import type { Relation } from './relation.ts'

/**
 * The part of a dataset's time that a statement needs: no row before `time`. With `hold`, it needs no other columns than these, and the
 * rows of large files may be cached for the next such statement.
 */
export type Since = { readonly time: string; readonly hold?: readonly string[] }
type OpenFile = { readonly file: LakeFile; readonly path: string }

/** Longer tails are not cached: a backfill of years is read once. */
const longestDays = 45
/** Always cached, because a row's release and as_of are evaluated by them. */
const always = ['release_from', 'known_from']
/** Files per statement: DuckDB keeps the rows of all of them in order, and a thousand at a time would fill its memory. */
const filesAtOnce = 64
/** How long a table is kept after its files were removed: longer than any statement that may be reading it. */
const lingerMs = 600_000

type Held = { readonly table: string; readonly since: string; readonly columns: string; readonly files: ReadonlyMap<string, number> }
export type Tails = {
  /** The rows of merged files since a day; columns that are not cached are null. Null if they should be read from the files. */
  relation(dataset: DatasetDefinition, files: readonly OpenFile[], since: Since, proof: Proof): Promise<Relation | null>
}

const opened = new WeakMap<ConnectionPool, Tails>()
let tables = 0

/** The tails in the memory of these connections' instance. */
export function tailsOf(connections: ConnectionPool): Tails {
  const known = opened.get(connections)
  if (known) return known
  const tails = createTails(connections)
  opened.set(connections, tails)
  return tails
}

const quoted = (names: readonly string[]): string => names.map(name => `"${name}"`).join(', ')

function createTails(connections: ConnectionPool): Tails {
  /** By dataset: tables of disjoint files. Rows are never removed from one, because statements may be reading it. */
  const held = new Map<string, readonly Held[]>()
  let working: Promise<unknown> = Promise.resolve()

  async function hold(dataset: DatasetDefinition, files: readonly OpenFile[], since: Since, proof: Proof): Promise<readonly Held[]> {
    const columns = [...new Set([...(since.hold ?? []), ...always])]
    const all = held.get(dataset.name) ?? []
    const usable = all.filter(each => each.since <= since.time && each.columns === columns.join())
    const missing = files.filter(({ file }) => !usable.some(each => each.files.has(file.sha256)))
    if (missing.length === 0) return usable
    tables += 1
    const table = `tail_${tables}_${dataset.name}`
    const made: Held = {
      table,
      since: since.time,
      columns: columns.join(),
      files: new Map(missing.map(({ file }, at) => [file.sha256, at])),
    }
    const select = `select ${quoted(columns)}, map_extract_value($numbers, filename)::varchar as file_number
      from read_parquet($paths, filename = true, hive_partitioning = false) where "${dataset.time}" >= $time::date`
    const fill = (): Promise<void> =>
      connections.use(async connection => {
        for (let from = 0; from < missing.length; from += filesAtOnce) {
          const some = missing.slice(from, from + filesAtOnce).map(({ path }, at) => [path, from + at] as const)
          const put = from === 0 ? `create table "${table}" as` : `insert into "${table}"`
          await runSql(connection, `${put} ${select}`, { paths: some.map(([path]) => path), numbers: new Map(some), time: since.time })
        }
      })
    // Rows that were read while a file changed must not be cached.
    await proven(async () => ({ proof }), fill, 1).catch(async error => {
      await connections.use(connection => connection.run(`drop table if exists "${table}"`))
      throw error
    })
    held.set(dataset.name, [...all, made])
    return [...usable, made]
  }

  /** Removes tables whose files were all merged into others. */
  function forget(dataset: DatasetDefinition, files: readonly OpenFile[]): void {
    const live = new Set(files.map(({ file }) => file.sha256))
    const all = held.get(dataset.name) ?? []
    const kept = all.filter(each => [...each.files.keys()].some(sha256 => live.has(sha256)))
    if (kept.length === all.length) return
    held.set(dataset.name, kept)
    const gone = all.filter(each => !kept.includes(each))
    const drop = async (): Promise<void> => {
      // Connections that were closed in the meantime removed their tables.
      for (const { table } of gone) await connections.use(connection => connection.run(`drop table if exists "${table}"`)).catch(() => undefined)
    }
    setTimeout(drop, lingerMs).unref()
  }

  async function relationOf(dataset: DatasetDefinition, files: readonly OpenFile[], since: Since, proof: Proof): Promise<Relation> {
    const usable = await hold(dataset, files, since, proof)
    forget(dataset, files)
    return selectOf(dataset, files, since, usable)
  }

  return {
    async relation(dataset, files, since, proof) {
      const newest = files.reduce((latest, { file }) => ((file.time_max ?? '') > latest ? (file.time_max ?? '') : latest), '')
      if (since.hold === undefined || files.length === 0 || daysBetween(since.time, newest.slice(0, 10)) > longestDays) return null
      // One after the other, so that two jobs of one evening do not read the same files at the same time.
      const work = working.then(() => relationOf(dataset, files, since, proof))
      working = work.catch(() => undefined)
      return await work
    },
  }
}

/** The rows of the wanted files in the tables that hold them. */
function selectOf(dataset: DatasetDefinition, files: readonly OpenFile[], since: Since, usable: readonly Held[]): Relation {
  const wanted = new Set([...(since.hold ?? []), ...always])
  const list = dataset.columns.map(({ name, type }) => (wanted.has(name) ? `"${name}"` : `null::${type} as "${name}"`)).join(', ')
  const parameters: Record<string, string | readonly string[]> = { [`${dataset.name}_since`]: since.time }
  const taken = new Set<string>()
  const parts = usable.toReversed().flatMap(({ table, files: numbers }, at) => {
    const own = files.filter(({ file }) => numbers.has(file.sha256) && !taken.has(file.sha256))
    for (const { file } of own) taken.add(file.sha256)
    if (own.length === 0) return []
    const select = `select ${list} from "${table}" where "${dataset.time}" >= $${dataset.name}_since::date`
    if (own.length === numbers.size) return [select]
    const parameter = `${dataset.name}_tail_${at}`
    parameters[parameter] = own.map(({ file }) => String(numbers.get(file.sha256)))
    return [`${select} and file_number in (select unnest($${parameter}))`]
  })
  return { sql: `(${parts.join(' union all ')})`, parameters }
}
