// NDJSON on its way into DuckDB.
import type { DatasetDefinition } from '#schemas/dataset.ts'
import type { Relation } from './relation.ts'

/** Rows of a file, the SHA-256 of the SHA-256s of its parts, and bytes that none of its lines exceeds. */
export type Spooled = { readonly rows: number; readonly sha256: string; readonly longest: number }

/** Bytes of a line that any spool may have. */
const longestLine = 64 * 1024 * 1024
/** DuckDB's threads read parts of two lines of this size: several threads share a file of more than that. DuckDB uses no smaller parts. */
const leastLongest = 16 * 1024 * 1024

/**
 * NDJSON as a table expression with the dataset's columns; a column that a line lacks is null. `longest`: bytes that no line exceeds, as
 * `spoolRows` returns them; DuckDB reserves a multiple of it in each thread.
 */
export function readJsonSql(dataset: DatasetDefinition, path: string, longest = longestLine): Relation {
  const parameter = `${dataset.name}_spool`
  return { sql: jsonSql(dataset.columns, parameter, longest), parameters: { [parameter]: path } }
}

/** NDJSON, in the file that a parameter names, with columns of these types. */
export function jsonSql(columns: readonly { readonly name: string; readonly type: string }[], parameter: string, longest: number): string {
  const typed = columns.map(({ name, type }) => `"${name}": '${type.replaceAll("'", "''")}'`).join(', ')
  const size = Math.max(leastLongest, longest)
  return `read_json($${parameter}, format = 'newline_delimited', hive_partitioning = false, columns = {${typed}}, maximum_object_size = ${size})`
}
