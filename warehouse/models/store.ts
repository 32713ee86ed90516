// Builds of models: made from the lake, named by their hash, uploaded if the lake is in a bucket, registered in Postgres.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelName } from '../context/model-rows.ts'
import { contextOf } from '../context/release-contexts.ts'
import { type Catalogue, loadCatalogue } from '../store/lake/catalogue.ts'
import type { LakeWriter } from '../store/lake/compact.ts'
import { openLake, sha256OfFile } from '../store/lake/open.ts'
import type { ScratchDatabase } from '../store/lake/scratch-database.ts'
import type { Expected } from '../store/lake/verifier.ts'
import type { Db } from '../store/postgres.ts'
import { modelDataset, modelsFolder, syncPath } from './folder.ts'
import type { Model } from './model.ts'
import { hasSize, registerFiles, type SizedFile } from './objects.ts'

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
  readonly bytes: number
  readonly rows: number
  readonly origins_sha256: string
  readonly sources: readonly { readonly source: string; readonly known_from: string }[]
  readonly built_at: string
  readonly build_ms: number
}
/** `report` is called with a line about the progress of a long build. */
export type ModelTools = { readonly db: Db; readonly writer: LakeWriter; readonly report?: (line: string) => void }

const buildsOf = (db: Db, model: ModelName, asOf: string | null) =>
  db
    .selectFrom('model_build')
    .select(['model', 'release', 'sha256', 'bytes', 'rows', 'origins_sha256', 'sources', 'built_at', 'build_ms'])
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

/** Builds that run in this process, by writer and name: the job of models and a request for the same rows share one. */
const running = new WeakMap<LakeWriter, Map<string, Promise<Build | null>>>()

/**
 * Builds a model at a release (default: the newest) and returns the build; one that is there is returned as it is. The rows are
 * those of the newest release up to it that changed an input. `asOf`: of what was known then. Throws `Upstream` if the files cannot be
 * uploaded to the bucket of the lake.
 */
export async function buildModel(tools: ModelTools, model: Model, release: number | null, asOf: string | null): Promise<Build | null> {
  const { db, writer } = tools
  const catalogue = await loadCatalogue(db)
  const inputRelease = inputReleaseOf(catalogue, tools, model, release ?? catalogue.release)
  if (inputRelease === 0) return null
  const builds = running.get(writer) ?? new Map<string, Promise<Build | null>>()
  running.set(writer, builds)
  const name = `${model.name} ${model.definition} ${inputRelease} ${asOf ?? ''}`
  const shared = builds.get(name)
  if (shared) return await shared
  const build = buildAt(tools, model, catalogue, inputRelease, asOf).finally(() => builds.delete(name))
  builds.set(name, build)
  return await build
}

async function buildAt(tools: ModelTools, model: Model, catalogue: Catalogue, inputRelease: number, asOf: string | null): Promise<Build | null> {
  const { db, writer } = tools
  const held = await findBuild(db, model, inputRelease, asOf)
  if (held && (await isKept(writer, held))) return held
  // A row without its file is invalid: the folder, or the bucket, was emptied.
  if (held) await db.deleteFrom('model_build').where('model', '=', model.name).where('sha256', '=', held.sha256).execute()
  const begun = performance.now()
  const lake = openLake(catalogue, writer.connections, writer.verifier, inputRelease)
  const context = await contextOf(lake, asOf)
  const files = await lake.scratch(async shop => {
    await model.build(shop, context, asOf, tools.report)
    return {
      rows: await keep(tools, shop, model.name, `select * from temp."${model.name}"`),
      origins: await keep(tools, shop, model.name, 'select raw_sha256, source, known_from from temp.origins order by raw_sha256'),
      sources: await shop.query<{ source: string; known_from: string }>(
        'select source, max(known_from) as known_from from temp.origins group by source order by source',
      ),
    }
  })
  const row = {
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
  }
  await registerFiles(db, writer.remote ?? null, [files.rows, files.origins], on =>
    on
      .insertInto('model_build')
      .values(row)
      .onConflict(conflict => conflict.doNothing())
      .execute(),
  )
  return await findBuild(db, model, inputRelease, asOf)
}

/** True if the file of a build's rows is here, or in the bucket. */
async function isKept({ data, remote = null }: LakeWriter, { model, sha256, bytes }: Build): Promise<boolean> {
  const path = modelPath(data, model, sha256)
  return existsSync(path) || (remote !== null && (await hasSize(remote, { path, bytes })))
}

/** The release of a model's inputs at `release`; 0 before its inputs have any. */
function inputReleaseOf(catalogue: Catalogue, { writer }: ModelTools, model: Model, release: number): number {
  return openLake(catalogue, writer.connections, writer.verifier, release).versionOf(model.inputs).release
}

type Kept = SizedFile & { readonly count: number }

/** Writes a SELECT's rows into one sealed Parquet file. */
async function keep({ writer }: ModelTools, shop: ScratchDatabase, name: string, select: string): Promise<Kept> {
  const staged = join(writer.stageFolder, `model-${randomBytes(8).toString('hex')}.parquet`)
  const literal = staged.replaceAll("'", "''")
  await shop.run(`copy (${select}) to '${literal}' (format parquet, compression zstd, row_group_size 131072)`)
  const [counted] = await shop.query<{ n: number }>(`select count(*) as n from (${select})`)
  return { ...(await sealModelFile(writer, name, staged)), count: counted?.n ?? 0 }
}

/**
 * Moves a staged file into the folder of a model or copy, under the name of its hash, and uploads it if the lake is in a bucket. It survives
 * a power cut before a row names it.
 */
export async function sealModelFile(writer: LakeWriter, name: string, staged: string): Promise<SizedFile> {
  const sha256 = await sha256OfFile(staged)
  const { size } = await stat(staged)
  await syncPath(staged)
  const folder = join(modelsFolder(writer.data), name)
  await mkdir(folder, { recursive: true })
  const file = modelFile(writer.data, name, sha256)
  await link(staged, file.path).catch(async error => {
    // The same rows were made before. That file may be damaged, or so old that a collector deletes it before a row names it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await rename(staged, file.path)
  })
  for (const each of [folder, modelsFolder(writer.data), writer.data]) await syncPath(each)
  await rm(staged, { force: true })
  if (writer.remote) {
    await writer.remote.store(file, size)
    writer.crashPoint?.('model-uploaded')
  }
  return { ...file, bytes: size }
}
