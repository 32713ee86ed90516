// `crossfile lake ducklake`: exports a DuckLake catalogue of the lake's files.
import { join, resolve } from 'node:path'
import { writeDucklake } from '#warehouse/store/lake/publication/ducklake-file.ts'
import { lakeFolder } from '#warehouse/store/lake/verifier.ts'
import { writeAnalystFile } from '../jobs/models/models.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { printJson, some } from './output.ts'

export async function lakeDucklake(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('lake ducklake', commands['lake ducklake'].options, argv, { most: 1, what: 'file' })
  const done = await withRuntime(io, async runtime => {
    const { writer } = runtime.tools
    // Rows of fresh files get their release first.
    await writeAnalystFile(runtime)
    const path = rest[0] === undefined ? join(lakeFolder(writer.data), 'crossfile.ducklake') : resolve(rest[0])
    return await writeDucklake(runtime.postgres.db, writer, path)
  })
  if (values.json) printJson(io, done)
  else {
    const [oldest, newest] = [done.releases[0], done.releases.at(-1)]
    io.out(`${done.path}: ${some(done.files, 'file')} of ${done.data_path}`)
    io.out(newest === undefined ? 'no release is committed yet' : oldest === newest ? `release ${newest}` : `releases ${oldest} to ${newest}`)
    io.out(`read it with: ATTACH 'ducklake:${done.path}' AS crossfile (READ_ONLY)`)
  }
  return 0
}
