// Compaction: small files of a tier become few sorted ones of the next, split at key boundaries. Rows are unchanged, except that each now
// has its release. It creates no release, and every answer stays the same.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { Broken, Damaged, Upstream } from '#schemas/errors.ts'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import { queryRows } from '../duckdb.ts'
import type { Database, Db } from '../postgres.ts'
import { type Catalogue, type LakeFile, loadCatalogue } from './catalogue.ts'
import { addFiles, Conflict } from './commit.ts'
import type { ConnectionPool } from './connections.ts'
import { mayHaveKeys } from './key-order.ts'
import type { Verifier } from './open.ts'
import { columnList, fileRelation, type Relation } from './relation.ts'
import type { Remote } from './remote.ts'
import { type Sealed, seal } from './seal.ts'
import { freshRowGroup, oldestRelease, stage, versionKey } from './stage.ts'

/** Maximum number of files of one tier before they are merged into the next: each adds half a millisecond to a look-up. */
export const fanOut = 4
/** Rows of a compacted file: for one symbol, the footer and the hash of a file are cheap (docs/benchmarks.md). */
const fileGroups = 12

/**
 * Rows of a row group of a compacted file: the rows of four keys, so that the history of one symbol is in a group or two and a look-up
 * decodes little more than it needs. The minimum is given by DuckDB's vectors, the maximum by the size of the footer.
 */
export const mergedRowGroup = (rows: number, keys: number): number =>
  Math.min(10_240, Math.max(2_048, Math.ceil((4 * rows) / Math.max(1, keys) / 2_048) * 2_048))

export type Compaction = { readonly dataset: string; readonly tier: number; readonly merged: number; readonly into: number; readonly rows: number }

export type LakeWriter = {
  readonly data: string
  readonly connections: ConnectionPool
  readonly verifier: Verifier
  readonly stageFolder: string
  /** The bucket of the lake; null: the files are on this disk only. */
  readonly remote?: Remote | null
  /** Files of a commit that are staged at the same time; omitted: one. */
  readonly stagesAtOnce?: number
  /** Named moments at which a test ends the process. */
  readonly crashPoint?: (name: string) => void
}

/** The files of the lowest tier of a dataset with `fanOut` runs or more; null if there is none. */
function dueForCompaction(files: readonly LakeFile[]): { readonly tier: number; readonly files: readonly LakeFile[] } | null {
  const tiers = [...new Set(files.map(file => file.tier))].sort((a, b) => a - b)
  for (const tier of tiers) {
    const own = files.filter(file => file.tier === tier)
    // A run above tier 0 consists of several files with disjoint keys, added at one catalogue version; its bucket names it.
    const runs = new Set(own.map(file => (tier === 0 ? file.sha256 : file.bucket)))
    if (runs.size >= fanOut) return { tier, files: own }
  }
  return null
}

/** Merges every dataset that is due once; returns what was done. A dataset with a damaged file is skipped. */
export async function compactAll(db: Db, writer: LakeWriter): Promise<Compaction[]> {
  const done: Compaction[] = []
  for (const name of datasetNames) {
    for (;;) {
      const catalogue = await loadCatalogue(db)
      const due = dueForCompaction(catalogue.files.get(name) ?? [])
      if (!due) break
      const compaction = await compactTier(db, writer, datasetOf(name), catalogue, due.tier, due.files).catch(error => {
        if (error instanceof Damaged) return null // the verifier reports it once
        throw error
      })
      if (!compaction) break
      done.push(compaction)
    }
  }
  return done
}

async function compactTier(
  db: Db,
  writer: LakeWriter,
  dataset: DatasetDefinition,
  catalogue: Catalogue,
  tier: number,
  files: readonly LakeFile[],
): Promise<Compaction | null> {
  // Hashed now and again after the last read, even if it was hashed before: a merged file of damaged rows would make the damage permanent.
  const hashAll = () => Promise.all(files.map(file => writer.verifier.recheck(writer.verifier.expected(file))))
  const verified = await hashAll()
  const paths = files.map((file, at) => ({ path: verified[at]?.path as string, fresh_release: file.fresh_release, lacks: file.lacks }))
  const relation = fileRelation(dataset, paths)
  // A backfill's files have disjoint keys: a part reads the footers of those it has rows of, not of all.
  const relationOf = (from: string, to: string): Relation => {
    const mayHave = mayHaveKeys(from, to)
    return fileRelation(
      dataset,
      paths.filter((_, at) => mayHave(files[at] as LakeFile)),
    )
  }
  const key = `"${dataset.order[0]}"`
  const run = `t${tier + 1}-${catalogue.version}`
  const sealed: Sealed[] = []
  await writer.connections.use(async connection => {
    const [counted] = await queryRows<{ rows: number; keys: number }>(
      connection,
      `select count(*) as rows, count(distinct ${key}) as keys from ${relation.sql}`,
      relation.parameters,
    )
    const rowGroup = mergedRowGroup(counted?.rows ?? 0, counted?.keys ?? 0)
    // Split when the running count passes a multiple of a file's rows, not inside a key.
    const cuts = await queryRows<{ from_key: string; to_key: string }>(
      connection,
      `select min(k) as from_key, max(k) as to_key from (select ${key}::varchar as k, (sum(count(*)) over (order by ${key}) - 1) // ${rowGroup * fileGroups} as part from ${relation.sql} group by ${key}) group by part order by from_key`,
      relation.parameters,
    )
    for (const cut of cuts) {
      const own = relationOf(cut.from_key, cut.to_key)
      const part = {
        sql: `(select ${columnList(dataset)} from ${own.sql} where ${key} between $from_key and $to_key)`,
        parameters: { ...own.parameters, from_key: cut.from_key, to_key: cut.to_key },
      }
      const path = join(writer.stageFolder, `compact-${randomBytes(8).toString('hex')}.parquet`)
      const staged = await stage(connection, dataset, part, path, [...versionKey(dataset), 'release_from'], rowGroup)
      const file = await seal(writer, staged, run)
      sealed.push(file)
    }
    const merged = sealed.reduce((sum, file) => sum + file.rows, 0)
    if (merged !== counted?.rows) throw new Broken(`${dataset.name}: ${merged} of ${counted?.rows} rows would be in the merged files`)
  })
  await hashAll()
  if (!(await writer.verifier.confirm(verified)))
    throw new Upstream(`${dataset.name}: files changed while they were merged`, { hint: 'the next run merges them' })
  try {
    return await db.transaction().execute(async trx => swapFiles(trx, dataset.name, tier, files, sealed))
  } catch (error) {
    // Another worker merged some of them in the meantime: nothing is lost, and the collector deletes the sealed files.
    if (error instanceof Conflict) return null
    throw error
  }
}

/**
 * Replaces files from before their rows contained the release, and files that lack a column that is not null for their rows, so that a
 * program without the catalogue reads them correctly. Returns their number. A damaged file is left for the repair. For merged files from
 * before the catalogue had their oldest release, it is read from them.
 */
export async function completeFiles(db: Db, writer: LakeWriter): Promise<number> {
  let count = 0
  const catalogue = await loadCatalogue(db)
  for (const file of [...catalogue.files.values()].flat()) {
    const dataset = datasetOf(file.dataset as DatasetName)
    if (file.release_in_rows && !lacksValues(dataset, file)) {
      // A lake in a bucket would be downloaded for it: those files get it when they are merged.
      if (file.release_min === null && !writer.remote) await learnRelease(db, writer, file)
      continue
    }
    const sealed = await completeFile(writer, dataset, file).catch(error => {
      if (error instanceof Damaged) return null // the verifier reports it once
      throw error
    })
    if (!sealed) continue
    try {
      await db.transaction().execute(async trx => swapFiles(trx, file.dataset, file.tier - 1, [file], [sealed]))
      count += 1
    } catch (error) {
      // Another worker replaced it in the meantime.
      if (!(error instanceof Conflict)) throw error
    }
  }
  return count
}

/** Reads the oldest release of a file from its rows. A damaged file is left without. */
async function learnRelease(db: Db, { verifier, connections }: LakeWriter, file: LakeFile): Promise<void> {
  const verified = await verifier.recheck(verifier.expected(file)).catch(error => {
    if (error instanceof Damaged) return null // the verifier reports it once
    throw error
  })
  if (!verified) return
  const [found] = await connections.use(connection =>
    queryRows<{ oldest: number | null }>(connection, `select ${oldestRelease} as oldest from read_parquet([$path], hive_partitioning = false)`, {
      path: verified.path,
    }),
  )
  if (!(await verifier.confirm([verified]))) return // the next run reads it
  await db
    .updateTable('lake_file')
    .set({ release_min: found?.oldest ?? null })
    .where('dataset', '=', file.dataset)
    .where('sha256', '=', file.sha256)
    .execute()
}

/** A column that a file lacks is null for other programs. */
const lacksValues = (dataset: DatasetDefinition, file: LakeFile): boolean =>
  dataset.columns.some(({ name, type, absent }) => file.lacks.includes(name) && absent !== `null::${type}`)

async function completeFile(writer: LakeWriter, dataset: DatasetDefinition, file: LakeFile): Promise<Sealed> {
  const verified = await writer.verifier.recheck(writer.verifier.expected(file))
  const relation = fileRelation(dataset, [{ path: verified.path, fresh_release: file.fresh_release, lacks: file.lacks }])
  const path = join(writer.stageFolder, `complete-${randomBytes(8).toString('hex')}.parquet`)
  const sealed = await writer.connections.use(async connection => {
    const [counted] = await queryRows<{ keys: number }>(
      connection,
      `select count(distinct "${dataset.order[0]}") as keys from ${relation.sql}`,
      relation.parameters,
    )
    const rowGroup = file.tier === 0 ? freshRowGroup : mergedRowGroup(file.rows, counted?.keys ?? 0)
    return await seal(writer, await stage(connection, dataset, relation, path, [...versionKey(dataset), 'release_from'], rowGroup), file.bucket)
  })
  await writer.verifier.recheck(writer.verifier.expected(file))
  return sealed
}

async function swapFiles(
  trx: Transaction<Database>,
  dataset: string,
  tier: number,
  files: readonly LakeFile[],
  sealed: readonly Sealed[],
): Promise<Compaction> {
  const head = await trx.selectFrom('head').select('catalogue_version').forUpdate().executeTakeFirstOrThrow()
  const version = head.catalogue_version + 1
  const removed = await trx
    .updateTable('lake_file')
    .set({ removed_version: version, removed_at: sql<string>`clock_timestamp()` })
    .where('dataset', '=', dataset)
    .where('removed_version', 'is', null)
    .where(
      'sha256',
      'in',
      files.map(file => file.sha256),
    )
    .returning('file_id')
    .execute()
  if (removed.length !== files.length)
    throw new Conflict(`${dataset}: ${files.length - removed.length} of ${files.length} files were merged by another worker`)
  await addFiles(trx, sealed, null, version, tier + 1)
  await trx.updateTable('head').set({ catalogue_version: version }).execute()
  return { dataset, tier, merged: files.length, into: sealed.length, rows: sealed.reduce((sum, file) => sum + file.rows, 0) }
}
