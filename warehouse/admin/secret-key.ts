// Sealing of what administrators' second factors stand on, by keys outside the database: a copy of the database alone opens none.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'
import { ensureKeyFiles } from '../users/key-files.ts'

export type SealKey = {
  /** Sealed for one user: another's row does not open it. AES-256-GCM under the newest key: its number, nonce, text, tag. */
  readonly seal: (secret: Uint8Array, userId: string) => Buffer
  readonly open: (sealed: Uint8Array, userId: string) => Buffer
  /** Of a recovery code, under each key, the newest first: without the keys, 80 bits cannot be tried against them. */
  readonly hmacs: (recovery: string, userId: string) => Buffer[]
}
export const sealKeyName = 'admin-totp'
const nonceBytes = 12
const tagBytes = 16

/** The keys of a data folder's `keys`; a first one is made where there is none and the folder may be written. */
export const openSealKey = (keysFolder: string): SealKey => sealKeyOf(ensureKeyFiles(keysFolder, sealKeyName))

const derived = (key: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `crossfile admin ${use}`, 32))
const aboutUser = (userId: string): Buffer => Buffer.from(`admin_totp ${userId}`)

/** What keys of 32 bytes do, by their numbers from 1 to 255. */
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
        throw new Broken('a second factor cannot be opened with this key', {
          cause,
          hint: 'the keys folder belongs to another database: restore the right one, or enrol anew with crossfile admin create',
        })
      }
    },
    hmacs: (recovery, userId) =>
      [...keys.keys()].sort((a, b) => b - a).map(number => createHmac('sha256', keyOf(number, 'recovery')).update(`${userId}\n${recovery}`).digest()),
  }
}
