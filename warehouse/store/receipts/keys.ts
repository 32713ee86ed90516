// Public keys: ids, the published set, and a ring for verification. No private key is read here, so the API imports this file and not
// `signer.ts`.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'
import { type FailureReason, KeySet, type KeyStatus, type PublicKeyEntry } from '#schemas/receipts.ts'
import { isUsablePoint } from '../ed25519.ts'

type RingKey = { readonly entry: PublicKeyEntry; readonly publicKey: KeyObject }
/** Keys by their id, each id checked against its key. */
export type KeyRing = ReadonlyMap<string, RingKey>

/** JWK thumbprint (RFC 7638, RFC 8037 section 2) of the Ed25519 key `x`. */
export function keyId(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
}

/** The public key `x` as PEM, for `openssl pkeyutl -verify -pubin`. */
export const publicPem = (x: string): string =>
  String(createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }).export({ format: 'pem', type: 'spki' }))

/** The published form of the public key `x` (32 bytes in base64url). */
export function publicKeyEntry(
  x: string,
  status: KeyStatus,
  life: Partial<Pick<PublicKeyEntry, 'valid_from' | 'valid_to' | 'from_index' | 'to_index'>> = {},
) {
  const entry: PublicKeyEntry = {
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'Ed25519',
    use: 'sig',
    kid: keyId(x),
    x,
    status,
    valid_from: life.valid_from ?? null,
    valid_to: life.valid_to ?? null,
    from_index: life.from_index ?? null,
    to_index: life.to_index ?? null,
  }
  return entry
}

/** The ring of a key set; `Broken` if an entry does not fit, a key is no usable point, an id is not its key's thumbprint, or an id occurs twice. */
export function keyRing(keySet: unknown): KeyRing {
  const checked = KeySet.safeParse(keySet)
  if (!checked.success) {
    const issue = checked.error.issues[0]
    throw new Broken(`key set ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'does not fit its schema'}`)
  }
  const ring = new Map<string, RingKey>()
  for (const entry of checked.data.keys) {
    if (Buffer.from(entry.x, 'base64url').toString('base64url') !== entry.x) throw new Broken(`key set: key ${entry.kid} is not strict base64url`)
    if (keyId(entry.x) !== entry.kid) throw new Broken(`key set: ${entry.kid} is not the thumbprint of its key`)
    if (!isUsablePoint(Buffer.from(entry.x, 'base64url'))) throw new Broken(`key set: key ${entry.kid} is a point that no key pair has`)
    if (ring.has(entry.kid)) throw new Broken(`key set: ${entry.kid} occurs twice`)
    ring.set(entry.kid, { entry, publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: entry.x }, format: 'jwk' }) })
  }
  return ring
}

/**
 * Null if the key may have signed a statement of `release`. Releases and log positions decide, not clocks: a retired key keeps its receipts
 * and has none of a later release. A receipt of a compromised key is valid only if its log index, proven by a checkpoint of another key,
 * is one from before the theft. `index`: that index; null if it is not proven.
 */
export function keyFault(entry: PublicKeyEntry, release: number | null, index: number | null = null): FailureReason | null {
  if (entry.status === 'pending') return 'key_pending'
  if (entry.status === 'compromised') return index !== null && entry.to_index !== null && index <= entry.to_index ? null : 'key_compromised'
  if (release !== null && entry.valid_to !== null && release > entry.valid_to) return 'key_out_of_range'
  return null
}
