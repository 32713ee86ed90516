// The lake as answers and jobs read it: one release, SQL over dataset names, whatever holds the rows beneath.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Broken, Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { datasetOf } from '#schemas/index.ts'
import { type Columns, closeConnection, type Parameters, queryColumns, queryRows, runSql } from '../duckdb.ts'
import type { DatasetRelease } from './catalogue.ts'
import { type Proof, proofOfAll, proven } from './proof.ts'
import { datasetExpression, type Range, type Relation } from './relation.ts'
import type { Since } from './tails.ts'
import { type Workshop, workshopOn } from './workshop.ts'

/**
 * The tables that a statement names, and which part of each it needs: a dataset (newest row of each key), or `<dataset>_history`
 * (every version up to the release).
 */
export type Table = DatasetName | `${DatasetName}_history`
export type Scope = { readonly [T in Table]?: Range }

const historySuffix = '_history'
const datasetNamed = (table: Table): DatasetName => (table.endsWith(historySuffix) ? table.slice(0, -historySuffix.length) : table) as DatasetName

export type QueryOptions = { readonly streamed?: boolean; readonly since?: SinceByDataset }
type SinceByDataset = { readonly [D in DatasetName]?: Since }
export type Lake = {
  readonly release: number
  /** The newest release at or before this one that changed one of the datasets: what an answer from them is dated by. */
  versionOf(datasets: readonly DatasetName[]): DatasetRelease
  /** False where no row of these keys is in the dataset: then a question need not be asked. For datasets in which most keys have no row. */
  holds(dataset: DatasetName, keys: readonly string[]): Promise<boolean>
  /**
   * Runs one statement whose tables are datasets of `scope`. `$release` and `$as_of` (an instant or null) are always bound.
   * Rows come back as records; a statement over `timeoutMs` is interrupted and throws `Upstream`. `streamed`: the tables are
   * not held in memory first, for a statement that reads a whole dataset once. `since`: what the statement leaves out of a
   * dataset by its time, so that files without it are not opened; the statement filters all the same.
   */
  query<Row>(sql: string, parameters: Parameters & { readonly as_of?: string | null }, scope: Scope, options?: QueryOptions): Promise<Row[]>
  /** As `query`, column by column. */
  columns<Row>(sql: string, parameters: Parameters & { readonly as_of?: string | null }, scope: Scope, options?: QueryOptions): Promise<Columns<Row>>
  /**
   * Reads parts of datasets into memory once and runs `work` on them: many small questions about a few hundred keys then
   * open no file. Datasets that `parts` does not name, and keys that it leaves out, are read as before.
   */
  holding<T>(parts: { readonly [D in DatasetName]?: Range }, work: (lake: Lake) => Promise<T>): Promise<T>
  /** Runs `work` on one connection where steps leave tables for the steps after them; all of them go when it ends. */
  workshop<T>(work: (shop: Workshop) => Promise<T>): Promise<T>
}

/** How often a statement reads a table: as often as it stands behind `from` or `join`. */
const readsOf = (sql: string, table: string): number => sql.match(new RegExp(`\\b(?:from|join)\\s+"?${table}"?(?!\\w)`, 'gi'))?.length ?? 0

/**
 * The statement with its datasets put in front as common table expressions. One that is read once is merged into the
 * statement, so that its filters and columns reach the files; one that is read more often is held in memory, unless streamed.
 */
export function scopedStatement(
  sql: string,
  scope: Scope,
  relationOf: (table: Table) => Relation,
  { streamed = false, dated = true }: { readonly streamed?: boolean; readonly dated?: boolean } = {},
): Relation {
  const parameters: Record<string, Parameters[string]> = {}
  const expressions: string[] = []
  for (const [table, range] of Object.entries(scope) as [Table, Range][]) {
    const expression = datasetExpression(datasetOf(datasetNamed(table)), relationOf(table), { range, history: table.endsWith(historySuffix), dated })
    const once = streamed || readsOf(sql, table) === 1
    expressions.push(`"${table}" as ${once ? 'not materialized' : 'materialized'} (${expression.sql})`)
    Object.assign(parameters, expression.parameters)
  }
  const body = sql.replace(/^(\s*--[^\n]*\n)+/, '').trimStart()
  if (expressions.length === 0) return { sql: body, parameters }
  const follows = /^with\s+/i.exec(body)
  const text = follows ? `with ${expressions.join(', ')}, ${body.slice(follows[0].length)}` : `with ${expressions.join(', ')} ${body}`
  return { sql: text, parameters }
}

export type ConnectionPool = {
  use<T>(work: (connection: DuckDBConnection) => Promise<T>, timeoutMs?: number): Promise<T>
  close(): void
}

/** A few connections of one instance; a caller waits for a free one. `timeoutMs` interrupts the statement. */
export async function openConnections(instance: DuckDBInstance, size: number): Promise<ConnectionPool> {
  const free: DuckDBConnection[] = []
  for (let index = 0; index < size; index += 1) free.push(await instance.connect())
  const waiting: ((connection: DuckDBConnection) => void)[] = []
  return {
    async use(work, timeoutMs) {
      const connection = free.pop() ?? (await new Promise<DuckDBConnection>(resolve => waiting.push(resolve)))
      let interrupted = false
      const timer =
        timeoutMs === undefined
          ? null
          : setTimeout(() => {
              interrupted = true
              connection.interrupt()
            }, timeoutMs)
      try {
        return await work(connection)
      } catch (cause) {
        if (!interrupted) throw cause
        throw new Upstream(`the query took longer than ${timeoutMs} ms and was stopped`, { cause, hint: 'ask for a smaller range' })
      } finally {
        if (timer) clearTimeout(timer)
        const next = waiting.shift()
        if (next) next(connection)
        else free.push(connection)
      }
    },
    close() {
      for (const connection of free.splice(0)) closeConnection(connection)
    },
  }
}

/** A lake over relations: what `open.ts` (files) and `memory.ts` (tables) have in common. */
export function lakeOver(
  release: number,
  connections: ConnectionPool,
  relationOf: (name: DatasetName, range: Range, since?: Since) => Promise<Relation>,
  facts: Pick<Lake, 'versionOf' | 'holds'>,
  timeoutMs?: number,
): Lake {
  type Run<T> = (connection: DuckDBConnection, sql: string, parameters: Parameters) => Promise<T>
  /** The statement over this release's rows, and its values. */
  async function prepare(
    sql: string,
    parameters: Parameters & { readonly as_of?: string | null },
    scope: Scope,
    streamed: boolean,
    since: SinceByDataset = {},
  ): Promise<Relation & { readonly proof: Proof }> {
    const relations = new Map<Table, Relation>()
    for (const [table, range] of Object.entries(scope) as [Table, Range][])
      relations.set(table, await relationOf(datasetNamed(table), range, since[datasetNamed(table)]))
    const known = (table: Table): Relation => {
      const relation = relations.get(table)
      if (!relation) throw new Broken(`${table} is not in the statement's scope`)
      return relation
    }
    const statement = scopedStatement(sql, scope, known, { streamed, dated: (parameters.as_of ?? null) !== null })
    const proof = proofOfAll([...relations.values()])
    return { sql: statement.sql, parameters: { ...parameters, ...statement.parameters, release, as_of: parameters.as_of ?? null }, proof }
  }
  async function run<T>(
    sql: string,
    parameters: Parameters & { readonly as_of?: string | null },
    scope: Scope,
    { streamed = false, since }: QueryOptions,
    read: Run<T>,
  ): Promise<T> {
    return await proven(
      () => prepare(sql, parameters, scope, streamed, since),
      statement => connections.use(connection => read(connection, statement.sql, statement.parameters), timeoutMs),
    )
  }
  return {
    release,
    ...facts,
    query: <Row>(sql: string, parameters: Parameters & { readonly as_of?: string | null }, scope: Scope, options: QueryOptions = {}) =>
      run(sql, parameters, scope, options, queryRows<Row>),
    columns: <Row>(sql: string, parameters: Parameters & { readonly as_of?: string | null }, scope: Scope, options: QueryOptions = {}) =>
      run(sql, parameters, scope, options, queryColumns<Row>),
    workshop: work =>
      connections.use(connection => workshopOn(connection, (sql, asked, scope, streamed) => prepare(sql, asked, scope, streamed), work), timeoutMs),
    async holding(parts, work) {
      const held = new Map<DatasetName, { readonly table: string; readonly keys: ReadonlySet<string> | null }>()
      try {
        for (const [name, range] of Object.entries(parts) as [DatasetName, Range][]) {
          heldTables += 1
          const table = `held_${heldTables}_${name}`
          await proven(
            () => relationOf(name, range),
            async relation => {
              const rows = datasetExpression(datasetOf(name), relation, { range, history: true, dated: false })
              const bound = { ...rows.parameters, release, as_of: null }
              await connections.use(connection => runSql(connection, `create or replace table "${table}" as ${rows.sql}`, bound))
            },
          )
          held.set(name, { table, keys: range === 'all' ? null : new Set(range) })
        }
        const inMemory = async (name: DatasetName, range: Range, since?: Since): Promise<Relation> => {
          const part = held.get(name)
          // What asks for more than is held reads the files: a part must never pass for the whole.
          const covers = part !== undefined && (part.keys === null || (range !== 'all' && range.every(key => part.keys?.has(key))))
          return covers ? { sql: `"${part.table}"`, parameters: {} } : await relationOf(name, range, since)
        }
        return await work(lakeOver(release, connections, inMemory, facts, timeoutMs))
      } finally {
        for (const { table } of held.values()) await connections.use(connection => connection.run(`drop table "${table}"`))
      }
    },
  }
}

/** Names the tables of `holding` apart; they live in one process's memory. */
let heldTables = 0
