// The folder of PostgreSQL's data: created by initdb in one atomic step, so that only one of several starters creates it. It is `cluster`
// in the data folder. If the user of PostgreSQL under root cannot reach that, it is elsewhere, with a pointer.
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chownSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { syncFolderNow } from '../sync-folder.ts'
import type { Binaries } from './binaries.ts'
import { asUser, bareEnvironment, canEnter, chooseRunAs, findStateFolder, isAlive, makeRequestState, type RunAs } from './identity.ts'
import { checkOwner, pointerName, readPointer, writeOwner } from './owner.ts'

type Secrets = { readonly admin_password: string; readonly password: string }
export type Cluster = { readonly folder: string; readonly runAs: RunAs; readonly secrets: Secrets }

const secretsName = 'crossfile.json'

/** Settings that an operator may change in postgresql.conf; those that Crossfile requires are passed at each start (server.ts). */
const firstSettings = {
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // A failed statement may contain values of a user; they are not logged.
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

/** The folder of this data folder's cluster, if there is one: its place, or the target of the pointer. */
function findFolder(dataDir: string): string | null {
  const pointer = join(dataDir, pointerName)
  if (!existsSync(pointer)) return existsSync(join(dataDir, 'cluster')) ? join(dataDir, 'cluster') : null
  const { cluster } = readPointer(dataDir)
  if (existsSync(cluster)) return cluster
  throw new Broken(`${pointer} refers to the database in ${cluster}, which does not exist`, {
    hint: `bring that folder back, or delete ${pointer} to begin with an empty database`,
  })
}

function readCluster(folder: string): Cluster {
  const file = join(folder, secretsName)
  try {
    return { folder: realpathSync(folder), runAs: chooseRunAs(folder), secrets: JSON.parse(readFileSync(file, 'utf8')) as Secrets }
  } catch (cause) {
    if (cause instanceof Broken) throw cause
    throw new Broken(`the database in ${folder} cannot be opened by this user: ${(cause as Error).message}`, {
      cause,
      hint: 'start as the user who made it (root can always), or set CROSSFILE_DATA to another folder',
    })
  }
}

/** The cluster of this data folder, or null if none was created yet. Throws `Broken` if it belongs to another data folder. */
export function openCluster(dataDir: string): Cluster | null {
  const folder = findFolder(dataDir)
  if (folder === null) return null
  const cluster = readCluster(folder)
  if (existsSync(join(dataDir, pointerName))) checkOwner(dataDir)
  return cluster
}

/** Runs initdb, which refuses a user without a name (an arbitrary uid in a container): such a user gets a name in a user namespace. */
function runInitdb(binaries: Binaries, args: readonly string[], runAs: RunAs): void {
  const run = (command: string, before: readonly string[]) =>
    spawnSync(command, [...before, ...args], { ...asUser(runAs), cwd: '/', env: bareEnvironment, encoding: 'utf8' })
  let made = run(binaries.initdb, [])
  const nameless = made.status !== 0 && (made.stderr ?? '').includes('could not look up effective user ID')
  if (nameless) made = run('unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', binaries.initdb])
  if (made.status === 0) return
  throw new Broken(`initdb could not make the database: ${(made.error?.message ?? made.stderr).trim()}`, {
    hint: nameless
      ? `give uid ${runAs?.uid ?? process.getuid?.()} a line in /etc/passwd, or set DATABASE_URL to a PostgreSQL server`
      : 'set DATABASE_URL to a PostgreSQL server',
  })
}

function initdb(binaries: Binaries, folder: string, runAs: RunAs): void {
  const secrets: Secrets = { admin_password: randomBytes(24).toString('base64url'), password: randomBytes(24).toString('base64url') }
  const passwordFile = `${folder}.password`
  const own = (path: string) => runAs && chownSync(path, runAs.uid, runAs.gid)
  mkdirSync(folder, { mode: 0o700 })
  own(folder)
  writeFileSync(passwordFile, secrets.admin_password, { mode: 0o600, flag: 'wx' })
  own(passwordFile)
  try {
    const settings = Object.entries(firstSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    const args = ['-D', folder, ...access, ...locale, '--data-checksums', '--no-instructions', ...settings]
    runInitdb(binaries, args, runAs)
    // initdb synced its files; without this sync, the entries of the folder may be lost in a power cut.
    writeFileSync(join(folder, secretsName), JSON.stringify(secrets), { mode: 0o600, flush: true })
    own(join(folder, secretsName))
    syncFolderNow(folder)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Partial clusters of killed starters: their name contains the process id. */
function sweepUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(/^cluster\.new-(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

/** Creates a cluster next to `place` and moves it there; if another starter was first, its cluster stays and this one is deleted. */
function makeInPlace(binaries: Binaries, place: string, runAs: RunAs): void {
  sweepUnfinished(dirname(place))
  const fresh = `${place}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    initdb(binaries, fresh, runAs)
    // Another starter may have found this folder inaccessible to PostgreSQL's user, and published a cluster elsewhere.
    if (existsSync(join(dirname(place), pointerName))) return
    renameSync(fresh, place)
    syncFolderNow(dirname(place))
  } catch (error) {
    if (findFolder(dirname(place)) === null) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Creates a cluster in a state folder and publishes the pointer to it by a hard link, which only one starter can create. */
function makeElsewhere(binaries: Binaries, dataDir: string, runAs: RunAs, folders: readonly string[], log: (line: string) => void): void {
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12)
  const home = makeRequestState(findStateFolder(runAs, folders), `${name}-${randomBytes(4).toString('hex')}`)
  const folder = join(home, 'cluster')
  const pointer = join(dataDir, pointerName)
  const draft = `${pointer}.${randomBytes(4).toString('hex')}`
  try {
    initdb(binaries, folder, runAs)
    if (existsSync(join(dataDir, 'cluster'))) throw new Broken(`${dataDir} got a database while another was being made for it`)
    writeFileSync(
      draft,
      JSON.stringify({ cluster: folder, why: `${dataDir} cannot be entered by uid ${runAs?.uid}, which PostgreSQL runs as under root` }),
      { flush: true },
    )
    writeOwner(folder, dataDir)
    linkSync(draft, pointer)
    syncFolderNow(dataDir)
    log(`the database is in ${folder}: under root PostgreSQL runs as uid ${runAs?.uid}, which cannot enter ${dataDir}`)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    if (findFolder(dataDir) === null) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

export type Place = {
  readonly dataDir: string
  /** Folders for state that cannot be in the data folder. */
  readonly folders: readonly string[]
  readonly log: (line: string) => void
}

/** The existing cluster of this data folder; created if there is none, which takes about a second. */
export function ensureCluster({ dataDir, folders, log }: Place, binariesFor: (runAs: RunAs) => Binaries): Cluster {
  const found = openCluster(dataDir)
  if (found !== null) {
    if (canEnter(found.runAs, dirname(found.folder))) return found
    throw new Broken(`uid ${found.runAs?.uid}, which PostgreSQL runs as under root, cannot enter ${dirname(found.folder)}`, {
      hint: 'let all users pass through its parent folders (chmod o+x), or start as the user who made it',
    })
  }
  const place = join(dataDir, 'cluster')
  const runAs = chooseRunAs(place)
  const binaries = binariesFor(runAs)
  if (canEnter(runAs, dataDir)) makeInPlace(binaries, place, runAs)
  else makeElsewhere(binaries, dataDir, runAs, folders, log)
  const made = openCluster(dataDir)
  if (made === null) throw new Broken(`the database of ${dataDir} disappeared while it was being made`)
  return made
}
