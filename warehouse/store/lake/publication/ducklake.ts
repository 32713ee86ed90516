// A DuckLake catalogue (specification 1.0) of the lake's files, as rows of its tables: each release whose files are all known is a snapshot
// with the number of the release. Pure functions; `ducklake-file.ts` writes them. No byte of the lake is copied.
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { type DeltaType, deltaType, describeTable, limitsOf, uuidOf } from './delta.ts'
import { changesSince, type ListedFile, type RowsUpTo } from './steps.ts'

/** The version of the DuckLake specification. */
const specification = '1.0'

type Row = Readonly<Record<string, string | number | boolean | null>>
/** Rows by table; `ducklake.sql` creates all tables of the specification. A member that is omitted is null. */
export type DucklakeRows = ReadonlyMap<string, readonly Row[]>

type CommittedRelease = {
  readonly release: number
  /** ISO 8601. */
  readonly committed_at: string
  /** Datasets that the release changed. */
  readonly datasets: readonly string[]
}
export type DucklakeInputs = {
  readonly datasets: readonly DatasetDefinition[]
  /** Every file of the catalogue, also those that were merged away, by dataset. `lacks`: columns that the file does not have. */
  readonly files: ReadonlyMap<string, readonly (ListedFile & { readonly lacks: readonly string[] })[]>
  /** Oldest first. */
  readonly releases: readonly CommittedRelease[]
  readonly rowsUpTo: RowsUpTo
  /** The folder or the address of the datasets' files, with a slash at the end. */
  readonly dataPath: string
}

type State = { readonly release: number; readonly files: readonly string[] }

/** The files of a dataset at each release whose files are all known, oldest first; of several states of a release the last, merged one. */
function statesOf(dataset: string, { files, rowsUpTo }: DucklakeInputs): State[] {
  const states = new Map<number, State>()
  for (const change of changesSince(dataset, files.get(dataset) ?? [], 0, rowsUpTo))
    states.set(change.release, { release: change.release, files: change.files.map(file => file.sha256) })
  return [...states.values()].sort((a, b) => a.release - b.release)
}

/**
 * The releases that can be shown: those at which every dataset has a known state. A merged file is deleted a day later, and with it the
 * states before; the newest release can always be shown.
 */
function shownReleases({ releases }: DucklakeInputs, states: ReadonlyMap<string, readonly State[]>): CommittedRelease[] {
  const changed = new Map<string, number>()
  const shown: CommittedRelease[] = []
  for (const release of releases) {
    for (const dataset of release.datasets) changed.set(dataset, release.release)
    if ([...changed].every(([dataset, last]) => states.get(dataset)?.some(state => state.release === last))) shown.push(release)
  }
  return shown
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'varchar',
  long: 'int64',
  integer: 'int32',
  short: 'int16',
  boolean: 'boolean',
  double: 'float64',
  date: 'date',
  timestamp: 'timestamptz',
}

type ColumnNode = {
  readonly id: number
  readonly name: string
  /** The name in the Parquet schema, where the elements of a list are in a group `list`. */
  readonly sourceName: string
  readonly type: string
  readonly parent: number | null
  readonly description: string | null
}

/** The columns of a dataset and the members of its lists and structs, each after its parent. */
function columnNodes(dataset: DatasetDefinition): ColumnNode[] {
  const nodes: ColumnNode[] = []
  const add = (name: string, sourceName: string, type: DeltaType, parent: number | null, description: string | null): void => {
    const id = nodes.length + 1
    const isSimple = typeof type === 'string'
    nodes.push({
      id,
      name,
      sourceName,
      type: isSimple ? (simpleTypes[type] as string) : type.type === 'array' ? 'list' : 'struct',
      parent,
      description,
    })
    if (isSimple) return
    if (type.type === 'array') add('element', 'list', type.elementType, id, null)
    else for (const field of type.fields) add(field.name, field.name, field.type, id, null)
  }
  for (const { name, type, description } of dataset.columns) add(name, name, deltaType(type), null, description)
  return nodes
}

/** Without the columns that a file lacks, and their members. */
function presentNodes(nodes: readonly ColumnNode[], lacks: readonly string[]): ColumnNode[] {
  const absent = new Set<number>()
  return nodes.filter(node => {
    const isAbsent = node.parent === null ? lacks.includes(node.name) : absent.has(node.parent)
    if (isAbsent) absent.add(node.id)
    return !isAbsent
  })
}

/** The rows of the tables, and the releases that it shows. Without a release there is no snapshot. */
export function ducklakeRows(inputs: DucklakeInputs): { readonly rows: DucklakeRows; readonly releases: readonly number[] } {
  const states = new Map(inputs.datasets.map(({ name }) => [name, statesOf(name, inputs)]))
  const shown = shownReleases(inputs, states)
  const rows = new Map<string, Row[]>()
  const put: Put = (table, row) => {
    const held = rows.get(table)
    if (held) held.push(row)
    else rows.set(table, [row])
  }
  const begin = shown[0]?.release ?? 0
  put('ducklake_metadata', { key: 'version', value: specification })
  put('ducklake_metadata', { key: 'created_by', value: 'Crossfile' })
  put('ducklake_metadata', { key: 'data_path', value: inputs.dataPath })
  put('ducklake_metadata', { key: 'encrypted', value: 'false' })
  put('ducklake_schema', {
    schema_id: 0,
    schema_uuid: uuidOf('ducklake/main'),
    begin_snapshot: begin,
    schema_name: 'main',
    path: '',
    path_is_relative: true,
  })
  let files = 0
  let mappings = 0
  for (const [at, dataset] of inputs.datasets.entries()) {
    const table_id = at + 1
    const done = putTable(put, dataset, { table_id, begin, fileFrom: files, mappingFrom: mappings }, spansOf(inputs, dataset.name, states, shown))
    files += done.files
    mappings += done.mappings
  }
  for (const { release, committed_at } of shown) {
    put('ducklake_snapshot', {
      snapshot_id: release,
      snapshot_time: committed_at,
      schema_version: 1,
      next_catalog_id: inputs.datasets.length + 1,
      next_file_id: files + 1,
    })
    put('ducklake_snapshot_changes', { snapshot_id: release, changes_made: '', author: 'Crossfile', commit_message: `release ${release}` })
  }
  return { rows, releases: shown.map(each => each.release) }
}

type FileSpan = { readonly file: ListedFile & { readonly lacks: readonly string[] }; readonly begin: number; readonly end: number | null }

/** For each file that a shown release has: the first such release, and the first one that no longer has it. */
function spansOf(
  inputs: DucklakeInputs,
  dataset: string,
  states: ReadonlyMap<string, readonly State[]>,
  shown: readonly CommittedRelease[],
): FileSpan[] {
  const bySha = new Map((inputs.files.get(dataset) ?? []).map(file => [file.sha256, file]))
  const own = states.get(dataset) ?? []
  const open = new Map<string, number>()
  const spans: FileSpan[] = []
  const close = (sha256: string, begin: number, end: number | null): void => {
    const file = bySha.get(sha256)
    if (file) spans.push({ file, begin, end })
  }
  for (const { release } of shown) {
    const live = new Set(own.findLast(state => state.release <= release)?.files ?? [])
    for (const [sha256, begin] of open) {
      if (live.has(sha256)) continue
      close(sha256, begin, release)
      open.delete(sha256)
    }
    for (const sha256 of live) if (!open.has(sha256)) open.set(sha256, release)
  }
  for (const [sha256, begin] of open) close(sha256, begin, null)
  return spans
}

type Put = (table: string, row: Row) => void
type Ids = { readonly table_id: number; readonly begin: number; readonly fileFrom: number; readonly mappingFrom: number }

/** The rows of one dataset: its table, columns, comments, name mappings and files. Returns how many files and mappings there are. */
function putTable(put: Put, dataset: DatasetDefinition, { table_id, begin, fileFrom, mappingFrom }: Ids, spans: readonly FileSpan[]) {
  const nodes = columnNodes(dataset)
  const { name } = dataset
  put('ducklake_table', {
    table_id,
    table_uuid: uuidOf(`ducklake/${name}`),
    begin_snapshot: begin,
    schema_id: 0,
    table_name: name,
    path: `${name}/`,
    path_is_relative: true,
  })
  put('ducklake_schema_versions', { begin_snapshot: begin, schema_version: 1, table_id })
  put('ducklake_tag', { object_id: table_id, begin_snapshot: begin, key: 'comment', value: describeTable(dataset) })
  for (const { id, name: column_name, type, parent, description } of nodes) {
    const shape = { column_id: id, begin_snapshot: begin, table_id, column_order: id, column_name, column_type: type, parent_column: parent }
    put('ducklake_column', { ...shape, default_value: 'NULL', nulls_allowed: true, default_value_type: 'literal', default_value_dialect: 'duckdb' })
    if (description !== null) put('ducklake_column_tag', { table_id, column_id: id, begin_snapshot: begin, key: 'comment', value: description })
  }
  const mappings = new Map<string, number>()
  let rows = 0
  for (const [at, { file, begin: begin_snapshot, end: end_snapshot }] of spans.entries()) {
    const lacks = [...file.lacks].sort()
    let mapping_id = mappings.get(lacks.join())
    if (mapping_id === undefined) {
      mapping_id = mappingFrom + mappings.size
      mappings.set(lacks.join(), mapping_id)
      putMapping(put, table_id, mapping_id, presentNodes(nodes, lacks))
    }
    const data_file_id = fileFrom + at + 1
    put('ducklake_data_file', {
      data_file_id,
      table_id,
      begin_snapshot,
      end_snapshot,
      path: `${file.bucket}/${file.sha256}.parquet`,
      path_is_relative: true,
      file_format: 'parquet',
      record_count: file.rows,
      file_size_bytes: file.bytes,
      row_id_start: rows,
      mapping_id,
    })
    rows += file.rows
    for (const [column, min_value, max_value] of limitsOf(dataset, file)) {
      const column_id = nodes.find(node => node.parent === null && node.name === column)?.id ?? null
      put('ducklake_file_column_stats', { data_file_id, table_id, column_id, value_count: file.rows, min_value, max_value })
    }
  }
  put('ducklake_table_stats', {
    table_id,
    record_count: spans.filter(span => span.end === null).reduce((sum, { file }) => sum + file.rows, 0),
    next_row_id: rows,
    file_size_bytes: spans.filter(span => span.end === null).reduce((sum, { file }) => sum + file.bytes, 0),
  })
  return { files: spans.length, mappings: mappings.size }
}

/** Which Parquet column is which column of the table: the files have no field ids. */
function putMapping(put: Put, table_id: number, mapping_id: number, nodes: readonly ColumnNode[]): void {
  put('ducklake_column_mapping', { mapping_id, table_id, type: 'map_by_name' })
  const places = new Map(nodes.map((node, place) => [node.id, place]))
  for (const [place, { id, sourceName, parent }] of nodes.entries()) {
    const parent_column = parent === null ? null : (places.get(parent) ?? null)
    put('ducklake_name_mapping', { mapping_id, column_id: place, source_name: sourceName, target_field_id: id, parent_column, is_partition: false })
  }
}
