// The key that seals what administrators' second factors stand on: a file outside the database, so that a copy of the database
// alone opens none of them.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Broken, Upstream } from '#schemas/errors.ts'

export type SealKey = {
  /** Sealed for one user: another's row does not open it. */
  readonly seal: (secret: Uint8Array, userId: string) => Buffer
  readonly open: (sealed: Uint8Array, userId: string) => Buffer
  /** Of a recovery code: without the key, 80 bits cannot be tried against it. */
  readonly hmac: (recovery: string, userId: string) => Buffer
}
const format = 1
const fileName = 'admin-totp-1.key'
const codeOfError = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** The key of a data folder's `keys`; made where there is none and the folder may be written. Any number of processes may call it at once. */
export function ensureSealKey(folder: string): SealKey {
  const path = join(folder, fileName)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    try {
      writeKey(folder, path)
    } catch (cause) {
      if (codeOfError(cause) !== 'EEXIST')
        throw new Upstream('the key of second factors is not there and cannot be made here', {
          cause,
          hint: 'start the worker, or run crossfile admin create: they may write the data folder',
        })
    }
  }
  return sealKeyOf(readKey(path))
}

function writeKey(folder: string, path: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.draft-${process.pid}-${randomUUID()}`)
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    // Linked whole: a crash never leaves half a key, and of two processes one's key stands.
    linkSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

function readKey(path: string): Buffer {
  const stat = lstatSync(path)
  if (!stat.isFile()) throw new Broken('the key of second factors is not a file of its own', { hint: 'put the key file itself into the keys folder' })
  if (process.getuid && (stat.mode & 0o077) !== 0)
    throw new Broken('the key of second factors may be read by others', { hint: `chmod 0600 ${fileName} in the keys folder` })
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url')
  if (key.length !== 32) throw new Broken('the key of second factors is damaged', { hint: 'restore it from the backup of the keys folder' })
  return key
}

/** What a key of 32 bytes does. */
export function sealKeyOf(key: Uint8Array): SealKey {
  const derived = (use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `crossfile admin ${use}`, 32))
  const [sealing, hashing] = [derived('totp'), derived('recovery')]
  const about = (userId: string): Buffer => Buffer.from(`admin_totp ${userId}`)
  return {
    seal(secret, userId) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(about(userId))
      const text = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([Buffer.from([format]), nonce, text, cipher.getAuthTag()])
    },
    open(sealed, userId) {
      const bytes = Buffer.from(sealed)
      try {
        if (bytes[0] !== format) throw new Error('another format')
        const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(1, 13), { authTagLength: 16 })
        decipher.setAAD(about(userId)).setAuthTag(bytes.subarray(-16))
        return Buffer.concat([decipher.update(bytes.subarray(13, -16)), decipher.final()])
      } catch (cause) {
        throw new Broken('a second factor cannot be opened with this key', {
          cause,
          hint: 'the key file of the keys folder belongs to another database: restore the right one, or enrol anew with crossfile admin create',
        })
      }
    },
    hmac: (recovery, userId) => createHmac('sha256', hashing).update(`${userId}\n${recovery}`).digest(),
  }
}
