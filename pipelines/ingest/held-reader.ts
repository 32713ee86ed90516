// Reads stored documents for a catch-up, in another thread if they are many: parsing a table takes as long as DuckDB takes to write it, and
// both run at the same time.
import { setImmediate } from 'node:timers/promises'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { RawDocument, Reader } from '../read/parsed.ts'
import { readers as registered } from '../read/register.ts'
import { isReadInParts, prepareHeld, ReaderFault } from './prepare-held.ts'
import type { HeldDocument } from './read-document.ts'

export type ThreadRequest = Pick<HeldDocument, 'raw_id' | 'document'>
export type ThreadReply = (Required<Pick<HeldDocument, 'reading'>> & Pick<HeldDocument, 'checked'>) | { readonly fault: string }

/** What the thread sends: first, once its readers are loaded, the bytes that its heap may have; then a reply to each request, in their order. */
export type FromThread = Loaded | Replied
type Loaded = { readonly heapBytes: number }
type Replied = { readonly reply: ThreadReply }

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
 * The stack of the main thread, in megabytes, and what Node keeps of a thread's stack for itself: a document nests too deeply for a reader in
 * the one as in the other.
 */
const stackMegabytes = (984 + 192) / 1024

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
  let thread = startThread(limits)
  let isClosed = false
  return {
    async read(load) {
      for (;;) {
        const held = await load()
        // Its parts are read at its commit.
        if (isReadInParts(readers, held.document)) return held
        if (isClosed) throw threadEnded()
        if (thread.isOutOfMemory()) thread = startThread(limits)
        const reply = await thread.ask(held)
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

const threadEnded = (): Error => new Error('the thread that reads documents ended')

/** The thread ran out of memory on an earlier document. */
const notRead = Symbol('not read')

type Thread = {
  /** Throws if the thread ended for another reason than one document that takes too much memory. */
  ask(request: ThreadRequest): Promise<ThreadReply | typeof notRead>
  isOutOfMemory(): boolean
  close(): Promise<void>
}

function startThread(limits: ResourceLimits): Thread {
  const worker = new Worker(new URL('./held-thread.ts', import.meta.url), { resourceLimits: { ...limits, stackSizeMb: stackMegabytes } })
  type Waiting = { readonly done: (reply: ThreadReply | typeof notRead) => void; readonly failed: (error: unknown) => void }
  const waiting: Waiting[] = []
  let heapBytes: number | null = null
  let isOutOfMemory = false
  let ended: Error | null = null
  const end = (error: Error): void => {
    ended ??= error
    for (const { failed } of waiting.splice(0)) failed(ended)
  }
  worker.on('message', (message: FromThread) => {
    if (isReply(message)) waiting.shift()?.done(message.reply)
    else if (isLoaded(message)) heapBytes = message.heapBytes
    // The documents have no bytes any more: without a reading they would be quarantined as unreadable.
    else end(new Error('the thread that reads documents has another version than this process: restart the process'))
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    // A thread that cannot even load its readers fails all documents.
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY' || heapBytes === null) return end(error)
    isOutOfMemory = true
    // It reads one document after the other, and all its replies arrive before its error.
    waiting.shift()?.done({ fault: tooMuchMemory(heapBytes) })
    for (const { done } of waiting.splice(0)) done(notRead)
  })
  worker.on('exit', () => end(threadEnded()))
  return {
    ask: request =>
      new Promise((done, failed) => {
        if (isOutOfMemory) return done(notRead)
        if (ended) return failed(ended)
        waiting.push({ done, failed })
        const { body } = request.document
        worker.postMessage(request, isAlone(body) ? [body.buffer as ArrayBuffer] : [])
      }),
    isOutOfMemory: () => isOutOfMemory,
    close: async () => void (await worker.terminate()),
  }
}

// An update replaces the files of a process that runs: its thread may be newer than itself.
const isLoaded = (message: Partial<Loaded & Replied>): message is Loaded => typeof message.heapBytes === 'number'
function isReply(message: Partial<Loaded & Replied>): message is Replied {
  const { reply } = message
  return reply !== undefined && ('fault' in reply || typeof reply.reading === 'object')
}

const tooMuchMemory = (heapBytes: number): string =>
  `its reader needs more memory than the ${Math.round(heapBytes / 1024 / 1024)} MB that it may use; NODE_OPTIONS=--max-old-space-size=MEGABYTES gives it more`

/**
 * True if no other document is in the same memory: it is moved to the thread, and not copied. Memory that `Buffer` shares between small
 * documents is more than twice as large as any of them; that of an unpacked document is a byte longer.
 */
const isAlone = ({ byteOffset, byteLength, buffer }: Uint8Array): boolean => byteOffset === 0 && buffer.byteLength <= byteLength + 1

/** What a commit needs of a document that was read. */
const withoutBytes = (document: RawDocument): RawDocument => ({ ...document, body: Buffer.alloc(0) })
