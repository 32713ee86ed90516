// The visible sentences of a document, each with its position, so that they can be quoted.
import type { Prose } from '#warehouse/documents/prose/prose.ts'

export type Sentence = { readonly start: number; readonly end: number; readonly text: string }

/** Longer runs without a full stop are tables and lists: they are cut, so that no look at a sentence is long. */
const longest = 1200
const shortened =
  /(?:\b(?:Inc|Corp|Ltd|Co|LLC|plc|Jr|Sr|Mr|Ms|Mrs|Dr|St|No|Nos|vs|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)|\b[A-Za-z](?:\.[A-Za-z])*)$/

/** The text in which a sentence may cross lines: those of plain text run on until a blank line, those of a page of HTML do not. */
export function runningText(prose: Prose): string {
  if (prose.html) return prose.text
  const pieces: string[] = []
  let from = 0
  for (const block of prose.blocks) {
    if (block.start === 0) continue
    pieces.push(prose.text.slice(from, block.start - 1), block.gap === 0 && block.table === 0 ? ' ' : '\n')
    from = block.start
  }
  pieces.push(prose.text.slice(from))
  return pieces.join('')
}

/** Splits a text into sentences: at line ends, and after a full stop that does not end an abbreviation. */
export function* sentencesOf(text: string): Generator<Sentence> {
  let start = 0
  const stop = /[.!?]["'”’)]?(?=\s)|\n/g
  for (;;) {
    const match = stop.exec(text)
    const end = match === null ? text.length : match.index + (match[0] === '\n' ? 0 : match[0].length)
    const isEnd = match === null || match[0] === '\n' || endsSentence(text, match.index, end)
    if (isEnd || end - start > longest) {
      yield* cut(text, start, end)
      start = match === null ? text.length : Math.max(end, stop.lastIndex)
    }
    if (match === null) return
  }
}

function* cut(text: string, from: number, to: number): Generator<Sentence> {
  for (let start = from; start < to; start += longest) {
    const end = Math.min(to, start + longest)
    const piece = text.slice(start, end)
    const lead = piece.length - piece.trimStart().length
    const trimmed = piece.trim()
    if (trimmed !== '') yield { start: start + lead, end: start + lead + trimmed.length, text: trimmed }
  }
}

/** A full stop after an abbreviation or an initial, or before a small letter, does not end a sentence. */
function endsSentence(text: string, stop: number, behind: number): boolean {
  if (text[stop] !== '.') return true
  const next = /^\s{1,4}(\S)/.exec(text.slice(behind, behind + 6))?.[1] ?? ''
  if (/[a-z0-9]/.test(next)) return false
  return !shortened.test(text.slice(Math.max(0, stop - 12), stop))
}
