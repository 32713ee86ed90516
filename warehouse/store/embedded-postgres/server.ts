// One PostgreSQL server over one cluster: status, start, stop. PostgreSQL's postmaster.pid decides between two starters. It cannot detect
// that the number in a stale file now belongs to another process; this file checks that.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Broken } from '#schemas/errors.ts'
import { ServerNotStarted } from '../disk-faults.ts'
import type { Binaries } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { asUser, bareEnvironment, isAlive } from './identity.ts'
import { findProcesses, kill, killLeftovers } from './processes.ts'

export type Postmaster = { readonly pid: number; readonly port: number; readonly status: string }

/** Crash recovery reads the WAL since the last checkpoint, at most max_wal_size, which takes less than this on any disk. */
const startLimitMs = 300_000
const pollMs = 25
/** How long to wait for a server that another process is stopping, before it is stopped harder. */
const stoppingLimitMs = 20_000
/** How long the processes of a killed server may take to end. */
const leftoverLimitMs = 3_000

/**
 * Ways to stop a server; each is tried if the one before did not end it in time, 25 seconds in total. Fast rolls open transactions back and
 * writes a checkpoint; after the others, the next start recovers from the WAL. None loses a commit.
 */
const stopWays = [
  { mode: 'fast', signal: 'SIGINT', limitMs: 15_000 },
  { mode: 'immediate', signal: 'SIGQUIT', limitMs: 7_000 },
  { mode: 'kill', signal: 'SIGKILL', limitMs: 3_000 },
] as const
export type StopMode = (typeof stopWays)[number]['mode']

/** Settings that Crossfile requires, whatever postgresql.conf contains: passed on the command line, which takes precedence. */
const heldSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
}

const pidFile = (cluster: Cluster) => join(cluster.folder, 'postmaster.pid')

/** The needed lines of postmaster.pid; null if there is no such file, or if it is still being written. */
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

/** True if process `pid` runs and is the PostgreSQL of this cluster. */
function isOurs(pid: number, cluster: Cluster): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster.folder
    } catch {
      // The process has ended, is a zombie, or belongs to another user: it is not the server of a cluster of this user.
      return false
    }
  }
  if (process.platform === 'win32') return spawnSync('tasklist', ['/FI', `PID eq ${pid}`, '/NH'], { encoding: 'utf8' }).stdout.includes('postgres')
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster.folder)
}

/** The server that runs over this cluster, in any state; null if none does. */
export function findRunning(cluster: Cluster): Postmaster | null {
  const found = readPidFile(cluster)
  return found !== null && isOurs(found.pid, cluster) ? found : null
}

/** Removes a pid file whose number does not belong to a server of Crossfile. It is moved before it is checked, so that a new one is not removed. */
function clearStale(cluster: Cluster): void {
  const path = pidFile(cluster)
  const workerPool = `${path}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(path, workerPool)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const pid = Number(readFileSync(workerPool, 'utf8').split('\n')[0])
  if (pid > 0 && isOurs(pid, cluster)) renameSync(workerPool, path)
  else rmSync(workerPool, { force: true })
}

/** A free port on 127.0.0.1: `wanted` if it is free, so that an address stays valid. */
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

type Outcome = 'ready' | 'other-server' | 'port-taken' | 'leftovers' | 'not-yet'
type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

function classifyFailure(cluster: Cluster, log: string, { code, signal }: Exit): Outcome {
  if (log.includes('lock file "postmaster.pid" already exists')) return 'other-server'
  if (log.includes('Address already in use')) return 'port-taken'
  // The last processes of a killed server are still ending, or another starter has just begun.
  if (log.includes('pre-existing shared memory block')) return 'leftovers'
  if (log.includes('lock file "postmaster.pid" is empty')) return 'not-yet'
  // The server, or one of its processes, was stopped or killed before it was ready.
  if (log.includes('shutdown request') || log.includes('was terminated by signal 9') || signal === 'SIGKILL') return 'not-yet'
  const reason = log.trim().split('\n').slice(-5).join(' | ') || 'it wrote no log'
  throw new ServerNotStarted(`PostgreSQL did not start over ${cluster.folder} (exit code ${code}): ${reason}`)
}

/** Spawns the server in a separate session, so that a Ctrl-C for this process does not stop it. */
async function spawnServer(
  cluster: Cluster,
  binaries: Binaries,
  port: number,
  settings: Readonly<Record<string, string>>,
  logFile: string,
  signal?: AbortSignal,
): Promise<Outcome> {
  const ownLog = `${logFile}.${randomBytes(4).toString('hex')}`
  const options = Object.entries({ ...heldSettings, ...settings, port: String(port) }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const fd = openSync(ownLog, 'ax', 0o600)
  let exit: Exit | undefined
  try {
    if (process.platform === 'win32') {
      // pg_ctl drops the rights of an administrator, with which PostgreSQL does not start.
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
      child.once('error', () => (exit = { code: null, signal: null }))
      child.once('exit', (code, signal) => (exit = { code, signal }))
      child.unref()
    }
  } finally {
    closeSync(fd)
  }
  for (let waited = 0; waited < startLimitMs; waited += pollMs) {
    signal?.throwIfAborted()
    const running = findRunning(cluster)
    if (running?.status === 'ready' && running.port === port) {
      if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
      renameSync(ownLog, logFile)
      return 'ready'
    }
    if (exit !== undefined) {
      const log = readFileSync(ownLog, 'utf8')
      rmSync(ownLog, { force: true })
      return classifyFailure(cluster, log, exit)
    }
    await sleep(pollMs)
  }
  throw new Broken(`PostgreSQL over ${cluster.folder} was not ready after ${startLimitMs / 1000} seconds; its log is ${ownLog}`)
}

export type RunOptions = {
  readonly wantedPort: number
  readonly settings: Readonly<Record<string, string>>
  readonly logFile: string
  /** Ends the wait; a server that is starting continues. */
  readonly signal?: AbortSignal
}

/**
 * The server over this cluster, ready for connections: the running one, else a new one (on `wantedPort` if that is free). `reused` states
 * which. Throws `Broken` with the end of PostgreSQL's log if it cannot start.
 */
export async function ensureRunning(
  cluster: Cluster,
  binaries: () => Binaries,
  { wantedPort, settings, logFile, signal }: RunOptions,
): Promise<Postmaster & { reused: boolean }> {
  let wanted = wantedPort
  let stoppingMs = 0
  let leftoverMs = 0
  for (let waited = 0; waited < startLimitMs; waited += pollMs) {
    signal?.throwIfAborted()
    const running = findRunning(cluster)
    if (running?.status === 'ready') return { ...running, reused: true }
    if (running?.status === 'stopping') {
      // The process that was stopping it may have ended: no other process uses the server or would stop it.
      stoppingMs += pollMs
      if (stoppingMs >= stoppingLimitMs) await stopServer(cluster, binaries, running.pid, 'immediate')
    } else stoppingMs = 0
    if (running === null) {
      // A file with a number but without a server is stale; one without a number is being written, or was truncated by a full disk.
      if (readPidFile(cluster) !== null || (existsSync(pidFile(cluster)) && waited > 3000)) clearStale(cluster)
      const outcome = await spawnServer(cluster, binaries(), await freePort(wanted), settings, logFile, signal)
      const started = findRunning(cluster)
      if (outcome === 'ready' && started !== null) return { ...started, reused: false }
      if (outcome === 'port-taken') wanted = 0
      if (outcome === 'not-yet' || outcome === 'leftovers') {
        await sleep(250)
        waited += 250
        leftoverMs = outcome === 'leftovers' ? leftoverMs + 250 : 0
        if (leftoverMs >= leftoverLimitMs) killLeftovers(cluster)
      }
    }
    await sleep(pollMs)
  }
  throw new Broken(`PostgreSQL over ${cluster.folder} was not ready after ${startLimitMs / 1000} seconds`)
}

/** One way of stopping, including the processes of a killed server. */
function stopBy(mode: StopMode, signal: NodeJS.Signals, cluster: Cluster, binaries: () => Binaries, pid: number): void {
  if (process.platform === 'win32' && mode !== 'kill') {
    spawnSync(binaries().pgCtl, ['stop', '-W', '-m', mode, '-D', cluster.folder], { stdio: 'ignore', windowsHide: true })
    return
  }
  if (mode === 'kill') {
    const children = findProcesses(cluster).filter(each => each.parent === pid)
    kill(pid)
    for (const child of children) kill(child.pid)
    return
  }
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Stops the server whose postmaster is process `pid` and waits for its end: fast, then immediate, then by kill, within 25 seconds. Returns
 * the way that ended it. A server that was started later is not affected.
 */
export async function stopServer(cluster: Cluster, binaries: () => Binaries, pid: number, first: StopMode = 'fast'): Promise<StopMode> {
  const ways = stopWays.slice(stopWays.findIndex(way => way.mode === first))
  for (const { mode, signal, limitMs } of ways) {
    if (isOurs(pid, cluster)) stopBy(mode, signal, cluster, binaries, pid)
    for (let waited = 0; waited < limitMs; waited += pollMs) {
      if (!isOurs(pid, cluster)) return mode
      await sleep(pollMs)
    }
  }
  throw new Broken(`PostgreSQL (process ${pid}) did not end after SIGKILL`, {
    hint: 'the kernel is blocking it, for example on a disk that does not respond',
  })
}
