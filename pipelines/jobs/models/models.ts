// When models are built: after a release that changed their inputs, but at most a tenth of the time.

import { existsSync } from 'node:fs'
import { some } from '#schemas/counts.ts'
import { Damaged } from '#schemas/errors.ts'
import { dropDamagedBuilds } from '#warehouse/models/check.ts'
import { makeDueCopies } from '#warehouse/models/copies.ts'
import { type Model, models } from '#warehouse/models/model.ts'
import { pricesDataset, pricesModel } from '#warehouse/models/prices/part.ts'
import { buildPrices, findPriceBuild, priceRelease } from '#warehouse/models/prices/store.ts'
import { buildModel, findNewestBuild, type ModelTools } from '#warehouse/models/store.ts'
import { modelViews } from '#warehouse/models/views.ts'
import { loadCatalogue, versionAt } from '#warehouse/store/lake/catalogue.ts'
import { completeFiles } from '#warehouse/store/lake/compact.ts'
import { recordDamage } from '#warehouse/store/lake/damage.ts'
import { type Published, publishLake } from '#warehouse/store/lake/publication/publish.ts'
import type { PublishOptions } from '#warehouse/store/lake/publication/publish-manifests.ts'
import { warehouseFile, writeWarehouseFile } from '#warehouse/store/lake/views.ts'
import type { Runtime } from '../../ingest/runtime.ts'

/** A build is followed by a pause of so many times its duration: releases in quick succession share the next build. */
const pause = 9

export type Built = { readonly model: string; readonly release: number; readonly rows: number; readonly ms: number }

/** Builds every model whose inputs changed since its newest build; `force` skips the pause. Returns the new builds. */
export async function buildDueModels(tools: ModelTools, now: number, force = false): Promise<readonly Built[]> {
  const done: Built[] = []
  for (const model of models) {
    // A release that is committed during a build is left to the next one.
    while (await isDue(tools, model, now + sumOf(done), force)) {
      const build = await buildModel(tools, model, null, null)
      if (!build) break
      done.push({ model: model.name, release: build.release, rows: build.rows, ms: build.build_ms })
    }
  }
  return done
}

/** Builds the model of prices if its inputs changed since its newest build; `force` skips the pause. Returns the new build. */
export async function buildDuePrices(tools: ModelTools, now: number, force = false): Promise<readonly Built[]> {
  const release = priceRelease(await loadCatalogue(tools.db))
  const newest = await findPriceBuild(tools.db)
  if (release === 0 || newest?.release === release) return []
  if (!force && newest !== null && Date.parse(newest.built_at) + pause * newest.build_ms > now) return []
  const build = await buildPrices(tools).catch(async (error: unknown) => {
    if (!(error instanceof Damaged)) throw error
    const { data, remote = null } = tools.writer
    // With a bucket, only files that were found damaged are read everywhere.
    if (remote !== null && newest !== null && error.dataset === pricesDataset)
      await recordDamage(tools.db, { dataset: pricesDataset, sha256: newest.sha256 }, error.message, 'worker')
    // A damaged build cannot be continued. If the lake is damaged, this fails with the same error.
    await dropDamagedBuilds(tools.db, data, { whole: true, remote })
    return await buildPrices(tools)
  })
  return build === null ? [] : [{ model: pricesModel, release: build.release, rows: build.rows, ms: build.build_ms }]
}

const sumOf = (done: readonly Built[]): number => done.reduce((sum, each) => sum + each.ms, 0)

async function isDue({ db }: ModelTools, model: Model, now: number, force: boolean): Promise<boolean> {
  const catalogue = await loadCatalogue(db)
  const inputRelease = versionAt(catalogue, model.inputs, catalogue.release).release
  const newest = await findNewestBuild(db, model, catalogue.release)
  if (inputRelease === 0 || newest?.release === inputRelease) return false
  return force || newest === null || Date.parse(newest.built_at) + pause * newest.build_ms <= now
}

/**
 * Builds the models and makes the sorted copies that are due after a command that committed. Committed data does not depend on them.
 * `together`: both kinds at the same time, for a lake that is small enough to be in memory twice.
 */
export async function refreshModels(runtime: Runtime, now: number, { together = false } = {}): Promise<void> {
  const tools = { db: runtime.postgres.db, writer: runtime.tools.writer }
  const builders = [() => buildDueModels(tools, now, true), () => buildDuePrices(tools, now, true)]
  try {
    for (const { model, release, rows, ms } of await (together ? inParallel(builders) : inTurn(builders)))
      runtime.log('info', `${model}: ${some(rows, 'row')} of release ${release} in ${ms} ms`)
    for (const { copy, rows, ms } of await makeDueCopies(tools)) runtime.log('info', `${copy}: ${some(rows, 'row')} of a file in ${ms} ms`)
  } catch (error) {
    runtime.log('warn', `models were not built: ${error instanceof Error ? error.message : String(error)}`)
  }
}

type Builder = () => Promise<readonly Built[]>

async function inTurn(builders: readonly Builder[]): Promise<Built[]> {
  const done: Built[] = []
  for (const build of builders) done.push(...(await build()))
  return done
}

/** Rejects with the first failure when every build has ended. */
async function inParallel(builders: readonly Builder[]): Promise<Built[]> {
  const ended = await Promise.allSettled(builders.map(async build => await build()))
  return ended.flatMap(each => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
}

/**
 * The aftermath of a commit for readers of files: Delta logs, manifests, and `data/warehouse.duckdb` for the newest release, with the
 * newest build of each model as a view. `options` are those of `publishLake`. `onFile` is called when `warehouse.duckdb` is written:
 * an error after it is one of the publication.
 */
export async function writeAnalystFile(
  runtime: Runtime,
  { onFile, ...options }: PublishOptions & { readonly onFile?: () => void } = {},
): Promise<Aftermath> {
  await writeFirstFile(runtime)
  // The analyst's file is written even if a log cannot be.
  const [published] = await Promise.allSettled([publishTables(runtime, options)])
  await writeViews(runtime)
  onFile?.()
  if (published.status === 'rejected') throw published.reason
  return published.value
}

/**
 * Writes `data/warehouse.duckdb` if it is missing, without the versions of tables, before logs are published and jobs run: a program that opens
 * a missing file creates an empty one. Never rejects, because what makes it fail makes `writeAnalystFile` fail too.
 */
export async function writeFirstFile(runtime: Runtime): Promise<void> {
  if (!existsSync(warehouseFile(runtime.tools.writer.data))) await Promise.allSettled([writeViews(runtime)])
}

async function writeViews({ postgres: { db }, tools: { writer } }: Runtime): Promise<void> {
  const catalogue = await loadCatalogue(db)
  const views = await modelViews(db, writer.data, catalogue.release, writer.remote)
  await writeWarehouseFile(writer.data, catalogue, views, writer.remote?.objects.address ?? null)
}

/** What was published; `completed`: files that got the release in every row. */
type Aftermath = Published & { readonly completed: number }

async function publishTables(runtime: Runtime, options: PublishOptions): Promise<Aftermath> {
  const { db } = runtime.postgres
  const { writer } = runtime.tools
  const completed = await completeFiles(db, writer)
  const published = await publishLake(db, writer, options)
  if (published.rebuilt.length > 0)
    runtime.log('warn', `Delta logs that were not as they were written were rebuilt from the catalogue: ${published.rebuilt.join(', ')}`)
  return { ...published, completed }
}
