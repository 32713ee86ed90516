// Automatic captions roll: each caption shows the line before it again, above the new words. Here each word stays once, at the
// caption in which it first appears.
import type { Cue } from './cues.ts'

/** Captions of this many milliseconds apart still follow each other without a break. */
const touchMs = 120
/** Minimum of words that count as a repetition within captions that are shown at the same time. */
const fewestWords = 2

const wordsOf = (text: string): string[] => text.split(' ').filter(word => word !== '')
const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((word, at) => word === b[at])

/**
 * The captions without repetitions: a caption equal to the previous one at the same time; leading lines that the previous caption showed
 * last, if the two touch; and leading words that end the previous caption, if both are shown at the same time. Words that a speaker repeats
 * in captions that do not touch stay.
 */
export function withoutRepetition(cues: readonly Cue[]): { readonly cues: readonly Cue[]; readonly repeated: number } {
  const kept: Cue[] = []
  let repeated = 0
  let shownUntil = 0
  for (const [at, cue] of cues.entries()) {
    const shown = cues[at - 1]
    const lines = shown && cue.start_ms <= shownUntil + touchMs ? freshLines(cue, shown, cue.start_ms < shownUntil) : cue.lines
    shownUntil = Math.max(shownUntil, cue.end_ms ?? cues[at + 1]?.start_ms ?? cue.start_ms)
    if (lines.length < cue.lines.length || lines[0] !== cue.lines[0]) repeated += 1
    if (lines.length > 0) kept.push({ ...cue, lines })
  }
  return { cues: kept, repeated }
}

function freshLines(cue: Cue, shown: Cue, overlaps: boolean): readonly string[] {
  // Whole lines: the longest end of the caption before that this one begins with.
  for (let count = Math.min(cue.lines.length, shown.lines.length); count > 0; count -= 1) {
    const head = cue.lines.slice(0, count)
    if (same(head, shown.lines.slice(-count)) && (overlaps || cue.speaker === null || cue.speaker === shown.speaker)) {
      const whole = count === cue.lines.length && wordsOf(head.join(' ')).length < fewestWords
      return whole && !overlaps ? cue.lines : cue.lines.slice(count)
    }
  }
  if (!overlaps) return cue.lines
  const [mine, theirs] = [wordsOf(cue.lines.join(' ')), wordsOf(shown.lines.join(' '))]
  for (let count = Math.min(mine.length, theirs.length); count >= fewestWords; count -= 1) {
    if (!same(mine.slice(0, count), theirs.slice(-count))) continue
    const rest = mine.slice(count).join(' ')
    return rest === '' ? [] : [rest]
  }
  return cue.lines
}
