import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  aCosignedProof,
  aKeySet,
  aLogProof,
  anotherSigner,
  anotherWitness,
  aReceipt,
  aSigner,
  aWitness,
  cosignedSeconds,
  expectedBundles,
  payload,
  servedBody,
  twoKeys,
} from '#fixtures/receipts/vectors.ts'
import { decodeBundle, encodeBundle } from './bundle.ts'
import { signedBytes } from './dsse.ts'
import { keyRing, publicKeyEntry } from './keys.ts'
import { receiptId, sha256Hex } from './statement.ts'
import { type Quorum, type Verification, verifyReceipt } from './verify.ts'
import { NoVerdict, verifyBundle } from './verify-offline.mjs'

const folder = new URL('../../../fixtures/receipts/', import.meta.url)
const bundles = expectedBundles()

/** The service's own verdict on a bundle, null where it is not one. */
function ourVerdict(bytes: Buffer, witnesses?: Quorum): Verification | null {
  try {
    const { receipt, keySet, payload: given, proof } = decodeBundle(bytes)
    return verifyReceipt(receipt, keyRing(keySet), { proof, ...(given === null ? {} : { payload: given }), ...(witnesses ? { witnesses } : {}) })
  } catch {
    return null
  }
}
function offlineVerdict(bytes: Buffer): Verification | null {
  try {
    return verifyBundle(bytes)
  } catch (error) {
    if (error instanceof NoVerdict) return null
    throw error
  }
}

describe('the bundles of fixtures/receipts', () => {
  it('are all expected', () => {
    expect(
      readdirSync(folder)
        .filter(name => name.endsWith('.receipt.json'))
        .sort(),
    ).toEqual(bundles.map(b => b.file).sort())
  })
  it.each(bundles)('$file comes out as it did when it was written, with the verdict $reason of both verifiers', ({ file, bytes, valid, reason }) => {
    const written = readFileSync(new URL(file, folder))
    expect(written.equals(bytes)).toBe(true)
    const verdict = verifyBundle(written)
    expect(verdict).toMatchObject({ valid, reason })
    expect(ourVerdict(written)).toEqual(verdict)
  })
})

describe('a bundle', () => {
  it('is refused for every single bit, by both verifiers', () => {
    let tried = 0
    let accepted = 0
    for (const { bytes } of bundles.filter(b => b.valid)) {
      for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        tried += 1
        if (offlineVerdict(flipped)?.valid || ourVerdict(flipped)?.valid) accepted += 1
      }
    }
    expect(tried).toBeGreaterThan(40_000)
    expect(accepted).toBe(0)
  })

  type Members = Record<string, unknown> & {
    envelope: { payload: string; signatures: { keyid: string; sig: string }[] }
    keys: Record<string, unknown>[]
  }
  /** A bundle changed by a forger, who puts the right checksum to it. */
  function forged(change: (bundle: Members) => void): Buffer {
    const { sha256: _old, ...bundle } = JSON.parse(encodeBundle(aReceipt(), aKeySet(), payload).toString())
    change(bundle)
    return Buffer.from(canonicalize({ ...bundle, sha256: sha256Hex(Buffer.from(canonicalize(bundle) ?? '')) }) ?? '')
  }
  const result = (verdict: Verification | null) => (verdict === null ? 'no verdict' : (verdict.reason ?? 'valid'))
  const verdictsOn = (bytes: Buffer) => [result(offlineVerdict(bytes)), result(ourVerdict(bytes))]

  it('is refused for every bit of statement and signature under a right checksum', () => {
    let tried = 0
    for (const member of ['statement', 'signature'] as const) {
      const bytes = member === 'statement' ? aReceipt().statement_bytes : aReceipt().signature
      for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const file = forged(bundle => {
          if (member === 'statement') bundle.envelope.payload = flipped.toString('base64')
          else bundle.envelope.signatures[0]!.sig = flipped.toString('base64')
        })
        tried += 1
        expect(offlineVerdict(file)?.valid).toBe(false)
        expect(ourVerdict(file)?.valid).toBe(false)
      }
    }
    expect(tried).toBeGreaterThan(4000)
  })

  it('holds base64 in its one spelling', () => {
    const spellings: ((text: string) => string)[] = [
      text => text.replace(/=+$/, ''),
      text => text.replaceAll('+', '-').replaceAll('/', '_'),
      text => text.replace(/Q==$/, 'R=='), // bits that decoders drop
      text => ` ${text}`,
      text => `${text}\n`,
      text => `${text}====`,
      text => `${text.slice(0, 4)}\u0000${text.slice(4)}`,
    ]
    for (const spell of spellings) {
      const file = forged(bundle => {
        bundle.envelope.signatures[0]!.sig = spell(bundle.envelope.signatures[0]!.sig)
      })
      expect(verdictsOn(file)).toEqual(['no verdict', 'no verdict'])
    }
  })

  it('has no room for a second signature, another type, a log of a later format or an unchecked member', () => {
    const changes: ((bundle: Members) => void)[] = [
      bundle => void bundle.envelope.signatures.push(bundle.envelope.signatures[0]!),
      bundle => void bundle.envelope.signatures.pop(),
      bundle => Object.assign(bundle.envelope, { payloadType: 'application/json' }),
      bundle => Object.assign(bundle, { log: { origin: 'x', index: 1 } }),
      bundle => Object.assign(bundle, { format: 'crossfile-receipt/2' }),
      bundle => Object.assign(bundle, { note: 'x' }),
      bundle => Object.assign(bundle.keys[0]!, { x: anotherSigner.x }),
      bundle => Object.assign(bundle.keys[0]!, { kid: anotherSigner.kid }),
      bundle => Object.assign(bundle.keys[0]!, { status: 'trusted' }),
      bundle => Object.assign(bundle.keys[0]!, { valid_to: -1 }),
      bundle => void bundle.keys.push(bundle.keys[0]!),
    ]
    for (const change of changes) expect(verdictsOn(forged(change))).toEqual(['no verdict', 'no verdict'])
  })

  it('is refused where we had signed a statement that is not canonical', () => {
    const statement_bytes = Buffer.from(aReceipt().statement_bytes.toString().replace('"release":42', '"release": 42'))
    const signature = aSigner.sign(signedBytes(statement_bytes))
    const file = encodeBundle({ receipt_id: receiptId(statement_bytes), statement_bytes, signature, kid: aSigner.kid }, aKeySet())
    expect(verdictsOn(file)).toEqual(['statement_not_canonical', 'statement_not_canonical'])
  })

  it('is refused where it was printed prettily, doubled or reordered; one line end may follow', () => {
    const bytes = encodeBundle(aReceipt(), aKeySet(), payload)
    const text = bytes.toString()
    const pretty = JSON.stringify(JSON.parse(text), null, 2)
    const others = [pretty, ` ${text}`, `${text} `, `${text}\r\n`, `${text}\n\n`, text.replace(':', ': '), `\ufeff${text}`]
    const doubled = text.replace('{"envelope"', '{"log":null,"envelope"')
    const reordered = JSON.stringify({ sha256: '', ...JSON.parse(text) })
    for (const other of [...others, doubled, reordered]) expect(verdictsOn(Buffer.from(other))).toEqual(['no verdict', 'no verdict'])
    expect(verdictsOn(Buffer.from(`${text}\n`))).toEqual(['valid', 'valid'])
  })
})

describe('cosignatures', () => {
  const receipt = aReceipt()
  const bundleOf = (proof: string | null): Buffer => encodeBundle(receipt, twoKeys(), payload, proof)
  const cosigned = aCosignedProof(receipt.statement_bytes)
  const lines = cosigned.slice(aLogProof(receipt.statement_bytes).length).split('\n')
  const both = (bytes: Buffer, witnesses?: Quorum): Verification => {
    const verdict = verifyBundle(bytes, witnesses ? { witnesses } : {})
    expect(ourVerdict(bytes, witnesses)).toEqual(verdict)
    return verdict
  }
  const by = ({ vkey }: { vkey: string }) => ({ witness: vkey, cosigned_at: new Date(cosignedSeconds * 1000).toISOString().replace('.000', '') })
  const keys = [aWitness.vkey, anotherWitness.vkey]

  it('are checked against the witnesses that the reader names, in any number', () => {
    expect(both(bundleOf(cosigned))).toMatchObject({ valid: true, checks: { cosignatures: 'not_checked' }, cosignatures: [] })
    expect(both(bundleOf(cosigned), { keys })).toMatchObject({
      valid: true,
      checks: { cosignatures: true },
      cosignatures: [by(aWitness), by(anotherWitness)],
    })
    const one = bundleOf(aCosignedProof(receipt.statement_bytes, [anotherWitness]))
    const missing = { valid: false, reason: 'cosignatures_missing', checks: { cosignatures: false } }
    expect(both(one, { keys })).toMatchObject({ ...missing, cosignatures: [by(anotherWitness)] })
    expect(both(one, { keys, count: 1 })).toMatchObject({ valid: true, checks: { cosignatures: true } })
    expect(both(bundleOf(aLogProof(receipt.statement_bytes)), { keys, count: 1 })).toMatchObject(missing)
    expect(both(bundleOf(null), { keys, count: 1 })).toMatchObject(missing)
    expect(both(bundleOf(cosigned), { keys: [] })).toMatchObject({ valid: true, checks: { cosignatures: 'none' } })
  })

  it('count once per key and once per witness', () => {
    const twice = bundleOf(`${cosigned}${lines[0]}\n`)
    expect(both(twice, { keys: [aWitness.vkey], count: 1 }).cosignatures).toEqual([by(aWitness)])
    expect(both(twice, { keys: [aWitness.vkey, aWitness.vkey], count: 2 })).toMatchObject({ reason: 'cosignatures_missing' })
  })

  it('do not hold with any bit of their line changed, and never make another change acceptable', () => {
    const start = cosigned.indexOf(lines[0] ?? '')
    const encoded = (lines[0] ?? '').split(' ')[2] ?? ''
    const raw = Buffer.from(encoded, 'base64')
    for (let bit = 0; bit < raw.byteLength * 8; bit += 1) {
      const flipped = Buffer.from(raw)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const bytes = bundleOf(cosigned.slice(0, start) + cosigned.slice(start).replace(encoded, flipped.toString('base64')))
      const verdict = both(bytes, { keys })
      // A changed key id makes it the line of another key, which is as if it were not there.
      expect([bit, verdict.reason]).toEqual([bit, bit < 32 ? 'cosignatures_missing' : 'cosignature_wrong'])
    }
    for (const [from, to] of [
      ['\n6\n', '\n7\n'],
      ['index 3', 'index 2'],
      ['crossfile.example', 'crossfile.exbmple'],
    ] as const)
      expect(both(bundleOf(cosigned.replace(from, to)), { keys }).valid).toBe(false)
  })

  it('are not those of a key of a log, nor of a malformed one', () => {
    for (const key of [aWitness.vkey.replace(/\+[0-9a-f]{8}\+/, '+00000000+'), `${aWitness.vkey}=`, 'x', aWitness.vkey.replace('+BP', '+AP'), ''])
      expect(() => verifyBundle(bundleOf(cosigned), { witnesses: { keys: [key] } })).toThrow(NoVerdict)
  })
})

describe('the verifier as one file', () => {
  const script = fileURLToPath(new URL('verify-offline.mjs', import.meta.url))
  let home: string
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'receipts-'))
    writeFileSync(join(home, 'verify-offline.mjs'), readFileSync(script)) // away from the repository and its packages
    writeFileSync(join(home, 'good.receipt.json'), encodeBundle(aReceipt(), aKeySet()))
    writeFileSync(
      join(home, 'cosigned.receipt.json'),
      encodeBundle(aReceipt(), twoKeys(), payload, aCosignedProof(aReceipt().statement_bytes, [aWitness])),
    )
    writeFileSync(join(home, 'body.json'), servedBody())
    writeFileSync(join(home, 'payload.json'), payload)
    writeFileSync(join(home, 'other.json'), servedBody().toString().replace('1200.50', '1200.51'))
    writeFileSync(join(home, 'compromised.json'), JSON.stringify(aKeySet('compromised'), null, 2))
    writeFileSync(join(home, 'keys.json'), JSON.stringify({ keys: [...aKeySet().keys, publicKeyEntry(anotherSigner.x, 'pending')] }))
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['verify-offline.mjs', ...words], { cwd: home, encoding: 'utf8' })
    return { status, text: stdout + stderr }
  }

  it('prints what was requested and signed, and exits with 0', () => {
    const { status, text } = run('good.receipt.json')
    expect(status).toBe(0)
    expect(text).toMatch(/^VALID {2}r1_cyops2vj/)
    expect(text).toContain('GET /api/v1/data/form4?since=2026-01-01&ticker=QNTX')
    expect(text).toContain('no answer was given to compare')
    expect(text).toContain('a key from the file itself; compare its id')
  })

  it('takes the answer as it was served, or its payload, and keys that the reader trusts', () => {
    for (const answer of ['body.json', 'payload.json']) {
      const { status, text } = run('good.receipt.json', '--payload', answer, '--keys', 'keys.json')
      expect(text).toContain('the given answer is the 195 bytes')
      expect(text).toContain('the key that you gave')
      expect(status).toBe(0)
    }
    expect(run('good.receipt.json', '--kid', aSigner.kid).status).toBe(0)
  })

  it('refuses with exit code 1 and a reason', () => {
    expect(run('good.receipt.json', '--payload', 'other.json')).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^NOT VALID .*payload_mismatch/),
    })
    expect(run('good.receipt.json', '--keys', 'compromised.json')).toMatchObject({ status: 1, text: expect.stringContaining('key_compromised') })
    expect(run('good.receipt.json', '--kid', anotherSigner.kid)).toMatchObject({ status: 1, text: expect.stringContaining('key_not_expected') })
    const { status, text } = run('good.receipt.json', '--payload', 'other.json', '--json')
    expect(status).toBe(1)
    expect(JSON.parse(text)).toMatchObject({ valid: false, reason: 'payload_mismatch', checks: { signature: true, payload_hash: false } })
  })

  it('checks the cosignatures of the given witnesses', () => {
    const [one, two] = [
      ['--witness', aWitness.vkey],
      ['--witness', anotherWitness.vkey],
    ] as const
    const { status, text } = run('cosigned.receipt.json', ...one)
    expect([status, text]).toEqual([0, expect.stringContaining('  witness   witness.example/one cosigned the tree at 2026-11-02T21:04:12Z')])
    expect(run('cosigned.receipt.json', ...one, ...two)).toMatchObject({ status: 1, text: expect.stringContaining('(cosignatures_missing)') })
    expect(run('cosigned.receipt.json', ...one, ...two, '--witness-quorum', '1').status).toBe(0)
    for (const words of [
      ['--witness', 'x'],
      [...one, '--witness-quorum', '2'],
      [...one, '--witness-quorum', '0'],
      [...one, ...one, '--witness-quorum', '2'],
      ['--witness-quorum', '1'],
    ])
      expect(run('cosigned.receipt.json', ...words)).toMatchObject({ status: 2, text: expect.stringMatching(/^NO VERDICT/) })
  })

  it('gives no verdict, and exit code 2, where there is nothing to pass one on', () => {
    for (const words of [
      [],
      ['absent.json'],
      ['body.json'],
      ['good.receipt.json', '--keys', 'body.json'],
      ['good.receipt.json', '--what'],
      ['good.receipt.json', '--payload'],
    ]) {
      expect(run(...words)).toMatchObject({ status: 2, text: expect.stringMatching(/^NO VERDICT/) })
    }
  })
})
