// Cosignatures of witnesses with Ed25519 keys (C2SP tlog-cosignature, `cosignature/v1`): a line below a checkpoint that states that, at a
// time, this was the largest consistent tree of the log that the witness had seen.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { BadRequest } from '#schemas/errors.ts'
import { COSIGNER_KEY, parseVerifierKey, verifierKeyId } from '#schemas/verifier-key.ts'
import { ed25519Holds, isUsablePoint } from '../ed25519.ts'
import { type NoteSignature, printSignature } from './note.ts'

/** Bytes of a cosignature: the time in 64 bits, and the signature. */
const COSIGNATURE_BYTES = 72
/** Up to the year 9999, so that every accepted time can be printed as an instant. */
const LATEST_SECONDS = 253_402_300_799

/** Who may have cosigned. */
type CosignerKey = { readonly vkey: string; readonly name: string; readonly id: number; readonly publicKey: KeyObject }

/** The key of a witness from its text; `BadRequest` for anything else, such as the key of a log. */
export function cosignerKey(vkey: string): CosignerKey {
  const key = parseVerifierKey(vkey)
  if (key?.algorithm !== COSIGNER_KEY)
    throw new BadRequest(`"${vkey.slice(0, 64)}" is not the verifier key of a witness`, {
      hint: 'expected name+hex id+base64, with algorithm byte 0x04',
    })
  if (!isUsablePoint(Buffer.from(key.x, 'base64url')))
    throw new BadRequest(`"${vkey.slice(0, 64)}" has a public key that is a point that no key pair has`, {
      hint: 'request the verifier key from the operator of the witness again',
    })
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' })
  return { vkey, name: key.name, id: verifierKeyId(key), publicKey }
}

/** The bytes that a witness signs. `seconds`: POSIX time; `text`: the text of the checkpoint, with its last line end. */
const cosignedBytes = (seconds: number, text: string): Buffer => Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`, 'utf8')

/** The signature line of a witness, with its line end. `seconds`: POSIX time. */
export function cosign(
  text: string,
  seconds: number,
  { name, x, sign }: { readonly name: string; readonly x: string; readonly sign: (bytes: Uint8Array) => Buffer },
): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  const signature = Buffer.concat([time, sign(cosignedBytes(seconds, text))])
  return printSignature({ name, id: verifierKeyId({ name, algorithm: COSIGNER_KEY, x }), signature })
}

/**
 * When the key cosigned the text, in POSIX seconds; null if the line is of another key. `BadRequest` if it names the key and its signature
 * does not verify.
 */
export function cosignedAt(text: string, { name, id, signature }: NoteSignature, key: CosignerKey): number | null {
  if (name !== key.name || id !== key.id) return null
  const seconds = signature.byteLength === COSIGNATURE_BYTES ? Number(signature.readBigUInt64BE()) : Number.NaN
  if (!(seconds <= LATEST_SECONDS) || !ed25519Holds(cosignedBytes(seconds, text), signature.subarray(8), key.publicKey))
    throw new BadRequest(`cosignature: the signature of ${name} does not verify`)
  return seconds
}
