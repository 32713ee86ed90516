// data/warehouse.duckdb for analysts: documented views over the file lists of the current release. It is written under another name and
// renamed at each release, so an open session keeps the release that it opened. Paths are relative to a folder that a variable can change.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { filingCorrections } from '#schemas/corrections.ts'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import { queryRows, withoutExtensions } from '../duckdb.ts'
import type { Catalogue, LakeFile } from './catalogue.ts'
import { correctedFieldsSql, withCorrections } from './corrected.ts'
import { tablesFolder } from './open.ts'
import { releasesColumns, releasesPath } from './publication/publish.ts'
import { columnList, columnsWithout } from './relation.ts'
import { derivedMeaning } from './view-columns.ts'
import { everyFile, filesOfSymbol, inFolder, listOf, text } from './view-files.ts'

export const warehouseFile = (data: string): string => join(data, 'warehouse.duckdb')
/** Changes that a program made in the file and did not write into it yet; DuckDB makes them again whenever the file is opened. */
export const warehouseLog = (data: string): string => `${warehouseFile(data)}.wal`
const modelFolder = join(import.meta.dirname, 'views')

/** The SHA-256 that names a file, from its path; equal for every spelling of the path. */
const hashInName = `parse_filename(filename, true)`

/** `<dataset>_history`: every row of every release. `reads`: which of the merged files are read. */
function historyView(dataset: DatasetDefinition, files: readonly LakeFile[], data: string, reads = everyFile): string {
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
function currentView(
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

/** Comments on the columns of a view: those of the dataset, and for digits a reference to their column. */
async function commentColumns(connection: DuckDBConnection, dataset: DatasetDefinition, view: string): Promise<void> {
  const isCurrent = view === dataset.name
  const statements = dataset.columns.flatMap(({ name, decimal, description }) => [
    `comment on column "${view}"."${name}" is ${text(description ?? '')}`,
    ...(isCurrent && decimal && dataset.columns.every(column => column.name !== `${name}_printed`)
      ? [`comment on column "${view}"."${name}_printed" is ${text(`the digits of ${name} as printed`)}`]
      : []),
  ])
  await connection.run(statements.join(';\n'))
}

/** Comments on the columns of a view by their names; throws what `meaning` throws for a column that it does not know. */
async function commentEach(connection: DuckDBConnection, view: string, meaning: (column: string) => string): Promise<void> {
  const columns = await queryRows<{ name: string }>(
    connection,
    'select column_name as name from duckdb_columns() where table_name = $view order by column_index',
    { view },
  )
  await connection.run(columns.map(({ name }) => `comment on column "${view}"."${name}" is ${text(meaning(name))}`).join(';\n'))
}
/** The same of a view that is not of one dataset. */
const commentDerived = (connection: DuckDBConnection, view: string): Promise<void> =>
  commentEach(connection, view, column => derivedMeaning(view, column))

type Model = { readonly name: string; readonly comment: string; readonly sql: string }

/** The derived views: `views/*.sql`, each `-- name: comment` in its first line, then one SELECT over the views. */
function readModels(): readonly Model[] {
  return readdirSync(modelFolder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => {
      const sql = readFileSync(join(modelFolder, name), 'utf8')
      const header = /^((?:--[^\n]*\n)+)/.exec(sql)?.[1] ?? ''
      const comment = header.replace(/^-- ?/gm, '').replaceAll('\n', ' ').trim()
      return {
        name: name
          .replace(/\.sql$/, '')
          .replace(/^\d+-/, '')
          .replaceAll('-', '_'),
        comment,
        sql: sql.slice(header.length).trim().replace(/;\s*$/, ''),
      }
    })
}

/** A derived view as a macro of one symbol: its datasets of that symbol alone, and the derived views that it reads. */
type MacroOfSymbol = {
  readonly view: string
  readonly datasets: readonly DatasetName[]
  readonly views: readonly string[]
  readonly order: string
  readonly comment: string
}
const macrosOfSymbol: readonly MacroOfSymbol[] = [
  {
    view: 'bars_adjusted',
    datasets: ['bars', 'bar_corrections'],
    views: ['bars_corrected', 'listing_spans', 'factor_steps'],
    order: 'date',
    comment:
      'bars_adjusted of one symbol, in order of date: it reads only the rows that it needs. bars_adjusted computes the factors of the whole market first.',
  },
  {
    view: 'dividends',
    datasets: ['bars', 'corporate_actions', 'action_verdicts'],
    views: ['listing_spans', 'factor_steps'],
    order: 'ex_date, kind, source_name',
    comment:
      'dividends of one symbol, in order of ex_date: it reads only the rows that it needs. dividends computes the factors of the whole market first.',
  },
]

/**
 * `bars_adjusted_of(of_symbol)` and `dividends_of(of_symbol)`: the statements of the view over the rows of one symbol, and over the factors
 * of the symbols that its instruments have had. A filter on the view does not reach the factors, which are computed for the whole market.
 */
function macroOfSymbol({ view, datasets, views, order }: MacroOfSymbol, models: readonly Model[], catalogue: Catalogue, data: string): string {
  const rowsOf = (name: DatasetName, own: string, history?: string): string =>
    `"${name}" as (${currentView(datasetOf(name), [], 'true', own, history)})`
  const ofSymbol = (name: DatasetName): string =>
    rowsOf(name, 'symbol = of_symbol', `(${historyView(datasetOf(name), catalogue.files.get(name) ?? [], data, filesOfSymbol)})`)
  const ofInstruments = 'symbol in (select symbol from related_symbols)'
  const modelOf = (name: string): string => {
    const model = models.find(each => each.name === name)
    if (model === undefined) throw new TypeError(`views/: there is no ${name}.sql, which ${view}_of needs`)
    return model.sql
  }
  const parts = [
    // A superset is enough: rows of other instruments are not joined to those of the symbol.
    `related_symbols as materialized (
      select symbol from symbols_history where instrument_id in (select instrument_id from symbols_history where symbol = of_symbol)
      union select of_symbol)`,
    rowsOf('symbols', ofInstruments),
    rowsOf('adjustment_factors', ofInstruments),
    ...datasets.map(ofSymbol),
    ...views.map(name => `"${name}" as (${modelOf(name)})`),
  ]
  return `create macro ${view}_of(of_symbol) as table (with ${parts.join(', ')} select * from (${modelOf(view)}) order by ${order})`
}

/** The derived views, and those of one symbol. */
async function createModels(connection: DuckDBConnection, catalogue: Catalogue, data: string): Promise<void> {
  const newest = (catalogue.files.get('bars') ?? []).reduce((latest, file) => ((file.time_max ?? '') > latest ? (file.time_max ?? '') : latest), '')
  await connection.run(`create macro newest_bar_date() as ${newest === '' ? 'null' : text(newest)}::date`)
  await connection.run("comment on macro newest_bar_date is 'The newest day with a row in bars_history: later actions change no close yet.'")
  const models = readModels()
  for (const model of models) {
    await connection.run(`create or replace view "${model.name}" as ${model.sql}`)
    await connection.run(`comment on view "${model.name}" is ${text(model.comment)}`)
    await commentDerived(connection, model.name)
  }
  for (const macro of macrosOfSymbol) {
    await connection.run(macroOfSymbol(macro, models, catalogue, data))
    await connection.run(`comment on macro table ${macro.view}_of is ${text(macro.comment)}`)
  }
}

/** DuckDB does not detect a flipped bit in Parquet: this view lists damaged files. */
function damagedView(data: string, catalogue: Catalogue): string {
  const files = [...catalogue.files.values()].flat()
  if (files.length === 0) return 'select null::varchar as dataset, null::varchar as sha256, null::varchar as found where false'
  const rows = files.map(file => `(${text(file.dataset)}, ${text(file.sha256)})`).join(', ')
  const glob = inFolder(data, join(tablesFolder(data), '*', '*', '*.parquet'))
  return `select dataset, sha256, coalesce(b.found, 'missing') as found from (values ${rows}) f(dataset, sha256)
    left join (select parse_path(filename)[-3] as dataset, ${hashInName} as sha256, sha256(content) as found from read_blob(${glob})) b
      using (dataset, sha256) where b.found is distinct from sha256`
}

/** Empty until the first publication. */
function releasesView(data: string): string {
  if (existsSync(releasesPath(data))) return `select * from read_parquet(${inFolder(data, releasesPath(data))}, hive_partitioning = false)`
  return `select ${releasesColumns.map(([name, type]) => `null::${type} as "${name}"`).join(', ')} where false`
}

/** A Parquet file next to the lake's that is a separate view: the newest build of a model. */
type FileView = { readonly name: string; readonly comment: string; readonly path: string; readonly columnText: (column: string) => string }

/** The views and macros of every dataset, and those derived from them. */
async function createDatasetViews(connection: DuckDBConnection, catalogue: Catalogue, data: string): Promise<void> {
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
  await createModels(connection, catalogue, data)
}

/** The views `damaged_files` and `releases`. */
async function createStateViews(connection: DuckDBConnection, catalogue: Catalogue, data: string): Promise<void> {
  await connection.run(`create view damaged_files as ${damagedView(data, catalogue)}`)
  await connection.run(
    "comment on view damaged_files is 'Files of this release whose content differs from its SHA-256, or that are missing. Reads the whole lake; no rows: every number of the other views is as it was committed.'",
  )
  await connection.run(`create view releases as ${releasesView(data)}`)
  await connection.run(
    "comment on view releases is 'Versions of the Delta log of each dataset (data/lake/delta/<dataset>): a dataset at release N is its newest version with release <= N.'",
  )
  for (const view of ['damaged_files', 'releases']) await commentDerived(connection, view)
}

/** True for the file, or its write-ahead log, of a process that is writing `data/warehouse.duckdb`; a killed process leaves both. */
export const isWarehouseDraft = (name: string): boolean => /^warehouse-[0-9a-f]{12}\.duckdb\.tmp(?:\.wal)?$/.test(name)

/**
 * Writes `data/warehouse.duckdb` for a catalogue. `bucket`: the address of a lake whose files are not in the data folder. Its file has no
 * views of datasets, because DuckDB without extensions reads no bucket; the view `lake` names the address.
 */
export async function writeWarehouseFile(
  data: string,
  catalogue: Catalogue,
  files: readonly FileView[] = [],
  bucket: string | null = null,
): Promise<void> {
  const temporary = join(data, `warehouse-${randomBytes(6).toString('hex')}.duckdb.tmp`)
  try {
    const instance = await DuckDBInstance.create(temporary, { ...withoutExtensions, threads: '1' })
    const connection = await instance.connect()
    await connection.run("set TimeZone = 'UTC'")
    // One transaction: each of the thousand statements would otherwise be synced to the disk.
    await connection.run('begin transaction')
    await connection.run(`create macro data_folder() as coalesce(getvariable('crossfile_data'), ${text(resolve(data))})`)
    await connection.run(
      "comment on macro data_folder is 'The folder of the files that the views read. After a move of the folder: SET VARIABLE crossfile_data = ''/new/folder''.'",
    )
    if (bucket === null) await createDatasetViews(connection, catalogue, data)
    else {
      await connection.run(`create view lake as select ${text(bucket)} as address`)
      await connection.run(
        "comment on view lake is 'The bucket that has the files of the lake, as Delta tables: address/delta/<dataset>. docs/how-to/s3-lake.md shows how programs read them.'",
      )
      await commentDerived(connection, 'lake')
    }
    for (const file of files) {
      await connection.run(
        `create or replace view "${file.name}" as select * from read_parquet(${inFolder(data, file.path)}, hive_partitioning = false)`,
      )
      await connection.run(`comment on view "${file.name}" is ${text(file.comment)}`)
      await commentEach(connection, file.name, file.columnText)
    }
    if (bucket === null) await createStateViews(connection, catalogue, data)
    await connection.run(`create view release as select ${catalogue.release}::bigint as release, ${catalogue.version}::bigint as catalogue_version`)
    await connection.run("comment on view release is 'The release that these views show.'")
    await commentDerived(connection, 'release')
    await connection.run('commit')
    await connection.run('checkpoint')
    connection.closeSync()
    instance.closeSync()
    // Before the rename: the log belongs to the file that is replaced, and DuckDB would change the new one by it.
    await rm(warehouseLog(data), { force: true })
    await rename(temporary, warehouseFile(data))
  } finally {
    await rm(temporary, { force: true })
    await rm(`${temporary}.wal`, { force: true })
  }
}

export type WarehouseFileState =
  | { readonly state: 'whole'; readonly views: number }
  | { readonly state: 'missing' | 'in use' }
  | { readonly state: 'damaged'; readonly reason: string }

/**
 * Opens `data/warehouse.duckdb` and lists its views, which reads all of it; DuckDB checks the checksum of each block. A log next to a file
 * that no program has open is damage: a session that was killed, or one that has an older file open, left it.
 */
export async function inspectWarehouseFile(data: string): Promise<WarehouseFileState> {
  const path = warehouseFile(data)
  if (!existsSync(path)) return { state: 'missing' }
  try {
    const instance = await DuckDBInstance.create(path, { ...withoutExtensions, access_mode: 'READ_ONLY', threads: '1' })
    try {
      const connection = await instance.connect()
      try {
        const read = await connection.runAndReadAll('select count(*)::int as views from duckdb_views() where not internal')
        if (existsSync(warehouseLog(data))) return { state: 'damaged', reason: `a program left changes in ${warehouseLog(data)}` }
        return { state: 'whole', views: Number(read.getRowObjectsJson()[0]?.['views']) }
      } finally {
        connection.closeSync()
      }
    } finally {
      instance.closeSync()
    }
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
    return /could not set lock/i.test(reason) ? { state: 'in use' } : { state: 'damaged', reason }
  }
}
