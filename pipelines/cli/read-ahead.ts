// Reads the documents of the bundled universe while the database starts, which takes as long: a document needs no database to be read. This
// process begins with the first document and a thread with the last, so that two processors read.
import { setImmediate } from 'node:timers/promises'
import { isReadInParts } from '../ingest/prepare-held.ts'
import { type HeldDocument, readDocument } from '../ingest/read-document.ts'
import { notRead, type ReaderThread } from '../ingest/reader-thread.ts'
import type { RawDocument } from '../read/parsed.ts'
import { readers } from '../read/register.ts'

export type ReadAhead = {
  /** Reads what is left. Rejects with the reason of the signal, or if a reader fails in a way that it does not know. */
  finish(): Promise<void>
  /** The document with its reading; one that is read in parts has none. */
  withReading(held: HeldDocument): HeldDocument
}

/** Documents that the thread has at a time: the next one is there when it has read one. */
const sentAhead = 2

/**
 * Reads `documents` one after the other until `until` settles, and lets this process do its other work between two. `thread` reads meanwhile,
 * and is closed when nothing is left; what it does not read, because it failed or its memory was too small, this process reads.
 */
export function readAhead(
  documents: readonly RawDocument[],
  until: Promise<unknown>,
  signal: AbortSignal,
  thread: ReaderThread | null = null,
): ReadAhead {
  const readings = new Map<RawDocument, Pick<HeldDocument, 'reading' | 'checked'>>()
  const left = documents.filter(document => !isReadInParts(readers, document))
  let first = 0
  let mayRead = true
  // The number of a document is known when it is stored.
  const requestOf = (document: RawDocument): Pick<HeldDocument, 'raw_id' | 'document'> => ({ raw_id: 0, document })
  const read = async (): Promise<void> => {
    while (mayRead) {
      await setImmediate()
      signal.throwIfAborted()
      const document = left[first]
      if (document === undefined) return
      first += 1
      readings.set(document, { reading: readDocument(readers, requestOf(document)) })
    }
  }
  const sent = new Set<Promise<void>>()
  const readInThread = async (own: ReaderThread): Promise<void> => {
    await own.loaded
    const readLast = async (): Promise<void> => {
      while (first < left.length && !signal.aborted) {
        const document = left.pop() as RawDocument
        const reply = await own.ask(requestOf(document), 'copied').catch(() => null)
        if (reply === null || reply === notRead || 'fault' in reply) return void left.push(document)
        readings.set(document, reply)
      }
    }
    for (let at = 0; at < sentAhead; at += 1) sent.add(readLast())
  }
  const stop = (): void => {
    mayRead = false
  }
  until.then(stop, stop)
  if (thread) readInThread(thread).catch(() => undefined) // this process reads all documents
  const ahead = read()
  // `finish` reports it.
  ahead.catch(() => undefined)
  return {
    async finish() {
      try {
        await ahead
        mayRead = true
        await read()
        await Promise.all(sent)
        await read()
      } finally {
        await thread?.close()
      }
    },
    withReading(held) {
      const found = readings.get(held.document)
      return found?.reading === undefined ? held : { ...held, ...found, raw_id: held.raw_id, reading: { ...found.reading, raw_id: held.raw_id } }
    },
  }
}
