// The lake for answers and jobs: one release, SQL over the names of datasets, independent of the storage of the rows.
import type { DuckDBConnection } from '@duckdb/node-api'
import { isCorrectable } from '#schemas/corrections.ts'
import type { DatasetDefinition, SortedCopy } from '#schemas/dataset.ts'
import { Broken } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { datasetOf } from '#schemas/index.ts'
import { type Columns, type Parameters, queryColumns, queryRows, runSql } from '../duckdb.ts'
import type { DatasetRelease } from './catalogue.ts'
import type { ConnectionPool } from './connections.ts'
import { copiedColumns } from './copies.ts'
import { correctedFieldsSql, withCorrections } from './corrected.ts'
import { type Proof, proofOfAll, proven } from './proof.ts'
import { datasetExpression, type Range, type Relation } from './relation.ts'
import type { Scope, Table } from './scope.ts'
import { type ScratchDatabase, scratchOn } from './scratch-database.ts'
import type { Since } from './tails.ts'

const historySuffix = '_history'
const datasetNamed = (table: Table): DatasetName => (table.endsWith(historySuffix) ? table.slice(0, -historySuffix.length) : table) as DatasetName

/**
 * `as_filed`: rows of filings without the operator's corrections. `copy`: its dataset has the columns of the copy only, and is read in the
 * order of the copy as far as copies exist; the rows are the same.
 */
type QueryOptions = {
  readonly streamed?: boolean
  readonly since?: SinceByDataset
  readonly as_filed?: boolean
  readonly copy?: SortedCopy
}
type SinceByDataset = { readonly [D in DatasetName]?: Since }
export type Lake = {
  readonly release: number
  /** The newest release at or before this one that changed one of the datasets: it dates an answer from them. */
  versionOf(datasets: readonly DatasetName[]): DatasetRelease
  /** False if the dataset has no row of these keys, so that a query is not needed. For datasets in which most keys have no row. */
  holds(dataset: DatasetName, keys: readonly string[]): Promise<boolean>
  /**
   * Runs one statement whose tables are datasets of `scope`. `$release` and `$as_of` (an instant or null) are always bound. Rows are
   * returned as records; a statement over `timeoutMs` is interrupted and throws `Upstream`. `streamed`: the tables are not loaded into
   * memory first, for a statement that reads a whole dataset once. `since`: a lower limit of a dataset's time in the statement, so that
   * files without such rows are not opened; the statement must filter too. Rows of filings have the operator's corrections as known at this
   * release and `as_of`.
   */
  query<Row>(sql: string, parameters: Parameters & { readonly as_of?: string | null }, scope: Scope, options?: QueryOptions): Promise<Row[]>
  /** As `query`, column by column. */
  columns<Row>(sql: string, parameters: Parameters & { readonly as_of?: string | null }, scope: Scope, options?: QueryOptions): Promise<Columns<Row>>
  /**
   * Loads parts of datasets into memory once and runs `work` on them: many small queries about a few hundred keys then open no file.
   * Datasets and keys that are not in `parts` are read as before.
   */
  holding<T>(parts: { readonly [D in DatasetName]?: Range }, work: (lake: Lake) => Promise<T>): Promise<T>
  /** Runs `work` on one connection on which steps can leave tables for later steps; all of them are deleted at the end. */
  scratch<T>(work: (shop: ScratchDatabase) => Promise<T>): Promise<T>
}

/** The corrections of a lake: the rows of `filing_corrections`, and the fields that they name, by dataset. */
type Corrections = { readonly relation: Relation; readonly fields: ReadonlyMap<string, readonly string[]> }
/** The newest version of each correction, in statements that read corrected datasets. */
const correctionsTable = 'filing_corrections__newest'

/** How often a statement reads a table: the number of its occurrences after `from` or `join`. */
const readsOf = (sql: string, table: string): number => sql.match(new RegExp(`\\b(?:from|join)\\s+"?${table}"?(?!\\w)`, 'gi'))?.length ?? 0

const definitionOf = (name: DatasetName, copy: SortedCopy | undefined): DatasetDefinition =>
  copy?.dataset === name ? copiedColumns(datasetOf(name), copy) : datasetOf(name)

/**
 * The statement with its datasets as common table expressions in front. One that is read once is merged into the statement, so that its
 * filters and columns reach the files; one that is read more often is loaded into memory, unless streamed.
 */
function scopedStatement(
  sql: string,
  scope: Scope,
  relationOf: (table: Table) => Relation,
  {
    streamed = false,
    dated = true,
    corrections = null,
    copy,
  }: {
    readonly streamed?: boolean
    readonly dated?: boolean
    readonly corrections?: Corrections | null
    readonly copy?: SortedCopy | undefined
  } = {},
): Relation {
  const parameters: Record<string, Parameters[string]> = {}
  const expressions: string[] = []
  if (corrections) {
    const newest = datasetExpression(datasetOf('filing_corrections'), corrections.relation, { range: 'all', history: false, dated })
    expressions.push(`"${correctionsTable}" as materialized (${newest.sql})`)
    Object.assign(parameters, newest.parameters)
  }
  for (const [table, range] of Object.entries(scope) as [Table, Range][]) {
    const dataset = definitionOf(datasetNamed(table), copy)
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

/** A lake over relations: the common part of `open.ts` (files) and `memory.ts` (tables). */
export function lakeOver(
  release: number,
  connections: ConnectionPool,
  relationOf: (name: DatasetName, range: Range, since?: Since, copy?: SortedCopy) => Promise<Relation>,
  facts: Pick<Lake, 'versionOf' | 'holds'>,
  timeoutMs?: number,
): Lake {
  type Run<T> = (connection: DuckDBConnection, sql: string, parameters: Parameters) => Promise<T>
  const isCorrected = facts.versionOf(['filing_corrections']).release > 0
  let fieldsRead: Promise<ReadonlyMap<string, readonly string[]>> | null = null
  /** Fields that were ever corrected up to this release, read once. */
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
  /** The statement over the rows of this release, and its values. */
  async function prepare(
    sql: string,
    parameters: Parameters & { readonly as_of?: string | null },
    scope: Scope,
    { streamed = false, since = {}, as_filed = false, copy }: QueryOptions,
  ): Promise<Relation & { readonly proof: Proof }> {
    const relations = new Map<Table, Relation>()
    for (const [table, range] of Object.entries(scope) as [Table, Range][]) {
      const name = datasetNamed(table)
      relations.set(table, await relationOf(name, range, since[name], copy?.dataset === name ? copy : undefined))
    }
    const known = (table: Table): Relation => {
      const relation = relations.get(table)
      if (!relation) throw new Broken(`${table} is not in the statement's scope`)
      return relation
    }
    const corrections = as_filed ? null : await correctionsFor(scope)
    const statement = scopedStatement(sql, scope, known, { streamed, dated: (parameters.as_of ?? null) !== null, corrections, copy })
    const proof = proofOfAll([...relations.values(), ...(corrections ? [corrections.relation] : [])])
    return { sql: statement.sql, parameters: { ...parameters, ...statement.parameters, release, as_of: parameters.as_of ?? null }, proof }
  }
  async function run<T>(
    sql: string,
    parameters: Parameters & { readonly as_of?: string | null },
    scope: Scope,
    options: QueryOptions,
    read: Run<T>,
  ): Promise<T> {
    return await proven(
      () => prepare(sql, parameters, scope, options),
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
        connection => scratchOn(connection, (sql, requested, scope, streamed) => prepare(sql, requested, scope, { streamed }), work),
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
        const inMemory = async (name: DatasetName, range: Range, since?: Since, copy?: SortedCopy): Promise<Relation> => {
          const part = held.get(name)
          // A query for more than the loaded part reads the files, because a part must not be used as the whole.
          const covers = part !== undefined && (part.keys === null || (range !== 'all' && range.every(key => part.keys?.has(key))))
          return covers ? { sql: `"${part.table}"`, parameters: {} } : await relationOf(name, range, since, copy)
        }
        return await work(lakeOver(release, connections, inMemory, facts, timeoutMs))
      } finally {
        for (const { table } of held.values()) await connections.use(connection => connection.run(`drop table "${table}"`))
      }
    },
  }
}

/** Distinguishes the tables of `holding` in the memory of one process. */
let heldTables = 0
