// Receipts and their log: signing and verifying beside bare node:crypto, and a log of ten million entries in memory.
import { createHash, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { aKeySet, aReceipt, aStatementInput, payload } from '#fixtures/receipts/vectors.ts'
import { signedBytes } from '#warehouse/store/receipts/dsse.ts'
import { keyRing, publicKeyEntry } from '#warehouse/store/receipts/keys.ts'
import { issueReceipt } from '#warehouse/store/receipts/receipt.ts'
import { signerOf } from '#warehouse/store/receipts/signer.ts'
import { buildStatement } from '#warehouse/store/receipts/statement.ts'
import { verifyReceipt } from '#warehouse/store/receipts/verify.ts'
import { checkpointText } from '#warehouse/store/transparency/checkpoint.ts'
import {
  appendLeaves,
  EMPTY_FRONTIER,
  type Frontier,
  inclusionProof,
  leafHash,
  type ReadNode,
  rootOfFrontier,
  rootOfInclusion,
} from '#warehouse/store/transparency/merkle.ts'
import { signNote } from '#warehouse/store/transparency/note.ts'
import { printProof } from '#warehouse/store/transparency/proof.ts'
import { growTiles, hashInTile, type Tile, tileOfNode, tilePath, widthAt } from '#warehouse/store/transparency/tiles.ts'
import type { ReleaseContexts } from './contexts.ts'
import { compared, type Figure, figure, interleave, type Report } from './measure.ts'

const origin = 'crossfile.example/receipts/2026'
/** At the default scale of the market, and above; a smaller scale gives a smaller log. */
const mostEntries = 10_000_000
/** Entries per append, as the sequencer's largest batch. */
const batch = 4_096

/** Runs of `work` per second, over `count` runs. */
async function perSecond(count: number, work: (at: number) => unknown): Promise<number> {
  const started = performance.now()
  for (let at = 0; at < count; at += 1) await work(at)
  return count / ((performance.now() - started) / 1_000)
}

/** Milliseconds of each of `count` runs. */
async function timed(count: number, work: (at: number) => unknown): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at += 1) {
    const started = performance.now()
    await work(at)
    times.push(performance.now() - started)
  }
  return times
}

export async function receiptsAndLog(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const { rounds, scale } = contexts.options
  const { figures, notes } = await logFigures(rounds, Math.round(mostEntries * Math.min(1, scale * 10)))
  return { figures: [...(await signatureFigures(rounds)), ...figures], notes }
}

async function signatureFigures(rounds: number): Promise<Figure[]> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer = signerOf(privateKey)
  const keys = keyRing({ keys: [publicKeyEntry(signer.x, 'active', { valid_from: 1 })] })
  const statement = buildStatement(aStatementInput())
  const receipt = issueReceipt(statement, signer)
  const bytes = signedBytes(receipt.statement_bytes)
  const signature = sign(null, bytes, privateKey)
  if (aReceipt().receipt_id !== receipt.receipt_id || !verifyReceipt(aReceipt(), keyRing(aKeySet()), { payload }).valid)
    throw new Error('the receipt of the fixtures is not the one that is measured')
  const count = 2_000
  const sides = [
    { name: 'issue', run: () => perSecond(count, () => issueReceipt(statement, signer)) },
    { name: 'bare sign', run: () => perSecond(count, () => sign(null, bytes, privateKey)) },
    { name: 'verify', run: () => perSecond(count, () => verifyReceipt(receipt, keys, { payload })) },
    { name: 'bare verify', run: () => perSecond(count, () => verify(null, bytes, publicKey, signature)) },
  ]
  for (const side of sides) await side.run() // compiled
  const values = await interleave(sides, rounds)
  const of = (name: string): number[] => values.get(name) ?? []
  return [
    compared('receipts issued, each verified before it is returned', 'receipts/s', of('issue'), 'bare sign of the same bytes', of('bare sign')),
    compared('receipts verified with their answer', 'receipts/s', of('verify'), 'bare verify of the same bytes', of('bare verify')),
  ]
}

/** A log in memory, grown as the sequencer grows it on disk. */
async function logFigures(rounds: number, entries: number): Promise<Pick<Report, 'figures' | 'notes'>> {
  const files = new Map<string, Buffer>()
  const read = (tile: Tile): Buffer => files.get(tilePath(tile)) ?? Buffer.alloc(0)
  let frontier: Frontier = EMPTY_FRONTIER
  const append = async (leaves: readonly Buffer[]): Promise<void> => {
    for (const { bytes, ...tile } of await growTiles(frontier.size, leaves, read)) {
      if (tile.width === 256) for (const width of [frontier.size % 256]) files.delete(tilePath({ ...tile, width }))
      files.set(tilePath(tile), Buffer.from(bytes))
    }
    frontier = appendLeaves(frontier, leaves)
  }
  const seed = randomBytes(32)
  const leavesFrom = (from: number, count: number): Buffer[] =>
    Array.from({ length: count }, (_, at) =>
      createHash('sha256')
        .update(seed)
        .update(String(from + at))
        .digest(),
    )
  const started = performance.now()
  while (frontier.size < entries) await append(leavesFrom(frontier.size, Math.min(batch, entries - frontier.size)))
  const built = (performance.now() - started) / 1_000
  const node =
    (size: number): ReadNode =>
    each => {
      const place = tileOfNode(each)
      const tile = { level: place.level, index: place.index, width: widthAt(place.level, place.index, size) }
      return hashInTile(read(tile), place.from, place.to)
    }
  const appended = await timed(20 * rounds, () => append(leavesFrom(frontier.size, 256)))
  const { size } = frontier
  const root = rootOfFrontier(frontier)
  const { privateKey } = generateKeyPairSync('ed25519')
  const signer = signerOf(privateKey)
  const signed = await timed(100 * rounds, () => signNote(checkpointText({ origin, size, root }), [{ name: origin, x: signer.x, sign: signer.sign }]))
  const checkpoint = signNote(checkpointText({ origin, size, root }), [{ name: origin, x: signer.x, sign: signer.sign }])
  let proof = ''
  const proven = await timed(100 * rounds, async at => {
    const index = (at * 7_919_993) % size
    const hashes = await inclusionProof(index, size, node(size))
    proof = printProof({ index, hashes, checkpoint })
    const leaf = leavesFrom(index, 1)[0] ?? leafHash(seed)
    if (index < entries && !rootOfInclusion(leaf, index, size, hashes)?.equals(root)) throw new Error(`the proof of entry ${index} does not hold`)
  })
  return {
    figures: [
      figure(`${entries.toLocaleString('en')} entries appended in batches of ${batch.toLocaleString('en')}`, 'entries/s', [entries / built]),
      figure('256 further entries appended', 'ms', appended),
      figure('a checkpoint signed and verified', 'ms', signed),
      figure('the proof of one entry, made and verified', 'ms', proven),
      figure('size of a proof', 'bytes', [Buffer.byteLength(proof)]),
    ],
    notes: ['the log is in memory: files are not written or flushed, and entries are hashes of counters'],
  }
}
