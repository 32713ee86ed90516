// A checkpoint (C2SP tlog-checkpoint): origin, size and root of the log in the text of a signed note, without extension lines.
import { BadRequest } from '#schemas/errors.ts'
import { strictBase64 } from '../strict-base64.ts'
import { EMPTY_ROOT, HASH_BYTES } from './merkle.ts'
import { type NoteKey, openNote, parseNote } from './note.ts'

export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Buffer }

/** The text that is signed. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${root.toString('base64')}\n`

/** The checkpoint of a text; `BadRequest` for anything else. Extension lines are refused: this service writes none. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', encoded = '', end, more] = text.split('\n')
  const root = strictBase64(encoded)
  const isSize = /^(0|[1-9]\d{0,15})$/.test(size) && Number.isSafeInteger(Number(size))
  if (origin === '' || !isSize || root?.byteLength !== HASH_BYTES || end !== '' || more !== undefined)
    throw new BadRequest('checkpoint: expected three lines: origin, size in decimal, root in base64')
  if (size === '0' && !root.equals(EMPTY_ROOT)) throw new BadRequest('checkpoint: the root of size 0 is not that of the empty tree')
  return { origin, size: Number(size), root }
}

/** The checkpoint in a signed note, signed by at least one of the keys; its origin is the name of that key. `BadRequest` if not. */
export function openCheckpoint(note: string, keys: readonly NoteKey[]): Checkpoint & { readonly by: readonly NoteKey[] } {
  const { text, by } = openNote(note, keys)
  const checkpoint = parseCheckpoint(text)
  const own = by.filter(key => key.name === checkpoint.origin)
  if (own.length === 0) throw new BadRequest(`checkpoint: no key of its origin ${checkpoint.origin.slice(0, 64)} signed it`)
  return { ...checkpoint, by: own }
}

/** The checkpoint in a signed note without a look at its signatures. */
export const readCheckpoint = (note: string): Checkpoint => parseCheckpoint(parseNote(note).text)

/**
 * The checkpoint in a signed note of any log, without a look at its signatures, and the text that they cover. Extension lines are allowed:
 * a witness signs them with the text, and makes no statement about them (C2SP tlog-cosignature).
 */
export function readCheckpointHead(note: string): { readonly checkpoint: Checkpoint; readonly text: string } {
  const { text } = parseNote(note)
  const [origin, size, root, ...extensions] = text.split('\n').slice(0, -1)
  if (extensions.includes('')) throw new BadRequest('checkpoint: an extension line is empty')
  return { checkpoint: parseCheckpoint(`${[origin, size, root].join('\n')}\n`), text }
}
