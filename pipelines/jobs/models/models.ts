// When models are built: after a release that changed their inputs, but at most a tenth of the time.

import { type Model, models } from '#warehouse/models/model.ts'
import { buildModel, findNewestBuild, type ModelTools } from '#warehouse/models/store.ts'
import { modelViews } from '#warehouse/models/views.ts'
import { loadCatalogue, versionAt } from '#warehouse/store/lake/catalogue.ts'
import { writeWarehouseFile } from '#warehouse/store/lake/views.ts'
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

const sumOf = (done: readonly Built[]): number => done.reduce((sum, each) => sum + each.ms, 0)

async function isDue({ db }: ModelTools, model: Model, now: number, force: boolean): Promise<boolean> {
  const catalogue = await loadCatalogue(db)
  const inputRelease = versionAt(catalogue, model.inputs, catalogue.release).release
  const newest = await findNewestBuild(db, model, catalogue.release)
  if (inputRelease === 0 || newest?.release === inputRelease) return false
  return force || newest === null || Date.parse(newest.built_at) + pause * newest.build_ms <= now
}

/** Builds what is due after a command that committed, and writes the analyst's file. Committed data does not depend on either. */
export async function refreshModels(runtime: Runtime, now: number): Promise<void> {
  try {
    for (const { model, release, rows, ms } of await buildDueModels({ db: runtime.postgres.db, writer: runtime.tools.writer }, now, true))
      runtime.log('info', `${model}: ${rows} rows of release ${release} in ${ms} ms`)
  } catch (error) {
    runtime.log('warn', `models were not built: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Writes `data/warehouse.duckdb` for the newest release, with the newest build of each model as a view. */
export async function writeAnalystFile(runtime: Runtime): Promise<void> {
  const { db } = runtime.postgres
  const catalogue = await loadCatalogue(db)
  await writeWarehouseFile(runtime.config.dataFolder, catalogue, await modelViews(db, runtime.config.dataFolder, catalogue.release))
}
