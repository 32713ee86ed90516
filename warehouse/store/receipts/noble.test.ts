// Our signatures, checked by @noble/ed25519: an implementation that shares no code with OpenSSL.
import { verifyAsync } from '@noble/ed25519'
import { expect, it } from 'vitest'
import { aCosignedProof, anotherSigner, aReceipt, aSigner, aWitness } from '#fixtures/receipts/vectors.ts'
import { wycheproofVectors } from '#fixtures/receipts/wycheproof.ts'
import { parseVerifierKey } from '#schemas/verifier-key.ts'
import { parseNote } from '../transparency/note.ts'
import { parseProof } from '../transparency/proof.ts'
import { signedBytes } from './dsse.ts'

const keyBytes = (x: string): Uint8Array => new Uint8Array(Buffer.from(x, 'base64url'))
/** By RFC 8032; the package's default is ZIP 215, which accepts more encodings. */
const holds = async (signed: Uint8Array, signature: Uint8Array, x: string): Promise<boolean> =>
  await verifyAsync(new Uint8Array(signature), new Uint8Array(signed), keyBytes(x), { zip215: false }).catch(() => false)

it('accepts the signature of a receipt, and no bit of it or of the statement may change', async () => {
  const { statement_bytes, signature } = aReceipt()
  expect(await holds(signedBytes(statement_bytes), signature, aSigner.x)).toBe(true)
  for (let bit = 0; bit < signature.length * 8; bit += 1) {
    const other = Buffer.from(signature)
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect([bit, await holds(signedBytes(statement_bytes), other, aSigner.x)]).toEqual([bit, false])
  }
  const other = Buffer.from(statement_bytes)
  other[40] = (other[40] ?? 0) ^ 1
  expect(await holds(signedBytes(other), signature, aSigner.x)).toBe(false)
})
it('accepts the checkpoint of a log proof and the cosignature of a witness', async () => {
  const { checkpoint } = parseProof(aCosignedProof(aReceipt().statement_bytes))
  const { text, signatures } = parseNote(checkpoint)
  const [own] = signatures
  expect(await holds(Buffer.from(text), own?.signature ?? Buffer.alloc(0), anotherSigner.x)).toBe(true)
  // C2SP tlog-cosignature: 8 bytes of time, then the signature over the time and the text.
  const cosigned = signatures.find(each => each.name === aWitness.name)?.signature ?? Buffer.alloc(8)
  const signed = Buffer.from(`cosignature/v1\ntime ${cosigned.readBigUInt64BE()}\n${text}`)
  expect(await holds(signed, cosigned.subarray(8), parseVerifierKey(aWitness.vkey)?.x ?? '')).toBe(true)
})
const found = wycheproofVectors()
it.skipIf('absent' in found)(
  `has the results of Wycheproof's vectors, as our verifiers${'absent' in found ? ` (skipped: ${found.absent})` : ''}`,
  async () => {
    if ('absent' in found) return
    for (const { id, x, message, signature, result } of found.vectors)
      if (result !== 'acceptable') expect([id, await holds(message, signature, x)]).toEqual([id, result === 'valid'])
  },
)
