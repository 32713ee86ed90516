// The database of a worker or a command: folders, Postgres (embedded or given), migrations, and the checks that this database belongs to
// this data folder. It loads neither DuckDB nor the readers, so that a start can check the database while other programs load those.
import { join } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { modelsFolder } from '#warehouse/models/folder.ts'
import { sealKeyName } from '#warehouse/people/admin/secret-key.ts'
import { pepperName } from '#warehouse/people/users/passwords.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#warehouse/store/embedded-postgres.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { checkKeyFiles } from '#warehouse/store/key-fingerprints.ts'
import { moveTables } from '#warehouse/store/lake/layout.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import { lakeFolder, tablesFolder } from '#warehouse/store/lake/verifier.ts'
import type { Log } from '#warehouse/store/log.ts'
import { migrate } from '#warehouse/store/migrate.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { makeFolder } from '#warehouse/store/start-check/start-check.ts'

export const stageFolderOf = (data: string): string => join(data, 'stage')
const postgresFolder = (data: string): string => join(data, 'postgres')

export type OpenDatabase = {
  /** Read it for each connection: the embedded server may restart on another port. */
  readonly address: () => string
  readonly postgres: Postgres
  /** Null if DATABASE_URL names another server. */
  readonly embedded: EmbeddedPostgres | null
  /** Stops the embedded server if no other process uses it. */
  close(): Promise<void>
}

/** The address of the database: DATABASE_URL, else the embedded server of the data folder, which is started if it is not running. */
async function openPostgres(config: Config, log: Log, keep: boolean): Promise<{ address: () => string; embedded: EmbeddedPostgres | null }> {
  const given = config.databaseUrl?.reveal()
  if (given !== undefined) return { address: () => given, embedded: null }
  const dataDir = postgresFolder(config.dataFolder)
  const embedded = await startEmbeddedPostgres({ dataDir, keep, log: line => log('info', `postgres: ${line}`) })
  return { address: () => embedded.url, embedded }
}

/**
 * Makes the folders, opens the database and migrates it. Throws `BadRequest` if the lake or the folder of keys is not the one of the
 * database. `keep`: start the embedded server again whenever it ends.
 */
export async function openDatabase(config: Config, log: Log, applicationName: string, keep = false): Promise<OpenDatabase> {
  for (const folder of [
    lakeFolder(config.dataFolder),
    modelsFolder(config.dataFolder),
    stageFolderOf(config.dataFolder),
    join(config.dataFolder, 'raw'),
  ])
    await makeFolder(folder, 'CROSSFILE_DATA')
  const moved = await moveTables(config.dataFolder)
  if (moved > 0) log('info', `lake: moved ${moved} tables to ${tablesFolder(config.dataFolder)}`)
  const { address, embedded } = await openPostgres(config, log, keep)
  let postgres: Postgres | null = null
  try {
    const applied = await migrate(address())
    await installQueue(address())
    if (applied.length > 0) log('info', `database: applied ${applied.join(', ')}`)
    // Pages of a large commit are built between two statements of its transaction.
    postgres = connect(address, {
      max: 12,
      // The jobs of each minute run at the same time.
      kept: 4,
      applicationName,
      idleInTransactionTimeout: 900_000,
      onLost: error => log('warn', `database connection lost: ${error.message}`),
    })
    await checkLakePlace(postgres.db, config.lake)
    // Created here and not by the API, which may have only read access to the folder.
    await checkKeyFiles(postgres.db, keysFolderOf(config.dataFolder), [pepperName, sealKeyName], { makes: true })
    const opened = postgres
    return {
      address,
      postgres,
      embedded,
      async close() {
        await opened.close()
        await embedded?.stop()
      },
    }
  } catch (error) {
    await postgres?.close()
    await embedded?.stop()
    throw error
  }
}
