// Encryption of short secrets with a key outside the database: AES-256-GCM. A sealed text is the number of its key, a nonce, the text and a
// tag.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/** A key of 32 bytes for one use, out of a key file: what is sealed for one use does not open with that of another. */
export const derivedKey = (key: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `crossfile ${use}`, 32))

/** `number`: of the key, 1 to 255. `about`: what the secret belongs to; it opens only with the same text. */
export function sealBytes(key: Uint8Array, number: number, secret: Uint8Array, about: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
  const text = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([Buffer.from([number]), nonce, text, cipher.getAuthTag()])
}

/** The number of the key that sealed it. */
export const sealNumber = (sealed: Uint8Array): number => sealed[0] ?? 0

/** The secret. Throws the error of `node:crypto` for another key, another `about`, or a changed byte. */
export function openSealed(key: Uint8Array, sealed: Uint8Array, about: string): Buffer {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes)), decipher.final()])
}
