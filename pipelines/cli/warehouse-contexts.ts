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
  const { withReleases } = await import('./with-releases.ts')
  return await withDatabase(io, { write: false }, async ({ db }) => {
    const now = dataNow(await findDataClock(db), io.now())
    return await withReleases(io, db, async (contextOf, newest) =>
      newest === 0 ? await work(null, now) : await work(await contextOf(at.release, at.asOf ?? null), now),
    )
  })
}
