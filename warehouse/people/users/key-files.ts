// Secret keys outside the database: `<name>-<n>.key` in the data folder's keys/, 32 random bytes each, readable only by their owner,
// created once and never overwritten. A stolen database is useless without them, so back them up separately.
import { randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Broken, Upstream } from '#schemas/errors.ts'

export const keyBytes = 32
export const keysFolderOf = (data: string): string => join(data, 'keys')

/** Keys by their number, oldest first; an absent folder has none. Throws `Broken` on a wrong mode, owner or length. */
export function readKeyFiles(folder: string, name: string): ReadonlyMap<number, Buffer> {
  const shape = new RegExp(`^${name}-(\\d{1,6})\\.key$`)
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return new Map()
  const numbers = readdirSync(folder).flatMap(file => shape.exec(file)?.[1] ?? [])
  return new Map(
    numbers
      .map(Number)
      .sort((a, b) => a - b)
      .map(number => [number, readKeyFile(pathOf(folder, name, number))]),
  )
}

/**
 * The keys of a name; the first one is created if there is none. Safe for concurrent calls from several processes: one key results.
 * Throws `Upstream` if this process cannot write the folder and no key exists yet (an API on a read-only volume).
 */
export function ensureKeyFiles(folder: string, name: string): ReadonlyMap<number, Buffer> {
  const there = readKeyFiles(folder, name)
  if (there.size > 0) return there
  try {
    writeKeyFile(folder, name, 1)
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || !['EROFS', 'EACCES', 'EPERM'].includes(String(cause.code))) throw cause
    throw new Upstream(`the ${name} key does not exist yet`, {
      cause,
      retryAfterSeconds: 10,
      hint: 'the first worker creates it; repeat the request in a moment',
    })
  }
  return readKeyFiles(folder, name)
}

const pathOf = (folder: string, name: string, number: number): string => join(folder, `${name}-${number}.key`)

/** Written to a temporary file and linked: a crash never leaves a partial key, and of two processes one wins. */
function writeKeyFile(folder: string, name: string, number: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.draft-${process.pid}-${randomUUID()}`)
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, randomBytes(keyBytes))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, pathOf(folder, name, number))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function readKeyFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const { mode, uid } = fstatSync(file)
    const user = process.getuid?.()
    if (user !== undefined && uid !== user)
      throw new Broken(`key ${path} belongs to user ${uid}, this process runs as ${user}`, { hint: `chown it to ${user}, or run as ${uid}` })
    if (user !== undefined && (mode & 0o177) !== 0)
      throw new Broken(`key ${path} has mode 0${(mode & 0o777).toString(8)}, expected 0600`, { hint: `chmod 0600 ${path}` })
    const bytes = readFileSync(file)
    if (bytes.length !== keyBytes)
      throw new Broken(`key ${path} has ${bytes.length} bytes, expected ${keyBytes}`, { hint: 'restore it from the backup' })
    return bytes
  } finally {
    closeSync(file)
  }
}
