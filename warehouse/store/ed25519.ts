// Ed25519 (RFC 8032) as every verifier of this service accepts it: the verdict must not depend on the version of OpenSSL.
import { type KeyObject, verify } from 'node:crypto'

/** Encodings of points whose order divides 8, without the sign bit: any signature can be made to fit such a key. */
const smallOrder: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
])
/** False for a public key of small order, and for one whose y is not below the prime 2^255 - 19 (RFC 8032 section 5.1.3). */
export function isUsablePoint(key: Uint8Array): boolean {
  const y = Buffer.from(key)
  y[31] = (y[31] ?? 0) & 0x7f
  const isReduced = (y[0] ?? 0) < 0xed || y[31] !== 0x7f || y.subarray(1, 31).some(byte => byte !== 0xff)
  return y.byteLength === 32 && isReduced && !smallOrder.has(y.toString('hex'))
}

/**
 * Whether a key signed exactly these bytes (RFC 8032 section 5.1.7). A signature whose R has a small order is refused: versions of OpenSSL
 * differ about it, and no signer makes one.
 */
export const ed25519Holds = (signed: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean =>
  signature.byteLength === 64 && isUsablePoint(signature.subarray(0, 32)) && verify(null, signed, publicKey, signature)
