// A real PostgreSQL that comes with the packages: made, started, shared and stopped, with nothing to install. `npm start` and
// every command of the command line call `startEmbeddedPostgres` on the same folder: the first starts the server, the others
// use it, and the last to call `stop` ends it. Each holds a session with a shared advisory lock for as long as it uses the
// server, so that a process killed at any moment is not counted on.
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { Broken } from '#schemas/errors.ts'
import { type Binaries, findBinaries } from './embedded-postgres/binaries.ts'
import { type Cluster, ensureCluster, openCluster } from './embedded-postgres/cluster.ts'
import { type RunAs, stateFolders } from './embedded-postgres/identity.ts'
import { ensureRunning, findRunning, type Postmaster, stopServer } from './embedded-postgres/server.ts'
import { readPort, writePort } from './embedded-postgres/state.ts'

export type EmbeddedPostgres = {
  /** Of the database `crossfile`, as the role that owns it (no superuser; may create databases). Holds a password. */
  readonly url: string
  readonly pid: number
  /** True where the server ran already: after a `kill -9` of its starter, or because another command uses it. */
  readonly reused: boolean
  /** Resolves when the server goes away without `stop` or `release`: start it again (everything committed is there). */
  readonly lost: Promise<void>
  /** Ends the server and waits for it, unless another process uses it; true where it was ended. */
  stop(): Promise<boolean>
  /** Gives up the use of it and lets it run. */
  release(): Promise<void>
}

export type EmbeddedOptions = {
  /** Folder for the cluster, its log and its state; made where it is missing. */
  readonly dataDir: string
  readonly log?: (line: string) => void
  /** Further server settings for this start, such as `fsync: 'off'` for a throw-away test server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folders tried, under root, for what PostgreSQL's user cannot reach in the data folder. */
  readonly stateFolders?: readonly string[]
}

const leaseKey = 0x63726f73
const setupKey = 0x63726f74
// A server that restarts after a crash of one of its processes refuses connections while it recovers.
const retryLimit = 600
const retryMs = 100
/** Going down, coming up, or gone: ask again. */
const passing = ['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']

const address = (port: number, user: string, password: string, database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

async function connectAdmin(cluster: Cluster, port: number): Promise<Client> {
  const client = new Client({
    connectionString: address(port, 'postgres', cluster.secrets.admin_password, 'postgres'),
    application_name: 'crossfile lease',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  return client
}

/** Role and database, made at the first start; two starters wait for each other on a lock. */
async function ensureDatabase(admin: Client, password: string): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [setupKey])
  const { rowCount: roles } = await admin.query("select from pg_roles where rolname = 'crossfile'")
  if (roles === 0) await admin.query(`create role crossfile login createdb password ${admin.escapeLiteral(password)}`)
  // The role under which a user's own rows are read (migrations/0009-users.sql); making roles is beyond the owner of the database.
  const { rowCount: userRoles } = await admin.query("select from pg_roles where rolname = 'crossfile_user'")
  if (userRoles === 0) await admin.query('create role crossfile_user nologin; grant crossfile_user to crossfile')
  const { rowCount: databases } = await admin.query("select from pg_database where datname = 'crossfile'")
  if (databases === 0) await admin.query('create database crossfile owner crossfile')
  await admin.query('select pg_advisory_unlock($1)', [setupKey])
}

const isPassing = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && passing.includes(String(error.code))) || error.message === 'Connection terminated unexpectedly')

/** Connects and takes the lease; null where the server went down meanwhile, as one that somebody is stopping does. */
async function takeLease(cluster: Cluster, server: Postmaster): Promise<Client | null> {
  let admin: Client | undefined
  try {
    admin = await connectAdmin(cluster, server.port)
    await admin.query('select pg_advisory_lock_shared($1)', [leaseKey])
    await ensureDatabase(admin, cluster.secrets.password)
    return admin
  } catch (error) {
    await admin?.end().catch(() => undefined)
    const running = findRunning(cluster)
    if (running?.pid !== server.pid || running.status !== 'ready' || isPassing(error)) return null
    throw error
  }
}

/**
 * Starts PostgreSQL over `dataDir`, or uses the one that runs there. Listens on 127.0.0.1 only, on a port that stays the same
 * from start to start where it is free; passwords are random and stand in a 0600 file inside the cluster.
 * Throws `Broken` with what to change where this machine cannot run it.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log = () => undefined, settings = {}, stateFolders: folders = stateFolders } = options
  const folder = resolve(dataDir)
  const binariesFor = (runAs: RunAs): Binaries => findBinaries(runAs, folder, folders, log)
  const cluster = ensureCluster({ dataDir: folder, folders, log }, binariesFor)
  const binaries = () => binariesFor(cluster.runAs)
  for (let attempt = 0; attempt < retryLimit; attempt++) {
    const server = await ensureRunning(cluster, binaries, { wantedPort: readPort(folder), settings, logFile: join(folder, 'postgres.log') })
    const lease = await takeLease(cluster, server)
    if (lease === null) {
      await sleep(retryMs)
      continue
    }
    writePort(folder, server.port)
    return handle(cluster, binaries, server, lease)
  }
  throw new Broken(
    `PostgreSQL over ${cluster.folder} did not let us in for ${(retryLimit * retryMs) / 1000} seconds; its log is ${join(folder, 'postgres.log')}`,
  )
}

function handle(cluster: Cluster, binaries: () => Binaries, server: Postmaster & { reused: boolean }, lease: Client): EmbeddedPostgres {
  let given = false
  const lost = new Promise<void>(done => lease.once('end', () => given || done()))
  // The end of the connection is what counts, and `lost` tells it; without a listener the error would end the process.
  lease.on('error', () => undefined)
  const release = async () => {
    if (given) return
    given = true
    await lease.end()
  }
  const stop = async () => {
    if (given) return false
    given = true
    try {
      await lease.query('select pg_advisory_unlock_shared($1)', [leaseKey])
      const { rows } = await lease.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [leaseKey])
      if (rows[0]?.alone !== true) {
        await lease.end()
        return false
      }
    } catch {
      // The server is gone or going: what remains is to wait for its end.
    }
    await stopServer(cluster, binaries)
    await lease.end().catch(() => undefined)
    return true
  }
  return {
    url: address(server.port, 'crossfile', cluster.secrets.password, 'crossfile'),
    pid: server.pid,
    reused: server.reused,
    lost,
    stop,
    release,
  }
}

/** Ends the server over `dataDir`, whoever uses it; true where one ran. */
export async function stopEmbeddedPostgres(dataDir: string): Promise<boolean> {
  const folder = resolve(dataDir)
  const cluster = openCluster(folder)
  if (cluster === null || findRunning(cluster) === null) return false
  await stopServer(cluster, () => findBinaries(cluster.runAs, folder, stateFolders, () => undefined))
  return true
}
