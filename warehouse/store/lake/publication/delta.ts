// The Delta log of a dataset as text (protocol: reader version 1): the schema with comments, and the actions of one version. The log
// lists the files of `data/lake/delta/<dataset>`; it is made from the catalogue, and no program but this one writes to it.
import { createHash } from 'node:crypto'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { Broken } from '#schemas/errors.ts'

/** What the log states about a file. `release_min`, `release_max`: its oldest release, null if it is not known, and its newest. */
export type TableFile = {
  readonly bucket: string
  readonly sha256: string
  readonly bytes: number
  readonly rows: number
  readonly key_min: string
  readonly key_max: string
  readonly time_min: string | null
  readonly time_max: string | null
  readonly release_min: number | null
  readonly release_max: number
}

/** A dataset as a Delta table. `hasReleases`: every file states the limits of `release_from`. */
export type Table = { readonly dataset: DatasetDefinition; readonly hasReleases: boolean }

export type Step = {
  readonly version: number
  readonly release: number
  /** The instant of that release, in milliseconds. */
  readonly timestamp: number
  /** False if the rows are those of the version before: compaction, or what the log states about the table or its files. */
  readonly dataChange: boolean
  readonly isCompaction: boolean
  readonly added: readonly TableFile[]
  readonly removed: readonly TableFile[]
  /** The schema, if it differs from that of the version before. */
  readonly withSchema: boolean
}

export type DeltaType = string | { readonly type: 'array'; readonly elementType: DeltaType; readonly containsNull: true } | DeltaStruct
type DeltaField = { readonly name: string; readonly type: DeltaType; readonly nullable: true; readonly metadata: Readonly<Record<string, string>> }
type DeltaStruct = { readonly type: 'struct'; readonly fields: readonly DeltaField[] }

const simpleTypes: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  BIGINT: 'long',
  INTEGER: 'integer',
  SMALLINT: 'short',
  BOOLEAN: 'boolean',
  DOUBLE: 'double',
  DATE: 'date',
  TIMESTAMPTZ: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
}

/** The Delta type of a DuckDB type. Decimals are text in the files, because they keep the digits of their source. */
export function deltaType(duckdb: string): DeltaType {
  if (duckdb.endsWith('[]')) return { type: 'array', elementType: deltaType(duckdb.slice(0, -2)), containsNull: true }
  if (duckdb.startsWith('STRUCT(') && duckdb.endsWith(')')) {
    const fields = splitParts(duckdb.slice('STRUCT('.length, -1)).map(part => {
      const match = /^"([^"]+)" (.+)$/.exec(part)
      if (!match) throw new TypeError(`${part}: no field of a STRUCT; expected "name" TYPE`)
      return { name: match[1] as string, type: deltaType(match[2] as string), nullable: true as const, metadata: {} }
    })
    return { type: 'struct', fields }
  }
  const simple = simpleTypes[duckdb]
  if (simple === undefined) throw new TypeError(`${duckdb}: the Delta log has no type for it; add it to simpleTypes`)
  return simple
}

/** Splits at commas outside of parentheses. */
function splitParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...parts, text.slice(from).trim()]
}

function schemaString(dataset: DatasetDefinition): string {
  const fields = dataset.columns.map(({ name, type, description }) => ({
    name,
    type: deltaType(type),
    nullable: true,
    metadata: description === null ? {} : { comment: description },
  }))
  return JSON.stringify({ type: 'struct', fields })
}

/** The SHA-256 of what the log states about a table: its columns, with their comments, and its properties. */
export const schemaSha256 = (table: Table): string =>
  createHash('sha256')
    .update(JSON.stringify([schemaString(table.dataset), propertiesOf(table)]))
    .digest('hex')

/** A UUID that depends on a name only, so that a rebuilt log is of the same table. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`crossfile/${name}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

/** What a table of another format states about a dataset. */
export const describeTable = (dataset: DatasetDefinition): string =>
  `${dataset.description} Every row of every release: the newest row of a key (${dataset.key.join(', ')}) by release_from is current, unless it is withdrawn.`

const protocol = { protocol: { minReaderVersion: 1, minWriterVersion: 2 } }
const metaData = ({ dataset, hasReleases }: Table) => ({
  metaData: {
    id: uuidOf(dataset.name),
    name: dataset.name,
    description: describeTable(dataset),
    format: { provider: 'parquet', options: {} },
    schemaString: schemaString(dataset),
    partitionColumns: [],
    configuration: propertiesOf({ dataset, hasReleases }),
    createdTime: 0,
  },
})

/** Path of a file relative to the folder of its dataset, as the log and the manifests have it. */
const tablePath = ({ bucket, sha256 }: Pick<TableFile, 'bucket' | 'sha256'>): string => `${bucket}/${sha256}.parquet`

/**
 * The columns of facts whose limits every file states: the first of the order and that of time, if they are text or days and no row lacks a
 * value. A column with limits in some files only, or with nulls that are not counted, is a trap: deltalake reads limits that are missing as
 * null and then passes over the file.
 */
export function limitedColumns(dataset: DatasetDefinition): readonly string[] {
  const hasLimits = (name: string, types: readonly string[]): boolean =>
    dataset.columns.some(column => column.name === name && types.includes(column.type) && !column.nullable)
  const [first] = dataset.order
  return [
    ...new Set([
      ...(first !== undefined && hasLimits(first, ['VARCHAR', 'DATE']) ? [first] : []),
      ...(hasLimits(dataset.time, ['DATE']) ? [dataset.time] : []),
    ]),
  ]
}

/** States that the files have statistics of these columns and of no other. Without it, readers expect them of all columns. */
const propertiesOf = ({ dataset, hasReleases }: Table): Readonly<Record<string, string>> => ({
  'delta.dataSkippingStatsColumns': [...limitedColumns(dataset), ...(hasReleases ? ['release_from'] : [])].join(','),
})

/** The limits of those columns in a file. Throws `Broken` if the catalogue has none. */
export function limitsOf(dataset: DatasetDefinition, file: TableFile): (readonly [column: string, min: string, max: string])[] {
  return limitedColumns(dataset).map(column => {
    const [min, max] = column === dataset.order[0] ? [file.key_min, file.key_max] : [file.time_min, file.time_max]
    if (min === null || max === null) throw new Broken(`${dataset.name}: the catalogue has no limits of ${column} in ${tablePath(file)}`)
    return [column, min, max]
  })
}

/** Number of rows and limits of a file, as the log has them. All are exact: programs answer `min` and `max` from them. */
function statsOf({ dataset, hasReleases }: Table, file: TableFile): string {
  const limits: (readonly [column: string, min: string | number, max: string | number])[] = limitsOf(dataset, file)
  if (hasReleases) {
    if (file.release_min === null) throw new Broken(`${dataset.name}: the catalogue has no oldest release of ${tablePath(file)}`)
    limits.push(['release_from', file.release_min, file.release_max])
  }
  const minValues = Object.fromEntries(limits.map(([column, min]) => [column, min]))
  const maxValues = Object.fromEntries(limits.map(([column, , max]) => [column, max]))
  const nullCount = Object.fromEntries(limits.map(([column]) => [column, 0]))
  return JSON.stringify({ numRecords: file.rows, minValues, maxValues, nullCount })
}

const addOf = (table: Table, file: TableFile, timestamp: number, dataChange: boolean) => ({
  add: {
    path: tablePath(file),
    partitionValues: {},
    size: file.bytes,
    modificationTime: timestamp,
    dataChange,
    stats: statsOf(table, file),
    tags: { sha256: file.sha256, release_max: String(file.release_max) },
  },
})

/** `<version>.json`: one action per line. The same step always gives the same bytes. */
export function commitText(table: Table, step: Step): string {
  const operation = step.isCompaction ? 'OPTIMIZE' : 'WRITE'
  const actions: object[] = [
    {
      commitInfo: {
        timestamp: step.timestamp,
        operation,
        operationParameters: {},
        engineInfo: 'crossfile',
        userMetadata: `release ${step.release}`,
      },
    },
  ]
  if (step.withSchema) actions.push(protocol, metaData(table))
  for (const file of step.removed)
    actions.push({
      remove: {
        path: tablePath(file),
        deletionTimestamp: step.timestamp,
        dataChange: step.dataChange,
        extendedFileMetadata: true,
        partitionValues: {},
        size: file.bytes,
      },
    })
  for (const file of step.added) actions.push(addOf(table, file, step.timestamp, step.dataChange))
  return `${actions.map(action => JSON.stringify(action)).join('\n')}\n`
}

/** The actions of a checkpoint: everything that a reader needs of a version. */
export function checkpointActions(table: Table, files: readonly TableFile[], timestamp: number): readonly object[] {
  return [protocol, metaData(table), ...files.map(file => addOf(table, file, timestamp, false))]
}

/** The columns of a checkpoint, for DuckDB. */
export const checkpointColumns: Readonly<Record<string, string>> = {
  txn: 'STRUCT("appId" VARCHAR, "version" BIGINT, "lastUpdated" BIGINT)',
  add: 'STRUCT("path" VARCHAR, "partitionValues" MAP(VARCHAR, VARCHAR), "size" BIGINT, "modificationTime" BIGINT, "dataChange" BOOLEAN, "stats" VARCHAR, "tags" MAP(VARCHAR, VARCHAR))',
  remove:
    'STRUCT("path" VARCHAR, "deletionTimestamp" BIGINT, "dataChange" BOOLEAN, "extendedFileMetadata" BOOLEAN, "partitionValues" MAP(VARCHAR, VARCHAR), "size" BIGINT)',
  metaData:
    'STRUCT("id" VARCHAR, "name" VARCHAR, "description" VARCHAR, "format" STRUCT("provider" VARCHAR, "options" MAP(VARCHAR, VARCHAR)), "schemaString" VARCHAR, "partitionColumns" VARCHAR[], "configuration" MAP(VARCHAR, VARCHAR), "createdTime" BIGINT)',
  protocol: 'STRUCT("minReaderVersion" INTEGER, "minWriterVersion" INTEGER)',
}
