// A release that read several documents of a key together has its last version only. Raw documents that are read again, in other groups, give the
// versions in between too: a file that is made again from them must not have those.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { queryRows, runSql } from '../duckdb.ts'
import type { LakeFile } from './catalogue.ts'
import type { Relation } from './relation.ts'
import { versionKey } from './stage.ts'

/** All rows of a dataset that was derived again, and those of the whole files, each with `release_from`. */
type Known = { readonly made: Relation; readonly held: Relation }

const list = (names: readonly string[], table: string): string => names.map(name => `${table}."${name}"`).join(', ')
const equal = (names: readonly string[], a: string, b: string): string =>
  names.map(name => `${a}."${name}" is not distinct from ${b}."${name}"`).join(' and ')

/**
 * Deletes rows from the table "remade" of the connection while it has more than `file`: rows of documents that the release of `file` did not read,
 * versions that another row of the release replaced, and those that a row of a whole file replaced. First among rows of one key and `known_from`,
 * then among all of a key. "documents" has the releases that read each document. Returns how many it deleted.
 */
export async function leaveOutReplaced(connection: DuckDBConnection, dataset: DatasetDefinition, file: LakeFile, known: Known): Promise<number> {
  let left = 0
  for (const same of [versionKey(dataset), dataset.key]) {
    const [remade] = await queryRows<{ rows: number }>(connection, 'select count(*) as rows from "remade"')
    if ((remade?.rows ?? 0) <= file.rows) break
    left += await leaveOutAmong(connection, dataset, file, known, same)
  }
  return left
}

async function leaveOutAmong(
  connection: DuckDBConnection,
  dataset: DatasetDefinition,
  { fresh_release }: LakeFile,
  { made, held }: Known,
  same: readonly string[],
): Promise<number> {
  const facts = dataset.columns.map(column => column.name).filter(name => name !== 'release_from')
  const [first = ''] = dataset.order
  const isNear = `"${first}" in (select "${first}" from "remade")`
  const release = fresh_release === null ? 'r.release_from' : '$release'
  // Both relations have the same names of parameters.
  await runSql(connection, `create or replace temp table "held_near" as select * from ${held.sql} where ${isNear}`, held.parameters)
  const deleted = await runSql(
    connection,
    `with m as (select ${list(facts, 'a')}, max(a.release_from) as read_in from ${made.sql} a where ${isNear} group by all),
      h as (select ${list(same, 'b')}, b.release_from as release, m.read_in from "held_near" b join m on ${equal(facts, 'b', 'm')}),
      r as (select r.rowid as id, ${list(same, 'r')}, ${release} as release, m.read_in, r.raw_sha256 from "remade" r join m on ${equal(facts, 'r', 'm')}),
      own as (select * from r where exists (select 1 from "documents" d where d.sha256 = r.raw_sha256 and d.release = r.release)),
      last as (select id from own qualify row_number() over (partition by ${list(same, 'own')}, own.release order by own.read_in desc) = 1)
    delete from "remade" where rowid not in (select id from last)
      or rowid in (select r.id from r join h on ${equal(same, 'r', 'h')}
        where (h.release <= r.release and h.read_in > r.read_in) or (h.release > r.release and h.read_in < r.read_in))`,
    { ...made.parameters, ...(fresh_release === null ? {} : { release: fresh_release }) },
  )
  return deleted.rowsChanged
}
