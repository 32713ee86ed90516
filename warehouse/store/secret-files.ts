// Files with a secret: created once under their final name, readable by their owner only, and never overwritten. Every key of the
// installation is created and read here.
import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, linkSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { syncFolderNow } from './sync-folder.ts'

/**
 * Creates a file with mode 0600, and its folder with mode 0700 if it is absent. Returns false, and changes nothing, if the file exists.
 * The bytes are flushed under a temporary name and linked, so a crash leaves no partial secret, and of two processes one wins.
 */
export function createSecretFile(path: string, bytes: Uint8Array | string): boolean {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.draft-${process.pid}-${randomUUID()}`)
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, Buffer.from(bytes))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolderNow(folder)
  return true
}

/** No key of this installation is longer: a PEM of an Ed25519 key has 119 bytes. */
const longestSecret = 16 * 1024

/**
 * The bytes of a file that only its owner can read. `what` names the file in errors: `signing key`. Throws `Broken` for a link, a file that
 * is not plain, a file of more than 16 KiB, another owner or another mode. Does not wait for a pipe.
 */
export function readSecretFile(path: string, what: string): Buffer {
  const named = lstatSync(path)
  if (named.isSymbolicLink()) throw new Broken(`${what} ${path} is a symbolic link`, { hint: 'give the key file itself' })
  if (!named.isFile()) throw new Broken(`${what} ${path} is not a file`)
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new Broken(`${what} ${path} is not a file`)
    if (stat.size > longestSecret) throw new Broken(`${what} ${path} has ${stat.size} bytes: that is not one key`)
    refuseForeign(path, what, stat, 0o177, '0600')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** A user who can read a secret can act as this service; a user who can write its folder can replace it. */
export function refuseForeign(
  path: string,
  what: string,
  stat: { readonly mode: number; readonly uid: number },
  forbidden: number,
  expected: string,
): void {
  const user = process.getuid?.()
  if (user === undefined) return // Windows: no owner or mode of this kind
  if (stat.uid !== user) {
    throw new Broken(`${what} ${path} belongs to user ${stat.uid}, this process runs as ${user}`, {
      hint: `chown it to ${user}, or run as ${stat.uid}`,
    })
  }
  const mode = stat.mode & 0o777
  if ((mode & forbidden) !== 0)
    throw new Broken(`${what} ${path} has mode 0${mode.toString(8)}, expected ${expected}`, { hint: `chmod ${expected} ${path}` })
}
