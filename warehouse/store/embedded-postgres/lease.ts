// Leases of the server: each process holds a session with a shared advisory lock while it uses it. A process that can take the lock
// exclusively, and sees no other session of Crossfile, has proof that it is the last user.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { isConnectionError } from '../connection-errors.ts'
import type { Cluster } from './cluster.ts'
import { findRunning, type Postmaster } from './server.ts'

const leaseKey = 0x63726f73
const setupKey = 0x63726f74
const leaseName = 'crossfile lease'
/** Closed sessions stay in the list for a moment; those of active users stay longer. */
const closingMs = 2_000
const closingPollMs = 50

export const address = (port: number, user: string, password: string, database: string): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

async function connectAdmin(cluster: Cluster, port: number): Promise<Client> {
  const client = new Client({
    connectionString: address(port, 'postgres', cluster.secrets.admin_password, 'postgres'),
    application_name: leaseName,
    connectionTimeoutMillis: 10_000,
  })
  // The end of the connection is handled; without this listener, an error would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Role and database, created at the first start; several starters wait for each other on a lock. */
async function ensureDatabase(admin: Client, password: string): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [setupKey])
  const { rowCount: roles } = await admin.query("select from pg_roles where rolname = 'crossfile'")
  if (roles === 0) await admin.query(`create role crossfile login createdb password ${admin.escapeLiteral(password)}`)
  // The role for reading a user's rows (migrations/0009-users.sql); the owner of the database cannot create roles.
  const { rowCount: userRoles } = await admin.query("select from pg_roles where rolname = 'crossfile_user'")
  if (userRoles === 0) await admin.query('create role crossfile_user nologin; grant crossfile_user to crossfile')
  const { rowCount: databases } = await admin.query("select from pg_database where datname = 'crossfile'")
  if (databases === 0) await admin.query('create database crossfile owner crossfile')
  await admin.query('select pg_advisory_unlock($1)', [setupKey])
}

/** Runs `work` on a new session of the administrator; null if the server stopped in the meantime. */
async function withServer<T>(cluster: Cluster, server: Postmaster, work: (admin: Client) => Promise<T>): Promise<T | null> {
  let admin: Client | undefined
  try {
    admin = await connectAdmin(cluster, server.port)
    return await work(admin)
  } catch (error) {
    await admin?.end().catch(() => undefined)
    const running = findRunning(cluster)
    if (running?.pid !== server.pid || running.status !== 'ready' || isConnectionError(error)) return null
    throw error
  }
}

/** Connects and takes the lease; null if the server stopped in the meantime. */
export const takeLease = (cluster: Cluster, server: Postmaster): Promise<Client | null> =>
  withServer(cluster, server, async admin => {
    await admin.query('select pg_advisory_lock_shared($1)', [leaseKey])
    await ensureDatabase(admin, cluster.secrets.password)
    return admin
  })

/** Connects without taking the lease, to list other users; null if the server refuses the connection. */
export const connectToAsk = (cluster: Cluster, server: Postmaster): Promise<Client | null> =>
  withServer(cluster, server, admin => Promise.resolve(admin))

/**
 * Releases the lease and returns the process id of the server if no other process uses it; null if one does. While the session stays open,
 * no other process can take a lease, and the process id belongs to the server of this session. Throws if the server cannot be reached.
 */
export async function proveAlone(session: Client): Promise<number | null> {
  await session.query('select pg_advisory_unlock_all()')
  const { rows } = await session.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [leaseKey])
  if (rows[0]?.alone !== true) return null
  for (let waited = 0; waited <= closingMs; waited += closingPollMs) {
    // A user that just lost its lease still has its other sessions.
    const result = await session.query<{ used: boolean; postmaster: number }>(
      `select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as postmaster,
         exists (select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
           and application_name like 'crossfile%' and application_name <> $1) as used`,
      [leaseName],
    )
    const [row] = result.rows
    if (row?.used === false) return row.postmaster
    await sleep(closingPollMs)
  }
  return null
}
