// `crossfile lake publish`: brings what other programs read of the lake (Delta logs, manifests, warehouse.duckdb) to the catalogue's state.
import { refreshModels, writeAnalystFile } from '../jobs/models/models.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { printJson, some } from './output.ts'

export async function lakePublish(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('lake publish', commands['lake publish'].options, argv)
  const done = await withRuntime(io, async runtime => {
    await refreshModels(runtime, io.now().getTime())
    return await writeAnalystFile(runtime, { check: true, everyObject: true })
  })
  if (values.json) printJson(io, done)
  else {
    for (const dataset of done.rebuilt) io.out(`${dataset}: the log was not as it was written and was rebuilt`)
    if (done.completed > 0) io.out(`${some(done.completed, 'file')} got the release in every row`)
    if (done.created > 0) io.out(`${some(done.created, 'table without rows', 'tables without rows')} created`)
    io.out(`${some(done.versions, 'version')} and ${some(done.manifests, 'manifest')} written; warehouse.duckdb rewritten`)
  }
  return 0
}
