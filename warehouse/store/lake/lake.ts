// The lake as answers and jobs read it: one release, SQL over dataset names, whatever holds the rows beneath.
import type { DuckDBConnection } from '@duckdb/node-api'
import { isCorrectable } from '#schemas/corrections.ts'
import { Broken } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { datasetOf } from '#schemas/index.ts'
import { type Columns, type Parameters, queryColumns, queryRows, runSql } from '../duckdb.ts'
import type { DatasetRelease } from './catalogue.ts'
import type { ConnectionPool } from './connections.ts'
import { correctedFieldsSql, withCorrections } from './corrected.ts'
import { type Proof, proofOfAll, proven } from './proof.ts'
import { datasetExpression, type Range, type Relation } from './relation.ts'
import type { Scope, Table } from './scope.ts'
import { type ScratchDatabase, scratchOn } from './scratch-database.ts'
import type { Since } from './tails.ts'

const historySuffix = '_history'
const datasetNamed = (table: Table): DatasetName => (table.endsWith(historySuffix) ? table.slice(0, -historySuffix.length) : table) as DatasetName

/** `as_filed`: rows of filings without the operator's corrections. */
type QueryOptions = { readonly streamed?: boolean; readonly since?: SinceByDataset; readonly as_filed?: boolean }
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
   * dataset by its time, so that files without it are not opened; the statement filters all the same. Rows of filings carry the
   * operator's corrections as they were known at this release and `as_of`.
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
  scratch<T>(work: (shop: ScratchDatabase) => Promise<T>): Promise<T>
}

/** The corrections of a lake: the rows of `filing_corrections`, and the fields that they name, by dataset. */
type Corrections = { readonly relation: Relation; readonly fields: ReadonlyMap<string, readonly string[]> }
/** The newest version of each correction, in statements that read corrected datasets. */
const correctionsTable = 'filing_corrections__newest'

/** How often a statement reads a table: as often as it stands behind `from` or `join`. */
const readsOf = (sql: string, table: string): number => sql.match(new RegExp(`\\b(?:from|join)\\s+"?${table}"?(?!\\w)`, 'gi'))?.length ?? 0

/**
 * The statement with its datasets put in front as common table expressions. One that is read once is merged into the
 * statement, so that its filters and columns reach the files; one that is read more often is held in memory, unless streamed.
 */
function scopedStatement(
  sql: string,
  scope: Scope,
  relationOf: (table: Table) => Relation,
  {
    streamed = false,
    dated = true,
    corrections = null,
  }: { readonly streamed?: boolean; readonly dated?: boolean; readonly corrections?: Corrections | null } = {},
): Relation {
  const parameters: Record<string, Parameters[string]> = {}
  const expressions: string[] = []
  if (corrections) {
    const newest = datasetExpression(datasetOf('filing_corrections'), corrections.relation, { range: 'all', history: false, dated })
    expressions.push(`"${correctionsTable}" as materialized (${newest.sql})`)
    Object.assign(parameters, newest.parameters)
  }
  for (const [table, range] of Object.entries(scope) as [Table, Range][]) {
    const dataset = datasetOf(datasetNamed(table))
    const expression = datasetExpression(dataset, relationOf(table), { range, history: table.endsWith(historySuffix), dated })
    const once = streamed || readsOf(sql, table) === 1
    const fields = corrections?.fields.get(dataset.name) ?? []
    const rows = fields.length === 0 ? expression.sql : withCorrections(dataset, expression.sql, `select * from "${correctionsTable}"`, fields)
    expressions.push(`"${table}" as ${once ? 'not materialized' : 'materialized'} (${rows})`)
    Object.assign(parameters, expression.parameters)
  }
  const body = sql.replace(/^(\s*--[^\n]*\n)+/, '').trimStart()
  if (expressions.length === 0) return { sql: body, parameters }
  const follows = /^with\s+/i.exec(body)
  const text = follows ? `with ${expressions.join(', ')}, ${body.slice(follows[0].length)}` : `with ${expressions.join(', ')} ${body}`
  return { sql: text, parameters }
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
  const isCorrected = facts.versionOf(['filing_corrections']).release > 0
  let fieldsRead: Promise<ReadonlyMap<string, readonly string[]>> | null = null
  /** Which fields were ever corrected up to this release: read once. */
  async function correctedFields(): Promise<ReadonlyMap<string, readonly string[]>> {
    fieldsRead ??= proven(
      () => relationOf('filing_corrections', 'all'),
      async relation => {
        const { sql, parameters } = datasetExpression(datasetOf('filing_corrections'), relation, { range: 'all', history: true, dated: false })
        const bound = { ...parameters, release, as_of: null }
        const rows = await connections.use(connection =>
          queryRows<{ dataset: string; fields: readonly string[] }>(connection, correctedFieldsSql(sql), bound),
        )
        return new Map(rows.map(row => [row.dataset, row.fields]))
      },
    )
    fieldsRead.catch(() => {
      fieldsRead = null
    })
    return await fieldsRead
  }
  async function correctionsFor(scope: Scope): Promise<Corrections | null> {
    if (!isCorrected || !Object.keys(scope).some(table => isCorrectable(datasetNamed(table as Table)))) return null
    const fields = await correctedFields()
    const touched = Object.keys(scope).some(table => fields.has(datasetNamed(table as Table)))
    return touched ? { relation: await relationOf('filing_corrections', 'all'), fields } : null
  }
  /** The statement over this release's rows, and its values. */
  async function prepare(
    sql: string,
    parameters: Parameters & { readonly as_of?: string | null },
    scope: Scope,
    streamed: boolean,
    since: SinceByDataset = {},
    asFiled = false,
  ): Promise<Relation & { readonly proof: Proof }> {
    const relations = new Map<Table, Relation>()
    for (const [table, range] of Object.entries(scope) as [Table, Range][])
      relations.set(table, await relationOf(datasetNamed(table), range, since[datasetNamed(table)]))
    const known = (table: Table): Relation => {
      const relation = relations.get(table)
      if (!relation) throw new Broken(`${table} is not in the statement's scope`)
      return relation
    }
    const corrections = asFiled ? null : await correctionsFor(scope)
    const statement = scopedStatement(sql, scope, known, { streamed, dated: (parameters.as_of ?? null) !== null, corrections })
    const proof = proofOfAll([...relations.values(), ...(corrections ? [corrections.relation] : [])])
    return { sql: statement.sql, parameters: { ...parameters, ...statement.parameters, release, as_of: parameters.as_of ?? null }, proof }
  }
  async function run<T>(
    sql: string,
    parameters: Parameters & { readonly as_of?: string | null },
    scope: Scope,
    { streamed = false, since, as_filed = false }: QueryOptions,
    read: Run<T>,
  ): Promise<T> {
    return await proven(
      () => prepare(sql, parameters, scope, streamed, since, as_filed),
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
    scratch: work =>
      connections.use(
        connection => scratchOn(connection, (sql, requested, scope, streamed) => prepare(sql, requested, scope, streamed), work),
        timeoutMs,
      ),
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
