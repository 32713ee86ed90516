// SubRip: numbered blocks of a timing line and words.
import { type Captions, type Cue, captionsOf, cueOf, linesOf } from './cues.ts'
import { timesOf } from './webvtt.ts'

/** Reads an SRT file. Throws `Unreadable` if a timing line is unreadable, or if there is none. */
export function readSrt(subject: string, bytes: Uint8Array): Captions {
  const lines = linesOf(subject, bytes)
  const cues: Cue[] = []
  const skipped: Record<string, number> = {}
  const timed = lines.flatMap((line, at) => (line.includes('-->') ? [at] : []))
  timed.forEach((at, index) => {
    const { start_ms, end_ms } = timesOf(subject, lines[at] as string, at + 1)
    const next = timed[index + 1] ?? lines.length
    const words = lines.slice(at + 1, next)
    // The number of the next block precedes its times.
    if (index + 1 < timed.length && /^\s*\d+\s*$/.test(words.at(-1) ?? '')) words.pop()
    const cue = cueOf(start_ms, end_ms, words)
    if (cue) cues.push(cue)
    else skipped['empty_caption'] = (skipped['empty_caption'] ?? 0) + 1
  })
  return captionsOf(subject, cues, null, skipped)
}
