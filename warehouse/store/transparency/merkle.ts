// The Merkle tree of the receipt log: RFC 6962 section 2.1 with SHA-256, and the verification of proofs by RFC 9162 sections 2.1.3.2 and
// 2.1.4.2. Sizes and indexes are integers up to 2^53, so they are halved by division: bit operators would cut them to 32 bits.
import { createHash } from 'node:crypto'
import { Broken } from '#schemas/errors.ts'

export const HASH_BYTES = 32
/** The root of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT: Buffer = createHash('sha256').digest()

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

/** The hash of a leaf: SHA-256(0x00 || entry). */
export const leafHash = (entry: Uint8Array): Buffer => createHash('sha256').update(LEAF).update(entry).digest()

/** The hash of an inner node: SHA-256(0x01 || left || right). */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => createHash('sha256').update(NODE).update(left).update(right).digest()

/** The leaves from `from` up to `to`, exclusive. */
export type Range = { readonly from: number; readonly to: number }
/** A complete subtree: 2^level leaves from index * 2^level on. */
export type Node = { readonly level: number; readonly index: number }
/** The hash of a complete subtree. */
export type ReadNode = (node: Node) => Buffer | Promise<Buffer>

/** The largest power of two that is smaller than `count`, for count > 1 (RFC 6962: k < n <= 2k). */
function split(count: number): number {
  let half = 1
  while (half * 2 < count) half *= 2
  return half
}

/** The complete subtrees of a range that begins at a multiple of the largest of them, largest first. */
export function nodesOf({ from, to }: Range): Node[] {
  const nodes: Node[] = []
  let at = from
  while (at < to) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level += 1
    nodes.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return nodes
}

/** The hash of complete subtrees from large to small: those of one range. Without any, the root of the empty tree. */
export function foldNodes(hashes: readonly Uint8Array[]): Buffer {
  const last = hashes.at(-1)
  if (last === undefined) return EMPTY_ROOT
  return hashes.slice(0, -1).reduceRight<Buffer>((right, left) => nodeHash(left, right), Buffer.from(last))
}

/** The Merkle tree hash of a range, from hashes of complete subtrees. */
export async function hashOfRange(range: Range, read: ReadNode): Promise<Buffer> {
  return foldNodes(await Promise.all(nodesOf(range).map(read)))
}

/** The root of the first `size` leaves. */
export const rootAt = (size: number, read: ReadNode): Promise<Buffer> => hashOfRange({ from: 0, to: size }, read)

/** The ranges whose hashes are the inclusion proof of leaf `index` in the tree of `size`, from the leaf's sibling to the root's child. */
function inclusionRanges(index: number, size: number): Range[] {
  checkSize(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new Broken(`receipt log: index ${index} is not in a tree of size ${size}`)
  const ranges: Range[] = []
  let from = 0
  let to = size
  while (to - from > 1) {
    const middle = from + split(to - from)
    if (index < middle) {
      ranges.push({ from: middle, to })
      to = middle
    } else {
      ranges.push({ from, to: middle })
      from = middle
    }
  }
  return ranges.reverse()
}

/** The ranges whose hashes are the consistency proof from the tree of `old` to that of `size`; none if one is empty or they are equal. */
function consistencyRanges(old: number, size: number): Range[] {
  checkSize(size)
  if (!Number.isSafeInteger(old) || old < 0 || old > size) throw new Broken(`receipt log: size ${old} is not before size ${size}`)
  if (old === 0 || old === size) return []
  const ranges: Range[] = []
  let from = 0
  let to = size
  // The old tree is a complete part of the present range as long as `known`: then the verifier has its hash.
  let known = true
  while (to !== old) {
    const middle = from + split(to - from)
    if (old <= middle) {
      ranges.push({ from: middle, to })
      to = middle
    } else {
      ranges.push({ from, to: middle })
      from = middle
      known = false
    }
  }
  if (!known) ranges.push({ from, to })
  return ranges.reverse()
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new Broken(`receipt log: ${size} is not a size`)
}

/** The hashes of an inclusion proof. */
export const inclusionProof = (index: number, size: number, read: ReadNode): Promise<Buffer[]> =>
  Promise.all(inclusionRanges(index, size).map(range => hashOfRange(range, read)))

/** The hashes of a consistency proof. */
export const consistencyProof = (old: number, size: number, read: ReadNode): Promise<Buffer[]> =>
  Promise.all(consistencyRanges(old, size).map(range => hashOfRange(range, read)))

const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const areHashes = (proof: readonly Uint8Array[]): boolean => proof.every(hash => hash.byteLength === HASH_BYTES)

/** The root that an inclusion proof leads to; null if the index is outside the tree or the proof has not exactly the length of its path. */
export function rootOfInclusion(leaf: Uint8Array, index: number, size: number, proof: readonly Uint8Array[]): Buffer | null {
  if (!isSize(index) || !isSize(size) || index >= size || leaf.byteLength !== HASH_BYTES || !areHashes(proof)) return null
  let node = index
  let last = size - 1
  let hash: Buffer = Buffer.from(leaf)
  for (const sibling of proof) {
    if (last === 0) return null
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else hash = nodeHash(hash, sibling)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : null
}

/** Whether the tree of `size` and `root` begins with all leaves of the tree of `old` and `oldRoot`. */
export function isConsistent(old: number, oldRoot: Uint8Array, size: number, root: Uint8Array, proof: readonly Uint8Array[]): boolean {
  if (!isSize(old) || !isSize(size) || old > size || !areHashes(proof)) return false
  if (oldRoot.byteLength !== HASH_BYTES || root.byteLength !== HASH_BYTES) return false
  if (old === size) return proof.length === 0 && Buffer.compare(oldRoot, root) === 0
  if (old === 0) return proof.length === 0 && Buffer.compare(oldRoot, EMPTY_ROOT) === 0
  const power = Number.isInteger(Math.log2(old)) && 2 ** Math.round(Math.log2(old)) === old
  const path = power ? [oldRoot, ...proof] : [...proof]
  const first = path.shift()
  if (first === undefined) return false
  let node = old - 1
  let last = size - 1
  while (node % 2 === 1) {
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  let before: Buffer = Buffer.from(first)
  let now: Buffer = Buffer.from(first)
  for (const sibling of path) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      before = nodeHash(sibling, before)
      now = nodeHash(sibling, now)
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else now = nodeHash(now, sibling)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && before.equals(oldRoot) && now.equals(root)
}

/** The hashes of the complete subtrees of a tree, largest first: enough to append to it. Holds at most 53 hashes. */
export type Frontier = { readonly size: number; readonly hashes: readonly Buffer[] }
export const EMPTY_FRONTIER: Frontier = { size: 0, hashes: [] }

/** The frontier after further leaves. */
export function appendLeaves(frontier: Frontier, leaves: readonly Uint8Array[]): Frontier {
  const hashes = [...frontier.hashes]
  let { size } = frontier
  for (const leaf of leaves) {
    let hash: Buffer = Buffer.from(leaf)
    for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      const left = hashes.pop()
      if (left === undefined) throw new Broken(`receipt log: the frontier of size ${frontier.size} lacks a hash`)
      hash = nodeHash(left, hash)
    }
    hashes.push(hash)
    size += 1
  }
  return { size, hashes }
}

/** The root of a frontier. */
export const rootOfFrontier = (frontier: Frontier): Buffer => foldNodes(frontier.hashes)
