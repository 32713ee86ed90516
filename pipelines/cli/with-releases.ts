// Releases of the lake for read-only commands that make answers.
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import { createVerifier, lakeFolder, openLake } from '#warehouse/store/lake/open.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Io } from './io.ts'

/**
 * Runs `work` with the contexts of releases by number (undefined: the newest), each with listings as known at `asOf`, and the number of the
 * newest release (0: no data was ever loaded). The lake is closed afterwards. A damaged file is logged with its reason when it is read.
 */
export async function withReleases<T>(
  io: Io,
  db: Db,
  work: (contextOf: (release: number | undefined, asOf: string | null) => Promise<ReleaseContext>, newest: number) => Promise<T>,
): Promise<T> {
  const config = io.config()
  await checkLakePlace(db, config.lake)
  const remote = await openRemote(config)
  const catalogue = await loadCatalogue(db)
  const instance = await openDuckdb({
    memoryLimit: `${config.duckdbMemoryMb}MB`,
    threads: config.duckdbThreads,
    tempFolder: '',
    folders: [lakeFolder(config.dataFolder)],
  })
  const connections = await openConnections(instance, 4)
  try {
    const verifier = createVerifier(config.dataFolder, { onDamage: (_file, reason) => io.log('error', reason), remote })
    return await work((release, asOf) => contextOf(openLake(catalogue, connections, verifier, release), asOf), catalogue.release)
  } finally {
    connections.close()
  }
}
