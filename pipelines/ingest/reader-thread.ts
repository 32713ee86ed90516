// A thread that reads documents: parsing a table takes as long as DuckDB takes to write it, and both run at the same time.
import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { HeldDocument } from './read-document.ts'

export type ThreadRequest = Pick<HeldDocument, 'raw_id' | 'document'>
export type ThreadReply = (Required<Pick<HeldDocument, 'reading'>> & Pick<HeldDocument, 'checked'>) | { readonly fault: string }

/** What the thread sends: first, once its readers are loaded, the bytes that its heap may have; then a reply to each request, in their order. */
export type FromThread = Loaded | Replied
type Loaded = { readonly heapBytes: number }
type Replied = { readonly reply: ThreadReply }

/**
 * The stack of the main thread, in megabytes, and what Node keeps of a thread's stack for itself: a document nests too deeply for a reader in
 * the one as in the other.
 */
const stackMegabytes = (984 + 192) / 1024

const readerProgram = new URL('./held-thread.ts', import.meta.url)

export const threadEnded = (): Error => new Error('the thread that reads documents ended')

/** The thread ran out of memory on an earlier document. */
export const notRead = Symbol('not read')

export type ReaderThread = {
  /** Resolves once its readers are loaded; rejects if they could not be, or if the thread was closed before. */
  readonly loaded: Promise<void>
  /**
   * Reads a document, whose bytes are copied, or moved if no other document is in their memory. Throws if the thread ended for another reason
   * than one document that takes too much memory.
   */
  ask(request: ThreadRequest, bytes: 'copied' | 'moved'): Promise<ThreadReply | typeof notRead>
  isOutOfMemory(): boolean
  close(): Promise<void>
}

/** `program`: the file that the thread runs. `limits`: of its memory; by default those of this process. */
export function startThread({ program = readerProgram, limits = {} }: { readonly program?: URL; readonly limits?: ResourceLimits }): ReaderThread {
  const worker = new Worker(program, { resourceLimits: { ...limits, stackSizeMb: stackMegabytes } })
  const { promise: loaded, resolve: resolveLoaded, reject: rejectLoaded } = Promise.withResolvers<void>()
  // Its caller may not wait for it.
  loaded.catch(() => undefined)
  type Waiting = { readonly done: (reply: ThreadReply | typeof notRead) => void; readonly failed: (error: unknown) => void }
  const waiting: Waiting[] = []
  let heapBytes: number | null = null
  let isOutOfMemory = false
  let ended: Error | null = null
  const end = (error: Error): void => {
    ended ??= error
    rejectLoaded(ended)
    for (const { failed } of waiting.splice(0)) failed(ended)
  }
  worker.on('message', (message: FromThread) => {
    if (isReply(message)) waiting.shift()?.done(message.reply)
    else if (isLoaded(message)) {
      heapBytes = message.heapBytes
      resolveLoaded()
    }
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
    loaded,
    ask: (request, bytes) =>
      new Promise((done, failed) => {
        if (isOutOfMemory) return done(notRead)
        if (ended) return failed(ended)
        waiting.push({ done, failed })
        const { body } = request.document
        worker.postMessage(request, bytes === 'moved' && isAlone(body) ? [body.buffer as ArrayBuffer] : [])
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
