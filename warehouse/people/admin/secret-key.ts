// Encrypts the secrets of administrators' second factors with keys outside the database, so that a copy of the database alone is useless.
import { createHmac } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'
import { requireKeyFiles } from '../../store/key-files.ts'
import { derivedKey, openSealed, sealBytes, sealNumber } from '../../store/seal-bytes.ts'

export type SealKey = {
  /** Encrypted for one user: another user's row cannot decrypt it. AES-256-GCM under the newest key: its number, nonce, text, tag. */
  readonly seal: (secret: Uint8Array, userId: string) => Buffer
  readonly open: (sealed: Uint8Array, userId: string) => Buffer
  /** The digests of a recovery code under each key, newest first. Without the keys, its 80 bits cannot be brute-forced. */
  readonly hmacs: (recovery: string, userId: string) => Buffer[]
}
export const sealKeyName = 'admin-totp'

/** The keys in a data folder's `keys`. Throws `Upstream` if no worker has made the first one yet. */
export const openSealKey = (keysFolder: string): SealKey => sealKeyOf(requireKeyFiles(keysFolder, sealKeyName))

const aboutUser = (userId: string): string => `admin_totp ${userId}`

/** Encryption by keys of 32 bytes, by their numbers from 1 to 255. */
export function sealKeyOf(keys: ReadonlyMap<number, Uint8Array>): SealKey {
  const newest = Math.max(...keys.keys())
  const keyOf = (number: number, use: string): Buffer => {
    const key = keys.get(number)
    if (!key) throw new Broken(`key ${number} of second factors is missing`, { hint: 'restore the keys folder from its backup' })
    return derivedKey(key, `admin ${use}`)
  }
  return {
    seal: (secret, userId) => sealBytes(keyOf(newest, 'totp'), newest, secret, aboutUser(userId)),
    open(sealed, userId) {
      const key = keyOf(sealNumber(sealed), 'totp')
      try {
        return openSealed(key, sealed, aboutUser(userId))
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
