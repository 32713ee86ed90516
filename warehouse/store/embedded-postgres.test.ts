import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import { findBinaries } from './embedded-postgres/binaries.ts'
import { type Cluster, openCluster } from './embedded-postgres/cluster.ts'
import { address } from './embedded-postgres/lease.ts'
import { findProcesses } from './embedded-postgres/processes.ts'
import { findRunning, stopServer } from './embedded-postgres/server.ts'
import { writePort } from './embedded-postgres/state.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres, stopEmbeddedPostgres } from './embedded-postgres.ts'
import { connect } from './postgres.ts'

const asRoot = process.getuid?.() === 0
const parents: string[] = []
const folders: string[] = []

/** A fresh data folder; `mode` is that of the folder above it. */
function aFolder(mode = 0o711): string {
  const parent = mkdtempSync(join(tmpdir(), 'crossfile-embedded-'))
  chmodSync(parent, mode)
  parents.push(parent)
  folders.push(join(parent, 'postgres'))
  return join(parent, 'postgres')
}

afterEach(async () => {
  for (const folder of folders.splice(0)) if (existsSync(folder)) await stopEmbeddedPostgres(folder).catch(() => false)
  for (const parent of parents.splice(0)) rmSync(parent, { recursive: true, force: true })
})

/** Where the binaries go when the repository lies in a folder that only root may enter. */
const scratch = mkdtempSync(join(tmpdir(), 'crossfile-state-'))
chmodSync(scratch, 0o755)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const start = (dataDir: string, options: Partial<EmbeddedOptions> = {}) => startEmbeddedPostgres({ dataDir, stateFolders: [scratch], ...options })

async function query<Row extends object>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  // A statement whose connection is lost fails; without a listener the loss would also end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    let rows: Row[] = []
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** Kills the server and every process that it started, as the kernel would. */
async function killAll(url: string, pid: number): Promise<void> {
  const others = await query<{ pid: number }>(url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
  for (const victim of [pid, ...others.map(row => row.pid)]) process.kill(victim, 'SIGKILL')
}

test('the server answers on this machine only, keeps its promises switched on and its passwords in 0600 files', async () => {
  const folder = aFolder()
  const server = await start(folder)
  const [row] = await query<Record<string, unknown>>(
    server.url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
       current_setting('data_checksums') as checksums, current_setting('listen_addresses') as listens,
       (select rolsuper from pg_roles where rolname = current_user) as superuser,
       (select datlocale from pg_database where datname = current_database()) as locale, host(inet_server_addr()) as address`,
  )
  expect(row).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    checksums: 'on',
    listens: '127.0.0.1',
    superuser: false,
    locale: 'C.UTF-8',
    address: '127.0.0.1',
  })
  expect(server.reused).toBe(false)
  for (const file of ['cluster/crossfile.json', 'server.json', 'postgres.log']) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  const wrong = server.url.replace(/:[^:@/]+@/, ':guess@')
  await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed')
  expect(await server.stop()).toBe(true)
  await expect(query(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
})

test('a second user shares the server, and the last one to stop ends it', async () => {
  const folder = aFolder()
  const first = await start(folder)
  const second = await start(folder)
  expect([second.reused, second.pid, second.url]).toEqual([true, first.pid, first.url])
  expect(await first.stop()).toBe(false)
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await second.stop()).toBe(true)
  expect(await second.stop()).toBe(false)
})

test('starters at the same moment on an empty folder end up with one server', async () => {
  const folder = aFolder()
  const servers = await Promise.all([start(folder), start(folder), start(folder)])
  expect(new Set(servers.map(server => server.url)).size).toBe(1)
  expect(servers.filter(server => !server.reused)).toHaveLength(1)
})

test('kill -9 of every server process loses no committed row, and the next start has the same address', async () => {
  const folder = aFolder()
  const first = await start(folder)
  await query(first.url, 'create table kept (n int)', 'insert into kept select generate_series(1, 1500)')
  // Of now: the first user takes its lease again, then of the new server.
  const { pid } = first
  await killAll(first.url, pid)
  const second = await start(folder)
  expect(second.pid).not.toBe(pid)
  expect(second.reused).toBe(false)
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1500 }])
  expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).toContain('was not properly shut down')
})

test('after kill -9 of the postmaster alone the next start waits for its last processes', async () => {
  const folder = aFolder()
  const first = await start(folder)
  process.kill(first.pid, 'SIGKILL')
  const second = await start(folder)
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a pid file whose number now belongs to a stranger does not keep the server from starting', async () => {
  const folder = aFolder()
  const first = await start(folder)
  const pidFile = join(folder, 'cluster', 'postmaster.pid')
  const text = readFileSync(pidFile, 'utf8')
  await first.stop()
  writeFileSync(pidFile, text.replace(/^\d+/, String(process.ppid)), { mode: 0o600 })
  const second = await start(folder)
  expect(second.reused).toBe(false)
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a pid file that a full disk left empty does not keep the server from starting', async () => {
  const folder = aFolder()
  await (await start(folder)).stop()
  const pidFile = join(folder, 'cluster', 'postmaster.pid')
  writeFileSync(pidFile, '', { mode: 0o600 })
  const { uid, gid } = statSync(join(folder, 'cluster'))
  chownSync(pidFile, uid, gid)
  expect((await start(folder)).reused).toBe(false)
})

test('a start fails with the reason that the server gives', async () => {
  await expect(start(aFolder(), { settings: { shared_buffers: 'plenty' } })).rejects.toThrow('invalid value for parameter "shared_buffers": "plenty"')
})

test('a pointer to a cluster that is gone is an error, not an empty database', async () => {
  const folder = aFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, 'cluster.json'), JSON.stringify({ cluster: join(folder, 'nowhere') }))
  await expect(start(folder)).rejects.toThrow('which does not exist')
})

test.runIf(asRoot)('under root, data below a folder that only root may enter goes to a state folder, and is found again', async () => {
  const folder = aFolder(0o700)
  const reported: string[] = []
  const options = { log: (line: string) => void reported.push(line) }
  const first = await start(folder, options)
  await query(first.url, 'create table kept (n int)', 'insert into kept values (7)')
  await first.stop()
  expect(reported.filter(line => line.startsWith(`the database is in ${scratch}/`))).toHaveLength(1)
  reported.length = 0
  const second = await start(folder, options)
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }])
  await second.stop()
  expect(reported).toEqual([])
})

/** A data folder whose cluster lies in the state folder, with one row; its server is stopped. */
async function withClusterElsewhere(): Promise<{ folder: string; copy: string; owner: string }> {
  const folder = aFolder(0o700)
  const server = await start(folder)
  await query(server.url, 'create table kept (n int)', 'insert into kept values (7)')
  await server.stop()
  const { cluster } = JSON.parse(readFileSync(join(folder, 'cluster.json'), 'utf8')) as { cluster: string }
  return { folder, copy: `${folder}-copy`, owner: join(dirname(cluster), 'owner.json') }
}
async function rowOf(folder: string): Promise<unknown> {
  const server = await start(folder)
  try {
    return await query(server.url, 'select n from kept')
  } finally {
    await server.stop()
  }
}

test.runIf(asRoot)('under root, a copied data folder is refused, and the original goes on', async () => {
  const { folder, copy, owner } = await withClusterElsewhere()
  cpSync(folder, copy, { recursive: true })
  await expect(start(copy)).rejects.toThrow(`${copy} is a copy of ${folder}, and both name the same database`)
  const running = await start(folder)
  await expect(stopEmbeddedPostgres(copy)).rejects.toThrow('is a copy of')
  await running.stop()
  // As a cluster that was made before owner.json existed.
  rmSync(owner)
  await expect(start(copy)).rejects.toThrow(`${copy} is a copy of ${folder}`)
  expect(await rowOf(folder)).toEqual([{ n: 7 }])
  expect(existsSync(owner)).toBe(true)
  rmSync(join(folder, 'cluster.json'))
  expect(await rowOf(copy)).toEqual([{ n: 7 }])
})

test.runIf(asRoot)('under root, a moved data folder keeps its database, and a copy left at the old place is refused', async () => {
  const { folder, copy: moved, owner } = await withClusterElsewhere()
  renameSync(folder, moved)
  expect(await rowOf(moved)).toEqual([{ n: 7 }])
  cpSync(moved, folder, { recursive: true })
  await expect(start(folder)).rejects.toThrow(`${folder} is a copy of ${moved}`)
  rmSync(folder, { recursive: true })
  // As a cluster that was made before owner.json existed, and moved since.
  rmSync(owner)
  expect(await rowOf(moved)).toEqual([{ n: 7 }])
})

test.runIf(process.platform === 'linux')('a process that ends without a word leaves the server to the next one, which may end it', async () => {
  const folder = aFolder()
  const script = `import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))}
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder)}, stateFolders: ${JSON.stringify([scratch])} }); process.kill(process.pid, 'SIGKILL')`
  const child = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], { cwd: import.meta.dirname, encoding: 'utf8' })
  expect(child.signal, child.stderr).toBe('SIGKILL')
  const server = await start(folder)
  expect(server.reused).toBe(true)
  expect(await server.stop()).toBe(true)
})

const clusterOf = (folder: string): Cluster => openCluster(folder) as Cluster
/** The server's address for its administrator. */
function adminOf(folder: string, { url }: EmbeddedPostgres): string {
  return address(Number(new URL(url).port), 'postgres', clusterOf(folder).secrets.admin_password, 'postgres')
}
/** Ends the session of the lease that was taken last. */
const loseLease = (admin: string) =>
  query(
    admin,
    "select pg_terminate_backend(pid, 10000) from (select pid from pg_stat_activity where application_name = 'crossfile lease' order by backend_start desc limit 1) as newest",
  )
/** Repeats a question until it is answered; the test's own time limit ends the wait. */
async function answered<T>(ask: () => Promise<T>, right: (answer: T) => boolean = () => true): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => null)
    if (answer !== null && right(answer)) return answer
    await sleep(50)
  }
}

test('who lost its lease does not stop the server that others use', async () => {
  const folder = aFolder()
  const first = await start(folder)
  const second = await start(folder)
  await loseLease(adminOf(folder, first))
  expect(await second.stop()).toBe(false)
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await first.stop()).toBe(true)
})

test('whose lease was lost a moment ago is still seen by its other sessions', async () => {
  const folder = aFolder()
  const first = await start(folder)
  const service = connect(first.url, { applicationName: 'crossfile api', max: 1 })
  await service.pool.query('select 1')
  await first.release()
  const second = await start(folder)
  expect(await second.stop()).toBe(false)
  await service.close()
  expect(await (await start(folder)).stop()).toBe(true)
})

test('a lost lease is taken again', async () => {
  const folder = aFolder()
  const reported: string[] = []
  const first = await start(folder, { log: line => void reported.push(line) })
  await loseLease(adminOf(folder, first))
  await answered(
    async () => reported.includes('the connection to the server was lost and is back'),
    found => found,
  )
  const second = await start(folder)
  expect(await second.stop()).toBe(false)
  expect(await first.stop()).toBe(true)
})

test('the only user ends the server although its lease was lost', async () => {
  const folder = aFolder()
  const first = await start(folder)
  await loseLease(adminOf(folder, first))
  expect(await first.stop()).toBe(true)
  expect(findRunning(clusterOf(folder))).toBe(null)
})

test('a service starts a killed server again, and its pool follows it to another port', async () => {
  const folder = aFolder()
  const service = await start(folder, { keep: true })
  const { url, pid } = service
  const pool = connect(() => service.url, { max: 1 })
  await pool.pool.query('create table kept (n int)')
  await query(service.url, 'insert into kept values (7)')
  const free = new URL(url)
  // As if the port had been taken meanwhile.
  free.port = String(Number(free.port) > 40_000 ? Number(free.port) - 1 : Number(free.port) + 1)
  writePort(folder, Number(free.port))
  process.kill(pid, 'SIGKILL')
  const { rows } = await answered(
    () => pool.pool.query<{ n: number }>('select n from kept'),
    () => service.pid !== pid,
  )
  expect(rows).toEqual([{ n: 7 }])
  expect(service.url).not.toBe(url)
  await pool.close()
  expect(await service.stop()).toBe(true)
})

test('starts and stops at the same moments: who started has a server, and the last stop ends it', async () => {
  const folder = aFolder()
  const user = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      const server = await start(folder)
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
      await server.stop()
    }
  }
  await Promise.all([user(3), user(3), user(3)])
  expect(findRunning(clusterOf(folder))).toBe(null)
})

const linux = process.platform === 'linux'
test.runIf(linux)('a server that does not obey is killed with all its processes', async () => {
  const folder = aFolder()
  const server = await start(folder)
  const cluster = clusterOf(folder)
  process.kill(server.pid, 'SIGSTOP')
  const binaries = () => findBinaries(cluster.runAs, folder, [scratch], () => undefined)
  expect(await stopServer(cluster, binaries, server.pid, 'immediate')).toBe('kill')
  await answered(
    async () => findProcesses(cluster).length,
    left => left === 0,
  )
  expect(await query((await start(folder)).url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test.runIf(linux)('a server that hangs in its shutdown is ended for the next start', async () => {
  const folder = aFolder()
  const first = await start(folder)
  // Of now: the first user takes its lease again, then of the new server.
  const { pid } = first
  // A smart shutdown waits for the sessions that are there: for the lease of `first`, here, indefinitely.
  process.kill(pid, 'SIGTERM')
  await answered(
    async () => findRunning(clusterOf(folder))?.status,
    status => status === 'stopping',
  )
  const second = await start(folder)
  expect(second.pid).not.toBe(pid)
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test.runIf(linux)('a process that a killed postmaster left busy does not keep the next server from starting', async () => {
  const folder = aFolder()
  const first = await start(folder)
  // Without a wait it does not notice that its postmaster is gone.
  query(adminOf(folder, first), 'do $$ begin loop end loop; end $$').catch(() => undefined)
  await answered(
    // As the administrator: other roles do not see what his session runs.
    () => query<{ busy: number }>(adminOf(folder, first), "select count(*)::int as busy from pg_stat_activity where query like 'do %loop%'"),
    ([row]) => row?.busy === 1,
  )
  process.kill(first.pid, 'SIGKILL')
  const second = await start(folder)
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
})
