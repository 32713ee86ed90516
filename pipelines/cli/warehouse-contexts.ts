// The lake of this installation as answers read it, for read-only commands: nothing is created, migrated or written.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'

/**
 * Runs `work` with the newest release (or the named one), its listings as known at `asOf`, and the present instant for market data;
 * null if no data was ever loaded.
 */
export async function withContext<T>(
  io: Io,
  work: (context: ReleaseContext | null, now: Date) => Promise<T>,
  at: { readonly release?: number | undefined; readonly asOf?: string | undefined } = {},
): Promise<T> {
  const config = io.config()
  if (!config.databaseUrl && !existsSync(join(config.dataFolder, 'postgres'))) return await work(null, io.now())
  const [{ loadCatalogue }, { createVerifier, lakeFolder, openLake }, { openDuckdb }, { openConnections }, { contextOf }] = await Promise.all([
    import('#warehouse/store/lake/catalogue.ts'),
    import('#warehouse/store/lake/open.ts'),
    import('#warehouse/store/duckdb.ts'),
    import('#warehouse/store/lake/connections.ts'),
    import('#warehouse/context/release-contexts.ts'),
  ])
  return await withDatabase(io, { write: false }, async ({ db }) => {
    const catalogue = await loadCatalogue(db)
    const now = dataNow(await findDataClock(db), io.now())
    if (catalogue.release === 0) return await work(null, now)
    const instance = await openDuckdb({
      memoryLimit: `${config.duckdbMemoryMb}MB`,
      threads: config.duckdbThreads,
      tempFolder: '',
      folders: [lakeFolder(config.dataFolder)],
    })
    const connections = await openConnections(instance, 4)
    try {
      const verifier = createVerifier(config.dataFolder, { onDamage: (_file, reason) => io.log('error', reason) })
      return await work(await contextOf(openLake(catalogue, connections, verifier, at.release), at.asOf ?? null), now)
    } finally {
      connections.close()
    }
  })
}
