// The resources of a worker or a command, opened once from the configuration: Postgres (embedded or given), the migrated
// database, the raw store, DuckDB and the lake's writer.
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { Config } from '#schemas/config.ts'
import { createContexts } from '#warehouse/context/release-contexts.ts'
import { recordModelDamage } from '#warehouse/models/damage.ts'
import { modelsFolder } from '#warehouse/models/folder.ts'
import { openModels } from '#warehouse/models/serve.ts'
import { isModelFile } from '#warehouse/models/store.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import type { EmbeddedPostgres } from '#warehouse/store/embedded-postgres.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { checkKeyFiles } from '#warehouse/store/key-fingerprints.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import { recordDamage } from '#warehouse/store/lake/damage.ts'
import { createVerifier, lakeFolder } from '#warehouse/store/lake/open.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { settleLake } from '#warehouse/store/lake/place.ts'
import type { Expected } from '#warehouse/store/lake/verifier.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Db, Postgres } from '#warehouse/store/postgres.ts'
import { recordRawDamage } from '#warehouse/store/raw/damage.ts'
import { rawPlace } from '#warehouse/store/raw/place.ts'
import { openRawStore, type RawStore } from '#warehouse/store/raw/raw.ts'
import { shareSigningKeys } from '#warehouse/store/receipts/share-signing-keys.ts'
import { sharedKeyName } from '#warehouse/store/shared-keys.ts'
import { readers } from '../read/register.ts'
import type { IngestTools } from './ingest.ts'
import { type OpenDatabase, openDatabase, stageFolderOf } from './open-database.ts'
import { shareData } from './share-data.ts'

export type Runtime = {
  readonly config: Config
  readonly log: Log
  /** The name of its database sessions: `crossfile worker` in a worker. */
  readonly applicationName: string
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
  const database = await openDatabase(config, log, applicationName, keep)
  try {
    return await runtimeOn(database, config, log, applicationName, crashPoint)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** As `openRuntime`, on a database that is open already; `close` of the runtime closes it. */
export async function runtimeOn(
  database: OpenDatabase,
  config: Config,
  log: Log,
  applicationName: string,
  crashPoint: (name: string) => void = () => {},
): Promise<Runtime> {
  const { postgres, embedded } = database
  const damage = damageReports(log, postgres.db, applicationName.endsWith('worker') ? 'worker' : 'cli')
  const writer = await openWriter(config, damage.file, crashPoint, log)
  const raw = openRawStore(postgres.db, rawPlace(config.dataFolder, writer.remote), crashPoint, damage.raw)
  const { uploaded, missing } = await settleLake(postgres.db, writer, applicationName === 'crossfile repair')
  if (uploaded > 0) log('info', `lake: uploaded ${uploaded} files to ${config.lake}`)
  if (missing > 0) log('warn', `lake: ${config.lake} lacks ${missing} files, which are not cached here; crossfile repair restores them`)
  await shareData(postgres.db, writer, log)
  if (config.lake !== null) await shareKeys(postgres.db, keysFolderOf(config.dataFolder))
  const { connections } = writer
  return {
    config,
    log,
    applicationName,
    get url() {
      return database.address()
    },
    postgres,
    embedded,
    raw,
    reportRawDamage: damage.raw,
    tools: {
      db: postgres.db,
      writer,
      readers,
      keysFolder: keysFolderOf(config.dataFolder),
      contexts: createContexts(cacheLimits.workerReleases),
      models: openModels({ db: postgres.db, connections, data: config.dataFolder, remote: writer.remote ?? null, onDamage: damage.model }),
      log,
    },
    async close() {
      connections.close()
      await raw.close()
      await database.close()
    },
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

/** DuckDB's memory limit from which two files are staged at the same time: one of 100,000 rows takes up to 250 MB. */
const memoryForTwoMb = 1_000

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
    stagesAtOnce: config.duckdbMemoryMb >= memoryForTwoMb ? 2 : 1,
    crashPoint,
  }
}
