// Plain text with times: `[00:01:23] words`, `1:23 words`, or a time on a line and the words below it.
import { Unreadable } from '#schemas/errors.ts'
import { type Captions, type Cue, captionsOf, cueOf, linesOf, timeOf } from './cues.ts'

const timeFirst = /^\s*(?:\[\s*([\d:.,]+)\s*\]|\(\s*([\d:.,]+)\s*\)|((?:\d{1,4}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?))(?:\s*[-–—]\s+|\s+|$)(.*)$/

/**
 * Reads a text whose lines begin with times. A bare time earlier than the previous one is part of the words ("10:30 a.m."). Words before
 * the first time have no place in the recording and are skipped. Throws `Unreadable` if no line has a time, or a time in brackets goes
 * back.
 */
export function readTimedText(subject: string, bytes: Uint8Array): Captions {
  const lines = linesOf(subject, bytes)
  const skipped: Record<string, number> = {}
  const found: { readonly start_ms: number; readonly words: string[] }[] = []
  for (const [at, line] of lines.entries()) {
    const [, square, round, bare, rest = ''] = timeFirst.exec(line) ?? []
    const printed = square ?? round ?? bare
    const start_ms = printed === undefined ? null : timeOf(printed)
    const last = found.at(-1)
    if (printed !== undefined && start_ms === null && bare === undefined)
      throw new Unreadable('bad_time', `${subject}: line ${at + 1} has the time "${printed}", expected one such as 00:01:02`)
    const goesBack = start_ms !== null && last !== undefined && start_ms < last.start_ms
    if (goesBack && bare === undefined)
      throw new Unreadable('times_go_back', `${subject}: line ${at + 1} has the time ${printed}, which is before the one above it`)
    if (start_ms !== null && !goesBack) found.push({ start_ms, words: rest.trim() === '' ? [] : [rest] })
    else if (line.trim() === '') continue
    else if (last === undefined) skipped['line_before_first_time'] = (skipped['line_before_first_time'] ?? 0) + 1
    else last.words.push(line)
  }
  if (found.length === 0) throw new Unreadable('no_times', `${subject}: no line begins with a time, expected lines such as "[00:01:02] Good morning"`)
  const cues = found.flatMap(({ start_ms, words }): Cue[] => {
    const cue = cueOf(start_ms, null, words)
    return cue ? [cue] : []
  })
  return captionsOf(subject, cues, null, skipped)
}
