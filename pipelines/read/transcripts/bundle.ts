// A caption file as a raw document: its line of the manifest as JSON, a line break, and the unchanged file. The file does not identify the
// company; together they are stored and read like every other document.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { IsoDate } from '#schemas/values.ts'
import type { TranscriptEntry } from './manifest.ts'

const head = 'crossfile-transcript@1 '

/** True for the beginning of such a document. */
export const isBundle = (text: string): boolean => text.startsWith(head)

/** The document of a file and its line of the manifest; equal files and lines give equal bytes. */
export function bundleOf(entry: TranscriptEntry, captions: Uint8Array): Buffer {
  const { file, ticker, date, video_id, video_url, title, uploader, language } = entry
  const line = JSON.stringify({ file, ticker, date, video_id, video_url, title, uploader, language })
  return Buffer.concat([Buffer.from(`${head}${line}\n`), captions])
}

/** Splits the two parts again. Throws `Unreadable` if the bytes are not such a document. */
export function openBundle(subject: string, body: Uint8Array): { readonly entry: TranscriptEntry; readonly captions: Uint8Array } {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const end = bytes.indexOf(10)
  const line = end < 0 ? '' : bytes.toString('utf8', 0, end)
  const broken = (): Unreadable => new Unreadable('not_a_transcript', `${subject}: found no line of a manifest in front of the captions`)
  if (!line.startsWith(head)) throw broken()
  let entry: TranscriptEntry
  try {
    entry = JSON.parse(line.slice(head.length)) as TranscriptEntry
  } catch (cause) {
    throw new Unreadable('not_a_transcript', broken().message, { cause })
  }
  if (parseSymbol(String(entry.ticker)) === null || !IsoDate.safeParse(entry.date).success || typeof entry.video_id !== 'string') throw broken()
  return { entry, captions: bytes.subarray(end + 1) }
}
