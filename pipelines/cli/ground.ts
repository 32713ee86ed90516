// The lake of this installation as answers read it, for commands that only look: nothing is made, migrated or written.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '#warehouse/answers/answer.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'

/** The newest release (or the one named) and its listings as known at `asOf` for `work`; null where nothing was ever loaded here. */
export async function withGround<T>(
  io: Io,
  work: (ground: Ground | null) => Promise<T>,
  at: { readonly release?: number | undefined; readonly asOf?: string | undefined } = {},
): Promise<T> {
  const config = io.config()
  if (!config.databaseUrl && !existsSync(join(config.dataFolder, 'postgres'))) return await work(null)
  const [{ loadCatalogue }, { createVerifier, lakeFolder, openLake }, { openDuckdb }, { openConnections }, { groundOf }] = await Promise.all([
    import('#warehouse/lake/catalogue.ts'),
    import('#warehouse/lake/open.ts'),
    import('#warehouse/duckdb.ts'),
    import('#warehouse/lake/lake.ts'),
    import('#warehouse/answers/ground.ts'),
  ])
  return await withDatabase(io, { write: false }, async ({ db }) => {
    const catalogue = await loadCatalogue(db)
    if (catalogue.release === 0) return await work(null)
    const instance = await openDuckdb({
      memoryLimit: `${config.duckdbMemoryMb}MB`,
      threads: config.duckdbThreads,
      tempFolder: '',
      folders: [lakeFolder(config.dataFolder)],
    })
    const connections = await openConnections(instance, 4)
    try {
      const verifier = createVerifier(config.dataFolder, { onDamage: (_file, reason) => io.log('error', reason) })
      return await work(await groundOf(openLake(catalogue, connections, verifier, at.release), at.asOf ?? null))
    } finally {
      connections.close()
    }
  })
}
