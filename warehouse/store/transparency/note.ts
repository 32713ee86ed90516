// Signed notes with Ed25519 keys (C2SP signed-note): the text of a checkpoint and the signatures below it.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { KEY_NAME, LOG_KEY, printVerifierKey, verifierKeyId } from '#schemas/verifier-key.ts'
import { ed25519Holds, isUsablePoint } from '../ed25519.ts'
import { strictBase64 } from '../strict-base64.ts'

const MAX_NOTE_BYTES = 64 * 1024
const MAX_SIGNATURES = 64
const DASH = '\u2014'

/** Who may have signed a note. */
export type NoteKey = { readonly name: string; readonly x: string; readonly id: number; readonly publicKey: KeyObject }
export type NoteSigner = { readonly name: string; readonly x: string; readonly sign: (bytes: Uint8Array) => Buffer }
export type NoteSignature = { readonly name: string; readonly id: number; readonly signature: Buffer }
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] }

/** The id of the key of a log under a name. `Broken` if `x` is not a key. */
export function noteKeyId(name: string, x: string): number {
  if (Buffer.from(x, 'base64url').byteLength !== 32) throw new Broken('note: an Ed25519 public key has 32 bytes')
  return verifierKeyId({ name, algorithm: LOG_KEY, x })
}

/** The key `x` (32 bytes in base64url) under a name. */
export function noteKey(name: string, x: string): NoteKey {
  checkName(name)
  if (!isUsablePoint(Buffer.from(x, 'base64url'))) throw new Broken('note: the public key is a point that no key pair has')
  return { name, x, id: noteKeyId(name, x), publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) }
}

/** The key as text for other programs, such as Go's sumdb/note: `name+hex id+base64`. */
export const verifierKey = (name: string, x: string): string => printVerifierKey({ name: checkName(name), algorithm: LOG_KEY, x })

function checkName(name: string): string {
  if (!KEY_NAME.test(name)) throw new Broken(`note: "${name.slice(0, 64)}" is not a key name: no spaces, no plus sign`)
  return name
}

/** The note with one signature per signer. `text` ends with a line end. */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  const fault = textFault(text)
  if (fault !== null) throw new Broken(`note: ${fault}`)
  return printNote({
    text,
    signatures: signers.map(({ name, x, sign }) => ({ name: checkName(name), id: noteKeyId(name, x), signature: sign(Buffer.from(text, 'utf8')) })),
  })
}

/** The bytes of a note as text. */
export function printNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(printSignature).join('')}`
}

/** The line of a signature, with its line end. */
export function printSignature({ name, id, signature }: NoteSignature): string {
  const idBytes = Buffer.alloc(4)
  idBytes.writeUInt32BE(id)
  return `${DASH} ${name} ${Buffer.concat([idBytes, signature]).toString('base64')}\n`
}

function textFault(text: string): string | null {
  if (!text.isWellFormed()) return 'the text is not well-formed'
  if (!text.endsWith('\n')) return 'the text does not end with a line end'
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 0x20 && text[at] !== '\n') return 'the text has a control character'
  return null
}

/** The parts of a note, not yet verified; `BadRequest` for anything that is not exactly a note. */
export function parseNote(note: string): Note {
  const fault = Buffer.byteLength(note) > MAX_NOTE_BYTES ? `it is longer than ${MAX_NOTE_BYTES} bytes` : textFault(note)
  if (fault !== null) throw new BadRequest(`signed note: ${fault}`)
  const end = note.lastIndexOf('\n\n')
  if (end < 0) throw new BadRequest('signed note: no empty line separates text and signatures')
  return { text: note.slice(0, end + 1), signatures: parseSignatures(note.slice(end + 2)) }
}

/** The signatures of lines that each end with a line end, not yet verified; `BadRequest` for anything else. */
export function parseSignatures(text: string): NoteSignature[] {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new BadRequest('signed note: the last signature does not end with a line end')
  if (lines.length === 0 || lines.length > MAX_SIGNATURES)
    throw new BadRequest(`signed note: it has ${lines.length} signatures, expected 1 to ${MAX_SIGNATURES}`)
  return lines.map(parseSignature)
}

function parseSignature(line: string): NoteSignature {
  const [dash, name = '', encoded = '', more] = line.split(' ')
  const bytes = strictBase64(encoded)
  if (dash !== DASH || !KEY_NAME.test(name) || bytes === null || bytes.byteLength <= 4 || more !== undefined)
    throw new BadRequest('signed note: a signature line is malformed')
  return { name, id: bytes.readUInt32BE(), signature: bytes.subarray(4) }
}

/**
 * The text of a note, with the known keys that signed it. Signatures of unknown keys are ignored; one of a known key that does not verify
 * refuses the note, and so does a note without any signature of a known key: `BadRequest`.
 */
export function openNote(note: string, keys: readonly NoteKey[]): { readonly text: string; readonly by: readonly NoteKey[] } {
  const { text, signatures } = parseNote(note)
  const by = new Set<NoteKey>()
  for (const { name, id, signature } of signatures) {
    for (const key of keys.filter(each => each.name === name && each.id === id)) {
      if (!ed25519Holds(Buffer.from(text, 'utf8'), signature, key.publicKey))
        throw new BadRequest(`signed note: the signature of ${name} does not verify`)
      by.add(key)
    }
  }
  if (by.size === 0) throw new BadRequest('signed note: no known key signed it')
  return { text, by: [...by] }
}
