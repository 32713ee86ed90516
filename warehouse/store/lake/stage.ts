// Steps 1 and 2 of a commit: rows become one sorted Parquet file, which is then read back completely and compared.
import { createHash, subtle } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { Broken } from '#schemas/errors.ts'
import { queryRows, runSql } from '../duckdb.ts'
import type { Spooled } from './json-lines.ts'
import type { Relation } from './relation.ts'

/** Rows of a row group of a fresh file, which has a row or two of each symbol. A look-up decodes whole groups (measured: docs/benchmarks.md). */
export const freshRowGroup = 5_120

/** A Parquet file of rows outside the lake. */
export type StagedFile = {
  readonly dataset: DatasetDefinition
  readonly path: string
  readonly rows: number
  readonly key_min: string
  readonly key_max: string
  readonly time_min: string | null
  readonly time_max: string | null
  /** Null: its rows do not contain their release. */
  readonly release_min: number | null
  readonly release_max: number | null
}
/** A file that was compared with its source. `sums`: of each column, in their order, the sum of its values' hashes. */
export type Staged = StagedFile & { readonly sums: readonly string[] }

/** SQL: the oldest release of rows, null if one of them has none. */
export const oldestRelease = 'case when count(release_from) = count(*) then min(release_from) end'

/** The rows of a relation with `release` in each. */
export const withRelease = ({ sql, parameters }: Relation, release: number): Relation => ({
  sql: `(select * replace (${release}::bigint as release_from) from ${sql})`,
  parameters,
})

/** Lines that are written, and hashed, together. */
const linesTogether = 10_000
/** A character of a text has at most three bytes in UTF-8. */
const bytesOfCharacter = 3

/**
 * Writes rows as NDJSON without a copy of all of them in memory. `appendFile` writes the whole text or fails, whereas `write` may write a
 * part of it on a nearly full disk and report success.
 */
export async function spoolRows(rows: Iterable<object>, path: string): Promise<Spooled> {
  const file = await open(path, 'w')
  const whole = createHash('sha256')
  let count = 0
  let longest = 0
  let lines: string[] = []
  const write = async (): Promise<void> => {
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    lines = []
    const [digest] = await Promise.all([subtle.digest('SHA-256', bytes), file.appendFile(bytes)])
    whole.update(new Uint8Array(digest))
  }
  try {
    for (const row of rows) {
      const line = JSON.stringify(row)
      lines.push(line)
      longest = Math.max(longest, line.length)
      count += 1
      if (lines.length === linesTogether) await write()
    }
    if (lines.length > 0) await write()
  } finally {
    await file.close()
  }
  // With its end.
  return { rows: count, sha256: whole.digest('hex'), longest: (longest + 1) * bytesOfCharacter }
}

/** The key of a row within one release: a batch of documents of many days has a fact in several versions, each from another instant. */
export const versionKey = (dataset: DatasetDefinition): readonly string[] => (dataset.appended_once ? dataset.key : [...dataset.key, 'known_from'])

type Content = { readonly rows: number; readonly sums: readonly string[] }

/** The number of rows of a relation, and the sum of the hashes of each of the columns. */
async function contentOf(connection: DuckDBConnection, columns: DatasetDefinition['columns'], { sql, parameters }: Relation): Promise<Content> {
  const sums = columns.map(column => `sum(hash("${column.name}")::hugeint)::varchar`).join(', ')
  const [found] = await queryRows<Content>(connection, `select count(*) as rows, [${sums}] as sums from ${sql}`, parameters)
  return found as Content
}

/** Throws `Broken` naming `name`, and the number of rows or the column that differs. */
function checkContent(name: string, columns: DatasetDefinition['columns'], found: Content, expected: Content): void {
  const differs = (what: string, value: unknown, wanted: unknown): never => {
    throw new Broken(`${name}: ${what} of the staged file differs from its source (${String(value)}, expected ${String(wanted)})`)
  }
  if (found.rows !== expected.rows) differs('the number of rows', found.rows, expected.rows)
  for (const [at, sum] of expected.sums.entries()) if (found.sums[at] !== sum) differs(`column ${columns[at]?.name}`, found.sums[at], sum)
}

/**
 * Compares a written file (`written`, a table expression) with its source: the number of rows, and the hash of each column over all rows.
 * Throws `Broken` naming `name` and the difference. Returns the hashes.
 */
export async function checkCopied(
  connection: DuckDBConnection,
  name: string,
  columns: DatasetDefinition['columns'],
  source: Relation,
  written: string,
): Promise<readonly string[]> {
  const expected = await contentOf(connection, columns, source)
  const found = await contentOf(connection, columns, { sql: written, parameters: {} })
  checkContent(name, columns, found, expected)
  return found.sums
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
  const written = `read_parquet('${literal}', hive_partitioning = false)`
  const sums = await checkCopied(connection, dataset.name, dataset.columns, { sql: typed, parameters: source.parameters }, written)
  const keys = unique.map(name => `"${name}"`).join(', ')
  const [twice] = await queryRows<{ n: number; example: string }>(
    connection,
    `select n, to_json({${unique.map(name => `'${name}': "${name}"`).join(', ')}})::varchar as example from (select count(*) as n, ${keys} from ${written} group by ${keys}) where n > 1 order by example limit 1`,
  )
  if (twice) throw new Broken(`${dataset.name}: the key ${twice.example} occurs ${twice.n} times in one batch`)
  const [range] = await queryRows<Omit<StagedFile, 'dataset' | 'path'>>(
    connection,
    `select count(*) as rows, min("${dataset.order[0]}")::varchar as key_min, max("${dataset.order[0]}")::varchar as key_max, min("${dataset.time}")::varchar as time_min, max("${dataset.time}")::varchar as time_max, ${oldestRelease} as release_min, max(release_from) as release_max from ${written}`,
  )
  if (!range || range.rows === 0) throw new Broken(`${dataset.name}: a batch without rows is not staged`)
  return { dataset, path, ...range, sums }
}

/**
 * Copies a staged file to `path`, with `release` in every row, and checks that each other column has the values that were staged. The copy is
 * made while the head of the lake is locked, so the staged file is not read again for the comparison.
 */
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
    `copy (select ${columns} from read_parquet($staged, hive_partitioning = false)) to '${literal}' (format parquet, compression zstd, row_group_size ${rowGroup})`,
    { staged: staged.path },
  )
  const written: Relation = { sql: 'read_parquet($path, hive_partitioning = false)', parameters: { path } }
  const found = await contentOf(connection, dataset.columns, written)
  const [released] = await queryRows<{ rows: number }>(
    connection,
    `select count(*) filter (release_from = ${release}) as rows from ${written.sql}`,
    written.parameters,
  )
  if (released?.rows !== staged.rows)
    throw new Broken(`${dataset.name}: ${released?.rows} of ${staged.rows} rows of the written file have the release ${release}`)
  const isFact = (_: unknown, at: number): boolean => dataset.columns[at]?.name !== 'release_from'
  const factsOf = (content: Content): Content => ({ rows: content.rows, sums: content.sums.filter(isFact) })
  checkContent(dataset.name, dataset.columns.filter(isFact), factsOf(found), factsOf(staged))
  return { ...staged, path, release_min: release, release_max: release, sums: found.sums }
}
