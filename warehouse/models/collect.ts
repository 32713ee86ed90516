// Which builds and copies are kept, and the deletion of files that none of them names: on the disk of every host, and in the bucket of a lake.
import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Damaged } from '#schemas/errors.ts'
import { fileSystemNow } from '../store/file-clock.ts'
import { sweepLeftovers } from '../store/lake/collect.ts'
import type { Remote } from '../store/lake/remote.ts'
import type { Db } from '../store/postgres.ts'
import { modelsFolder } from './folder.ts'
import { lockModelObjects } from './objects.ts'
import { pricesModel } from './prices/part.ts'
import { findPriceBuild, readManifest } from './prices/store.ts'

/** Builds of the newest release that are kept, days of which the last build is kept, and days that one made on request is kept. */
const newestKept = 3
const dailyKept = 30
const requestedKept = 7
/** Files that no row names are this old when they are deleted, so that a reader has opened them, or their builder has registered them. */
const graceMs = 3_600_000

type CollectedFiles = { readonly files: number; readonly bytes: number }

/**
 * Deletes builds and copies that are no longer needed, then deletes files on this disk that none of them names. A build that is requested
 * again is rebuilt.
 */
export async function collectModels(db: Db, data: string, remote: Remote | null = null): Promise<CollectedFiles & { readonly builds: number }> {
  const { rows } = await sql<{ one: number }>`
    with ranked as (
      select model, definition, release, as_of, built_at,
        row_number() over (partition by model, as_of = '' order by release desc, built_at desc) as place,
        row_number() over (partition by model, as_of = '', built_at::date order by release desc) as of_day
      from model_build where model <> ${pricesModel}
    ), needed as (
      select * from ranked
      where (as_of = '' and place <= ${newestKept})
        or (as_of = '' and of_day = 1 and built_at > clock_timestamp() - make_interval(days => ${dailyKept}))
        or (as_of <> '' and built_at > clock_timestamp() - make_interval(days => ${requestedKept}))
        or built_at > clock_timestamp() - interval '1 hour'
    )
    delete from model_build as m
    where model <> ${pricesModel} and not exists (select 1 from needed n where n.model = m.model and n.definition = m.definition and n.release = m.release and n.as_of = m.as_of)
    returning 1 as one`.execute(db)
  const builds = rows.length + (await forgetCopies(db)) + (await forgetPrices(db))
  return { builds, ...(await sweepModelFiles(db, data, remote)) }
}

/** Deletes copies of files that left the catalogue some minutes ago, and copies of an earlier definition. Returns their number. */
async function forgetCopies(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from sorted_copy c
    where not exists (select 1 from lake_file f where f.sha256 = c.source_sha256
        and (f.removed_at is null or f.removed_at > clock_timestamp() - interval '10 minutes'))
      or exists (select 1 from sorted_copy n where n.source_sha256 = c.source_sha256 and n.copy = c.copy and n.definition <> c.definition and n.made_at > c.made_at)
    returning 1`.execute(db)
  return rows.length
}

/** Forgets all builds of the model of prices but the newest. Returns their number. */
async function forgetPrices(db: Db): Promise<number> {
  const newest = await findPriceBuild(db)
  const gone = await db
    .deleteFrom('model_build')
    .where('model', '=', pricesModel)
    .$if(newest !== null, query => query.where('sha256', '!=', newest?.sha256 as string))
    .returning('release')
    .execute()
  return gone.length
}

/**
 * The files that rows name, such as `screener/<sha256>.parquet`. `prices` false: a manifest of the model of prices is damaged, and its parts
 * are unknown.
 */
async function namedFiles(db: Db, data: string, remote: Remote | null): Promise<{ readonly files: ReadonlySet<string>; readonly prices: boolean }> {
  const builds = await db.selectFrom('model_build').select(['model', 'sha256', 'origins_sha256']).execute()
  const copies = await db.selectFrom('sorted_copy').select(['copy', 'sha256']).execute()
  const files = new Set(copies.map(({ copy, sha256 }) => `${copy}/${sha256}.parquet`))
  let prices = true
  for (const { model, sha256, origins_sha256 } of builds) {
    if (model !== pricesModel) {
      for (const name of [sha256, origins_sha256]) files.add(`${model}/${name}.parquet`)
      continue
    }
    files.add(`${model}/${sha256}.json`)
    const parts = await readManifest(data, sha256, remote).then(
      manifest => manifest.parts,
      error => {
        if (error instanceof Damaged) return null
        throw error
      },
    )
    if (parts === null) prices = false
    for (const part of parts ?? []) files.add(`${model}/${part.sha256}.part`)
  }
  return { files, prices }
}

/** True if nothing needs a file of a model, such as `screener/<sha256>.parquet`. */
async function isUnnamed(db: Db, data: string, remote: Remote | null, name: string): Promise<boolean> {
  const { files, prices } = await namedFiles(db, data, remote)
  return !files.has(name) && (prices || !name.startsWith(`${pricesModel}/`))
}

/**
 * Deletes files of models on this disk that no row names, and what killed downloads left, if they are an hour old. Each host does so: one
 * that downloads builds need not be the one that makes them.
 */
export async function sweepModelFiles(db: Db, data: string, remote: Remote | null = null): Promise<CollectedFiles> {
  const named = await namedFiles(db, data, remote)
  const before = (await fileSystemNow(remote === null ? data : join(modelsFolder(data), 'incoming'))) - graceMs
  let [files, bytes] = [0, 0]
  for (const folder of await names(modelsFolder(data))) {
    if (folder === pricesModel && !named.prices) continue
    for (const name of await names(join(modelsFolder(data), folder))) {
      if (named.files.has(`${folder}/${name}`)) continue
      const path = join(modelsFolder(data), folder, name)
      // A file that a build replaced since the names were read is new.
      const found = await stat(path).catch(ignoreMissing)
      if (!found || found.mtimeMs > before) continue
      await unlink(path).catch(ignoreMissing)
      files += 1
      bytes += found.size
    }
  }
  return { files, bytes }
}

/**
 * Deletes objects of models that no row names, by the clock of the store, with one list. Each is deleted under the lock that a builder takes
 * while it looks whether its objects are there and registers them, and only if it was not written again.
 */
export async function collectModelObjects(db: Db, data: string, remote: Remote, olderMs = graceMs): Promise<CollectedFiles> {
  const { objects } = remote
  const before = (await objects.now()) - olderMs
  const named = await namedFiles(db, data, remote)
  let [files, bytes] = [0, 0]
  for await (const object of objects.list('models/')) {
    const name = object.name.slice('models/'.length)
    if (object.modifiedAt >= before || named.files.has(name)) continue
    const isDeleted = await db.transaction().execute(async trx => {
      await lockModelObjects(trx)
      if (!(await isUnnamed(trx, data, remote, name))) return false
      const facts = await objects.facts(object.name)
      if (facts === null || facts.modifiedAt >= before) return false
      await objects.remove(object.name)
      return true
    })
    if (!isDeleted) continue
    files += 1
    bytes += object.bytes
  }
  return { files, bytes }
}

const sweepMs = 3_600_000

export type SweptHost = {
  readonly db: Db
  readonly data: string
  /** Null: this host stages no files. */
  readonly stageFolder: string | null
  readonly remote: Remote | null
}

/** Deletes files of models that no row names and what killed processes left, on this host. */
export async function sweepHost({ db, data, stageFolder, remote }: SweptHost): Promise<void> {
  await sweepLeftovers({ data, stageFolder })
  await sweepModelFiles(db, data, remote)
}

/**
 * Runs `sweepHost` each hour until the timer is cleared, because the job that collects runs on one host of several. The error of a failed run
 * is passed to `onFailure`, and the next one follows.
 */
export function sweepHourly(host: SweptHost, onFailure: (error: unknown) => void): NodeJS.Timeout {
  return setInterval(() => void sweepHost(host).catch(onFailure), sweepMs).unref()
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing))?.sort() ?? []
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
