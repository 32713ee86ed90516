// Whether the files of builds and sorted copies are whole, on this disk and in the bucket of a lake, and what becomes of damaged ones.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { Damaged } from '#schemas/errors.ts'
import { createVerifier, type Verifier } from '../store/lake/open.ts'
import type { Remote } from '../store/lake/remote.ts'
import type { Db } from '../store/postgres.ts'
import { findModelDamage, forgetModelDamage, forgetWholeModel } from './damage.ts'
import { modelDataset } from './folder.ts'
import { checkSize, repairObject, type SizedFile } from './objects.ts'
import { checkPriceBuild, comparePriceBuild, repairPriceBuild } from './prices/check.ts'
import { pricesModel } from './prices/part.ts'
import { findPriceBuild, manifestPath, type PriceBuild } from './prices/store.ts'
import { type Build, modelFile, modelPath } from './store.ts'

export type DamagedBuild = {
  readonly model: string
  readonly release: number
  readonly sha256: string
  readonly path: string
  readonly reason: string
}

type CheckOptions = {
  /** Reads all blocks of the model of prices. */
  readonly whole?: boolean
  /** False: of the copies only those are hashed that were found damaged, since copies of a whole history are gigabytes. */
  readonly hashCopies?: boolean
  /** The bucket of the lake. Null: files are on this disk only. */
  readonly remote?: Remote | null
  /**
   * With a bucket, a file on this disk is hashed, and downloaded again if it is damaged. Of the bucket, `none`: nothing else is read;
   * `suspected` (the default): files that a host found damaged, of which a damaged object is uploaded again from a whole file; `all`: every
   * file in this way; `sizes`: nothing is downloaded or uploaded, and the sizes of all objects are compared.
   */
  readonly objects?: 'none' | 'suspected' | 'all' | 'sizes'
}

/** One for each data folder in a process, so that a file is hashed once as long as it does not change. A bucket is opened for one folder. */
const verifiers = new Map<string, Verifier>()
const verifiersWithBucket = new WeakMap<Remote, Verifier>()
function verifierOf(data: string, remote: Remote | null): Verifier {
  const verifier = (remote === null ? verifiers.get(data) : verifiersWithBucket.get(remote)) ?? createVerifier(data, { remote })
  if (remote === null) verifiers.set(data, verifier)
  else verifiersWithBucket.set(remote, verifier)
  return verifier
}

type BuildFile = SizedFile & Pick<Build, 'model' | 'release'> & { readonly copied: boolean }

/**
 * Every file of every build and every sorted copy, for a verifier. A copy has the newest release of its rows. The model of prices
 * is not among them: its blocks are verified whenever they are read.
 */
export async function findBuildFiles(db: Db, data: string): Promise<readonly BuildFile[]> {
  const rows = await db
    .selectFrom('model_build')
    .select(['model', 'release', 'sha256', 'bytes', 'origins_sha256', 'origins_bytes'])
    .where('model', '!=', pricesModel)
    .orderBy('model')
    .orderBy('release')
    .orderBy('as_of')
    .execute()
  const builds = rows.flatMap(({ model, release, sha256, bytes, origins_sha256, origins_bytes }) => [
    { model, release, copied: false, bytes, ...modelFile(data, model, sha256) },
    { model, release, copied: false, bytes: origins_bytes, ...modelFile(data, model, origins_sha256) },
  ])
  const { rows: copies } = await sql<{ model: string; release: number; sha256: string; bytes: number }>`
    select c.copy as model, coalesce(max(f.release_max), 0)::float8 as release, c.sha256, c.bytes from sorted_copy c left join lake_file f on f.sha256 = c.source_sha256
    group by c.copy, c.sha256, c.bytes order by 1, 2, 3`.execute(db)
  return [
    ...builds,
    ...copies.map(({ model, release, sha256, bytes }) => ({ model, release, copied: true, bytes, ...modelFile(data, model, sha256) })),
  ]
}

/**
 * Checks the files of all builds and copies against their SHA-256. Returns the number of files, and the builds and copies with a damaged or
 * missing one. A file that another process found damaged is hashed again, whatever its times say; then all blocks of the model of prices
 * are read too. Throws `Upstream` if a bucket is needed and cannot be read now.
 */
export async function findDamagedBuilds(
  db: Db,
  data: string,
  options: CheckOptions = {},
): Promise<{ readonly files: number; readonly damaged: readonly DamagedBuild[] }> {
  const { hashCopies = true } = options
  const files = await findBuildFiles(db, data)
  const suspected = new Set((await findModelDamage(db)).map(({ sha256 }) => sha256))
  const damaged: DamagedBuild[] = []
  for (const { model, release, copied, ...file } of files) {
    const isSuspected = suspected.has(file.sha256)
    if (copied && !hashCopies && !isSuspected) continue
    const reason = await damageOf(() => checkFile(db, data, file, isSuspected, options))
    if (reason !== null) damaged.push({ model, release, sha256: file.sha256, path: join('models', model, `${file.sha256}.parquet`), reason })
  }
  const prices = await findPriceBuild(db)
  if (prices === null) return { files: files.length, damaged }
  const reason = await damageOf(() => checkPrices(db, data, prices, suspected.has(prices.sha256), options))
  const path = relative(data, manifestPath(data, prices.sha256))
  const found = reason === null ? [] : [{ model: pricesModel, release: prices.release, sha256: prices.sha256, path, reason }]
  return { files: files.length + 1, damaged: [...damaged, ...found] }
}

/** Why `check` throws `Damaged`; null if it does not. */
async function damageOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await check()
    return null
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return error.message
  }
}

async function checkFile(db: Db, data: string, file: SizedFile, isSuspected: boolean, options: CheckOptions): Promise<void> {
  const { remote = null, objects = 'suspected' } = options
  const isHere = remote === null || existsSync(file.path)
  if (remote !== null && objects === 'sizes') {
    await checkSize(remote, file)
    if (!isHere) return
  }
  const verifier = verifierOf(data, objects === 'sizes' ? null : remote)
  if (remote === null || objects === 'sizes') {
    if (!isSuspected) return void (await verifier.openPath(file))
    await verifier.recheck(file)
    if (remote === null) await forgetWholeModel(db, file)
    return
  }
  if (objects === 'all' || (objects === 'suspected' && isSuspected)) {
    await verifier.recheck(file)
    await repairObject(remote, file)
    if (isSuspected) await forgetWholeModel(db, file)
  } else if (isHere && !isSuspected) await verifier.openPath(file)
}

/** As `checkFile`. Only what is read verifies the other files of the model of prices in a bucket: they are gigabytes. */
async function checkPrices(db: Db, data: string, build: PriceBuild, isSuspected: boolean, options: CheckOptions): Promise<void> {
  const { whole = false, remote = null, objects = 'suspected' } = options
  if (remote === null) await checkPriceBuild(data, build, whole || isSuspected)
  else if (objects === 'sizes') return await comparePriceBuild(data, build, remote, whole)
  else if (objects === 'all' || (objects === 'suspected' && isSuspected)) await repairPriceBuild(data, build, remote)
  else return
  if (isSuspected) await forgetWholeModel(db, { dataset: modelDataset(pricesModel), sha256: build.sha256, path: manifestPath(data, build.sha256) })
}

/**
 * Deletes builds and copies with a damaged or missing file, and that file: the newest build and the copy become due again, older builds are
 * rebuilt on request. With a bucket, a file is missing only if the bucket lacks it too; throws `Upstream` if it cannot be read now.
 */
export async function dropDamagedBuilds(db: Db, data: string, options: CheckOptions = {}): Promise<readonly DamagedBuild[]> {
  const { damaged } = await findDamagedBuilds(db, data, options)
  for (const { model, sha256 } of damaged) {
    await db
      .deleteFrom('model_build')
      .where('model', '=', model)
      .where(eb => eb.or([eb('sha256', '=', sha256), eb('origins_sha256', '=', sha256)]))
      .execute()
    await db.deleteFrom('sorted_copy').where('copy', '=', model).where('sha256', '=', sha256).execute()
    await rm(model === pricesModel ? manifestPath(data, sha256) : modelPath(data, model, sha256), { force: true })
  }
  await forgetModelDamage(db)
  return damaged
}
