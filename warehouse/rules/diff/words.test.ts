import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortestEdit } from './myers.ts'
import { type Hunk, wordDiff } from './words.ts'

const texts = fc.array(fc.constantFrom('we', 'may', 'not', 'risk', 'of', 'loss', '2024', '\n', '  '), { maxLength: 60 }).map(words => words.join(' '))
const words = (text: string): string[] => text.match(/\S+/g) ?? []

function applied(old: string, hunks: readonly Hunk[]): string[] {
  let [at, out] = [0, '']
  for (const hunk of hunks) {
    out += `${old.slice(at, hunk.old_start)} ${hunk.new_text} `
    at = hunk.old_end
  }
  return words(out + old.slice(at))
}

/** Words outside a longest common subsequence, checked against the full table. */
function distance(a: readonly string[], b: readonly string[]): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, word] of a.entries()) {
    const row = [i + 1]
    for (const [j, other] of b.entries()) row.push(word === other ? (above[j] as number) : Math.min(above[j + 1] as number, row[j] as number) + 1)
    above = row
  }
  return above[b.length] as number
}

describe('words of two texts', () => {
  it('a hunk is one changed place, with its offsets in both texts', () => {
    expect(wordDiff('We may lose 5 customers, and more.', 'We may lose seven large customers, and more.')).toEqual([
      { old_start: 12, old_end: 13, new_start: 12, new_end: 23, old_text: '5', new_text: 'seven large' },
    ])
  })
  it('an inserted sentence has no words in the old text, and is placed where it was inserted', () => {
    const [hunk] = wordDiff('One. Three.', 'One. Two is new. Three.')
    expect(hunk).toEqual({ old_start: 5, old_end: 5, new_start: 5, new_end: 16, old_text: '', new_text: 'Two is new.' })
  })
  it('equal texts, and texts that differ in blanks alone, have no hunks', () => {
    expect(wordDiff('a b', 'a b')).toEqual([])
    expect(wordDiff('a b', 'a\n  b')).toEqual([])
  })
  it('the hunks make the new text of the old one', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(applied(a, wordDiff(a, b))).toEqual(words(b))
      }),
    )
  })
  it('the two directions mirror one another', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const mirrored = wordDiff(b, a).map(({ old_start, old_end, new_start, new_end, old_text, new_text }) => {
          return { old_start: new_start, old_end: new_end, new_start: old_start, new_end: old_end, old_text: new_text, new_text: old_text }
        })
        expect(wordDiff(a, b)).toEqual(mirrored)
      }),
    )
  })
  it('no shorter edit exists', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const distinct = [...new Set([...words(a), ...words(b)])]
        const ids = (text: string): Int32Array => Int32Array.from(words(text).map(word => distinct.indexOf(word)))
        const { removed, added } = shortestEdit(ids(a), ids(b))
        expect([...removed, ...added].reduce((sum, mark) => sum + mark, 0)).toBe(distance(words(a), words(b)))
      }),
    )
  })
  it('a million words without anything in common take no square of steps', () => {
    const [a, b] = [Int32Array.from({ length: 500_000 }, (_, at) => at), Int32Array.from({ length: 500_000 }, (_, at) => 1_000_000 + at)]
    const { removed, added } = shortestEdit(a, b)
    expect(removed.every(mark => mark === 1) && added.every(mark => mark === 1)).toBe(true)
    // Every third element kept in reverse order: nearly everything is an edit, and much looks common.
    const reversed = a.toReversed()
    const edit = shortestEdit(a, reversed)
    const kept = (marks: Uint8Array, of: Int32Array) => of.filter((_, at) => marks[at] === 0)
    expect([...kept(edit.removed, a)]).toEqual([...kept(edit.added, reversed)])
  })
})
