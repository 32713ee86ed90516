// Datasets in SQL. A statement that names `bars` also runs unchanged on warehouse.duckdb. Here the name is a common table expression over
// the files of one release: the newest row of each key, at that release and as_of.
import type { DatasetDefinition } from '#schemas/dataset.ts'
import type { Parameters } from '../duckdb.ts'
import type { Proof } from './proof.ts'

/** The part of a dataset that a query needs: all of it, or the rows of some values of its first order column. */
export type Range = 'all' | readonly string[]

/** The source of rows: a SQL table expression with every column of the dataset and `release_from` filled. */
export type Relation = {
  readonly sql: string
  readonly parameters: Parameters
  /** No row is from a later release than the requested one, so none must be filtered out. */
  readonly settled?: boolean
  /** Proves after the read that the verified files were read; none for rows in memory. */
  readonly proof?: Proof
}
/** A query on a dataset: rows of a range, every version or the newest, known at `$as_of` or at any time. */
export type Query = { readonly range: Range; readonly history: boolean; readonly dated: boolean }

const quoted = (name: string): string => `"${name}"`
export const columnList = (dataset: DatasetDefinition): string => dataset.columns.map(column => quoted(column.name)).join(', ')

/** The dataset's columns from a file that lacks some of them: those get their value for older files. */
export const columnsWithout = (dataset: DatasetDefinition, lacks: readonly string[]): string =>
  dataset.columns.map(({ name, absent }) => (lacks.includes(name) ? `(${absent}) as ${quoted(name)}` : quoted(name))).join(', ')

export type ReadFile = { readonly path: string; readonly fresh_release: number | null; readonly lacks: readonly string[] }

/**
 * A relation over Parquet files; fresh files get their release from the catalogue, compacted ones contain it. Files from before a column
 * existed are read separately. DuckDB takes a folder such as `date=2026-11-29` above the data folder for a partition, whose value replaces that
 * of the rows, so every reader of a file switches that off.
 */
export function fileRelation(dataset: DatasetDefinition, files: readonly ReadFile[]): Relation {
  if (files.length === 0) {
    const columns = dataset.columns.map(column => `null::${column.type} as ${quoted(column.name)}`)
    return { sql: `(select ${columns.join(', ')} where false)`, parameters: {} }
  }
  const layouts = [...Map.groupBy(files, file => file.lacks.join())]
  const parts = layouts.map(([lacking, some], at) => layoutRelation(dataset, some, lacking, at === 0 ? '' : `_${at}`))
  const [only] = parts
  if (only && parts.length === 1) return only
  return {
    sql: `(${parts.map(part => `select ${columnList(dataset)} from ${part.sql}`).join(' union all ')})`,
    parameters: Object.assign({}, ...parts.map(part => part.parameters)),
  }
}

/** Files with one set of columns. `suffix` distinguishes the parameters of several sets. */
function layoutRelation(dataset: DatasetDefinition, files: readonly ReadFile[], lacking: string, suffix: string): Relation {
  const paths = `${dataset.name}_files${suffix}`
  const releases = `${dataset.name}_fresh${suffix}`
  const fresh = files.filter(file => file.fresh_release !== null)
  const parameters = {
    [paths]: files.map(file => file.path),
    ...(fresh.length === 0 ? {} : { [releases]: new Map(fresh.map(file => [file.path, file.fresh_release as number])) }),
  }
  const rows =
    fresh.length === 0
      ? `read_parquet($${paths}, hive_partitioning = false)`
      : `(select * exclude (filename) replace (coalesce(release_from, map_extract_value($${releases}, filename)) as release_from) from read_parquet($${paths}, filename = true, hive_partitioning = false))`
  return { sql: lacking === '' ? rows : `(select ${columnsWithout(dataset, lacking.split(','))} from ${rows})`, parameters }
}

/** Up to this number, keys become a list in the statement, by which files and row groups are skipped; more keys are joined. */
const listedKeys = 64

/**
 * The dataset at `$release` and `$as_of` (null: everything known by the release): of each key the row of the newest release, unless that
 * row withdraws it; with `history` every row. Datasets that are appended once have one row per key and need no ranking.
 */
export function datasetExpression(dataset: DatasetDefinition, relation: Relation, { range, history, dated }: Query): Relation {
  const key = quoted(dataset.order[0] as string)
  const parameters: Record<string, Parameters[string]> = { ...relation.parameters }
  const conditions = [...(relation.settled ? [] : ['release_from <= $release']), ...(dated ? ['known_from <= $as_of::timestamptz'] : [])]
  if (range !== 'all' && range.length <= listedKeys) {
    const names = range.map((value, at) => {
      parameters[`${dataset.name}_key_${at}`] = value
      return `$${dataset.name}_key_${at}`
    })
    conditions.push(names.length === 1 ? `${key} = ${names[0]}` : names.length === 0 ? 'false' : `${key} in (${names.join(', ')})`)
  } else if (range !== 'all') {
    conditions.push(`${key} in (select unnest($${dataset.name}_keys))`)
    parameters[`${dataset.name}_keys`] = range
  }
  const visible = `select ${columnList(dataset)} from ${relation.sql}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}`
  if (dataset.appended_once || history) return { sql: visible, parameters }
  const partition = dataset.key.map(quoted).join(', ')
  return {
    sql: `select * from (${visible} qualify row_number() over (partition by ${partition} order by release_from desc, known_from desc, raw_sha256) = 1) where not withdrawn`,
    parameters,
  }
}
