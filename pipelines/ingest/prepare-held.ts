// A stored document read and checked before its commit: the part of a catch-up that needs neither the database nor the lake.
import type { RawDocument, Reader } from '../read/parsed.ts'
import { packFacts } from './facts.ts'
import { type HeldDocument, readDocument } from './read-document.ts'
import { readerOf } from './reader-of.ts'

/** A reader threw an unexpected error: a defect in this code. */
export class ReaderFault extends Error {}

/** The document with the result of its reader and its checked rows; one that is read in parts is read at its commit. */
export function prepareHeld(readers: readonly Reader[], held: Pick<HeldDocument, 'raw_id' | 'document'>): HeldDocument {
  if (isReadInParts(readers, held.document)) return held
  try {
    const reading = readDocument(readers, held)
    if (!reading.parsed) return { ...held, reading }
    const { parsed, checked } = packFacts({ origin: held.document, parsed: reading.parsed })
    return { ...held, reading: { ...reading, parsed }, checked }
  } catch (cause) {
    throw new ReaderFault(`its reader failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

export const isReadInParts = (readers: readonly Reader[], document: RawDocument): boolean => readerOf(readers, document)?.parts !== undefined
