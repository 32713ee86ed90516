// One document read by its reader. It loads no store, so that the thread of held-reader.ts stays small.
import { CrossfileError, Unreadable } from '#schemas/errors.ts'
import type { RawDocument, Reader } from '../read/parsed.ts'
import { readerOf } from './reader-of.ts'
import type { ReadingOf } from './record.ts'
import type { CheckedFacts } from './types.ts'

export type HeldDocument = {
  readonly raw_id: number
  readonly document: RawDocument
  /** Its reading, if it was read before it entered the batch. */
  readonly reading?: ReadingOf
  /** The checked rows of that reading, if they were made before too. */
  readonly checked?: CheckedFacts
}

/** The result of reading a document, or why it could not be read; a document without a reader is not a failure. */
export function readDocument(readers: readonly Reader[], { raw_id, document, reading }: HeldDocument): ReadingOf {
  if (reading) return reading
  const reader = readerOf(readers, document)
  if (!reader) return { raw_id, reader: null, parsed: null, detail: 'no reader for this kind of document' }
  try {
    return { raw_id, reader: reader.name, parsed: reader.parse(document), detail: null }
  } catch (error) {
    const refused = isStackOverflow(error) ? tooLarge(document) : error
    if (!(refused instanceof CrossfileError)) throw refused
    const reason = refused instanceof Unreadable ? refused.reason : refused.code
    return { raw_id, reader: reader.name, parsed: null, detail: `${reason}: ${refused.message}` }
  }
}

/** What V8 throws where calls, or the steps of a regular expression, need more stack than there is: the document's fault, not the reader's. */
export const isStackOverflow = (error: unknown): boolean => error instanceof RangeError && error.message === 'Maximum call stack size exceeded'
export const tooLarge = ({ url }: RawDocument): Unreadable =>
  new Unreadable('too_deep', `${url}: it repeats or nests one thing more often than its reader can follow`)
