// Runs long computations in a separate thread, so that they do not block the event loop for requests and job heartbeats.
import { Worker } from 'node:worker_threads'
import { Upstream } from '#schemas/errors.ts'

export type WorkerPoolOptions = {
  /** The module of the thread; it replies to every message with one message. */
  readonly module: URL
  /** The name of the computation in errors: `the comparison of two filings`. */
  readonly what: string
  /** What the caller can do if it takes too long. */
  readonly hint: string
  /** Far above the time of the longest legitimate input: a longer run is treated as hostile, and its thread is ended. */
  readonly limitMs: number
  readonly heapMegabytes: number
}
export type WorkerPool<Input, Output> = (input: Input) => Promise<Output>

/**
 * A function that computes in one thread per process, started on first use, one input after another. It throws `Upstream` if a computation
 * takes longer than `limitMs` or its thread ends; the next one gets a new thread.
 */
export function openWorkerPool<Input, Output>({ module, what, hint, limitMs, heapMegabytes }: WorkerPoolOptions): WorkerPool<Input, Output> {
  let thread: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  function startThread(): Worker {
    const started = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
    started.on('exit', () => {
      if (thread === started) thread = null
    })
    thread = started
    return started
  }

  function ask(input: Input): Promise<Output> {
    const worker = thread ?? startThread()
    worker.ref()
    return new Promise<Output>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        worker.off('message', answered).off('error', stop).off('exit', exited)
        worker.unref()
      }
      const stop = (error: unknown): void => {
        end()
        thread = null
        void worker.terminate()
        reject(error)
      }
      const answered = (output: Output): void => {
        end()
        resolve(output)
      }
      const exited = (): void => stop(new Upstream(`${what} ended before it was done`, { hint: 'repeat the request' }))
      const timer = setTimeout(() => stop(new Upstream(`${what} took longer than ${limitMs / 1000} s`, { hint })), limitMs)
      worker.on('message', answered).on('error', stop).on('exit', exited)
      worker.postMessage(input)
    })
  }

  return input => {
    const mine = last.then(
      () => ask(input),
      () => ask(input),
    )
    last = mine.catch(() => undefined)
    return mine
  }
}
