// Rewrites the analyst's data/warehouse.duckdb after a command that committed. A live worker writes it too; the last write wins.

import type { Runtime } from '../ingest/runtime.ts'
import { refreshModels, writeAnalystFile } from '../jobs/models/models.ts'

/** Builds the models that are due and rewrites the file for the newest release. Committed data does not depend on it, so a failure is only logged. */
export async function rewriteWarehouseFile(runtime: Runtime): Promise<void> {
  try {
    await refreshModels(runtime, Date.now())
    await writeAnalystFile(runtime)
  } catch (error) {
    runtime.log('warn', `warehouse.duckdb was not rewritten: ${error instanceof Error ? error.message : String(error)}`)
  }
}
