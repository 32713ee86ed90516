// Steps 1 and 2 of a commit: rows become one sorted Parquet file, which is then read back completely and compared.
import { open } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { Broken } from '#schemas/errors.ts'
import { queryRows, runSql } from '../duckdb.ts'
import type { Relation } from './relation.ts'

/** Rows of a row group of a fresh file, which has a row or two of each symbol. A look-up decodes whole groups (measured: docs/benchmarks.md). */
export const freshRowGroup = 5_120

/** NDJSON as a table expression with the dataset's columns; a column that a line lacks is null. */
export function readJsonSql(dataset: DatasetDefinition, path: string): Relation {
  const columns = dataset.columns.map(column => `"${column.name}": '${column.type.replaceAll("'", "''")}'`)
  return {
    sql: `read_json($${dataset.name}_spool, format = 'newline_delimited', columns = {${columns.join(', ')}}, maximum_object_size = 67108864)`,
    parameters: { [`${dataset.name}_spool`]: path },
  }
}

export type Staged = {
  readonly dataset: DatasetDefinition
  readonly path: string
  readonly rows: number
  readonly key_min: string
  readonly key_max: string
  readonly time_min: string | null
  readonly time_max: string | null
  readonly release_max: number | null
}

/**
 * Writes rows as NDJSON without a copy of all of them in memory. `appendFile` writes the whole text or fails, whereas `write` may write a
 * part of it on a nearly full disk and report success.
 */
export async function spoolRows(rows: Iterable<object>, path: string): Promise<number> {
  const file = await open(path, 'w')
  let count = 0
  try {
    let lines: string[] = []
    for (const row of rows) {
      lines.push(JSON.stringify(row))
      count += 1
      if (lines.length === 10_000) {
        await file.appendFile(`${lines.join('\n')}\n`)
        lines = []
      }
    }
    if (lines.length > 0) await file.appendFile(`${lines.join('\n')}\n`)
  } finally {
    await file.close()
  }
  return count
}

/** The key of a row within one release: a batch of documents of many days has a fact in several versions, each from another instant. */
export const versionKey = (dataset: DatasetDefinition): readonly string[] => (dataset.appended_once ? dataset.key : [...dataset.key, 'known_from'])

/**
 * Compares a written file (`written`, a table expression) with its source: the number of rows, and the hash of each column over all rows.
 * Throws `Broken` naming `name` and the difference.
 */
export async function checkCopied(
  connection: DuckDBConnection,
  name: string,
  columns: DatasetDefinition['columns'],
  source: Relation,
  written: string,
): Promise<void> {
  const sums = columns.map((column, at) => `sum(hash("${column.name}")::hugeint)::varchar as h${at}`).join(', ')
  const [before] = await queryRows<Record<string, unknown>>(connection, `select count(*) as n, ${sums} from ${source.sql}`, source.parameters)
  const [after] = await queryRows<Record<string, unknown>>(connection, `select count(*) as n, ${sums} from ${written}`)
  for (const [sum, value] of Object.entries(before ?? {})) {
    if (after?.[sum] === value) continue
    const what = sum === 'n' ? 'the number of rows' : `column ${columns[Number(sum.slice(1))]?.name}`
    throw new Broken(`${name}: ${what} of the staged file differs from its source (${String(after?.[sum])}, expected ${String(value)})`)
  }
}

/**
 * Copies a source into one sorted Parquet file and checks it: the number of rows, no duplicate key, and every column's hash equal to the
 * source's. Throws `Broken` naming the dataset and the difference. `unique` is the key within one release.
 */
export async function stage(
  connection: DuckDBConnection,
  dataset: DatasetDefinition,
  source: Relation,
  path: string,
  unique: readonly string[],
  rowGroup = freshRowGroup,
): Promise<Staged> {
  const columns = dataset.columns.map(column => `"${column.name}"`)
  // A literal of the source must not give a column another type than in the other files of the dataset.
  const typed = `(select ${dataset.columns.map(({ name, type }) => `"${name}"::${type} as "${name}"`).join(', ')} from ${source.sql})`
  const total = [...dataset.order, ...dataset.key, 'release_from', 'known_from', 'raw_sha256'].filter((name, at, all) => all.indexOf(name) === at)
  const order = total.map(name => `"${name}"`).join(', ')
  const literal = path.replaceAll("'", "''")
  await runSql(
    connection,
    `copy (select ${columns.join(', ')} from ${typed} order by ${order}) to '${literal}' (format parquet, compression zstd, row_group_size ${rowGroup})`,
    source.parameters,
  )
  const written = `read_parquet('${literal}')`
  await checkCopied(connection, dataset.name, dataset.columns, { sql: typed, parameters: source.parameters }, written)
  const keys = unique.map(name => `"${name}"`).join(', ')
  const [twice] = await queryRows<{ n: number; example: string }>(
    connection,
    `select n, example from (select count(*) as n, to_json(any_value({${unique.map(name => `'${name}': "${name}"`).join(', ')}}))::varchar as example from ${written} group by ${keys}) where n > 1 order by example limit 1`,
  )
  if (twice) throw new Broken(`${dataset.name}: the key ${twice.example} occurs ${twice.n} times in one batch`)
  const [range] = await queryRows<Omit<Staged, 'dataset' | 'path'>>(
    connection,
    `select count(*) as rows, min("${dataset.order[0]}")::varchar as key_min, max("${dataset.order[0]}")::varchar as key_max, min("${dataset.time}")::varchar as time_min, max("${dataset.time}")::varchar as time_max, max(release_from) as release_max from ${written}`,
  )
  if (!range || range.rows === 0) throw new Broken(`${dataset.name}: a batch without rows is not staged`)
  return { dataset, path, ...range }
}

/** Copies a staged file to `path`, with `release` in every row, and checks that no other column changed. */
export async function stageReleased(
  connection: DuckDBConnection,
  staged: Staged,
  release: number,
  path: string,
  rowGroup = freshRowGroup,
): Promise<Staged> {
  const { dataset } = staged
  const names = dataset.columns.map(column => `"${column.name}"`)
  const columns = names.map(name => (name === '"release_from"' ? `${release}::bigint as "release_from"` : name)).join(', ')
  const literal = path.replaceAll("'", "''")
  await runSql(
    connection,
    `copy (select ${columns} from read_parquet($staged)) to '${literal}' (format parquet, compression zstd, row_group_size ${rowGroup})`,
    { staged: staged.path },
  )
  const facts = names.filter(name => name !== '"release_from"')
  const sums = facts.map((column, at) => `sum(hash(${column})::hugeint)::varchar as h${at}`).join(', ')
  const read = async (from: string, having: string): Promise<string> =>
    JSON.stringify(await queryRows(connection, `select count(*) as n, ${having} as released, ${sums} from read_parquet($path)`, { path: from }))
  if ((await read(staged.path, 'count(*)')) !== (await read(path, `count(*) filter (release_from = ${release})`)))
    throw new Broken(`${dataset.name}: the file with release ${release} differs from the staged rows`)
  return { ...staged, path, release_max: release }
}
