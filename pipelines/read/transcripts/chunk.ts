// Converts captions to chunks, the units that a search finds. A chunk consists of whole captions of one speaker; it ends at the first end
// of a sentence after 60 words, before the caption that would exceed 100 words, at a change of speaker, and before a silence of 8 seconds.
// A longer caption (text with few times) is split at ends of sentences, and its chunks all have its times, because no others are known.
import type { Cue } from './cues.ts'

const fewestWords = 60
const mostWords = 100
const silenceMs = 8_000
/** A change of speaker ends a chunk of at least this many words; shorter ones (a thank-you) stay with the following text. */
const turnWords = 8

export type Chunk = {
  readonly start_ms: number | null
  readonly end_ms: number | null
  readonly speaker: string | null
  readonly text: string
  readonly words: number
}
type Piece = {
  readonly start: number | null
  readonly end: number | null
  readonly speaker: string | null
  readonly text: string
  readonly words: number
}

const countSpaced = (text: string): number => text.split(' ').filter(word => word !== '').length
const endsSentence = (text: string): boolean => /[.!?…]["'”’»)]*$/.test(text)

/** Chunks of captions, in their order. */
export function chunkCues(cues: readonly Cue[]): Chunk[] {
  return chunkPieces(
    cues.flatMap((cue, at) => {
      const end = cue.end_ms ?? cues[at + 1]?.start_ms ?? cue.start_ms
      return cut(cue.lines.join(' ')).map(text => ({ start: cue.start_ms, end, speaker: cue.speaker, text, words: countSpaced(text) }))
    }),
  )
}

/** Chunks of speakers' text in a document without times. */
export function chunkTurns(turns: readonly { readonly speaker: string | null; readonly text: string }[]): Chunk[] {
  return chunkPieces(
    turns.flatMap(({ speaker, text }) =>
      sentencesOf(text.replace(/\s+/g, ' ').trim())
        .flatMap(cut)
        .map(piece => ({ start: null, end: null, speaker, text: piece, words: countSpaced(piece) })),
    ),
  )
}

function chunkPieces(pieces: readonly Piece[]): Chunk[] {
  const chunks: Chunk[] = []
  let open: Piece[] = []
  let words = 0
  const close = (): void => {
    const [first] = open
    const last = open.at(-1)
    if (first && last) {
      const ends = open.map(piece => piece.end).filter(end => end !== null)
      const text = open.map(piece => piece.text).join(' ')
      chunks.push({ start_ms: first.start, end_ms: ends.length === 0 ? null : Math.max(...ends), speaker: first.speaker, text, words })
    }
    open = []
    words = 0
  }
  let speaker: string | null = null
  for (const piece of pieces) {
    const before = open.at(-1)
    // A caption without a name continues the previous speaker.
    const turns = piece.speaker !== null && piece.speaker !== speaker
    const silent = before !== undefined && piece.start !== null && before.end !== null && piece.start - before.end >= silenceMs
    if ((turns && words >= turnWords) || silent || (words > 0 && words + piece.words > mostWords)) close()
    speaker = piece.speaker ?? speaker
    open.push(piece.speaker === null ? { ...piece, speaker } : piece)
    words += piece.words
    if (words >= fewestWords && endsSentence(piece.text)) close()
  }
  close()
  return chunks
}

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?…]["'”’»)]{0,3})\s+/)

/** Splits text of more than the maximum of words, at ends of sentences if there are any, otherwise after the maximum. */
function cut(text: string): string[] {
  if (countSpaced(text) <= mostWords) return text === '' ? [] : [text.trim()]
  const parts: string[] = []
  let open: string[] = []
  for (const word of text.split(' ').filter(each => each !== '')) {
    open.push(word)
    if (open.length >= mostWords || (open.length >= fewestWords && endsSentence(word))) {
      parts.push(open.join(' '))
      open = []
    }
  }
  if (open.length > 0) parts.push(open.join(' '))
  return parts
}
