// The database of a command: the embedded server of the data folder (shared if it runs, else started for this command
// and stopped with it) or the one of DATABASE_URL. Read-only commands never create one and never change its structure.
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import type { Config } from '#schemas/config.ts'
import { Upstream } from '#schemas/errors.ts'
import { openCluster } from '#warehouse/store/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '#warehouse/store/embedded-postgres.ts'
import { migrate, readMigrations } from '#warehouse/store/migrate.ts'
import { connect, type Db } from '#warehouse/store/postgres.ts'
import type { Runtime } from '../ingest/runtime.ts'
import type { Io } from './io.ts'

export type OpenDatabase = {
  readonly db: Db
  /** `embedded`: of the data folder. `given`: of DATABASE_URL. */
  readonly kind: 'embedded' | 'given'
  /** The server was started for this command: no other process uses it. */
  readonly alone: boolean
  /** `127.0.0.1:5432/crossfile`, without a password. */
  readonly place: string
  close(): Promise<void>
}

const applicationName = 'crossfile cli'

/** Host, port and database of an address. */
const placeOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** The reason of a failed connection; an attempt on two addresses of one name nests its reasons. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ')
  return error instanceof Error ? error.message || error.name : String(error)
}

/** Throws `Upstream` if the server of DATABASE_URL refuses the connection. */
async function checkReachable(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: applicationName, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (cause) {
    throw new Upstream(`PostgreSQL at ${placeOf(url)} cannot be reached: ${reasonOf(cause)}`, {
      cause,
      hint: 'check DATABASE_URL and that the server runs; without DATABASE_URL Crossfile runs an embedded server',
    })
  } finally {
    await client.end().catch(() => undefined)
  }
}

function noDatabase(config: Config): Upstream {
  const others = ['data', 'data-live']
    .map(name => join(dirname(config.dataFolder), name))
    .filter(folder => folder !== config.dataFolder && existsSync(join(folder, 'postgres')))
  return new Upstream(`no data yet: ${config.dataFolder} has no database`, {
    hint:
      others.length > 0
        ? `there is one in ${others.map(folder => basename(folder)).join(' and ')}: set CROSSFILE_DATA to it`
        : 'npm start creates it; CROSSFILE_DATA names another data folder',
  })
}

/** Throws `Upstream` if the data folder has no database and DATABASE_URL names none: a wrong CROSSFILE_DATA must not look like a sound installation. */
export function checkHasDatabase(config: Config): void {
  if (config.databaseUrl !== null && config.databaseUrl !== undefined) return
  const dataDir = join(config.dataFolder, 'postgres')
  if (!(existsSync(dataDir) && openCluster(dataDir))) throw noDatabase(config)
}

type Opened = { readonly url: string; readonly place: string; readonly kind: OpenDatabase['kind']; readonly alone: boolean; close(): Promise<void> }

/** The address of the database with its server running; its structure is not checked. With `make` a missing database is created. */
export async function openAddress(io: Io, { make }: { readonly make: boolean }): Promise<Opened> {
  const config = io.config()
  const given = config.databaseUrl?.reveal()
  if (given !== undefined) {
    await checkReachable(given)
    return { url: given, place: placeOf(given), kind: 'given', alone: false, close: async () => undefined }
  }
  if (!make) checkHasDatabase(config)
  const dataDir = join(config.dataFolder, 'postgres')
  const embedded = await startEmbeddedPostgres({ dataDir, log: line => io.log('debug', `postgres: ${line}`) })
  return {
    get url() {
      return embedded.url
    },
    place: placeOf(embedded.url),
    kind: 'embedded',
    alone: !embedded.reused,
    close: async () => void (await embedded.stop()),
  }
}

/** Migrations that the database does not have yet. */
async function missingMigrations(db: Db): Promise<string[]> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('schema_migrations') is not null as there`.execute(db)
  const applied = rows[0]?.there ? await db.selectFrom('schema_migrations').select('name').execute() : []
  const names = new Set(applied.map(row => row.name))
  return readMigrations()
    .map(({ name }) => name)
    .filter(name => !names.has(name))
}

/**
 * Opens the database. With `write` it is created if missing and migrated; without, a missing, unreachable or
 * older database is an `Upstream` error with a hint.
 */
export async function openDatabase(io: Io, { write }: { readonly write: boolean }): Promise<OpenDatabase> {
  const opened = await openAddress(io, { make: write })
  const { place, kind, alone, close: closeAddress } = opened
  let closing = false
  // A server that shuts down with this process may end a connection that is just closing.
  const onLost = (error: Error): void => {
    if (!closing) io.log('warn', `database connection lost: ${error.message}`)
  }
  const { db, close } = connect(() => opened.url, { applicationName, max: 4, onLost })
  const closeAll = async (): Promise<void> => {
    closing = true
    await close()
    await closeAddress()
  }
  try {
    if (write) await migrate(opened.url)
    const missing = write ? [] : await missingMigrations(db)
    if (missing.length === 0) return { db, kind, alone, place, close: closeAll }
    throw new Upstream(
      `the database is not up to date: ${missing[0]}${missing.length === 1 ? ' is' : ` and ${missing.length - 1} more are`} not applied`,
      {
        hint: 'crossfile migrate applies them (npm start does too)',
      },
    )
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Opens the database for `work` and closes it after. */
export async function withDatabase<T>(io: Io, options: { readonly write: boolean }, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(io, options)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/**
 * Opens what reading documents needs (raw store, lake, DuckDB) for `work` and closes it afterwards. With `make` a missing database is created;
 * without, it is an `Upstream` error. `crashPoint`: named moments at which a test ends the process.
 */
export async function withRuntime<T>(
  io: Io,
  work: (runtime: Runtime) => Promise<T>,
  { make = false, crashPoint }: { readonly make?: boolean; readonly crashPoint?: ((name: string) => void) | undefined } = {},
): Promise<T> {
  const config = io.config()
  if (config.databaseUrl) await checkReachable(config.databaseUrl.reveal())
  else if (!make) checkHasDatabase(config)
  const { openRuntime } = await import('../ingest/runtime.ts')
  const runtime = await openRuntime(config, io.log, applicationName, crashPoint)
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}

/** An up-to-date database, opened for reading, and its address for a second connection. */
export async function withDatabaseAt<T>(io: Io, work: (database: OpenDatabase, url: string) => Promise<T>): Promise<T> {
  const address = await openAddress(io, { make: false })
  try {
    return await withDatabase(io, { write: false }, database => work(database, address.url))
  } finally {
    await address.close()
  }
}
