// Builds of models: made from the lake, named by their hash, registered in Postgres, deleted when they are no longer needed.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { Damaged } from '#schemas/errors.ts'
import type { ModelName } from '../context/model-rows.ts'
import { contextOf } from '../context/release-contexts.ts'
import { fileSystemNow } from '../store/file-clock.ts'
import { type Catalogue, loadCatalogue } from '../store/lake/catalogue.ts'
import type { LakeWriter } from '../store/lake/compact.ts'
import { createVerifier, openLake, sha256OfFile, type Verifier } from '../store/lake/open.ts'
import type { ScratchDatabase } from '../store/lake/scratch-database.ts'
import type { Expected } from '../store/lake/verifier.ts'
import type { Db } from '../store/postgres.ts'
import { findModelDamage, forgetModelDamage, forgetWholeModel } from './damage.ts'
import { modelDataset, modelsFolder, syncPath } from './folder.ts'
import type { Model } from './model.ts'
import { pricesModel } from './prices/part.ts'
import { checkPriceBuild, collectPrices, findPriceBuild, manifestPath, type PriceBuild } from './prices/store.ts'

export const modelPath = (data: string, model: string, sha256: string): string => join(modelsFolder(data), model, `${sha256}.parquet`)
export const isModelFile = ({ dataset }: Expected): boolean => dataset.startsWith(modelDataset(''))
/** A file of a build, for a verifier. */
export const modelFile = (data: string, model: string, sha256: string): Expected => ({
  dataset: modelDataset(model),
  sha256,
  path: modelPath(data, model, sha256),
})

export type Build = {
  readonly model: string
  readonly release: number
  readonly sha256: string
  readonly rows: number
  readonly origins_sha256: string
  readonly sources: readonly { readonly source: string; readonly known_from: string }[]
  readonly built_at: string
  readonly build_ms: number
}
export type ModelTools = { readonly db: Db; readonly writer: LakeWriter }

const buildsOf = (db: Db, model: ModelName, asOf: string | null) =>
  db
    .selectFrom('model_build')
    .select(['model', 'release', 'sha256', 'rows', 'origins_sha256', 'sources', 'built_at', 'build_ms'])
    .where('model', '=', model.name)
    .where('definition', '=', model.definition)
    .where('as_of', '=', asOf ?? '')

/** The build for exactly this release of its inputs; null if none was made. */
export async function findBuild(db: Db, model: ModelName, release: number, asOf: string | null): Promise<Build | null> {
  const build = await buildsOf(db, model, asOf).where('release', '=', release).executeTakeFirst()
  return build ?? null
}

/** The newest build up to `release`, made of all that its release knows; null if none was made. */
export async function findNewestBuild(db: Db, model: ModelName, release: number): Promise<Build | null> {
  const build = await buildsOf(db, model, null).where('release', '<=', release).orderBy('release', 'desc').limit(1).executeTakeFirst()
  return build ?? null
}

/**
 * Builds a model at a release (default: the newest) and returns the build; one that is there is returned as it is. The rows are
 * those of the newest release up to it that changed an input. `asOf`: of what was known then.
 */
export async function buildModel(tools: ModelTools, model: Model, release: number | null, asOf: string | null): Promise<Build | null> {
  const { db, writer } = tools
  const catalogue = await loadCatalogue(db)
  const inputRelease = inputReleaseOf(catalogue, tools, model, release ?? catalogue.release)
  if (inputRelease === 0) return null
  const held = await findBuild(db, model, inputRelease, asOf)
  if (held && existsSync(modelPath(writer.data, model.name, held.sha256))) return held
  // A row without its file is invalid: the folder was emptied.
  if (held) await db.deleteFrom('model_build').where('model', '=', model.name).where('sha256', '=', held.sha256).execute()
  const begun = performance.now()
  const lake = openLake(catalogue, writer.connections, writer.verifier, inputRelease)
  const context = await contextOf(lake, asOf)
  const files = await lake.scratch(async shop => {
    await model.build(shop, context, asOf)
    return {
      rows: await keep(tools, shop, model.name, `select * from temp."${model.name}"`),
      origins: await keep(tools, shop, model.name, 'select raw_sha256, source, known_from from temp.origins order by raw_sha256'),
      sources: await shop.query<{ source: string; known_from: string }>(
        'select source, max(known_from) as known_from from temp.origins group by source order by source',
      ),
    }
  })
  await db
    .insertInto('model_build')
    .values({
      model: model.name,
      definition: model.definition,
      release: inputRelease,
      as_of: asOf ?? '',
      sha256: files.rows.sha256,
      bytes: files.rows.bytes,
      rows: files.rows.count,
      origins_sha256: files.origins.sha256,
      origins_bytes: files.origins.bytes,
      sources: JSON.stringify(files.sources),
      build_ms: Math.round(performance.now() - begun),
    })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return await findBuild(db, model, inputRelease, asOf)
}

/** The release of a model's inputs at `release`; 0 before its inputs have any. */
function inputReleaseOf(catalogue: Catalogue, { writer }: ModelTools, model: Model, release: number): number {
  return openLake(catalogue, writer.connections, writer.verifier, release).versionOf(model.inputs).release
}

type Kept = { readonly sha256: string; readonly bytes: number; readonly count: number }

/** Writes a SELECT's rows into one sealed Parquet file. */
async function keep({ writer }: ModelTools, shop: ScratchDatabase, name: string, select: string): Promise<Kept> {
  const staged = join(writer.stageFolder, `model-${randomBytes(8).toString('hex')}.parquet`)
  const literal = staged.replaceAll("'", "''")
  await shop.run(`copy (${select}) to '${literal}' (format parquet, compression zstd, row_group_size 131072)`)
  const [counted] = await shop.query<{ n: number }>(`select count(*) as n from (${select})`)
  return { ...(await sealModelFile(writer, name, staged)), count: counted?.n ?? 0 }
}

/** Moves a staged file into the folder of a model or copy, under the name of its hash. It survives a power cut before a row names it. */
export async function sealModelFile(writer: LakeWriter, name: string, staged: string): Promise<Omit<Kept, 'count'>> {
  const sha256 = await sha256OfFile(staged)
  const { size } = await stat(staged)
  await syncPath(staged)
  const folder = join(modelsFolder(writer.data), name)
  await mkdir(folder, { recursive: true })
  await link(staged, modelPath(writer.data, name, sha256)).catch(error => {
    // Another worker made the same rows: the same file.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
  for (const each of [folder, modelsFolder(writer.data), writer.data]) await syncPath(each)
  await unlink(staged)
  return { sha256, bytes: size }
}

export type DamagedBuild = {
  readonly model: string
  readonly release: number
  readonly sha256: string
  readonly path: string
  readonly reason: string
}

/** One for each data folder in a process, so that a file is hashed once as long as it does not change. */
const verifiers = new Map<string, Verifier>()
function verifierOf(data: string): Verifier {
  const verifier = verifiers.get(data) ?? createVerifier(data)
  verifiers.set(data, verifier)
  return verifier
}

type BuildFile = Expected & Pick<Build, 'model' | 'release'> & { readonly copied: boolean }

/**
 * Every file of every build and every sorted copy, for a verifier. A copy has the newest release of its rows. The model of prices
 * is not among them: its blocks are verified whenever they are read.
 */
export async function findBuildFiles(db: Db, data: string): Promise<readonly BuildFile[]> {
  const rows = await db
    .selectFrom('model_build')
    .select(['model', 'release', 'sha256', 'origins_sha256'])
    .where('model', '!=', pricesModel)
    .orderBy('model')
    .orderBy('release')
    .orderBy('as_of')
    .execute()
  const builds = rows.flatMap(({ model, release, sha256, origins_sha256 }) =>
    [sha256, origins_sha256].map(name => ({ model, release, copied: false, ...modelFile(data, model, name) })),
  )
  const { rows: copies } = await sql<{ model: string; release: number; sha256: string }>`
    select c.copy as model, coalesce(max(f.release_max), 0)::float8 as release, c.sha256 from sorted_copy c left join lake_file f on f.sha256 = c.source_sha256
    group by c.copy, c.sha256 order by 1, 2, 3`.execute(db)
  return [...builds, ...copies.map(({ model, release, sha256 }) => ({ model, release, copied: true, ...modelFile(data, model, sha256) }))]
}

/**
 * Checks the files of all builds and copies against their SHA-256. Returns the number of files, and the builds and copies with a damaged or
 * missing one. A file that another process found damaged is hashed again, whatever its times say. `hashCopies: false`: of the copies only
 * those are hashed that were found damaged, since copies of a whole history are gigabytes. Of the model of prices, all blocks are read
 * only if one was found damaged, or if `whole`.
 */
export async function findDamagedBuilds(
  db: Db,
  data: string,
  { whole = false, hashCopies = true }: { readonly whole?: boolean; readonly hashCopies?: boolean } = {},
): Promise<{ readonly files: number; readonly damaged: readonly DamagedBuild[] }> {
  const files = await findBuildFiles(db, data)
  const suspected = new Set((await findModelDamage(db)).map(({ sha256 }) => sha256))
  const damaged: DamagedBuild[] = []
  for (const { model, release, copied, ...file } of files) {
    if (copied && !hashCopies && !suspected.has(file.sha256)) continue
    const verifier = verifierOf(data)
    try {
      if (suspected.has(file.sha256)) {
        await verifier.recheck(file)
        await forgetWholeModel(db, file)
      } else await verifier.openPath(file)
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      damaged.push({ model, release, sha256: file.sha256, path: join('models', model, `${file.sha256}.parquet`), reason: error.message })
    }
  }
  const prices = await findPriceBuild(db)
  if (prices === null) return { files: files.length, damaged }
  const reason = await checkPrices(db, data, prices, whole || suspected.has(prices.sha256), suspected.has(prices.sha256))
  const path = relative(data, manifestPath(data, prices.sha256))
  const found = reason === null ? [] : [{ model: pricesModel, release: prices.release, sha256: prices.sha256, path, reason }]
  return { files: files.length + 1, damaged: [...damaged, ...found] }
}

/** Why the build of the model of prices is damaged; null if it is whole. */
async function checkPrices(db: Db, data: string, build: PriceBuild, whole: boolean, suspected: boolean): Promise<string | null> {
  try {
    await checkPriceBuild(data, build, whole)
    if (suspected) await forgetWholeModel(db, { dataset: modelDataset(pricesModel), sha256: build.sha256, path: manifestPath(data, build.sha256) })
    return null
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return error.message
  }
}

/**
 * Deletes builds and copies with a damaged or missing file, and that file: the newest build and the copy become due again, older builds are
 * rebuilt on request.
 */
export async function dropDamagedBuilds(db: Db, data: string, options: { readonly whole?: boolean } = {}): Promise<readonly DamagedBuild[]> {
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

/** Builds of the newest release that are kept, days of which the last build is kept, and days that one made on request is kept. */
const newestKept = 3
const dailyKept = 30
const requestedKept = 7

/**
 * Deletes builds and copies that are no longer needed, then deletes files that none of them names: those are an hour old, so that a reader
 * has opened its file by then. A build that is requested again is rebuilt.
 */
export async function collectModels(db: Db, data: string): Promise<{ readonly builds: number; readonly files: number; readonly bytes: number }> {
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
  const copies = await forgetCopies(db)
  const named = new Set(
    (await db.selectFrom('model_build').select(['sha256', 'origins_sha256']).execute()).flatMap(row => [row.sha256, row.origins_sha256]),
  )
  for (const { sha256 } of await db.selectFrom('sorted_copy').select('sha256').execute()) named.add(sha256)
  const prices = await collectPrices(db, data)
  let { files, bytes } = prices
  const hourAgo = (await fileSystemNow(data)) - 3_600_000
  for (const folder of await names(modelsFolder(data))) {
    if (folder === pricesModel) continue
    for (const name of await names(join(modelsFolder(data), folder))) {
      const path = join(modelsFolder(data), folder, name)
      const { mtimeMs, size } = await stat(path)
      if (named.has(name.replace(/\.parquet$/, '')) || mtimeMs > hourAgo) continue
      await unlink(path)
      files += 1
      bytes += size
    }
  }
  return { builds: rows.length + prices.builds + copies, files, bytes }
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

async function names(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}
