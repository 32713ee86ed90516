// A scratch database for building a model: one connection on which each step leaves a table for later steps.
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Parameters, queryRows, runSql } from '../duckdb.ts'
import { type Proof, proven } from './proof.ts'
import type { Relation } from './relation.ts'
import type { Scope } from './scope.ts'

type Query = Parameters & { readonly as_of?: string | null }

export type ScratchDatabase = {
  /** Stores the rows of a SELECT over datasets of `scope` and over earlier tables; a second call with the same name adds to them. */
  table(name: string, sql: string, parameters?: Query, scope?: Scope): Promise<void>
  /** Stores rows of the caller: `columns` are names and DuckDB types in order, values as JSON prints them. */
  fill(name: string, columns: Readonly<Record<string, string>>, rows: readonly object[]): Promise<void>
  query<Row>(sql: string, parameters?: Query, scope?: Scope): Promise<Row[]>
  /** Runs a statement over the tables that is not a SELECT, such as COPY. */
  run(sql: string): Promise<void>
  drop(name: string): Promise<void>
}

type Prepare = (sql: string, parameters: Query, scope: Scope, streamed: boolean) => Promise<Relation & { readonly proof: Proof }>

/** Rows that are passed to DuckDB at a time, as lines of JSON. */
const filledAtOnce = 20_000

/** Opens a scratch database on a connection for the duration of `work`. Other connections do not see its tables. */
export async function scratchOn<T>(connection: DuckDBConnection, prepare: Prepare, work: (shop: ScratchDatabase) => Promise<T>): Promise<T> {
  const tables = new Set<string>()
  const put = async (name: string, sql: string, parameters: Parameters): Promise<void> => {
    await runSql(connection, tables.has(name) ? `insert into temp."${name}" ${sql}` : `create temp table "${name}" as ${sql}`, parameters)
    tables.add(name)
  }
  const shop: ScratchDatabase = {
    async table(name, sql, parameters = {}, scope = {}) {
      // Rows that were added to a table cannot be removed, so this step is not retried: the model is built again.
      await proven(
        () => prepare(sql, parameters, scope, true),
        statement => put(name, statement.sql, statement.parameters),
        1,
      )
    },
    async fill(name, columns, rows) {
      const list = Object.entries(columns)
      const shape = `{${list.map(([column, type]) => `"${column}":"${type}"`).join(',')}}`
      const picked = list.map(([column]) => `r."${column}"`).join(', ')
      const sql = `select ${picked} from (select from_json(line, '${shape}') as r from (select unnest($lines::varchar[]) as line))`
      for (let from = 0; from < Math.max(rows.length, 1); from += filledAtOnce)
        await put(name, sql, { lines: rows.slice(from, from + filledAtOnce).map(row => JSON.stringify(row)) })
    },
    async query<Row>(sql: string, parameters: Query = {}, scope: Scope = {}) {
      return await proven(
        () => prepare(sql, parameters, scope, true),
        statement => queryRows<Row>(connection, statement.sql, statement.parameters),
      )
    },
    run: async sql => void (await connection.run(sql)),
    async drop(name) {
      await connection.run(`drop table if exists temp."${name}"`)
      tables.delete(name)
    },
  }
  try {
    return await work(shop)
  } finally {
    for (const name of tables) await connection.run(`drop table if exists temp."${name}"`)
  }
}
