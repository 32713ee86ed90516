import { expect, it } from 'vitest'
import {
  appendLeaves,
  consistencyProof,
  EMPTY_FRONTIER,
  EMPTY_ROOT,
  hashOfRange,
  inclusionProof,
  isConsistent,
  leafHash,
  type Node,
  nodeHash,
  rootAt,
  rootOfFrontier,
  rootOfInclusion,
} from './merkle.ts'

// The leaves of the reference tree of RFC 6962 implementations, and its roots of sizes 1 to 8.
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(hex =>
  leafHash(Buffer.from(hex, 'hex')),
)
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

/** The hash by the definition of RFC 6962 section 2.1, without any of the code under test but the two hashes. */
function byDefinition(list: readonly Buffer[]): Buffer {
  const [first] = list
  if (first === undefined) return EMPTY_ROOT
  if (list.length === 1) return first
  const half = 2 ** (Math.ceil(Math.log2(list.length)) - 1)
  return nodeHash(byDefinition(list.slice(0, half)), byDefinition(list.slice(half)))
}
const readerOf =
  (list: readonly Buffer[]) =>
  ({ level, index }: Node): Buffer =>
    byDefinition(list.slice(index * 2 ** level, (index + 1) * 2 ** level))
const numbered = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => leafHash(Buffer.from(`entry ${at}`)))

it('gives the published roots, by nodes, by frontier and by definition', async () => {
  expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  for (const [at, root] of roots.entries()) {
    const list = leaves.slice(0, at + 1)
    expect((await rootAt(at + 1, readerOf(leaves))).toString('hex')).toBe(root)
    expect(rootOfFrontier(appendLeaves(EMPTY_FRONTIER, list)).toString('hex')).toBe(root)
    expect(byDefinition(list).toString('hex')).toBe(root)
  }
  expect(await rootAt(0, readerOf([]))).toEqual(EMPTY_ROOT)
})

it('gives the proofs of the examples of RFC 6962 section 2.1.3', async () => {
  // The tree of seven leaves d0 to d6 of the RFC: a to f and j are its leaf hashes, g = (a b), h = (c d), i = (e f), k = (g h), l = (i j).
  const list = numbered(7)
  const [a, b, c, d, e, f, j] = list as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]
  const [g, h, i] = [nodeHash(a, b), nodeHash(c, d), nodeHash(e, f)]
  const [k, l] = [nodeHash(g, h), nodeHash(i, j)]
  const read = readerOf(list)
  expect(await inclusionProof(0, 7, read)).toEqual([b, h, l])
  expect(await inclusionProof(3, 7, read)).toEqual([c, g, l])
  expect(await inclusionProof(4, 7, read)).toEqual([f, j, k])
  expect(await inclusionProof(6, 7, read)).toEqual([i, k])
  expect(await consistencyProof(3, 7, read)).toEqual([c, d, g, l])
  expect(await consistencyProof(4, 7, read)).toEqual([l])
  expect(await consistencyProof(6, 7, read)).toEqual([i, j, k])
})

it('verifies every inclusion and consistency proof of trees up to 40 leaves, and none for another position, size or root', async () => {
  const list = numbered(40)
  const read = readerOf(list)
  const rootOf = await Promise.all(Array.from({ length: 41 }, (_, size) => rootAt(size, read)))
  for (let size = 1; size <= 40; size += 1) {
    const root = rootOf[size] as Buffer
    for (let index = 0; index < size; index += 1) {
      const proof = await inclusionProof(index, size, read)
      const leaf = list[index] as Buffer
      expect(rootOfInclusion(leaf, index, size, proof)).toEqual(root)
      for (const wrong of [index - 1, index + 1, size]) expect(rootOfInclusion(leaf, wrong, size, proof)?.equals(root) ?? false).toBe(false)
      expect(rootOfInclusion(leaf, index, size, [...proof, root])).toBeNull()
      expect(rootOfInclusion(leaf, index, size, proof.slice(1))?.equals(root) ?? false).toBe(size === 1)
    }
    for (let old = 0; old <= size; old += 1) {
      const proof = await consistencyProof(old, size, read)
      const oldRoot = rootOf[old] as Buffer
      expect(isConsistent(old, oldRoot, size, root, proof)).toBe(true)
      expect(isConsistent(old, oldRoot, size, root, [...proof, root])).toBe(false)
      if (old > 0) expect(isConsistent(old, leafHash(root), size, root, proof)).toBe(false)
      if (old < size && old > 0) expect(isConsistent(old, oldRoot, size, leafHash(root), proof)).toBe(false)
      if (old > 0 && old < size) expect(isConsistent(old, oldRoot, size, root, proof.slice(1))).toBe(false)
    }
  }
})

it('refuses sizes, indexes and hashes that are none', () => {
  const leaf = leafHash(Buffer.from('x'))
  for (const [index, size] of [
    [-1, 1],
    [1, 1],
    [0.5, 2],
    [0, Number.NaN],
    [0, 2 ** 53],
  ] as const)
    expect(rootOfInclusion(leaf, index, size, [])).toBeNull()
  expect(rootOfInclusion(leaf.subarray(1), 0, 1, [])).toBeNull()
  expect(rootOfInclusion(leaf, 0, 2, [leaf.subarray(1)])).toBeNull()
  expect(isConsistent(2, leaf, 1, leaf, [])).toBe(false)
  expect(isConsistent(0, leaf, 1, leaf, [])).toBe(false)
})

it('works with sizes beyond 32 bits', async () => {
  // In a tree whose leaves are all equal, a complete subtree's hash depends on its height only.
  const byLevel: Buffer[] = [leafHash(Buffer.from('same'))]
  for (let level = 1; level <= 52; level += 1) byLevel.push(nodeHash(byLevel[level - 1] as Buffer, byLevel[level - 1] as Buffer))
  const read = ({ level }: Node): Buffer => byLevel[level] as Buffer
  const size = 2 ** 41 + 2 ** 33 + 12_345
  const root = await rootAt(size, read)
  for (const index of [0, 2 ** 32, 2 ** 41 - 1, 2 ** 41 + 7, size - 1])
    expect(rootOfInclusion(byLevel[0] as Buffer, index, size, await inclusionProof(index, size, read))).toEqual(root)
  const old = 2 ** 40 + 3
  expect(isConsistent(old, await rootAt(old, read), size, root, await consistencyProof(old, size, read))).toBe(true)
  expect(await hashOfRange({ from: 0, to: 2 ** 41 }, read)).toEqual(byLevel[41])
})
