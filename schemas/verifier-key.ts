// Verifier keys of signed notes as text (C2SP signed-note, "Verifier keys"): `name+key id in hex+base64 of the algorithm byte and the key`.
// Logs have the algorithm byte 0x01 (Ed25519), witnesses 0x04 (Ed25519 cosignatures, C2SP tlog-cosignature).
import { createHash } from 'node:crypto'

export const LOG_KEY = 1
export const COSIGNER_KEY = 4
type KeyAlgorithm = typeof LOG_KEY | typeof COSIGNER_KEY

/** A public key with its name. `x`: 32 bytes in base64url. */
type VerifierKey = { readonly name: string; readonly algorithm: KeyAlgorithm; readonly x: string }

/** A key name: a URL without scheme, no space and no plus sign. */
export const KEY_NAME = /^[^\s+]{1,255}$/u

/** The id of a key under a name: the first 32 bits of SHA-256(name || 0x0A || algorithm || key). A hint, not an identity. */
export function verifierKeyId({ name, algorithm, x }: VerifierKey): number {
  return createHash('sha256').update(`${name}\n`).update(typedKey(algorithm, x)).digest().readUInt32BE()
}

/** Algorithm byte and public key in 33 bytes. `TypeError` if `x` is not 32 bytes. */
function typedKey(algorithm: KeyAlgorithm, x: string): Buffer {
  const key = Buffer.from(x, 'base64url')
  if (key.byteLength !== 32) throw new TypeError('an Ed25519 public key has 32 bytes')
  return Buffer.concat([Buffer.from([algorithm]), key])
}

/** The key as text, such as Go's sumdb/note reads it. */
export const printVerifierKey = (key: VerifierKey): string =>
  `${key.name}+${verifierKeyId(key).toString(16).padStart(8, '0')}+${typedKey(key.algorithm, key.x).toString('base64')}`

/** The key of a text; null for anything that is not exactly a verifier key of one of the two algorithms, with the id of its key. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const [name = '', id = '', ...rest] = text.split('+')
  const encoded = rest.join('+')
  const bytes = Buffer.from(encoded, 'base64')
  const algorithm = bytes[0]
  if (!KEY_NAME.test(name) || !/^[0-9a-f]{8}$/.test(id) || bytes.byteLength !== 33 || bytes.toString('base64') !== encoded) return null
  if (algorithm !== LOG_KEY && algorithm !== COSIGNER_KEY) return null
  const key = { name, algorithm, x: bytes.subarray(1).toString('base64url') } as const
  return printVerifierKey(key) === text ? key : null
}
