// `crossfile migrate`: migrates the database to this version and lists the applied migrations.
import { migrate } from '#warehouse/store/migrate.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { openAddress } from './database.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'

/** Applies the missing migrations; a second run applies none. */
export async function migrateCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('migrate', commands.migrate.options, argv)
  const { url, place, close } = await openAddress(io, { make: true })
  try {
    const applied = await migrate(url)
    await installQueue(url)
    if (values.json) printJson(io, { database: place, applied })
    else io.out(applied.length === 0 ? `${place} is up to date` : `${place}: applied ${applied.join(', ')}`)
    return 0
  } finally {
    await close()
  }
}
