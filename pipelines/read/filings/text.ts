// Reads JSON from bytes that do not reliably state their encoding.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'

/** The JSON value of a document. Throws `Unreadable` (`not_json`), also for a page of HTML in its place. */
export function jsonOf(subject: string, bytes: Uint8Array): unknown {
  const text = decodeText(bytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Unreadable('not_json', `${subject}: expected JSON, got ${JSON.stringify(text.slice(0, 60))}`, { cause })
  }
}
