// Runs of five words as numbers, and MinHash over them: finds possible matches in two filings without comparing all pairs.
import type { DiffRules } from '../../rulesets/rfdiff/rules.ts'

/** FNV-1a, 32 bits: the same for the same text on any machine. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mixed(hash)
}
function mixed(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The distinct runs of `length` words, ascending; the whole text if it is shorter. */
export function shinglesOf(words: readonly number[], length: number): Uint32Array {
  const runs = words.length < length ? (words.length === 0 ? 0 : 1) : words.length - length + 1
  const all = new Uint32Array(runs)
  for (let at = 0; at < runs; at += 1) {
    let hash = 0
    for (let next = at; next < Math.min(at + length, words.length); next += 1) hash = Math.imul(hash, 0x01000193) ^ (words[next] as number)
    all[at] = mixed(hash)
  }
  all.sort()
  let kept = 0
  for (let at = 0; at < runs; at += 1) if (at === 0 || all[at] !== all[at - 1]) all[kept++] = all[at] as number
  return all.slice(0, kept)
}

/** The number of values that two ascending lists share. */
export function sharedCount(a: Uint32Array, b: Uint32Array): number {
  let [i, j, count] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i] as number, b[j] as number]
    if (x === y) count += 1
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return count
}
export function jaccard(a: Uint32Array, b: Uint32Array): number {
  const shared = sharedCount(a, b)
  const all = a.length + b.length - shared
  return all === 0 ? 0 : shared / all
}

/** The least value of a list under each of the permutations; the same seed always gives the same permutations. */
export function signatureOf(shingles: Uint32Array, permutations: number, seed: number): Int32Array {
  // Signed numbers stay machine integers, which halves the time.
  const least = new Int32Array(permutations)
  for (let p = 0; p < permutations; p += 1) {
    const factor = mixed(seed + 2 * p + 1) | 1
    const offset = mixed(seed + 2 * p + 2)
    let best = 0x7fffffff
    for (let at = 0; at < shingles.length; at += 1) {
      const value = (Math.imul(shingles[at] as number, factor) + offset) | 0
      // The upper bits of a product depend on all bits of the factor's; the lower ones do not.
      const turned = (value << 16) | (value >>> 16)
      if (turned < best) best = turned
    }
    least[p] = best
  }
  return least
}

export type Pair = { readonly old: number; readonly new: number }

/** Pairs that agree in a whole band, each old factor with its most similar ones; in order. */
export function candidatePairs(old: readonly Int32Array[], recent: readonly Int32Array[], rules: DiffRules): Pair[] {
  const seen = new Uint8Array(old.length * recent.length)
  for (let band = 0; band + rules.band_rows <= rules.permutations; band += rules.band_rows) {
    const buckets = new Map<number, number[]>()
    for (const [at, signature] of old.entries()) {
      const key = bandKey(signature, band, rules.band_rows)
      const bucket = buckets.get(key)
      if (bucket) bucket.push(at)
      else buckets.set(key, [at])
    }
    for (const [at, signature] of recent.entries()) {
      for (const other of buckets.get(bandKey(signature, band, rules.band_rows)) ?? []) seen[other * recent.length + at] = 1
    }
  }
  return old.flatMap((signature, at) => {
    const row: number[] = []
    for (let other = 0; other < recent.length; other += 1) if (seen[at * recent.length + other] === 1) row.push(other)
    // Boilerplate pairs everything with everything: of too many pairs, those nearest in reading order are compared, the most similar kept.
    row.sort((a, b) => Math.abs(a - at) - Math.abs(b - at) || a - b)
    return row
      .slice(0, 4 * rules.candidates_per_factor)
      .map(other => ({ new: other, alike: agreement(signature, recent[other] as Int32Array) }))
      .sort((a, b) => b.alike - a.alike || Math.abs(a.new - at) - Math.abs(b.new - at) || a.new - b.new)
      .slice(0, rules.candidates_per_factor)
      .map(each => ({ old: at, new: each.new }))
  })
}

function bandKey(signature: Int32Array, from: number, rows: number): number {
  let key = from
  for (let at = from; at < from + rows; at += 1) key = mixed(Math.imul(key, 31) ^ (signature[at] as number))
  return key
}
function agreement(a: Int32Array, b: Int32Array): number {
  let equal = 0
  for (let at = 0; at < a.length; at += 1) if (a[at] === b[at]) equal += 1
  return equal
}
