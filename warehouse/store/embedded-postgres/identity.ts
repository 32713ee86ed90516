// The user that runs PostgreSQL, which refuses uid 0. Under root it runs as the user `nobody`, which every system has. That user must be
// able to reach the binaries and the data; if it cannot, both are in a state folder.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'

/** The user to change to before PostgreSQL starts; null: no change. */
export type RunAs = { readonly uid: number; readonly gid: number } | null

const nobody = { uid: 65534, gid: 65534 }
// Persistent and traversable on the supported systems; not the temporary folder, where another user could create the path first.
export const stateFolders: readonly string[] = ['/var/lib/crossfile', '/srv/crossfile', '/opt/crossfile']

/** Under root the owner of an existing cluster, else an unprivileged system user; for any other user no change. */
export function chooseRunAs(cluster: string): RunAs {
  if (process.getuid?.() !== 0) return null
  if (!existsSync(cluster)) return nobody
  const { uid, gid } = statSync(cluster)
  if (uid === 0) throw new Broken(`${cluster} belongs to root, and PostgreSQL does not run as root`, { hint: `chown -R 65534:65534 ${cluster}` })
  return { uid, gid }
}

/**
 * The environment of PostgreSQL's programs: not that of this process, which contains keys of sources. Windows needs some variables to open
 * a socket.
 */
export const bareEnvironment = process.platform === 'win32' ? undefined : { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/** `uid` and `gid` for child_process. */
export const asUser = (runAs: RunAs): { uid?: number; gid?: number } => (runAs === null ? {} : { uid: runAs.uid, gid: runAs.gid })

/** True if that user may enter `folder`: asks the system, because modes do not show ACLs and mounts. */
export function canEnter(runAs: RunAs, folder: string): boolean {
  if (runAs === null) return true
  let tried: SpawnSyncReturns<Buffer>
  // A probe that a signal ended proves nothing about the folder: Ctrl-C reaches it too.
  do tried = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...asUser(runAs), env: bareEnvironment, cwd: '/', stdio: 'ignore' })
  while (!tried.error && tried.signal !== null)
  if (tried.error) {
    throw new Broken(`this root cannot become uid ${runAs.uid} (${tried.error.message}), and PostgreSQL does not run as root`, {
      hint: 'start as an ordinary user, or set DATABASE_URL to a PostgreSQL server',
    })
  }
  return tried.status === 0
}

/** The first folder for state outside the data folder that is writable and that `runAs` can enter. */
export function findStateFolder(runAs: RunAs, folders: readonly string[]): string {
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 })
      const { uid, mode } = statSync(folder)
      if (uid === process.getuid?.() && (mode & 0o022) === 0 && canEnter(runAs, folder)) return folder
    } catch (error) {
      // If a folder cannot be created (a read-only system), the next one is tried.
      if (error instanceof Broken) throw error
    }
  }
  throw new Broken(`no folder for PostgreSQL's data that uid ${runAs?.uid} can enter: tried ${folders.join(', ')}`, {
    hint: 'set CROSSFILE_DATA to a folder whose parents all users may enter (chmod o+x), start as an ordinary user, or set DATABASE_URL',
  })
}

/** A folder that others may pass through but not list. */
export function makeRequestState(parent: string, name: string): string {
  const folder = join(parent, name)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o711)
  return folder
}

/** True while a process with that id runs, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
