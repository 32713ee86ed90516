// Captions as every format holds them: a time, and lines of words without markup.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { decodeEntities } from '#warehouse/documents/prose/entities.ts'

export type Cue = {
  /** Milliseconds from the start of the recording. */
  readonly start_ms: number
  /** Null: the format gives no end, or one that is not after the start. */
  readonly end_ms: number | null
  readonly lines: readonly string[]
  readonly speaker: string | null
}
export type Captions = {
  readonly cues: readonly Cue[]
  /** As the file states it. */
  readonly language: string | null
  /** Lines skipped by a rule of the format, counted by reason. */
  readonly skipped: Readonly<Record<string, number>>
}

/** No recording is as long: 1,000 hours. A larger time is a unit that was mistaken. */
const longestMs = 3_600_000_000

/** The file as lines without byte order mark and carriage returns. Throws `Unreadable` for bytes that are no text. */
export function linesOf(subject: string, bytes: Uint8Array): string[] {
  const text = decodeText(bytes)
  if (text.includes('\u0000')) throw new Unreadable('not_text', `${subject}: found a NUL character, expected a text file of captions`)
  return text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
}

/** `H:MM:SS.mmm`, `MM:SS,mmm`, with or without a fraction, hours of any length, as milliseconds; null if it is no time. */
export function timeOf(text: string): number | null {
  const match = /^(?:(\d{1,4}):)?(\d{1,2}):([0-5]?\d)(?:[.,](\d{1,3}))?$/.exec(text.trim())
  if (!match) return null
  const [, hours, minutes = '0', seconds = '0', fraction = ''] = match
  if (hours !== undefined && Number(minutes) > 59) return null
  const ms = Number(hours ?? 0) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(fraction.padEnd(3, '0'))
  return ms <= longestMs ? ms : null
}

/** Words of a caption without tags (`<i>`, `<c.red>`, `<00:00:01.500>`, `{\an8}`), entities decoded, blanks single. */
export function plainWords(text: string): string {
  return decodeEntities(
    text
      .replace(/\{\\[^}]{0,200}\}/g, '')
      .replace(/<\/?[A-Za-z][^<>]{0,200}>/g, '')
      .replace(/<(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}>/g, ''),
  )
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u200b]/g, '')
    .replace(/[\s\u00a0]+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
}

const beforeColon =
  /^(?:>>\s*)?((?:\p{Lu}[\p{L}\p{N}.'’&-]*|(?:de|du|des|la|le|von|van|of|and))(?:[ ,]+(?:\p{Lu}[\p{L}\p{N}.'’&-]*|(?:de|du|des|la|le|von|van|of|and))){0,6}):\s+(?=\S)/u

/** Removes a name and a colon before the words; a leading `>>` is a change of speaker without a name. */
function splitSpeaker(line: string): { readonly speaker: string | null; readonly text: string } {
  const match = beforeColon.exec(line)
  if (match?.[1] !== undefined && match[1].length <= 60) return { speaker: match[1], text: line.slice(match[0].length) }
  return { speaker: null, text: line.replace(/^>>\s*/, '') }
}

/** A cue from lines with markup; null if no word is left. */
export function cueOf(start_ms: number, end_ms: number | null, given: readonly string[], voice: string | null = null): Cue | null {
  let speaker = voice
  const lines = given.map(plainWords).flatMap(line => {
    const split = splitSpeaker(line)
    speaker ??= split.speaker
    return split.text === '' ? [] : [split.speaker !== null && split.speaker !== speaker ? line : split.text]
  })
  return lines.length === 0 ? null : { start_ms, end_ms: end_ms !== null && end_ms > start_ms ? end_ms : null, lines, speaker }
}

/** The cues in the order of their times; throws `Unreadable` without a cue. */
export function captionsOf(subject: string, cues: readonly Cue[], language: string | null, skipped: Readonly<Record<string, number>>): Captions {
  if (cues.length === 0) throw new Unreadable('no_captions', `${subject}: found no caption with words, expected at least one`)
  const late = cues.filter((cue, at) => at > 0 && cue.start_ms < (cues[at - 1] as Cue).start_ms).length
  const sorted = late === 0 ? cues : cues.toSorted((a, b) => a.start_ms - b.start_ms)
  return { cues: sorted, language, skipped: late === 0 ? skipped : { ...skipped, caption_out_of_order: late } }
}
