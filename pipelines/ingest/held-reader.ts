// Reads stored documents for a catch-up, in another thread if they are many: parsing a table takes as long as DuckDB takes to write it, and
// both run at the same time.
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { RawDocument, Reader } from '../read/parsed.ts'
import { readers as registered } from '../read/register.ts'
import { isReadInParts, prepareHeld, ReaderFault } from './prepare-held.ts'
import type { HeldDocument } from './read-document.ts'

export type ThreadRequest = Pick<HeldDocument, 'raw_id' | 'document'>
export type ThreadReply = Pick<HeldDocument, 'reading' | 'checked'> | { readonly fault: string }

export type HeldReader = {
  /** The document with its reading; its bytes may be moved to the thread. Throws `ReaderFault` if its reader fails. */
  read(held: ThreadRequest): Promise<HeldDocument>
  close(): Promise<void>
}

/** Bytes of documents from which a thread pays: it loads all readers, which takes as long as reading 20 MB of tables. */
const threadBytes = 64 * 1024 * 1024
/**
 * The stack of the main thread, in megabytes, and what Node keeps of a thread's stack for itself: a document nests too deeply for a reader in
 * the one as in the other.
 */
const stackMegabytes = (984 + 192) / 1024

/** `bytes`: of all documents that will be read. Other readers than the registered ones are used in this thread. */
export const openHeldReader = (readers: readonly Reader[], bytes: number): HeldReader =>
  readers === registered && bytes >= threadBytes ? inThread(readers) : inTurns(readers)

/** One document in a turn of the event loop: a commit continues between two documents. */
function inTurns(readers: readonly Reader[]): HeldReader {
  let before: Promise<unknown> = Promise.resolve()
  return {
    read(held) {
      const mine = before.then(async () => {
        await setImmediate()
        return prepareHeld(readers, held)
      })
      before = mine.catch(() => undefined) // not swallowed: the caller awaits `mine`
      return mine
    },
    close: async () => void (await before),
  }
}

function inThread(readers: readonly Reader[]): HeldReader {
  const thread = new Worker(new URL('./held-thread.ts', import.meta.url), { resourceLimits: { stackSizeMb: stackMegabytes } })
  type Waiting = { readonly done: (reply: ThreadReply) => void; readonly failed: (error: unknown) => void }
  const waiting: Waiting[] = []
  let ended: Error | null = null
  const end = (error: Error): void => {
    ended ??= error
    for (const { failed } of waiting.splice(0)) failed(ended)
  }
  thread.on('message', (reply: ThreadReply) => waiting.shift()?.done(reply))
  thread.on('error', end)
  thread.on('exit', () => end(new Error('the thread that reads documents ended')))
  const ask = (request: ThreadRequest): Promise<ThreadReply> =>
    new Promise((done, failed) => {
      if (ended) return failed(ended)
      waiting.push({ done, failed })
      const { body } = request.document
      // Moved, not copied, if no other document is in the same memory.
      const isAlone = body.byteOffset === 0 && body.buffer.byteLength === body.byteLength
      thread.postMessage(request, isAlone ? [body.buffer as ArrayBuffer] : [])
    })
  return {
    async read(held) {
      // Its parts are read at its commit.
      if (isReadInParts(readers, held.document)) return held
      const reply = await ask(held)
      if ('fault' in reply) throw new ReaderFault(reply.fault)
      const { reading, checked } = reply
      return { ...held, document: withoutBytes(held.document), ...(reading && { reading }), ...(checked && { checked }) }
    },
    close: async () => void (await thread.terminate()),
  }
}

/** What a commit needs of a document that was read. */
const withoutBytes = (document: RawDocument): RawDocument => ({ ...document, body: Buffer.alloc(0) })
