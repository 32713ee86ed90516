// Secret keys outside the database: `<name>-<n>.key` in the data folder's keys/, 32 random bytes each, readable only by their owner,
// created once and never overwritten. A stolen database is useless without them, so back them up separately.
import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Broken, Upstream } from '#schemas/errors.ts'
import { createSecretFile, readSecretFile } from './secret-files.ts'

const keyBytes = 32
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
 * Programs call it through `checkKeyFiles` (key-fingerprints.ts), so that a database never meets two keys of a name.
 */
export function ensureKeyFiles(folder: string, name: string): ReadonlyMap<number, Buffer> {
  const there = readKeyFiles(folder, name)
  if (there.size > 0) return there
  createSecretFile(pathOf(folder, name, 1), randomBytes(keyBytes))
  return readKeyFiles(folder, name)
}

/** The keys of a name. Throws `Upstream` if there is none yet: the API may start before the first worker, and only reads the folder. */
export function requireKeyFiles(folder: string, name: string): ReadonlyMap<number, Buffer> {
  const keys = readKeyFiles(folder, name)
  if (keys.size > 0) return keys
  throw new Upstream(`the ${name} key does not exist yet`, {
    retryAfterSeconds: 10,
    hint: 'the first worker creates it; repeat the request in a moment',
  })
}

const pathOf = (folder: string, name: string, number: number): string => join(folder, `${name}-${number}.key`)

function readKeyFile(path: string): Buffer {
  const bytes = readSecretFile(path, 'key')
  if (bytes.length !== keyBytes)
    throw new Broken(`key ${path} has ${bytes.length} bytes, expected ${keyBytes}`, { hint: 'restore it from the backup' })
  return bytes
}
