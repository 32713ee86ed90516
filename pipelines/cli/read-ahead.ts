// Reads the documents of the bundled universe while the database starts, which takes as long: a document needs no database to be read.
import { setImmediate } from 'node:timers/promises'
import { isReadInParts } from '../ingest/prepare-held.ts'
import { type HeldDocument, readDocument } from '../ingest/read-document.ts'
import type { RawDocument } from '../read/parsed.ts'
import { readers } from '../read/register.ts'

export type ReadAhead = {
  /** Reads what is left. Rejects with the reason of the signal, or if a reader fails in a way that it does not know. */
  finish(): Promise<void>
  /** The document with its reading; one that is read in parts has none. */
  withReading(held: HeldDocument): HeldDocument
}

/** Reads `documents` one after the other until `until` settles, and lets this process do its other work between two. */
export function readAhead(documents: readonly RawDocument[], until: Promise<unknown>, signal: AbortSignal): ReadAhead {
  const readings = new Map<RawDocument, ReturnType<typeof readDocument>>()
  const left = documents.filter(document => !isReadInParts(readers, document))[Symbol.iterator]()
  let mayRead = true
  const read = async (): Promise<void> => {
    while (mayRead) {
      await setImmediate()
      signal.throwIfAborted()
      const { value: document, done } = left.next()
      if (done) return
      // Its number is known when it is stored.
      readings.set(document, readDocument(readers, { raw_id: 0, document }))
    }
  }
  const stop = (): void => {
    mayRead = false
  }
  until.then(stop, stop)
  const ahead = read()
  // `finish` reports it.
  ahead.catch(() => undefined)
  return {
    async finish() {
      await ahead
      mayRead = true
      await read()
    },
    withReading(held) {
      const reading = readings.get(held.document)
      return reading === undefined ? held : { ...held, reading: { ...reading, raw_id: held.raw_id } }
    },
  }
}
