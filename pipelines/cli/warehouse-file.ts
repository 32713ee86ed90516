// The analyst's data/warehouse.duckdb after a command that committed: a worker that is alive writes it too, and the later wins.
import { refreshModels, writeAnalystFile } from '../models/models.ts'
import type { Runtime } from '../runtime.ts'

/** Builds the models that are due and rewrites the file for the newest release. What was committed stands without it, so a failure is only said. */
export async function rewriteWarehouseFile(runtime: Runtime): Promise<void> {
  try {
    await refreshModels(runtime, Date.now())
    await writeAnalystFile(runtime)
  } catch (error) {
    runtime.log('warn', `warehouse.duckdb was not rewritten: ${error instanceof Error ? error.message : String(error)}`)
  }
}
