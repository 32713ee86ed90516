// Ed25519 as our verifiers check it: Wycheproof's vectors, and edge cases of RFC 8032 for which implementations differ.
import { createHash, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aKeySet, aReceipt, aSigner, payload, rfc8032 } from '#fixtures/receipts/vectors.ts'
import { wycheproofVectors } from '#fixtures/receipts/wycheproof.ts'
import { isUsablePoint, ed25519Holds as serviceHolds } from '../ed25519.ts'
import { encodeBundle } from './bundle.ts'
import { keyId, keyRing, publicKeyEntry } from './keys.ts'
import { NoVerdict, ed25519Holds as offlineHolds, verifyBundle as verifyOffline } from './verify-offline.mjs'

// The page of the browser runs here with Node's Web Cryptography; `api/` may not be imported from `warehouse/`.
const page = '../../../api/pages/browser/verify-bundle.ts'
const browser = (await import(page)) as {
  ed25519Holds(signed: Uint8Array, signature: Uint8Array, x: string): Promise<boolean>
  verifyBundle(bytes: Uint8Array, options?: { keys?: unknown }): Promise<{ valid: boolean }>
}

/** The verdicts of the service, verify-offline.mjs and the page. A key that cannot be imported accepts nothing. */
async function verdicts(x: string, message: Buffer, signature: Buffer): Promise<boolean[]> {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return [
    serviceHolds(message, signature, publicKey),
    offlineHolds(message, signature, x),
    await browser.ed25519Holds(new Uint8Array(message), new Uint8Array(signature), x),
  ]
}
const all = (verdict: boolean): boolean[] => [verdict, verdict, verdict]

const found = wycheproofVectors()
const where = 'absent' in found ? ` (skipped: ${found.absent})` : ''
it.skipIf('absent' in found)(`has the results of Wycheproof's vectors in every verifier${where}`, async () => {
  if ('absent' in found) return
  expect(found.vectors.length).toBeGreaterThan(100)
  const results = new Map<string, number>()
  for (const { id, comment, x, message, signature, result } of found.vectors) {
    results.set(result, (results.get(result) ?? 0) + 1)
    const given = await verdicts(x, message, signature)
    if (result === 'acceptable') expect([id, comment, new Set(given).size]).toEqual([id, comment, 1])
    else expect([id, comment, given]).toEqual([id, comment, all(result === 'valid')])
  }
  expect(Math.min(results.get('valid') ?? 0, results.get('invalid') ?? 0)).toBeGreaterThan(10)
})

// RFC 8032 section 5.1: the order of the base point, and the secret scalar of a seed.
const L = 2n ** 252n + 27742317777372353535851937790883648493n
const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
const bytesOf = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()
const sha512 = (...parts: Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest()
function scalarOf(secret: string): bigint {
  const half = sha512(Buffer.from(secret, 'hex')).subarray(0, 32)
  half[0] = (half[0] ?? 0) & 248
  half[31] = ((half[31] ?? 0) & 127) | 64
  return littleEndian(half)
}
const message = Buffer.from('an answer')
const { x } = aSigner
const key = Buffer.from(x, 'base64url')
/** The S that makes a signature with a point of order 1 as R fit: S·B = R + k·A. */
const fitting = (r: Buffer): Buffer => Buffer.concat([r, bytesOf((littleEndian(sha512(r, key, message)) * scalarOf(rfc8032[0].secret)) % L)])

describe('a signature', () => {
  const good = aSigner.sign(message)
  const [r, s] = [good.subarray(0, 32), littleEndian(good.subarray(32))]
  it.each([
    ['as it was made', good, true],
    ['with S + L, which is the same number modulo L', Buffer.concat([r, bytesOf(s + L)]), false],
    ['with S + 2L', Buffer.concat([r, bytesOf(s + 2n * L)]), false],
    ['with S = L', Buffer.concat([r, bytesOf(L)]), false],
    ['with S = 0', Buffer.concat([r, bytesOf(0n)]), false],
    ['with the highest bit of S', Buffer.concat([r, bytesOf(s | (1n << 255n))]), false],
    ['with another R', Buffer.concat([bytesOf(1n), bytesOf(s)]), false],
    ['with the neutral point as R and the S that fits it', fitting(bytesOf(1n)), false],
    ['with the neutral point in another encoding (y = p + 1) and the S that fits', fitting(bytesOf(2n ** 255n - 18n)), false],
    ['with the neutral point and the sign bit, and the S that fits', fitting(bytesOf(1n | (1n << 255n))), false],
    ['with a byte more', Buffer.concat([good, Buffer.alloc(1)]), false],
    ['with a byte less', good.subarray(0, 63), false],
    ['that is empty', Buffer.alloc(0), false],
  ])('%s', async (_what, signature, expected) => {
    expect(await verdicts(x, message, signature)).toEqual(all(expected))
  })
})

const p = 2n ** 255n - 19n
const order8 = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]
const smallPoints = [bytesOf(0n), bytesOf(1n), bytesOf(p - 1n), ...order8.map(text => Buffer.from(text, 'hex'))]
const foreign = [...smallPoints, ...Array.from({ length: 19 }, (_, at) => bytesOf(p + BigInt(at)))]
const points = foreign.flatMap(point => [point, bytesOf(littleEndian(point) | (1n << 255n))]).map(point => [point.toString('hex'), point] as const)

describe('a public key', () => {
  it.each(points)('%s, a point of small order or with y not below p, is refused by every verifier', async (_hex, point) => {
    const own = point.toString('base64url')
    const entry = publicKeyEntry(own, 'active', { valid_from: 1 })
    expect(isUsablePoint(point)).toBe(false)
    expect(() => keyRing({ keys: [entry] })).toThrow(/no key pair/)
    const forged = encodeBundle({ ...aReceipt(), kid: keyId(own), signature: Buffer.concat([bytesOf(1n), bytesOf(0n)]) }, { keys: [entry] }, payload)
    expect(() => verifyOffline(forged)).toThrow(NoVerdict)
    await expect(browser.verifyBundle(new Uint8Array(forged))).rejects.toThrow('malformed')
  })
  it('of a key pair is accepted', () => {
    expect(rfc8032.every(({ publicKey }) => isUsablePoint(Buffer.from(publicKey, 'hex')))).toBe(true)
    expect(keyRing(aKeySet()).size).toBe(1)
  })
})
