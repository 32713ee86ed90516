// The order of the keys by which files are sorted, split and found: that of DuckDB, the bytes of UTF-8. JavaScript compares texts by their
// units of UTF-16, in which characters from U+10000 on are in front of U+E000 to U+FFFF.
import type { LakeFile } from './catalogue.ts'

/** Of a unit of UTF-16, its place in the order of the characters: surrogates, which begin those from U+10000 on, are last. */
const placeOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Negative if `one` is in front of `other` in the order of UTF-8, 0 if they are equal. */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = placeOf(one.charCodeAt(at)) - placeOf(other.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** The units whose order differs. A text without them is compared with any other as JavaScript does. */
const moved = /[\ud800-\uffff]/

type KeyRange = Pick<LakeFile, 'key_min' | 'key_max'>

/** Whether a file can have rows with keys from `from` to `to`. Requests ask it of every file of a dataset. */
export function mayHaveKeys(from: string, to: string): (file: KeyRange) => boolean {
  if (!moved.test(from) && !moved.test(to)) return ({ key_min, key_max }) => key_min <= to && from <= key_max
  return ({ key_min, key_max }) => compareKeys(key_min, to) <= 0 && compareKeys(from, key_max) <= 0
}
