// Datasets as SQL sees them. A statement that names `bars` runs as it stands against warehouse.duckdb; here the same name is
// a common table expression over the files of one release: rows of that release and as-of moment, newest of each key.
import type { DatasetDefinition } from '#schemas/dataset.ts'
import type { Parameters } from '../duckdb.ts'

/** Which part of a dataset a question needs: all of it, or the rows of some values of its first order column. */
export type Range = 'all' | readonly string[]

/** Where rows come from: a SQL table expression with every column of the dataset and `release_from` filled. */
export type Relation = { readonly sql: string; readonly parameters: Parameters }

const quoted = (name: string): string => `"${name}"`
export const columnList = (dataset: DatasetDefinition): string => dataset.columns.map(column => quoted(column.name)).join(', ')

/** A relation over Parquet files; fresh files take their release from the catalogue, compacted ones carry it. */
export function fileRelation(
  dataset: DatasetDefinition,
  files: readonly { readonly path: string; readonly fresh_release: number | null }[],
): Relation {
  if (files.length === 0) {
    const columns = dataset.columns.map(column => `null::${column.type} as ${quoted(column.name)}`)
    return { sql: `(select ${columns.join(', ')} where false)`, parameters: {} }
  }
  const name = dataset.name
  return {
    sql: `(select * exclude (filename) replace (coalesce(release_from, map_extract_value($${name}_fresh, filename)) as release_from) from read_parquet($${name}_files, filename = true))`,
    parameters: {
      [`${name}_files`]: files.map(file => file.path),
      [`${name}_fresh`]: new Map(files.filter(file => file.fresh_release !== null).map(file => [file.path, file.fresh_release as number])),
    },
  }
}

/**
 * The dataset at `$release` and `$as_of` (null: everything known by the release): of each key the row of the newest release,
 * unless that row withdraws it; with `history` every row. Datasets that are appended once have one row a key and skip the ranking.
 */
export function datasetExpression(dataset: DatasetDefinition, relation: Relation, range: Range, history = false): Relation {
  const keyColumn = quoted(dataset.order[0] as string)
  const parameters: Record<string, Parameters[string]> = { ...relation.parameters }
  let filter = ''
  if (range !== 'all' && range.length === 1) {
    filter = ` and ${keyColumn} = $${dataset.name}_key`
    parameters[`${dataset.name}_key`] = range[0] as string
  } else if (range !== 'all') {
    filter = ` and ${keyColumn} in (select unnest($${dataset.name}_keys))`
    parameters[`${dataset.name}_keys`] = range
  }
  const visible = `select ${columnList(dataset)} from ${relation.sql} where release_from <= $release and ($as_of is null or known_from <= $as_of::timestamptz)${filter}`
  if (dataset.appended_once || history) return { sql: visible, parameters }
  const partition = dataset.key.map(quoted).join(', ')
  return {
    sql: `select * from (${visible} qualify row_number() over (partition by ${partition} order by release_from desc, known_from desc, raw_sha256) = 1) where not withdrawn`,
    parameters,
  }
}
