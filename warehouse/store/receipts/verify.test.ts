import { spawnSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aKeySet, anotherSigner, aReceipt, aSigner, aStatementInput, payload, rfc8032 } from '#fixtures/receipts/vectors.ts'
import { VerifyAnswer } from '#schemas/receipts.ts'
import { signedBytes } from './dsse.ts'
import { keyRing, publicKeyEntry } from './keys.ts'
import type { Receipt } from './receipt.ts'
import { buildStatement, receiptId } from './statement.ts'
import { verifyAnswer, verifyReceipt } from './verify.ts'

const ring = keyRing(aKeySet())
const reasonOf = (receipt: Receipt, keys = ring, given: { payload?: Uint8Array } = {}) => verifyReceipt(receipt, keys, given).reason

/** Receipts of several shapes and sizes. */
const receipts = [
  aReceipt(),
  aReceipt({ sources: [] }),
  aReceipt({ name: 'GET /api/v1/market/eod/RY.TO?from=2024-01-01', release: 2 ** 40 }),
  aReceipt({ manifest_sha256: 'ab'.repeat(32), payload: Buffer.from('{}') }),
  aReceipt({ sources: Array.from({ length: 300 }, (_, i) => ({ source: 'SEC EDGAR', sha256: i.toString(16).padStart(64, '0') })) }),
  aReceipt({ sources: [{ source: 'example', url: 'https://example.com/day?d=2026-11-02', sha256: '44'.repeat(32) }] }),
]

/** `bytes` with each of its bits flipped in turn. */
function* flips(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    yield flipped
  }
}

/** The statement with one piece of its text replaced, under its new id and the old signature. */
function altered(receipt: Receipt, from: string, to: string): Receipt {
  const text = receipt.statement_bytes.toString()
  expect(text).toContain(from)
  const statement_bytes = Buffer.from(text.replace(from, to))
  return { ...receipt, statement_bytes, receipt_id: receiptId(statement_bytes) }
}
/** The same, signed again: only a bug of this service could make it. */
function resigned(receipt: Receipt, from: string, to: string): Receipt {
  const changed = altered(receipt, from, to)
  return { ...changed, signature: aSigner.sign(signedBytes(changed.statement_bytes)) }
}

describe('a receipt as issued', () => {
  it.each(receipts)('is valid, $receipt_id', receipt => {
    expect(verifyReceipt(receipt, ring)).toMatchObject({
      valid: true,
      reason: null,
      checks: {
        canonical: true,
        id: true,
        signature: true,
        key_in_range: true,
        inclusion: 'not_logged',
        checkpoint: 'not_logged',
        payload_available: false,
        payload_hash: null,
      },
    })
  })

  it('proves its payload where that is given, and no other', () => {
    const receipt = aReceipt()
    expect(verifyReceipt(receipt, ring, { payload })).toMatchObject({ valid: true, checks: { payload_available: true, payload_hash: true } })
    expect(verifyReceipt(receipt, ring, { payload: Buffer.concat([payload, Buffer.from(' ')]) })).toMatchObject({
      valid: false,
      reason: 'payload_mismatch',
      checks: { signature: true, payload_hash: false },
    })
    for (const flipped of flips(payload)) expect(reasonOf(receipt, ring, { payload: flipped })).toBe('payload_mismatch')
  })

  it('is answered in the shape of the interface, with or without a reproduction', () => {
    const answer = verifyAnswer(verifyReceipt(aReceipt(), ring, { payload }), {
      reproduced: null,
      from: null,
      reason: 'raw documents of release 42 are not here',
    })
    expect(VerifyAnswer.parse(answer)).toEqual(answer)
    expect(Object.keys(answer)).toEqual([
      'receipt_id',
      'valid',
      'checks',
      'reproduced',
      'reproduced_from',
      'reproduction',
      'reproduced_reason',
      'reason',
      'statement',
      'key_id',
      'log',
      'cosignatures',
      'manifest',
      'documents',
      'proof',
    ])
    const broken = verifyAnswer(verifyReceipt({ ...aReceipt(), statement_bytes: Buffer.from('{}') }, ring), {
      reproduced: false,
      from: 'documents',
      reason: 'no statement',
    })
    expect(VerifyAnswer.parse(broken)).toMatchObject({ valid: false, reason: 'statement_malformed', statement: null })
  })
})

describe('a changed receipt', () => {
  it('is refused for every single bit of statement and signature', () => {
    let tried = 0
    let accepted = 0
    for (const receipt of receipts) {
      for (const signature of flips(receipt.signature)) {
        tried += 1
        if (verifyReceipt({ ...receipt, signature }, ring).valid) accepted += 1
      }
      for (const statement_bytes of flips(receipt.statement_bytes)) {
        tried += 2
        if (verifyReceipt({ ...receipt, statement_bytes }, ring).valid) accepted += 1
        // A forger would put the right id to it: then only the signature reveals it.
        if (verify(null, signedBytes(statement_bytes), ring.get(aSigner.kid)!.publicKey, receipt.signature)) accepted += 1
      }
    }
    expect(tried).toBeGreaterThan(50_000)
    expect(accepted).toBe(0)
  })

  it('is refused for every single bit of its id and key id', () => {
    const receipt = aReceipt()
    for (const flipped of flips(Buffer.from(receipt.receipt_id, 'latin1'))) {
      expect(reasonOf({ ...receipt, receipt_id: flipped.toString('latin1') })).toBe('id_mismatch')
    }
    for (const flipped of flips(Buffer.from(receipt.kid, 'latin1')))
      expect(reasonOf({ ...receipt, kid: flipped.toString('latin1') })).toBe('key_unknown')
  })

  it('cannot take statement, signature, id or payload of another', () => {
    const payloads = Array.from({ length: 40 }, (_, i) => Buffer.from(`{"count":${i}}`))
    const issued = payloads.map(bytes => aReceipt({ payload: bytes }))
    let accepted = 0
    for (const [i, one] of issued.entries()) {
      for (const [j, other] of issued.entries()) {
        const swapped = [
          { ...one, statement_bytes: other.statement_bytes },
          { ...one, signature: other.signature },
          { ...one, receipt_id: other.receipt_id },
        ]
        const verdicts = [
          ...swapped.map(receipt => verifyReceipt(receipt, ring).valid),
          verifyReceipt(one, ring, { payload: payloads[j] ?? payload }).valid,
        ]
        if (i === j) expect(verdicts).toEqual([true, true, true, true])
        else accepted += verdicts.filter(Boolean).length
      }
    }
    expect(accepted).toBe(0)
  })

  it('is refused under its right id, as the signature does not cover it', () => {
    expect(reasonOf(altered(aReceipt(), '"release":42', '"release":43'))).toBe('signature_wrong')
    expect(reasonOf(altered(aReceipt(), 'QNTX', 'ZZZZ'))).toBe('signature_wrong')
  })

  it('is refused where its bytes are not canonical, even if we had signed them', () => {
    expect(reasonOf(resigned(aReceipt(), '"release":42', '"release": 42'))).toBe('statement_not_canonical')
    expect(reasonOf(resigned(aReceipt(), '"release":42', '"release":42.0'))).toBe('statement_not_canonical')
    expect(reasonOf(resigned(aReceipt(), '"release":42', '"release":1,"release":42'))).toBe('statement_not_canonical')
    expect(reasonOf(resigned(aReceipt(), 'QNTX', '\\u0051NTX'))).toBe('statement_not_canonical')
  })

  it('is rejected if its content is not that of any statement of this service', () => {
    expect(reasonOf(resigned(aReceipt(), '"v":1', '"v":2'))).toBe('statement_malformed')
    expect(reasonOf(resigned(aReceipt(), 'crossfile:receipt:v1', 'crossfile:receipt:v2'))).toBe('statement_malformed')
    expect(reasonOf(resigned(aReceipt(), '"schema":', '"caller":"x","schema":'))).toBe('statement_not_canonical')
    expect(reasonOf(resigned(aReceipt(), '"as_of":', '"as":"x","as_of":'))).toBe('statement_malformed')
    const two = aReceipt({ sources: [1, 2].map(i => ({ source: `s${i}`, sha256: '44'.repeat(32) })) })
    const swapped = two.statement_bytes.toString().replace('"s1"', '"s3"')
    expect(reasonOf(resigned(two, two.statement_bytes.toString(), swapped))).toBe('statement_malformed') // sources out of order
  })
})

describe('a malformed signature', () => {
  const receipt = aReceipt()
  const order = (1n << 252n) + 27742317777372353535851937790883648493n
  const little = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
  const r = receipt.signature.subarray(0, 32)
  const s = BigInt(`0x${Buffer.from(receipt.signature.subarray(32)).reverse().toString('hex')}`)
  const cases: readonly (readonly [string, Buffer])[] = [
    ['S + L', Buffer.concat([r, little(s + order)])],
    ['S + 2L', Buffer.concat([r, little(s + 2n * order)])],
    ['L - S', Buffer.concat([r, little(order - s)])],
    ['S = L', Buffer.concat([r, little(order)])],
    ['S = 0', Buffer.concat([r, Buffer.alloc(32)])],
    ['S all ones', Buffer.concat([r, Buffer.alloc(32, 0xff)])],
    ['R = 0', Buffer.concat([Buffer.alloc(32), receipt.signature.subarray(32)])],
    ['R the identity, S = 0', Buffer.concat([little(1n), Buffer.alloc(32)])],
    ['R = p, not reduced', Buffer.concat([little((1n << 255n) - 19n), receipt.signature.subarray(32)])],
    ['all zero', Buffer.alloc(64)],
    ['all ones', Buffer.alloc(64, 0xff)],
    ['nothing', Buffer.alloc(0)],
    ['63 bytes', receipt.signature.subarray(0, 63)],
    ['65 bytes', Buffer.concat([receipt.signature, Buffer.alloc(1)])],
    ['twice', Buffer.concat([receipt.signature, receipt.signature])],
    ['of the bare statement, without the envelope', aSigner.sign(receipt.statement_bytes)],
    ['of RFC 8032', Buffer.from(rfc8032[0].signature, 'hex')],
    ['of another key', anotherSigner.sign(signedBytes(receipt.statement_bytes))],
  ]
  it.each(cases)('is refused: %s', (_name, signature) => {
    expect(verifyReceipt({ ...receipt, signature }, ring)).toMatchObject({
      valid: false,
      reason: 'signature_wrong',
      checks: { signature: false, id: true },
    })
  })
})

describe('the key of a receipt', () => {
  const receipt = aReceipt()
  it('must be in the set', () => {
    expect(verifyReceipt(receipt, keyRing({ keys: [] }))).toMatchObject({
      reason: 'key_unknown',
      checks: { canonical: true, id: true, signature: false, key_in_range: false },
    })
    expect(reasonOf(receipt, keyRing({ keys: [publicKeyEntry(anotherSigner.x, 'active')] }))).toBe('key_unknown')
    expect(reasonOf({ ...receipt, kid: anotherSigner.kid }, keyRing({ keys: [publicKeyEntry(anotherSigner.x, 'active')] }))).toBe('signature_wrong')
  })

  it('keeps its receipts when it is retired, over any number of rotations', () => {
    const keys = keyRing({
      keys: [publicKeyEntry(aSigner.x, 'retired', { valid_from: 1, valid_to: 42 }), publicKeyEntry(anotherSigner.x, 'active', { valid_from: 42 })],
    })
    expect(reasonOf(receipt, keys)).toBeNull()
    expect(reasonOf(aReceipt({ release: 43 }), keys)).toBe('key_out_of_range')
    expect(reasonOf(aReceipt({ release: 43 }, anotherSigner), keys)).toBeNull()
    expect(reasonOf(aReceipt({ release: 7 }, anotherSigner), keys)).toBeNull() // an older release asked again later
  })

  it('loses them all when it is compromised', () => {
    expect(verifyReceipt(receipt, keyRing(aKeySet('compromised', 50)), { payload })).toMatchObject({
      valid: false,
      reason: 'key_compromised',
      checks: { signature: true, key_in_range: false, payload_hash: true },
    })
  })
})

const openssl = spawnSync('openssl', ['version'], { encoding: 'utf8' })
if (openssl.status !== 0) console.log('openssl is not on the PATH: the cross-check of signatures with it is skipped')

describe.skipIf(openssl.status !== 0)('openssl', () => {
  it('agrees on a signature, and on a changed one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'receipts-'))
    try {
      const receipt = aReceipt()
      const pem = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: aSigner.x }, format: 'jwk' }).export({ format: 'pem', type: 'spki' })
      writeFileSync(join(folder, 'key.pem'), pem)
      const check = (statement: Buffer) => {
        writeFileSync(join(folder, 'signed'), signedBytes(statement))
        writeFileSync(join(folder, 'signature'), receipt.signature)
        const words = ['pkeyutl', '-verify', '-pubin', '-inkey', 'key.pem', '-rawin', '-in', 'signed', '-sigfile', 'signature']
        return spawnSync('openssl', words, { cwd: folder, encoding: 'utf8' })
      }
      expect(check(receipt.statement_bytes).stdout).toContain('Signature Verified Successfully')
      expect(check(altered(receipt, 'QNTX', 'ZZZZ').statement_bytes).status).not.toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

it('the statement of the verdict is the one that was built', () => {
  expect(verifyReceipt(aReceipt(), ring).statement).toEqual(buildStatement(aStatementInput()))
})
