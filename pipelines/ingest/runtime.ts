// The resources of a worker or a command, opened once from the configuration: Postgres (embedded or given), the migrated
// database, the raw store, DuckDB and the lake's writer.
import { join } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { createContexts } from '#warehouse/context/release-contexts.ts'
import { recordModelDamage } from '#warehouse/models/damage.ts'
import { modelsFolder } from '#warehouse/models/folder.ts'
import { openModels } from '#warehouse/models/serve.ts'
import { isModelFile } from '#warehouse/models/store.ts'
import { sealKeyName } from '#warehouse/people/admin/secret-key.ts'
import { pepperName } from '#warehouse/people/users/passwords.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#warehouse/store/embedded-postgres.ts'
import { checkKeyFiles } from '#warehouse/store/key-fingerprints.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import { recordDamage } from '#warehouse/store/lake/damage.ts'
import { moveTables } from '#warehouse/store/lake/layout.ts'
import { createVerifier, lakeFolder, tablesFolder } from '#warehouse/store/lake/open.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace, settleLake } from '#warehouse/store/lake/place.ts'
import type { Expected } from '#warehouse/store/lake/verifier.ts'
import type { Log } from '#warehouse/store/log.ts'
import { migrate } from '#warehouse/store/migrate.ts'
import { connect, type Db, type Postgres } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { recordRawDamage } from '#warehouse/store/raw/damage.ts'
import { rawPlace } from '#warehouse/store/raw/place.ts'
import { openRawStore, type RawStore } from '#warehouse/store/raw/raw.ts'
import { shareSigningKeys } from '#warehouse/store/receipts/share-signing-keys.ts'
import { sharedKeyName } from '#warehouse/store/shared-keys.ts'
import { makeFolder } from '#warehouse/store/start-check/start-check.ts'
import { readers } from '../read/register.ts'
import type { IngestTools } from './ingest.ts'
import { shareData } from './share-data.ts'

const keysFolder = (data: string): string => join(data, 'keys')
const stageFolderOf = (data: string): string => join(data, 'stage')
const postgresFolder = (data: string): string => join(data, 'postgres')

export type Runtime = {
  readonly config: Config
  readonly log: Log
  /** Read it for each connection: the embedded server may restart on another port. */
  readonly url: string
  readonly postgres: Postgres
  /** Null if DATABASE_URL names another server. */
  readonly embedded: EmbeddedPostgres | null
  readonly raw: RawStore
  readonly tools: IngestTools
  /** Records that a raw document is damaged, and logs it once. */
  readonly reportRawDamage: (sha256: string, reason: string) => void
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
 * Opens everything and migrates the database; `close` stops the embedded server if no other process uses it.
 * `crashPoint`: named moments at which a test ends the process. `keep`: start the embedded server again whenever it ends.
 */
export async function openRuntime(
  config: Config,
  log: Log,
  applicationName: string,
  crashPoint: (name: string) => void = () => {},
  keep = false,
): Promise<Runtime> {
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
  try {
    const applied = await migrate(address())
    await installQueue(address())
    if (applied.length > 0) log('info', `database: applied ${applied.join(', ')}`)
    // Pages of a large commit are built between two statements of its transaction.
    const postgres = connect(address, {
      max: 12,
      applicationName,
      idleInTransactionTimeout: 900_000,
      onLost: error => log('warn', `database connection lost: ${error.message}`),
    })
    await checkLakePlace(postgres.db, config.lake)
    // Created here and not by the API, which may have only read access to the folder.
    await checkKeyFiles(postgres.db, keysFolder(config.dataFolder), [pepperName, sealKeyName], { makes: true })
    const damage = damageReports(log, postgres.db, applicationName.endsWith('worker') ? 'worker' : 'cli')
    const writer = await openWriter(config, damage.file, crashPoint, log)
    const raw = openRawStore(postgres.db, rawPlace(config.dataFolder, writer.remote), crashPoint, damage.raw)
    const { uploaded, missing } = await settleLake(postgres.db, writer, applicationName === 'crossfile repair')
    if (uploaded > 0) log('info', `lake: uploaded ${uploaded} files to ${config.lake}`)
    if (missing > 0) log('warn', `lake: ${config.lake} lacks ${missing} files, which are not cached here; crossfile repair restores them`)
    await shareData(postgres.db, writer, log)
    if (config.lake !== null) await shareKeys(postgres.db, keysFolder(config.dataFolder))
    const { connections } = writer
    return {
      config,
      log,
      get url() {
        return address()
      },
      postgres,
      embedded,
      raw,
      reportRawDamage: damage.raw,
      tools: {
        db: postgres.db,
        writer,
        readers,
        keysFolder: keysFolder(config.dataFolder),
        contexts: createContexts(3),
        models: openModels({ db: postgres.db, connections, data: config.dataFolder, remote: writer.remote ?? null, onDamage: damage.model }),
        log,
      },
      async close() {
        connections.close()
        await raw.close()
        await postgres.close()
        await embedded?.stop()
      },
    }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** Makes the key that seals private keys for other hosts, on the first host with a bucket that was not refused, and stores them. */
async function shareKeys(db: Db, folder: string): Promise<void> {
  await checkKeyFiles(db, folder, [sharedKeyName], { makes: true })
  await shareSigningKeys(db, folder)
}

/** What a process does when it finds damage: it logs it, and records it for the status page. */
function damageReports(log: Log, db: Db, foundBy: 'worker' | 'cli') {
  const unrecorded = (error: unknown): void => log('warn', `damage not recorded: ${error instanceof Error ? error.message : String(error)}`)
  const model = (file: Expected, reason: string): void =>
    void recordModelDamage(db, file, reason, foundBy)
      .then(needed => (needed ? log('error', `${reason}: ${file.path}; the job models builds it again`) : undefined))
      .catch(unrecorded)
  const reported = new Set<string>()
  return {
    raw(sha256: string, reason: string): void {
      if (!reported.has(sha256)) log('error', `raw document ${sha256} is damaged: ${reason}; crossfile repair --from PLACE takes it from a backup`)
      reported.add(sha256)
      void recordRawDamage(db, sha256, reason, foundBy).catch(unrecorded)
    },
    model,
    file(file: Expected, reason: string): void {
      if (isModelFile(file)) {
        model(file, reason)
        return
      }
      log('error', `${reason}: ${file.path}; crossfile repair restores it`)
      void recordDamage(db, file, reason, foundBy).catch(unrecorded)
    },
  }
}

/** What writes to the lake: DuckDB with a pool of connections, and the verifier of files. */
async function openWriter(
  config: Config,
  onDamage: (file: Expected, reason: string) => void,
  crashPoint: (name: string) => void,
  log: Log,
): Promise<LakeWriter> {
  const stageFolder = stageFolderOf(config.dataFolder)
  const instance = await openDuckdb({
    memoryLimit: `${config.duckdbMemoryMb}MB`,
    threads: config.duckdbThreads,
    tempFolder: stageFolder,
    folders: [lakeFolder(config.dataFolder), modelsFolder(config.dataFolder), stageFolder],
  })
  const connections = await openConnections(instance, 4)
  const remote = await openRemote(config, log)
  return {
    data: config.dataFolder,
    stageFolder,
    connections,
    // Processes of this kind sign and merge: content that was hashed more than a minute ago is hashed again before its use.
    verifier: createVerifier(config.dataFolder, { maxAgeMs: 60_000, onDamage, remote }),
    remote,
    crashPoint,
  }
}
