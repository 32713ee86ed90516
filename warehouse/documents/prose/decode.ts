// Bytes to text for documents that do not reliably state their encoding.
import { isAscii } from 'node:buffer'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const windows1252 = new TextDecoder('windows-1252')

/**
 * UTF-8 if the bytes are valid UTF-8 (a byte order mark is removed), UTF-16 if its mark is present, else Windows-1252: old EDGAR
 * documents carry Latin-1 bytes, also under a declaration of UTF-8 or ASCII.
 */
export function decodeText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isAscii(buffer)) return buffer.toString('latin1')
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return new TextDecoder('utf-16le', { ignoreBOM: false }).decode(buffer)
  if (buffer[0] === 0xfe && buffer[1] === 0xff) return new TextDecoder('utf-16be', { ignoreBOM: false }).decode(buffer)
  try {
    return utf8.decode(buffer)
  } catch {
    return windows1252.decode(buffer) // not swallowed: the bytes are not UTF-8, and every byte means something here
  }
}
