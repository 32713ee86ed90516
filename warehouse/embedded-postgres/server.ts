// One PostgreSQL server over one cluster: is it running, start it, stop it. PostgreSQL's own postmaster.pid decides between
// two starters; what it cannot know, that the number in a stale file now belongs to a stranger, is checked here.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Broken } from '#schemas/errors.ts'
import type { Binaries } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { asUser, bareEnvironment, isAlive } from './identity.ts'

export type Postmaster = { readonly pid: number; readonly port: number; readonly status: string }

/** Crash recovery reads the WAL since the last checkpoint, at most max_wal_size: far less than this on any disk. */
const startLimitMs = 300_000
const stopLimitMs = 60_000
const pollMs = 25

/** What Crossfile's promises rest on, whatever postgresql.conf says: given on the command line, which wins. */
const heldSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
}

const pidFile = (cluster: Cluster) => join(cluster.folder, 'postmaster.pid')

/** The lines of postmaster.pid that matter; null where there is none, or one that is still being written. */
function readPidFile(cluster: Cluster): Postmaster | null {
  const path = pidFile(cluster)
  if (!existsSync(path)) return null
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const lines = text.split('\n').map(line => line.trim())
  const pid = Number(lines[0])
  return Number.isInteger(pid) && pid > 0 ? { pid, port: Number(lines[3] ?? 0), status: lines[7] ?? 'starting' } : null
}

/** True where process `pid` lives and is the PostgreSQL of this cluster, which works inside its folder. */
function isOurs(pid: number, cluster: Cluster): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster.folder
    } catch {
      // Gone meanwhile, a zombie, or another user's process: none of them is the server of a cluster that we own.
      return false
    }
  }
  if (process.platform === 'win32') return spawnSync('tasklist', ['/FI', `PID eq ${pid}`, '/NH'], { encoding: 'utf8' }).stdout.includes('postgres')
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster.folder)
}

/** The server that runs over this cluster, in whatever state; null where none does. */
export function findRunning(cluster: Cluster): Postmaster | null {
  const found = readPidFile(cluster)
  return found !== null && isOurs(found.pid, cluster) ? found : null
}

/** Takes away a pid file whose number belongs to no server of ours. Moved before it is judged, so that a new one is never hit. */
function clearStale(cluster: Cluster): void {
  const path = pidFile(cluster)
  const aside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const pid = Number(readFileSync(aside, 'utf8').split('\n')[0])
  if (pid > 0 && isOurs(pid, cluster)) renameSync(aside, path)
  else rmSync(aside, { force: true })
}

/** A port on 127.0.0.1 that was free a moment ago: `wanted` where it is, so that an address lives longer than a server. */
async function freePort(wanted: number): Promise<number> {
  const tryPort = (port: number) =>
    new Promise<number | null>(resolve => {
      const probe = createServer()
      probe.once('error', () => resolve(null))
      probe.listen(port, '127.0.0.1', () => {
        const address = probe.address()
        probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null))
      })
    })
  const port = (wanted > 0 ? await tryPort(wanted) : null) ?? (await tryPort(0))
  if (port === null) throw new Broken('no free port on 127.0.0.1')
  return port
}

type Outcome = 'ready' | 'other-server' | 'port-taken' | 'not-yet'

function judgeFailure(cluster: Cluster, log: string, code: number | null): Outcome {
  if (log.includes('lock file "postmaster.pid" already exists')) return 'other-server'
  if (log.includes('Address already in use')) return 'port-taken'
  // The last processes of a killed server are still going down, or another starter has only just begun.
  if (log.includes('pre-existing shared memory block') || log.includes('lock file "postmaster.pid" is empty')) return 'not-yet'
  throw new Broken(`PostgreSQL did not start over ${cluster.folder} (exit code ${code}): ${log.trim().split('\n').slice(-5).join(' | ')}`)
}

/** Spawns the server in a session of its own, so that a Ctrl-C for us does not stop it under our feet. */
async function spawnServer(
  cluster: Cluster,
  binaries: Binaries,
  port: number,
  settings: Readonly<Record<string, string>>,
  logFile: string,
): Promise<Outcome> {
  const ownLog = `${logFile}.${randomBytes(4).toString('hex')}`
  const options = Object.entries({ ...heldSettings, ...settings, port: String(port) }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const fd = openSync(ownLog, 'ax', 0o600)
  let exit: { code: number | null } | undefined
  try {
    if (process.platform === 'win32') {
      // pg_ctl gives up an administrator's rights, without which PostgreSQL does not start there.
      const quoted = options.map(option => `"${option}"`).join(' ')
      spawnSync(binaries.pgCtl, ['start', '-W', '-D', cluster.folder, '-o', quoted], { stdio: ['ignore', fd, fd], windowsHide: true })
    } else {
      const child = spawn(binaries.postgres, ['-D', cluster.folder, ...options], {
        ...asUser(cluster.runAs),
        cwd: '/',
        env: bareEnvironment,
        stdio: ['ignore', fd, fd],
        detached: true,
      })
      child.once('error', () => (exit = { code: null }))
      child.once('exit', code => (exit = { code }))
      child.unref()
    }
  } finally {
    closeSync(fd)
  }
  for (let waited = 0; waited < startLimitMs; waited += pollMs) {
    const running = findRunning(cluster)
    if (running?.status === 'ready' && running.port === port) {
      if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
      renameSync(ownLog, logFile)
      return 'ready'
    }
    if (exit !== undefined) {
      const log = readFileSync(ownLog, 'utf8')
      rmSync(ownLog, { force: true })
      return judgeFailure(cluster, log, exit.code)
    }
    await sleep(pollMs)
  }
  throw new Broken(`PostgreSQL over ${cluster.folder} was not ready after ${startLimitMs / 1000} seconds; its log is ${ownLog}`)
}

/**
 * The server over this cluster, ready for connections: the one that runs, else a new one (on `wantedPort` where that is
 * free). `reused` says which. Throws `Broken` with the end of PostgreSQL's log where it cannot start.
 */
export async function ensureRunning(
  cluster: Cluster,
  binaries: () => Binaries,
  options: { wantedPort: number; settings: Readonly<Record<string, string>>; logFile: string },
): Promise<Postmaster & { reused: boolean }> {
  let wanted = options.wantedPort
  for (let waited = 0; waited < startLimitMs; waited += pollMs) {
    const running = findRunning(cluster)
    if (running?.status === 'ready') return { ...running, reused: true }
    if (running === null) {
      // A file with a number in it and no server behind that is stale; one without is being written, or a full disk cut it off.
      if (readPidFile(cluster) !== null || (existsSync(pidFile(cluster)) && waited > 3000)) clearStale(cluster)
      const outcome = await spawnServer(cluster, binaries(), await freePort(wanted), options.settings, options.logFile)
      const started = findRunning(cluster)
      if (outcome === 'ready' && started !== null) return { ...started, reused: false }
      if (outcome === 'port-taken') wanted = 0
      if (outcome === 'not-yet') {
        await sleep(250)
        waited += 250
      }
    }
    await sleep(pollMs)
  }
  throw new Broken(`PostgreSQL over ${cluster.folder} was not ready after ${startLimitMs / 1000} seconds`)
}

/** Fast shutdown (open transactions roll back, everything committed is on disk), then waits until the server is gone. */
export async function stopServer(cluster: Cluster, binaries: () => Binaries): Promise<void> {
  const running = findRunning(cluster)
  if (running === null) return
  if (process.platform === 'win32') spawnSync(binaries().pgCtl, ['stop', '-m', 'fast', '-D', cluster.folder], { stdio: 'ignore', windowsHide: true })
  else process.kill(running.pid, 'SIGINT')
  for (let waited = 0; waited < stopLimitMs; waited += pollMs) {
    if (!isOurs(running.pid, cluster)) return
    await sleep(pollMs)
  }
  throw new Broken(`PostgreSQL (process ${running.pid}) did not stop within ${stopLimitMs / 1000} seconds`)
}
