import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { COSIGNER_KEY, printVerifierKey } from '#schemas/verifier-key.ts'
import { checkpointText, openCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { cosignerKey } from './cosignature.ts'
import { appendLeaves, EMPTY_FRONTIER, EMPTY_ROOT, inclusionProof, leafHash, nodesOf, rootOfFrontier } from './merkle.ts'
import { type NoteSigner, noteKey, noteKeyId, openNote, parseNote, printNote, signNote, verifierKey } from './note.ts'
import { parseProof, printProof, verifyProof } from './proof.ts'

// The example of the documentation of Go's sumdb/note, which the specification follows.
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const signed = `${text}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`
const neumann = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const neumannX = Buffer.from(neumann.split('+').slice(2).join('+'), 'base64').subarray(1).toString('base64url')

const signerOf = (name: string, privateKey: KeyObject = generateKeyPairSync('ed25519').privateKey): NoteSigner => ({
  name,
  x: String(privateKey.export({ format: 'jwk' }).x),
  sign: bytes => sign(null, bytes, privateKey),
})
const keyOf = ({ name, x }: NoteSigner) => noteKey(name, x)

it('opens the published note with the published key', () => {
  expect(verifierKey('PeterNeumann', neumannX)).toBe(neumann)
  expect(noteKeyId('PeterNeumann', neumannX)).toBe(0xc74f20a3)
  expect(openNote(signed, [noteKey('PeterNeumann', neumannX)]).text).toBe(text)
  expect(printNote(parseNote(signed))).toBe(signed)
})

it('ignores signatures of unknown keys, and refuses a note that a known key signed wrongly or no known key signed', () => {
  const [log, witness, other] = [signerOf('log.example/a'), signerOf('witness.example'), signerOf('log.example/a')]
  const note = signNote('text\n', [log, witness])
  expect(openNote(note, [keyOf(log)]).by).toHaveLength(1)
  expect(openNote(note, [keyOf(log), keyOf(witness), keyOf(other)]).by).toHaveLength(2)
  expect(() => openNote(note, [keyOf(other)])).toThrow('no known key')
  const { text: signedText, signatures } = parseNote(note)
  const forged = printNote({
    text: signedText,
    signatures: signatures.map((each, at) => (at === 1 ? { ...each, signature: signatures[0]?.signature ?? each.signature } : each)),
  })
  expect(openNote(forged, [keyOf(log)]).by).toHaveLength(1)
  expect(() => openNote(forged, [keyOf(log), keyOf(witness)])).toThrow('witness.example does not verify')
})

it.each([
  '',
  'text',
  'text\n',
  'text\n\n',
  'te\u0007xt\n\n\u2014 a AAAAAAA=\n',
  'text\n\n\u2014 a+b AAAAAAA=\n',
  'text\n\n\u2014 a AAAAAAB=\n',
  'text\n\n\u2014 a AAAAAAA= x\n',
  'text\n\n- a AAAAAAA=\n',
  'text\n\n\u2014 a AAAA\n',
])('refuses %j as a note', note => {
  expect(() => parseNote(note)).toThrow('signed note')
})

it('signs no text that would not be a note, under no name that would not be one', () => {
  const signer = signerOf('log.example/a')
  expect(() => signNote('no line end', [signer])).toThrow('line end')
  expect(() => signNote('tab\t\n', [signer])).toThrow('control character')
  expect(() => signNote('text\n', [{ ...signer, name: 'a b' }])).toThrow('not a key name')
})

it.each([
  '',
  'a\n1\n',
  `a\n01\n${EMPTY_ROOT.toString('base64')}\n`,
  `a\n-1\n${EMPTY_ROOT.toString('base64')}\n`,
  `a\n9007199254740992\n${EMPTY_ROOT.toString('base64')}\n`,
  `a\n1\n${EMPTY_ROOT.toString('base64')}`,
  `a\n1\n${EMPTY_ROOT.toString('base64')}\nextension\n`,
  `\n1\n${EMPTY_ROOT.toString('base64')}\n`,
  'a\n1\nAAAA\n',
  `a\n0\n${leafHash(Buffer.from('')).toString('base64')}\n`,
])('refuses %j as a checkpoint', checkpoint => {
  expect(() => parseCheckpoint(checkpoint)).toThrow('checkpoint')
})

it('accepts a checkpoint by a key of its origin only', () => {
  const log = signerOf('log.example/a')
  const checkpoint = { origin: 'log.example/a', size: 1, root: leafHash(Buffer.from('x')) }
  expect(openCheckpoint(signNote(checkpointText(checkpoint), [log]), [keyOf(log)])).toMatchObject(checkpoint)
  const witness = signerOf('witness.example')
  expect(() => openCheckpoint(signNote(checkpointText(checkpoint), [witness]), [keyOf(witness)])).toThrow('no key of its origin')
})

/** A proof of each of `count` entries, from one checkpoint. */
async function proofs(count: number, origin = 'log.example/a') {
  const log = signerOf(origin)
  const entries = Array.from({ length: count }, (_, at) => Buffer.from(`entry ${at}`))
  const leaves = entries.map(leafHash)
  const root = rootOfFrontier(appendLeaves(EMPTY_FRONTIER, leaves))
  const checkpoint = signNote(checkpointText({ origin, size: count, root }), [log])
  const read = ({ level, index }: { level: number; index: number }): Buffer =>
    rootOfFrontier(appendLeaves(EMPTY_FRONTIER, leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)))
  const texts = await Promise.all(
    entries.map(async (_, index) => printProof({ index, hashes: await inclusionProof(index, count, read), checkpoint })),
  )
  return { keys: [keyOf(log)], entries, texts }
}
const holds = (text: string, entry: Buffer, keys: Parameters<typeof verifyProof>[2]): boolean => {
  try {
    verifyProof(text, entry, keys)
    return true
  } catch (error) {
    if (error instanceof Error && error.constructor.name === 'BadRequest') return false
    throw error
  }
}

it('accepts a proof of its entry, and none with any bit changed', async () => {
  const { keys, entries, texts } = await proofs(37)
  const [text = '', entry = Buffer.alloc(0)] = [texts[21], entries[21]]
  expect(verifyProof(text, entry, keys)).toMatchObject({ index: 21, checkpoint: { size: 37 } })
  expect(printProof(parseProof(text))).toBe(text)
  const bytes = Buffer.from(text, 'utf8')
  for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(holds(changed.toString('utf8'), entry, keys), `bit ${bit}`).toBe(false)
  }
  for (let bit = 0; bit < entry.byteLength * 8; bit += 1) {
    const changed = Buffer.from(entry)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(holds(text, changed, keys)).toBe(false)
  }
})

it('accepts none of 10,000 swaps: entries, indexes, paths and checkpoints of other proofs and logs', async () => {
  const [one, two] = [await proofs(64), await proofs(65, 'log.example/b')]
  let tried = 0
  for (let at = 0; at < 64; at += 1) {
    const own = parseProof(one.texts[at] ?? '')
    for (let other = 0; other < 64; other += 1) {
      if (other === at) continue
      const swapped = parseProof(one.texts[other] ?? '')
      const foreign = parseProof(two.texts[other] ?? '')
      const entry = one.entries[at] as Buffer
      expect(holds(printProof({ ...own, index: swapped.index }), entry, one.keys)).toBe(false)
      expect(holds(printProof({ ...own, hashes: swapped.hashes }), entry, one.keys)).toBe(false)
      expect(holds(printProof({ ...own, checkpoint: foreign.checkpoint }), entry, [...one.keys, ...two.keys])).toBe(false)
      tried += 3
    }
  }
  expect(tried).toBeGreaterThan(10_000)
})

it('cuts a range that begins anywhere into complete subtrees', () => {
  expect(nodesOf({ from: 4, to: 7 })).toEqual([
    { level: 1, index: 2 },
    { level: 0, index: 6 },
  ])
})

it('takes no key of small order, which any signature can be made to fit (RFC 8032 section 5.1.7)', () => {
  for (const hex of ['00'.repeat(32), `01${'00'.repeat(31)}`, `01${'00'.repeat(30)}80`, `ec${'ff'.repeat(30)}7f`, `ee${'ff'.repeat(30)}7f`]) {
    const x = Buffer.from(hex, 'hex').toString('base64url')
    expect(() => noteKey('example.org/receipts/2026', x), hex).toThrow('a point that no key pair has')
    expect(() => cosignerKey(printVerifierKey({ name: 'witness.example.org', algorithm: COSIGNER_KEY, x })), hex).toThrow(
      'a point that no key pair has',
    )
  }
})
