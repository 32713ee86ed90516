// Reads stored documents for a catch-up, in another thread if they are many: parsing a table takes as long as DuckDB takes to write it, and
// both run at the same time.
import { setImmediate } from 'node:timers/promises'
import type { ResourceLimits } from 'node:worker_threads'
import type { RawDocument, Reader } from '../read/parsed.ts'
import { readers as registered } from '../read/register.ts'
import { isReadInParts, prepareHeld, ReaderFault } from './prepare-held.ts'
import type { HeldDocument } from './read-document.ts'
import { notRead, startThread, type ThreadRequest, threadEnded } from './reader-thread.ts'

export type HeldReader = {
  /**
   * The document of `load` with its reading; its bytes may be moved to the thread. `load` is called again if the thread ran out of memory
   * on an earlier document. Throws `ReaderFault` if its reader fails.
   */
  read(load: () => Promise<ThreadRequest>): Promise<HeldDocument>
  close(): Promise<void>
}

/** Bytes of documents from which a thread pays: it loads all readers, which takes as long as reading 20 MB of tables. */
const threadBytes = 64 * 1024 * 1024
/**
 * `bytes`: of all documents that will be read. Other readers than the registered ones are used in this thread. `limits`: of the memory of the
 * other thread; by default those of this process.
 */
export const openHeldReader = (readers: readonly Reader[], bytes: number, limits: ResourceLimits = {}): HeldReader =>
  readers === registered && bytes >= threadBytes ? inThread(readers, limits) : inTurns(readers)

/** One document in a turn of the event loop: a commit continues between two documents. */
function inTurns(readers: readonly Reader[]): HeldReader {
  let before: Promise<unknown> = Promise.resolve()
  return {
    async read(load) {
      const held = await load()
      const mine = before.then(async () => {
        await setImmediate()
        return prepareHeld(readers, held)
      })
      before = mine.catch(() => undefined) // not swallowed: the caller awaits `mine`
      return await mine
    },
    close: async () => void (await before),
  }
}

function inThread(readers: readonly Reader[], limits: ResourceLimits): HeldReader {
  let thread = startThread({ limits })
  let isClosed = false
  return {
    async read(load) {
      for (;;) {
        const held = await load()
        // Its parts are read at its commit.
        if (isReadInParts(readers, held.document)) return held
        if (isClosed) throw threadEnded()
        if (thread.isOutOfMemory()) thread = startThread({ limits })
        const reply = await thread.ask(held, 'moved')
        if (reply === notRead) continue
        if ('fault' in reply) throw new ReaderFault(reply.fault)
        const { reading, checked } = reply
        return { ...held, document: withoutBytes(held.document), reading, ...(checked && { checked }) }
      }
    },
    close: async () => {
      isClosed = true
      await thread.close()
    },
  }
}

/** What a commit needs of a document that was read. */
const withoutBytes = (document: RawDocument): RawDocument => ({ ...document, body: Buffer.alloc(0) })
