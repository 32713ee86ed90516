// Which reader takes a document. It loads no reader itself, so that a program that only compares names stays small.
import type { RawDocument, Reader } from '../read/parsed.ts'

/** Bytes of a recorded file by which its kind is recognised. */
const headBytes = 65_536

/**
 * The reader of a document: by its address; for a file of the drop-in folder, or a recorded one with an unknown address, by its
 * beginning.
 */
export function readerOf(readers: readonly Reader[], document: Pick<RawDocument, 'url' | 'body'>): Reader | null {
  const byAddress = readers.find(reader => reader.reads(document.url))
  const scheme = /^(?:recorded|file):/.exec(document.url)?.[0]
  if (byAddress || scheme === undefined) return byAddress ?? null
  const head = Buffer.from(document.body.subarray(0, headBytes)).toString('utf8')
  const path = document.url.slice(scheme.length)
  return readers.find(reader => (scheme === 'recorded:' || reader.source === 'csv') && reader.recognise(path, head) !== null) ?? null
}
