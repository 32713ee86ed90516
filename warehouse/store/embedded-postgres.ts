// A PostgreSQL that comes with the packages: created, started, shared and stopped without an installation. `npm start` and every command
// call `startEmbeddedPostgres` on the same folder: the first starts the server, the others use it, and the last to call `stop` stops it.
// Each holds a session with a shared advisory lock (lease.ts) while it uses the server, so that a killed process does not count. A process
// stops the server only if it can prove that it is the last user; otherwise the server keeps running for the next one.
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { Broken } from '#schemas/errors.ts'
import { isConnectionError } from './connection-errors.ts'
import { type Binaries, findBinaries } from './embedded-postgres/binaries.ts'
import { type Cluster, ensureCluster, openCluster } from './embedded-postgres/cluster.ts'
import { type RunAs, stateFolders } from './embedded-postgres/identity.ts'
import { address, connectToAsk, proveAlone, takeLease } from './embedded-postgres/lease.ts'
import { ensureRunning, findRunning, type Postmaster, stopServer } from './embedded-postgres/server.ts'
import { readPort, writePort } from './embedded-postgres/state.ts'
import { makeFolder } from './start-check/start-check.ts'

export type EmbeddedPostgres = {
  /**
   * The address of the database `crossfile`, with the role that owns it (not a superuser; may create databases). Contains a password. It
   * changes after a restart for which the old port was in use, so read it for each connection.
   */
  readonly url: string
  readonly pid: number
  /** True if the server was running already: after a `kill -9` of its starter, or because another command uses it. */
  readonly reused: boolean
  /** Stops the server and waits for it, if this is proven to be its last user; true if it was stopped. */
  stop(): Promise<boolean>
  /** Releases the lease and leaves the server running. */
  release(): Promise<void>
}

export type EmbeddedOptions = {
  /** Folder for the cluster, its log and its state; created if it is missing. */
  readonly dataDir: string
  readonly log?: (line: string) => void
  /** Further server settings for this start, such as `fsync: 'off'` for a throw-away test server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folders to try, under root, for data that PostgreSQL's user cannot reach in the data folder. */
  readonly stateFolders?: readonly string[]
  /** Restart the server whenever it stops, for services. Otherwise, a lost lease is only taken again. */
  readonly keep?: boolean
}

/** A server that restarts after a crash of one of its processes refuses connections while it recovers. */
const letInLimitMs = 60_000
const retryMs = 100
const keepRetryMs = 1_000
/** How long `stop` asks a server that does not answer whether others use it. */
const askLimitMs = 15_000

/** A server with a session that holds the lease. */
type Held = { readonly server: Postmaster & { readonly reused: boolean }; readonly lease: Client }
/** Starts the server if it does not run, and takes the lease. */
type Site = {
  readonly folder: string
  readonly cluster: Cluster
  readonly binaries: () => Binaries
  readonly settings: Readonly<Record<string, string>>
  readonly log: (line: string) => void
}

/** Starts the server if it does not run and takes the lease. */
async function hold({ folder, cluster, binaries, settings }: Site, signal?: AbortSignal): Promise<Held> {
  const begun = performance.now()
  do {
    const server = await ensureRunning(cluster, binaries, {
      wantedPort: readPort(folder),
      settings,
      logFile: join(folder, 'postgres.log'),
      ...(signal ? { signal } : {}),
    })
    const lease = await takeLease(cluster, server)
    if (lease !== null) {
      writePort(folder, server.port)
      return { server, lease }
    }
    signal?.throwIfAborted()
    await sleep(retryMs)
  } while (performance.now() - begun < letInLimitMs)
  throw new Broken(
    `PostgreSQL over ${cluster.folder} did not let us in for ${letInLimitMs / 1000} seconds; its log is ${join(folder, 'postgres.log')}`,
  )
}

/**
 * Starts PostgreSQL over `dataDir`, or uses the running one. Listens on 127.0.0.1 only, on a port that stays the same between starts if it
 * is free. Passwords are random and stored in a 0600 file inside the cluster. Throws `Broken` with what to change if this machine cannot
 * run it.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log = () => undefined, settings = {}, stateFolders: folders = stateFolders, keep = false } = options
  const folder = resolve(dataDir)
  const binariesFor = (runAs: RunAs): Binaries => findBinaries(runAs, folder, folders, log)
  await makeFolder(folder, 'CROSSFILE_DATA')
  const cluster = ensureCluster({ dataDir: folder, folders, log }, binariesFor)
  const site: Site = { folder, cluster, binaries: () => binariesFor(cluster.runAs), settings, log }
  return handle(site, await hold(site), keep)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function handle(site: Site, first: Held, keep: boolean): EmbeddedPostgres {
  const { cluster, binaries, log } = site
  const end = new AbortController()
  let { server } = first
  let lease: Client | null = null
  let regaining: Promise<void> = Promise.resolve()

  function adopt(held: Held): void {
    server = held.server
    lease = held.lease
    held.lease.once('end', () => {
      lease = null
      if (!end.signal.aborted) regaining = regain()
    })
  }

  /** Takes the lease again after it was lost: from the running server or, with `keep`, from one that is started. */
  async function regain(): Promise<void> {
    let lastMessage = ''
    while (!end.signal.aborted) {
      try {
        const held = keep ? await hold(site, end.signal) : await attach()
        if (held !== null) {
          log(held.server.reused ? 'the connection to the server was lost and is back' : 'the server ended and was started again')
          return adopt(held)
        }
      } catch (error) {
        if (end.signal.aborted) return
        if (messageOf(error) !== lastMessage) log(`the server was lost and cannot be restarted: ${messageOf(error)}`)
        lastMessage = messageOf(error)
      }
      await sleep(keepRetryMs, undefined, { ref: keep, signal: end.signal }).catch(() => undefined)
    }
  }

  /** Takes the lease of the running server; null if none runs. */
  async function attach(): Promise<Held | null> {
    const running = findRunning(cluster)
    if (running?.status !== 'ready') return null
    const held = await takeLease(cluster, running)
    return held === null ? null : { server: { ...running, reused: true }, lease: held }
  }

  /** A session to ask whether others use the server; null if none runs, or none responds in time. */
  async function sessionToAsk(): Promise<Client | null> {
    if (lease !== null) return lease
    for (let waited = 0; waited < askLimitMs; waited += retryMs) {
      const running = findRunning(cluster)
      if (running === null) return null
      const session = running.status === 'ready' ? await connectToAsk(cluster, running) : null
      if (session !== null) return session
      await sleep(retryMs)
    }
    return null
  }

  async function stop(): Promise<boolean> {
    if (end.signal.aborted) return false
    end.abort(new Error('stopping'))
    await regaining
    let session: Client | null = null
    try {
      session = await sessionToAsk()
      const alone = session === null ? null : await proveAlone(session)
      if (alone === null) return false
      const mode = await stopServer(cluster, binaries, alone)
      if (mode !== 'fast') log(`the server did not stop in time and was ended by ${mode}`)
      return true
    } catch (error) {
      // Without an answer there is no proof of being the last user.
      if (!isConnectionError(error)) throw error
      log(`the server stays running: its users could not be determined (${messageOf(error)})`)
      return false
    } finally {
      await session?.end().catch(() => undefined)
    }
  }

  async function release(): Promise<void> {
    if (end.signal.aborted) return
    end.abort(new Error('released'))
    await regaining
    await lease?.end()
  }

  adopt(first)
  return {
    get url() {
      return address(server.port, 'crossfile', cluster.secrets.password, 'crossfile')
    },
    get pid() {
      return server.pid
    },
    reused: first.server.reused,
    stop,
    release,
  }
}

/** Stops the server over `dataDir`, even if it is in use; true if one ran. */
export async function stopEmbeddedPostgres(dataDir: string): Promise<boolean> {
  const folder = resolve(dataDir)
  const cluster = openCluster(folder)
  const running = cluster === null ? null : findRunning(cluster)
  if (cluster === null || running === null) return false
  await stopServer(cluster, () => findBinaries(cluster.runAs, folder, stateFolders, () => undefined), running.pid)
  return true
}
