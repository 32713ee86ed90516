// Encrypts the secrets of administrators' second factors with keys outside the database, so that a copy of the database alone is useless.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'
import { ensureKeyFiles } from '../users/key-files.ts'

export type SealKey = {
  /** Encrypted for one user: another user's row cannot decrypt it. AES-256-GCM under the newest key: its number, nonce, text, tag. */
  readonly seal: (secret: Uint8Array, userId: string) => Buffer
  readonly open: (sealed: Uint8Array, userId: string) => Buffer
  /** The digests of a recovery code under each key, newest first. Without the keys, its 80 bits cannot be brute-forced. */
  readonly hmacs: (recovery: string, userId: string) => Buffer[]
}
export const sealKeyName = 'admin-totp'
const nonceBytes = 12
const tagBytes = 16

/** The keys in a data folder's `keys`; creates the first one if there is none and the folder is writable. */
export const openSealKey = (keysFolder: string): SealKey => sealKeyOf(ensureKeyFiles(keysFolder, sealKeyName))

const derived = (key: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `crossfile admin ${use}`, 32))
const aboutUser = (userId: string): Buffer => Buffer.from(`admin_totp ${userId}`)

/** Encryption by keys of 32 bytes, by their numbers from 1 to 255. */
export function sealKeyOf(keys: ReadonlyMap<number, Uint8Array>): SealKey {
  const newest = Math.max(...keys.keys())
  const keyOf = (number: number, use: string): Buffer => {
    const key = keys.get(number)
    if (!key) throw new Broken(`key ${number} of second factors is missing`, { hint: 'restore the keys folder from its backup' })
    return derived(key, use)
  }
  return {
    seal(secret, userId) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', keyOf(newest, 'totp'), nonce).setAAD(aboutUser(userId))
      const text = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([Buffer.from([newest]), nonce, text, cipher.getAuthTag()])
    },
    open(sealed, userId) {
      const bytes = Buffer.from(sealed)
      const key = keyOf(bytes[0] ?? 0, 'totp')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
        decipher.setAAD(aboutUser(userId)).setAuthTag(bytes.subarray(-tagBytes))
        return Buffer.concat([decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes)), decipher.final()])
      } catch (cause) {
        throw new Broken('a second factor cannot be decrypted with this key', {
          cause,
          hint: 'the keys folder belongs to another database: restore the right one, or enrol again with crossfile admin create',
        })
      }
    },
    hmacs: (recovery, userId) =>
      [...keys.keys()].sort((a, b) => b - a).map(number => createHmac('sha256', keyOf(number, 'recovery')).update(`${userId}\n${recovery}`).digest()),
  }
}
