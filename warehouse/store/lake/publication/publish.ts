// What other programs read of the lake, as the aftermath of each commit: one Delta log and one folder of live files per dataset, one
// manifest per release, and releases.parquet, which states the version of each dataset at a release. A dataset without rows has a log too,
// and no folder of files. All of it follows from the catalogue and is rebuilt if it is lost. Committed data does not depend on it.
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import { runSql } from '../../duckdb.ts'
import type { Database, Db } from '../../postgres.ts'
import type { LakeWriter } from '../compact.ts'
import { turns } from '../turns.ts'
import { lakeFolder } from '../verifier.ts'
import { commitText, type Step, schemaSha256, type Table } from './delta.ts'
import {
  checkpointEvery,
  findLogFault,
  hasVersion,
  keptFrom,
  keptVersions,
  removeLog,
  sha256OfText,
  trimLog,
  writeCheckpoint,
  writeVersion,
} from './log-folder.ts'
import { logStoreOf } from './log-store.ts'
import { type PublishOptions, publishManifests } from './publish-manifests.ts'
import { lockPublication, publishSnapshot, removeSnapshots } from './snapshots.ts'
import { type Change, changesSince, filesAt, type ListedFile, type RowsUpTo, rowsOf, steppedReleases } from './steps.ts'

export type Published = {
  /** Versions that were written, of all datasets; without those of `created`. */
  readonly versions: number
  /** Datasets without rows whose table was made. */
  readonly created: number
  /** Datasets whose log was lost or damaged and was rebuilt. */
  readonly rebuilt: readonly string[]
  readonly manifests: number
}

export const releasesName = 'releases.parquet'
export const releasesPath = (data: string): string => join(lakeFolder(data), releasesName)

export type Version = Readonly<{
  version: number
  release: number
  catalogue_version: number
  kind: string
  schema_sha256: string
  log_sha256: string
}>

export type Inputs = {
  readonly release: number
  readonly files: ReadonlyMap<string, readonly ListedFile[]>
  /** The newest versions of each dataset, ascending, at least those whose log is kept. */
  readonly versions: ReadonlyMap<string, readonly Version[]>
  readonly rowsUpTo: RowsUpTo
  readonly instantOf: (release: number) => Promise<number>
  /** Runs statements of the transaction one after the other, because several datasets are published at the same time. */
  readonly inTurn: <T>(statements: () => Promise<T>) => Promise<T>
}

/** Datasets of a bucket that are published at the same time: each waits for four requests, and the first publication has all of them. */
const datasetsAtOnce = 16

/**
 * Brings logs, manifests and releases.parquet to the state of the catalogue; one process at a time. `check`: also compare every file of
 * the logs with what was written, and rebuild a log that is not whole. `everyObject`: compare the manifests in a bucket too. Throws, after all else is published, if the folder of links of a
 * dataset cannot be made.
 */
export async function publishLake(db: Db, writer: LakeWriter, options: PublishOptions = {}): Promise<Published> {
  const failures: unknown[] = []
  const done = await db.transaction().execute(async trx => {
    await lockPublication(trx)
    const inputs = await readInputs(trx)
    const rebuilt: string[] = []
    let versions = 0
    let created = 0
    const check = options.check === true
    await eachDataset(writer, async name => {
      const done = await publishDataset(trx, writer, name, inputs, check)
      // After the log, whose versions the snapshots are named by.
      const version = (inputs.versions.get(name)?.at(-1)?.version ?? -1) + done.versions
      const live = (inputs.files.get(name) ?? []).filter(file => file.removed_version === null)
      try {
        // A link to a file that only the bucket has would be passed over without an error.
        if (writer.remote) await removeSnapshots(writer.data, name)
        else if (live.length > 0) await publishSnapshot(writer.data, name, version, live, check || done.versions > 0, writer.crashPoint)
        else if (check) await removeSnapshots(writer.data, name)
      } catch (error) {
        // The logs of all datasets and the manifests do not depend on the folders of links.
        failures.push(error)
      }
      if (isNew(name, inputs)) created += done.versions
      else versions += done.versions
      if (done.rebuilt) rebuilt.push(name)
    })
    const manifests = await publishManifests(trx, writer, inputs, options)
    if (versions + created > 0 || check || !(await logStoreOf(writer).has(releasesName))) await writeReleases(trx, writer)
    return { versions, created, rebuilt: rebuilt.sort(), manifests }
  })
  if (failures.length > 0) throw failures[0]
  return done
}

/**
 * Publishes each dataset: one after the other on this disk, several at the same time in a bucket. After a failure no other one begins, and
 * those that have begun end before it is thrown, because they use the transaction.
 */
async function eachDataset(writer: LakeWriter, publish: (name: DatasetName) => Promise<void>): Promise<void> {
  const inTurn = turns(writer.remote ? datasetsAtOnce : 1)
  let failure: { readonly error: unknown } | null = null
  await Promise.all(
    datasetNames.map(name =>
      inTurn(async () => {
        if (failure !== null) return
        await publish(name).catch((error: unknown) => {
          failure ??= { error }
        })
      }),
    ),
  )
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}

export async function readInputs(trx: Transaction<Database>): Promise<Inputs> {
  const files = await sql<ListedFile>`
    select dataset, bucket, sha256, bytes, rows, key_min, key_max, time_min, time_max, fresh_release, release_min, release_max,
      added_version, removed_version
    from lake_file order by file_id`.execute(trx)
  const versions = await sql<Version & { dataset: string }>`
    select t.* from table_version t join (select dataset, max(version) as newest from table_version group by dataset) n using (dataset)
    where t.version > n.newest - ${keptVersions + checkpointEvery} order by dataset, version`.execute(trx)
  const { release } = await trx.selectFrom('head').select('release').executeTakeFirstOrThrow()
  const counts = await sql<{ dataset: string; release: number; rows: number }>`
    select dataset, greatest(release, ${release - steppedReleases}::bigint) as release, sum(rows)::bigint as rows
    from dataset_release group by 1, 2 order by 1, 2`.execute(trx)
  const totals = new Map<string, { readonly release: number; readonly rows: number }[]>()
  for (const row of counts.rows) {
    const list = totals.get(row.dataset) ?? []
    list.push({ release: Number(row.release), rows: (list.at(-1)?.rows ?? 0) + Number(row.rows) })
    totals.set(row.dataset, list)
  }
  const inTurn = turns(1)
  return {
    release,
    files: Map.groupBy(files.rows, file => file.dataset),
    versions: Map.groupBy(versions.rows, version => version.dataset),
    rowsUpTo: (dataset, upTo) => (totals.get(dataset) ?? []).findLast(row => row.release <= upTo)?.rows ?? -1,
    inTurn,
    async instantOf(number) {
      const row = await inTurn(() => trx.selectFrom('release').select('committed_at').where('release', '=', number).executeTakeFirst())
      return row === undefined ? 0 : Date.parse(row.committed_at)
    },
  }
}

/** The oldest version of the log: 0, or the one with which it was rebuilt. */
export const firstOf = (versions: readonly Version[]): number => versions.findLast(version => version.kind === 'remade')?.version ?? 0

/** The table of a dataset with these files, live or not yet deleted. */
const tableOf = (name: DatasetName, files: readonly ListedFile[]): Table => ({
  dataset: datasetOf(name),
  hasReleases: files.every(file => file.release_min !== null),
})

/**
 * True if the catalogue still has every file of the newest version of the log. Merged files are forgotten after a day: if the log is as far
 * behind, it cannot state their removal.
 */
async function knowsFilesOf(trx: Transaction<Database>, name: DatasetName, files: readonly ListedFile[], last: Version): Promise<boolean> {
  const { rows } = await sql<{ rows: number }>`
    select coalesce(sum(rows), 0)::bigint as rows from dataset_release where dataset = ${name} and release <= ${last.release}`.execute(trx)
  return rowsOf(filesAt(files, last.catalogue_version)) === Number(rows[0]?.rows)
}

/** True if a dataset has neither rows nor a log. */
const isNew = (name: DatasetName, { files, versions }: Inputs): boolean => !files.has(name) && !versions.has(name)

async function publishDataset(
  trx: Transaction<Database>,
  writer: LakeWriter,
  name: DatasetName,
  inputs: Inputs,
  check: boolean,
): Promise<{ readonly versions: number; readonly rebuilt: boolean }> {
  const store = logStoreOf(writer)
  const held = inputs.versions.get(name) ?? []
  const files = inputs.files.get(name) ?? []
  const last = held.at(-1)
  if (last === undefined) {
    // Files of a log that this database does not know would be read as newer versions.
    await removeLog(store, name)
    return { versions: await append(trx, writer, name, inputs, changesSince(name, files, 0, inputs.rowsUpTo), held), rebuilt: false }
  }
  const from = keptFrom(last.version, firstOf(held))
  // A request for each dataset at each publication would be too many: the start of a worker looks into a bucket.
  const isUsable = check
    ? (await findLogFault(store, name, held, from)) === null
    : writer.remote != null || (await hasVersion(store, name, last.version))
  const changes = changesSince(name, files, last.catalogue_version, inputs.rowsUpTo)
  if (!isUsable || (changes.length > 0 && !(await inputs.inTurn(() => knowsFilesOf(trx, name, files, last))))) {
    if (files.length === 0 && (await writeEmptyLog(writer, name, last))) return { versions: 0, rebuilt: true }
    await rebuild(trx, writer, name, inputs, last)
    return { versions: 1, rebuilt: true }
  }
  return { versions: await append(trx, writer, name, inputs, changes, held), rebuilt: false }
}

/** Appends a version for another schema, which is also the first of a dataset without rows, and one for each change; returns their number. */
async function append(
  trx: Transaction<Database>,
  writer: LakeWriter,
  name: DatasetName,
  inputs: Inputs,
  changes: readonly Change[],
  held: readonly Version[],
): Promise<number> {
  const files = inputs.files.get(name) ?? []
  const table = tableOf(name, files)
  const schema = schemaSha256(table)
  const last = held.at(-1)
  const isOtherSchema = last?.schema_sha256 !== schema
  const catalogueVersion = last?.catalogue_version ?? 0
  const live = filesAt(files, catalogueVersion)
  // Every file needs the statistics that the schema's text names, so those of the version before are stated again.
  const restated: Change = { catalogue_version: catalogueVersion, release: last?.release ?? 0, files: live, added: live, removed: [] }
  const isRestated = isOtherSchema && (last !== undefined || changes.length === 0)
  const all: readonly Change[] = isRestated ? [restated, ...changes] : changes
  let version = last?.version ?? -1
  let release = last?.release ?? 0
  const store = logStoreOf(writer)
  for (const [at, change] of all.entries()) {
    version += 1
    const timestamp = await inputs.instantOf(change.release)
    const dataChange = change.release > release
    const isCompaction = !dataChange && change !== restated
    const step: Step = { ...change, version, timestamp, dataChange, isCompaction, withSchema: at === 0 && isOtherSchema }
    const text = commitText(table, step)
    await writeVersion(store, name, version, text)
    const kind = dataChange ? 'commit' : isCompaction ? 'compaction' : 'schema'
    const row = { ...change, version, kind, schema_sha256: schema, log_sha256: sha256OfText(text) }
    await inputs.inTurn(() => record(trx, name, row))
    release = change.release
    if (version % checkpointEvery !== 0) continue
    await writeCheckpoint(writer, table, version, change.files, timestamp)
    await trimLog(store, name, keptFrom(version, firstOf(held)), version)
  }
  return all.length
}

/** Version 0 of a dataset without rows. It is of release 0: at every release before its first rows, the table is empty. */
const emptyStep: Step = { version: 0, release: 0, timestamp: 0, dataChange: false, isCompaction: false, added: [], removed: [], withSchema: true }

/** Writes the log of a dataset that never had a row again, with the same bytes. False if it has another version than that one. */
async function writeEmptyLog(writer: LakeWriter, name: DatasetName, last: Version): Promise<boolean> {
  const table = tableOf(name, [])
  const text = commitText(table, emptyStep)
  if (last.version !== 0 || sha256OfText(text) !== last.log_sha256) return false
  const store = logStoreOf(writer)
  await removeLog(store, name)
  await writeVersion(store, name, 0, text)
  await writeCheckpoint(writer, table, 0, [], 0)
  return true
}

/** Starts the log again with the next version: a checkpoint, and no older versions. */
async function rebuild(trx: Transaction<Database>, writer: LakeWriter, name: DatasetName, inputs: Inputs, last: Version): Promise<void> {
  const files = inputs.files.get(name) ?? []
  const table = tableOf(name, files)
  const newest = files.reduce((most, file) => Math.max(most, file.added_version, file.removed_version ?? 0), last.catalogue_version)
  const live = filesAt(files, newest)
  const release = live.reduce((most, file) => Math.max(most, file.release_max), 0)
  const timestamp = await inputs.instantOf(release)
  const version = last.version + 1
  // A program that reads the version after the older ones, before these are deleted, must not keep files that are no longer live.
  const kept = new Set(live.map(file => file.sha256))
  const removed = filesAt(files, last.catalogue_version).filter(file => !kept.has(file.sha256))
  const change = { dataChange: release > last.release, isCompaction: false, added: live, removed, withSchema: true }
  const text = commitText(table, { version, release, timestamp, ...change })
  await writeVersion(logStoreOf(writer), name, version, text)
  await writeCheckpoint(writer, table, version, live, timestamp)
  const schema_sha256 = schemaSha256(table)
  const row = { version, release, catalogue_version: newest, kind: 'remade', schema_sha256, log_sha256: sha256OfText(text) }
  await inputs.inTurn(() => record(trx, name, row))
  await trimLog(logStoreOf(writer), name, version, version)
}

async function record(trx: Transaction<Database>, dataset: string, row: Version): Promise<void> {
  const { version, release, catalogue_version, schema_sha256, log_sha256 } = row
  const kind = row.kind as 'commit' | 'compaction' | 'schema' | 'remade'
  await trx.insertInto('table_version').values({ dataset, version, release, catalogue_version, kind, schema_sha256, log_sha256 }).execute()
}

/** releases.parquet: one row per version of a dataset whose log is kept. Release 0, before the first commit, has no instant. */
async function writeReleases(trx: Transaction<Database>, writer: LakeWriter): Promise<void> {
  const { rows } = await sql<object>`
    select t.dataset, t.version, t.release, r.committed_at, t.kind from table_version t left join release r using (release)
      join (select dataset, max(version) as newest, coalesce(max(version) filter (where kind = 'remade'), 0) as first
        from table_version group by dataset) n using (dataset)
    where t.version >= greatest(n.first, (n.newest - ${keptVersions}) / ${checkpointEvery} * ${checkpointEvery})
    order by t.dataset, t.version`.execute(trx)
  const id = randomBytes(6).toString('hex')
  const lines = join(writer.stageFolder, `releases-${id}.ndjson`)
  const staged = join(writer.stageFolder, `releases-${id}.parquet`)
  try {
    await writeFile(lines, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    const columns = releasesColumns.map(([name, type]) => `"${name}": '${type}'`).join(', ')
    await writer.connections.use(connection =>
      runSql(
        connection,
        `copy (select * from read_json($lines, format = 'newline_delimited', hive_partitioning = false, columns = {${columns}})) to '${staged.replaceAll("'", "''")}' (format parquet, compression zstd)`,
        { lines },
      ),
    )
    await logStoreOf(writer).move(staged, releasesName)
  } finally {
    await rm(lines, { force: true })
    await rm(staged, { force: true })
  }
}

/** The columns of releases.parquet. */
export const releasesColumns: readonly (readonly [name: string, type: string])[] = [
  ['dataset', 'VARCHAR'],
  ['version', 'BIGINT'],
  ['release', 'BIGINT'],
  ['committed_at', 'TIMESTAMPTZ'],
  ['kind', 'VARCHAR'],
]
