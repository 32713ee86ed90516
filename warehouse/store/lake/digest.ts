// The state digest: one SHA-256 over the content of every dataset at a release. It compares two states that were reached in different ways
// (an undisturbed run and a crashed one, an ingest and a rebuild), and anyone with the rows can recompute it.
//
//   value    null is `-`; any other scalar is `<bytes of its UTF-8 text>:<text>`. The text is: a string unchanged, a boolean as `true` or
//            `false`, an integer in decimal, a double as C prints it with %.17g, a day as YYYY-MM-DD, an instant in microseconds since
//            1970. A list or a struct is `(`, its parts in order, `)`
//   row      its values in the dataset's column order: the facts, then known_from, known_basis, source, raw_sha256. It excludes
//            `withdrawn` (a withdrawn row is not a current row) and `release_from` (the commit that added it)
//   part     the current rows with one value of the dataset's first order column: SHA-256 over their rows' SHA-256 (hex), in
//            ascending order, without separators
//   dataset  SHA-256 over `<name>(<columns joined by comma>)\n`, then `<value> <rows> <digest>\n` of each part, ascending by value
//   state    SHA-256 over `<name> <rows> <digest>\n` of each dataset, ascending by name
import { createHash } from 'node:crypto'
import type { Column, DatasetDefinition } from '#schemas/dataset.ts'
import { Broken } from '#schemas/errors.ts'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import type { Lake } from './lake.ts'
import type { Scope, Table } from './scope.ts'

export type StateDigest = {
  readonly digest: string
  readonly datasets: Readonly<Record<string, { readonly rows: number; readonly digest: string }>>
}
export type DigestOptions = {
  /**
   * `retrieval_times` leaves out `known_from` of rows whose `known_basis` is `retrieved`, because two runs over the same upstream retrieve
   * at different times. Without it, only states from the same raw documents are equal.
   */
  readonly without?: 'retrieval_times'
  /** Default: all of the register. */
  readonly datasets?: readonly DatasetName[]
}

/** Rows that one statement hashes: their hashes are in memory, at about 100 bytes each. */
const statementRows = 500_000
/** Values of the first order column in one statement. */
const statementParts = 5_000

/**
 * The digest of the lake at its release, read by ranges of each dataset's first order column. It processes about half a million rows a
 * second on two cores, in a few hundred megabytes. Throws `Broken` if a row was counted but not hashed.
 */
export async function stateDigest(lake: Lake, options: DigestOptions = {}): Promise<StateDigest> {
  const datasets: Record<string, { rows: number; digest: string }> = {}
  const state = createHash('sha256')
  for (const name of [...(options.datasets ?? datasetNames)].sort()) {
    const { rows, digest } = await datasetDigest(lake, name, options)
    datasets[name] = { rows, digest }
    state.update(`${name} ${rows} ${digest}\n`)
  }
  return { digest: state.digest('hex'), datasets }
}

type Part = { readonly part: string; readonly rows: number; readonly digest: string }

async function datasetDigest(lake: Lake, name: DatasetName, { without }: DigestOptions): Promise<{ rows: number; digest: string }> {
  const dataset = datasetOf(name)
  const columns = dataset.columns.filter(column => column.name !== 'withdrawn' && column.name !== 'release_from')
  const first = columns.find(column => column.name === dataset.order[0])
  if (!first) throw new TypeError(`${name}: no column ${dataset.order[0]}`)
  const values = columns.map(column => {
    const value = valueSql(column.type, `"${column.name}"`)
    return without === 'retrieval_times' && column.name === 'known_from' ? `case when known_basis = 'retrieved' then '-' else ${value} end` : value
  })
  const sql = `with hashed as (select ${textSql(first.type, `"${first.name}"`)} as part, sha256(${values.join(' || ')}) as row_hash from ${name})
    select part, count(*) as rows, sha256(string_agg(row_hash, '' order by row_hash)) as digest from hashed group by part order by part`
  const hash = createHash('sha256').update(`${name}(${columns.map(column => column.name).join(',')})\n`)
  let rows = 0
  for (const range of await rangesOf(lake, dataset, first)) {
    const parts = await lake.query<Part>(sql, {}, { [name]: range } as Scope, { streamed: true, as_filed: true })
    for (const part of parts) {
      rows += part.rows
      hash.update(`${part.part} ${part.rows} ${part.digest}\n`)
    }
  }
  const [counted] = await lake.query<{ rows: number }>(`select count(*) as rows from ${name}`, {}, { [name]: 'all' } as Scope, { streamed: true })
  if (counted?.rows !== rows) throw new Broken(`${name}: ${rows} rows were hashed of ${counted?.rows ?? 0}`)
  return { rows, digest: hash.digest('hex') }
}

/** The values of the first order column, ascending, in groups for one statement each. */
async function rangesOf(lake: Lake, dataset: DatasetDefinition, first: Column): Promise<string[][]> {
  const history: Table = `${dataset.name as DatasetName}_history`
  const found = await lake.query<{ part: string; rows: number }>(
    `select ${textSql(first.type, `"${first.name}"`)} as part, count(*) as rows from ${history} group by 1 order by 1`,
    {},
    { [history]: 'all' } as Scope,
    { streamed: true },
  )
  const ranges: string[][] = []
  let rows = 0
  for (const each of found) {
    const last = ranges.at(-1)
    if (!last || rows + each.rows > statementRows || last.length === statementParts) {
      ranges.push([each.part])
      rows = each.rows
    } else {
      last.push(each.part)
      rows += each.rows
    }
  }
  return ranges
}

/** The text of a scalar. */
function textSql(type: string, value: string): string {
  if (type === 'VARCHAR') return value
  if (type === 'DOUBLE') return `printf('%.17g', ${value})`
  if (type === 'TIMESTAMP WITH TIME ZONE') return `epoch_us(${value})::varchar`
  if (type === 'BOOLEAN' || type === 'BIGINT' || type === 'DATE') return `${value}::varchar`
  throw new TypeError(`no canonical text for a column of type ${type}`)
}

/** A value of a column type in the canonical form, as an expression that is never null. */
function valueSql(type: string, value: string, depth = 0): string {
  if (type.endsWith('[]')) {
    const each = `e${depth}`
    return `coalesce('(' || array_to_string(list_transform(${value}, lambda ${each}: ${valueSql(type.slice(0, -2), each, depth + 1)}), '') || ')', '-')`
  }
  if (type.startsWith('STRUCT(')) {
    const fields = structFields(type).map(([name, part]) => valueSql(part, `${value}."${name}"`, depth + 1))
    return `case when ${value} is null then '-' else '(' || ${fields.join(' || ')} || ')' end`
  }
  const text = textSql(type, value)
  return `coalesce(strlen(${text}) || ':' || ${text}, '-')`
}

/** Names and types of `STRUCT("a" VARCHAR, "b" STRUCT("c" DATE)[])`. */
function structFields(type: string): [name: string, type: string][] {
  const fields: [string, string][] = []
  const body = type.slice('STRUCT('.length, -1)
  let depth = 0
  let start = 0
  for (let at = 0; at <= body.length; at += 1) {
    const char = body[at]
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (at < body.length && (char !== ',' || depth > 0)) continue
    const [, name, part] = /^\s*"([^"]+)" (.+)$/.exec(body.slice(start, at)) ?? []
    if (!name || !part) throw new TypeError(`not a struct type: ${type}`)
    fields.push([name, part])
    start = at + 1
  }
  return fields
}
