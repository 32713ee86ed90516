// The views and macros of each dataset in data/warehouse.duckdb: every row of every release, the current rows, and those known at an instant.
import type { DuckDBConnection } from '@duckdb/node-api'
import { filingCorrections } from '#schemas/corrections.ts'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { queryRows } from '../duckdb.ts'
import type { Catalogue, LakeFile } from './catalogue.ts'
import { correctedFieldsSql, withCorrections } from './corrected.ts'
import { columnList, columnsWithout } from './relation.ts'
import { commentColumns } from './view-comments.ts'
import { everyFile, hashInName, listOf, text } from './view-files.ts'

/** `<dataset>_history`: every row of every release. `reads`: which of the merged files are read. */
export function historyView(dataset: DatasetDefinition, files: readonly LakeFile[], data: string, reads = everyFile): string {
  const layouts = [...Map.groupBy(files, file => file.lacks.join())]
  if (layouts.length > 1) return layouts.map(([, some]) => historyView(dataset, some, data, reads)).join(' union all ')
  const lacks = files[0]?.lacks ?? []
  const columns = lacks.length === 0 ? columnList(dataset) : columnsWithout(dataset, lacks)
  if (files.length === 0) return `select ${dataset.columns.map(column => `null::${column.type} as "${column.name}"`).join(', ')} where false`
  const parts: string[] = []
  const isFresh = (file: LakeFile): boolean => file.fresh_release !== null && file.release_in_rows === false
  const whole = files.filter(file => !isFresh(file))
  if (whole.length > 0)
    for (const { list, where } of reads(dataset, whole, data))
      parts.push(`select ${columns} from read_parquet(${list}, hive_partitioning = false)${where}`)
  // Files of commits from before rows contained their release.
  const fresh = files.filter(isFresh)
  if (fresh.length > 0) {
    const releases = fresh.map(file => `${text(file.sha256)}: ${file.fresh_release}::bigint`).join(', ')
    parts.push(
      `select ${columns} from (select * exclude (filename) replace (coalesce(release_from, (map {${releases}})[${hashInName}]) as release_from) from read_parquet(${listOf(fresh, data)}, filename = true, hive_partitioning = false))`,
    )
  }
  return parts.join(' union all ')
}

/**
 * `<dataset>`: of each key the newest row with the operator's corrections, decimals as DECIMAL in addition to their digits. SQL conditions:
 * `known` on rows and corrections, `own` on rows alone. `history`: the rows of every release.
 */
export function currentView(
  dataset: DatasetDefinition,
  corrected: readonly string[],
  known = 'true',
  own = 'true',
  history = `"${dataset.name}_history"`,
): string {
  const columns = dataset.columns.flatMap(column =>
    column.decimal
      ? [`try_cast("${column.name}" as decimal(38, 10)) as "${column.name}"`, `"${column.name}" as "${column.name}_printed"`]
      : [`"${column.name}"`],
  )
  const visible = `select * from ${history} where ${known} and ${own}`
  const current = `select * from (${dataset.appended_once ? visible : `${visible} qualify ${newestOf(dataset)}`}) where not withdrawn`
  const rows = corrected.length === 0 ? current : withCorrections(dataset, current, newestCorrections(known), corrected)
  return `select ${columns.join(', ')} from (${rows})`
}

/** True for the newest row of its key. */
const newestOf = ({ key }: { readonly key: readonly string[] }): string =>
  `row_number() over (partition by ${key.map(name => `"${name}"`).join(', ')} order by release_from desc, known_from desc, raw_sha256) = 1`

/** The newest version of each correction of a filing. */
const newestCorrections = (known: string): string =>
  `select * from (select * from "filing_corrections_history" where ${known} qualify ${newestOf(filingCorrections)}) where not withdrawn`

/**
 * `<dataset>_as_of(at_instant)`: the dataset as it was known at an instant. Where rows have a symbol, also
 * `<dataset>_as_of(of_symbol, at_instant)`. Parameters have names that no column has.
 */
function asOfMacro(dataset: DatasetDefinition, corrected: readonly string[]): string {
  const known = 'known_from <= at_instant::timestamptz'
  const all = currentView(dataset, corrected, known)
  const hasSymbol = dataset.key.includes('symbol')
  const one = hasSymbol ? `, (of_symbol, at_instant) as table (${currentView(dataset, corrected, known, 'symbol = of_symbol')})` : ''
  return `create macro "${dataset.name}_as_of"(at_instant) as table (${all})${one}`
}

/** The views and macros of every dataset. */
export async function createDatasetViews(connection: DuckDBConnection, catalogue: Catalogue, data: string): Promise<void> {
  for (const name of datasetNames)
    await connection.run(`create view "${name}_history" as ${historyView(datasetOf(name), catalogue.files.get(name) ?? [], data)}`)
  const corrected = new Map(
    (catalogue.files.get('filing_corrections') ?? []).length === 0
      ? []
      : (
          await queryRows<{ dataset: string; fields: readonly string[] }>(
            connection,
            correctedFieldsSql('select * from "filing_corrections_history"'),
          )
        ).map(row => [row.dataset, row.fields]),
  )
  for (const name of datasetNames) {
    const dataset = datasetOf(name)
    await connection.run(
      `comment on view "${name}_history" is ${text(`${dataset.title}: every row of every release; release_from is the release that wrote it.`)}`,
    )
    await connection.run(`create view "${name}" as ${currentView(dataset, corrected.get(name) ?? [])}`)
    await connection.run(`comment on view "${name}" is ${text(`${dataset.description} Licence: ${dataset.licence}.`)}`)
    await commentColumns(connection, dataset, name)
    await commentColumns(connection, dataset, `${name}_history`)
    await connection.run(asOfMacro(dataset, corrected.get(name) ?? []))
    await connection.run(`comment on macro table "${name}_as_of" is ${text(`${dataset.title}, as known at an instant.`)}`)
  }
}
