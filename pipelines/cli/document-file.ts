// Reads a document that is given to a command as a file, or throws an error that states why it cannot be read.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { BadRequest } from '#schemas/errors.ts'

export type DocumentFile = {
  readonly path: string
  readonly body: Buffer
  /** The first 64 KiB as text, for readers that recognise a document by it. */
  readonly head: string
}

const magic: readonly (readonly [bytes: string, what: string])[] = [
  ['%PDF-', 'a PDF, which no reader here reads'],
  ['PK\u0003\u0004', 'a ZIP archive (or an Office file): unpack it first'],
  ['\u0089PNG', 'a picture'],
  ['\u00ff\u00d8\u00ff', 'a picture'],
  ['GIF8', 'a picture'],
  ['PAR1', 'a Parquet file'],
]

/** Reads a file, gunzipped if it is gzip. Throws `BadRequest` for a missing or empty file, a folder, and content that is not text. */
export function readDocumentFile(command: string, path: string): DocumentFile {
  const refuse = (fault: string, hint: string, cause?: unknown): BadRequest => new BadRequest(`${command}: ${path} ${fault}`, { hint, cause })
  if (!existsSync(path)) throw refuse('does not exist', 'the first argument is the file to read')
  if (!statSync(path).isFile()) throw refuse('is not a file', 'name one document')
  const stored = readFileSync(path)
  let body: Buffer = stored
  if (stored[0] === 0x1f && stored[1] === 0x8b) {
    try {
      body = gunzipSync(stored)
    } catch (cause) {
      throw refuse('is not a complete gzip file', 'download it again', cause)
    }
  }
  const latin = body.subarray(0, 4096).toString('latin1')
  const known = magic.find(([bytes]) => latin.trimStart().startsWith(bytes))
  if (known !== undefined) throw refuse(`is ${known[1]}`, 'documents as the SEC serves them are text, HTML, XML or JSON')
  const head = body.subarray(0, 65_536).toString('utf8')
  if (head.trim() === '') throw refuse('is empty', 'nothing to read')
  // Text of any encoding contains no bytes of this range except blanks and line ends.
  let odd = 0
  for (const byte of body.subarray(0, 4096)) if (byte < 9 || (byte > 13 && byte < 32)) odd += 1
  if (latin.includes('\u0000') || odd * 50 > latin.length)
    throw refuse('contains binary data, not text', 'documents as the SEC serves them are text, HTML, XML or JSON')
  return { path, body, head }
}
