// The table `factor_rows` of data/warehouse.duckdb: the rows of the view factor_steps, computed when the file is written. Their windows go
// over the whole market, and DuckDB takes no condition on a symbol through them: a question about one symbol would compute all.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { queryRows } from '../duckdb.ts'
import { commentDerived } from './view-comments.ts'
import { text } from './view-files.ts'

/**
 * Creates `factor_rows` from `statement`, a SELECT over views of the connection, in order of symbol and day. `inputs`: texts that differ if
 * the rows can. Rows of `previous`, the path of the file that this one replaces, are copied if they are of the same inputs: computing those
 * of 51,000 symbols takes two seconds, at each release. If a file of the lake cannot be read, or `isWhole` is false for one, `factor_rows` is a
 * view of the statement, which reads the files whenever it is read: rows of a damaged file would be copied also after its repair, because its
 * name stays the same. Not within a transaction, which a failure would end.
 */
export async function createFactorRows(
  connection: DuckDBConnection,
  statement: string,
  inputs: readonly string[],
  previous: string,
  isWhole: () => Promise<boolean>,
): Promise<void> {
  // The text is new for files whose rows were computed without `isWhole`.
  const made = createHash('sha256')
    .update(JSON.stringify(['from whole files', statement, inputs]))
    .digest('hex')
  const isTable =
    (await copyRows(connection, made, previous)) ||
    ((await isWhole()) && (await succeeds(connection, `create table factor_rows as select * from (${statement}) order by symbol, from_date`)))
  if (!isTable) await connection.run(`create view factor_rows as ${statement}`)
  const comment = isTable ? commentOf(made, await sumOfRows(connection)) : about
  await connection.run(`comment on ${isTable ? 'table' : 'view'} factor_rows is ${text(comment)}`)
  await commentDerived(connection, 'factor_rows')
}

const about = 'The rows of the view factor_steps, as they were when this file was written.'
const commentOf = (made: string, sum: string): string => `${about} ${sum}; inputs ${made}.`

/**
 * The number of the rows of the table, the hash of all their values by DuckDB, which another version of it may compute otherwise, and its
 * columns: a session can rename them, and the hash has no names.
 */
async function sumOfRows(connection: DuckDBConnection): Promise<string> {
  const [row] = await queryRows<{ sum: string }>(
    connection,
    `select format('{:d} rows, hash {:d}; columns ', count(*), coalesce(bit_xor(hash(r)), 0)) || (
       select string_agg(column_name || ' ' || data_type, ', ' order by column_index)
       from duckdb_columns() where database_name = current_database() and table_name = 'factor_rows'
     ) as sum from factor_rows as r`,
  )
  return (row as { sum: string }).sum
}

/** Copies the rows of another file if its comment states that they are of the inputs `made`, and they are what was written there. */
async function copyRows(connection: DuckDBConnection, made: string, previous: string): Promise<boolean> {
  // A file that another program has open to write, or that is damaged, cannot be attached: the rows are computed then.
  if (!existsSync(previous) || !(await succeeds(connection, `attach ${text(previous)} as previous (read_only)`))) return false
  try {
    const [table] = await queryRows<{ comment: string | null }>(
      connection,
      "select comment from duckdb_tables() where database_name = 'previous' and table_name = 'factor_rows'",
    )
    if (table?.comment?.endsWith(`${made}.`) !== true) return false
    if (!(await succeeds(connection, 'create table factor_rows as from previous.factor_rows'))) return false
    if (table.comment === commentOf(made, await sumOfRows(connection))) return true
    await connection.run('drop table factor_rows')
    return false
  } finally {
    await connection.run('detach previous')
  }
}

const succeeds = async (connection: DuckDBConnection, statement: string): Promise<boolean> =>
  await connection.run(statement).then(
    () => true,
    () => false,
  )
