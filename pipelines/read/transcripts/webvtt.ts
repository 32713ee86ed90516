// WebVTT (w3.org/TR/webvtt1): cues with settings, voices, styling and the inline times of automatic captions.
import { Unreadable } from '#schemas/errors.ts'
import { type Captions, type Cue, captionsOf, cueOf, linesOf, plainWords, timeOf } from './cues.ts'

/** A timing line: start, arrow, end or nothing, settings. */
const timingLine = /^\s*(\S+)\s*-->\s*(\S+)?(?:\s+(.*))?$/

/** Reads a WebVTT file. Throws `Unreadable` if its first line is not WEBVTT or a time is unreadable: then no other time is reliable. */
export function readWebVtt(subject: string, bytes: Uint8Array): Captions {
  const lines = linesOf(subject, bytes)
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? ''))
    throw new Unreadable('not_webvtt', `${subject}: line 1 is "${(lines[0] ?? '').slice(0, 40)}", expected WEBVTT`)
  const cues: Cue[] = []
  const skipped: Record<string, number> = {}
  const count = (reason: string): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }
  let language: string | null = null
  let at = 1
  for (; at < lines.length && lines[at]?.trim() !== '' && !lines[at]?.includes('-->'); at += 1)
    language = /^\s*Language:\s*([A-Za-z]{2,3})\b/.exec(lines[at] as string)?.[1]?.toLowerCase() ?? language
  while (at < lines.length) {
    const line = lines[at] as string
    if (line.trim() === '') {
      at += 1
      continue
    }
    const block: string[] = []
    const first = at
    for (; at < lines.length && lines[at]?.trim() !== ''; at += 1) block.push(lines[at] as string)
    if (/^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(line) && !block.slice(0, 2).some(each => each.includes('-->'))) {
      count('comment_or_style')
      continue
    }
    const timed = block.findIndex(each => each.includes('-->'))
    if (timed < 0) {
      count('block_without_time')
      continue
    }
    const { start_ms, end_ms } = timesOf(subject, block[timed] as string, first + timed + 1)
    const payload = block.slice(timed + 1)
    const cue = cueOf(start_ms, end_ms, payload, voiceOf(payload))
    if (cue) cues.push(cue)
    else count('empty_caption')
  }
  return captionsOf(subject, cues, language, skipped)
}

/** Start and end of a timing line; throws `Unreadable` with the line's number. */
export function timesOf(subject: string, line: string, number: number): { readonly start_ms: number; readonly end_ms: number | null } {
  const [, from = '', to] = timingLine.exec(line) ?? []
  const start_ms = timeOf(from)
  // Without an end the settings may directly follow the arrow.
  const end_ms = to === undefined || /^[a-z]+:/i.test(to) ? null : timeOf(to)
  if (start_ms === null || (to !== undefined && end_ms === null && !/^[a-z]+:/i.test(to)))
    throw new Unreadable(
      'bad_time',
      `${subject}: line ${number} is "${line.trim().slice(0, 60)}", expected times such as 00:01:02.500 --> 00:01:05.000`,
    )
  return { start_ms, end_ms }
}

/** The speaker of `<v Name>` or `<v.loud Name>`. */
function voiceOf(payload: readonly string[]): string | null {
  const name = /<v(?:\.[^\s>]*)?\s+([^>]{1,100})>/.exec(payload.join('\n'))?.[1]
  return name === undefined ? null : plainWords(name) || null
}
