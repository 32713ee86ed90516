// The analyst's data/warehouse.duckdb after a command that committed: a worker that is alive writes it too, and the later wins.
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { writeWarehouseFile } from '#warehouse/lake/views.ts'
import type { Runtime } from '../runtime.ts'

/** Rewrites the file for the newest release. What was committed stands without it, so a failure is only said. */
export async function rewriteWarehouseFile(runtime: Runtime): Promise<void> {
  try {
    await writeWarehouseFile(runtime.config.dataFolder, await loadCatalogue(runtime.postgres.db))
  } catch (error) {
    runtime.log('warn', `warehouse.duckdb was not rewritten: ${error instanceof Error ? error.message : String(error)}`)
  }
}
