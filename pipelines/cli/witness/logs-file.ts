// The list of logs that a witness follows, in the format of the public witness network (`logs/v0`): a header, then for each key a line
// `vkey KEY`, and a line `origin NAME` if the log has another name than its key. Several keys of one log are several entries.
import { readFileSync, statSync } from 'node:fs'
import { BadRequest } from '#schemas/errors.ts'
import { LOG_KEY, parseVerifierKey } from '#schemas/verifier-key.ts'
import { type NoteKey, noteKey } from '#warehouse/store/transparency/note.ts'

const HEADER = 'logs/v0'
const MAX_BYTES = 1024 * 1024

/** The trusted keys by the origin of their log. */
export type WitnessedLogs = ReadonlyMap<string, readonly NoteKey[]>

/** The logs of a list; `BadRequest` names the line that cannot be read. Lines of other kinds (`qpd`, `contact`) are ignored, as the format requires. */
export function parseLogList(text: string, place = 'the list of logs'): WitnessedLogs {
  const logs = new Map<string, NoteKey[]>()
  let header = false
  let entry: { readonly key: NoteKey; origin: string; readonly line: number } | null = null
  const finish = (): void => {
    if (entry !== null) logs.set(entry.origin, [...(logs.get(entry.origin) ?? []), entry.key])
    entry = null
  }
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const wrong = (message: string): BadRequest =>
      new BadRequest(`${place}, line ${at + 1}: ${message}`, {
        hint: 'expected logs/v0, then lines such as: vkey crossfile.example/receipts/2026+1a2b3c4d+AY…',
      })
    if (!header) {
      if (line !== HEADER) throw wrong(`the first line is not ${HEADER}`)
      header = true
      continue
    }
    const space = line.indexOf(' ')
    const [word, value] = space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1).trim()]
    if (word === 'vkey') {
      finish()
      const key = parseVerifierKey(value)
      if (key?.algorithm !== LOG_KEY) throw wrong(`"${value.slice(0, 64)}" is not the verifier key of a log (Ed25519, algorithm byte 0x01)`)
      entry = { key: noteKey(key.name, key.x), origin: key.name, line: at }
    } else if (entry === null) throw wrong('expected a line vkey first')
    else if (word === 'origin') {
      if (value === '') throw wrong('the origin is empty')
      entry.origin = value
    }
  }
  finish()
  if (!header) throw new BadRequest(`${place} is empty`, { hint: `its first line is ${HEADER}` })
  return logs
}

/**
 * The logs of a file, read again when it changes: a rotated key of a log is added without a restart. A file that cannot be read while the
 * witness runs leaves the last list in use; `onFault` gets the reason once. Throws `BadRequest` if it cannot be read at the start.
 */
export function followLogList(path: string, onFault: (message: string) => void): () => WitnessedLogs {
  const read = (): WitnessedLogs => {
    const bytes = readFileSync(path)
    if (bytes.byteLength > MAX_BYTES) throw new BadRequest(`${path} has ${bytes.byteLength} bytes, at most ${MAX_BYTES}`)
    return parseLogList(bytes.toString('utf8'), path)
  }
  const stampOf = (): string => {
    const { mtimeMs, size, ino } = statSync(path)
    return `${mtimeMs} ${size} ${ino}`
  }
  const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
  let stamp: string
  let logs: WitnessedLogs
  try {
    stamp = stampOf()
    logs = read()
  } catch (error) {
    if (error instanceof BadRequest) throw error
    throw new BadRequest(`the list of logs cannot be read: ${messageOf(error)}`, {
      hint: 'make a file that begins with the line logs/v0, and give its path with --logs (crossfile help witness)',
      cause: error,
    })
  }
  let fault: string | null = null
  return () => {
    try {
      const now = stampOf()
      if (now !== stamp) {
        logs = read()
        stamp = now
      }
      fault = null
    } catch (error) {
      if (fault !== messageOf(error)) onFault(`the list of logs was not read again: ${messageOf(error)}`)
      fault = messageOf(error)
    }
    return logs
  }
}
