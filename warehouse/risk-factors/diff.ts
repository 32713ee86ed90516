// A comparison in a thread of its own: two long sections and their issuer's history take a quarter of a second and more, and the
// loop that serves requests and job heartbeats does not wait for it. One thread per process, started when first needed.
import { Worker } from 'node:worker_threads'
import { Upstream } from '#schemas/errors.ts'
import type { DiffReport, ReportInput } from './report.ts'

/** Far above what the longest known sections take: what runs longer is hostile, and its thread is ended. */
const limitMs = 20_000
const heapMegabytes = 1024

let thread: Worker | null = null
let last: Promise<unknown> = Promise.resolve()

/** Compares, one at a time. Throws `Upstream` where a comparison takes longer than 20 seconds. */
export function diffInThread(input: ReportInput): Promise<DiffReport> {
  const mine = last.then(
    () => ask(input),
    () => ask(input),
  )
  last = mine.catch(() => undefined)
  return mine
}

function ask(input: ReportInput): Promise<DiffReport> {
  const worker = thread ?? startThread()
  worker.ref()
  return new Promise<DiffReport>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      worker.off('message', answered).off('error', failed).off('exit', exited)
      worker.unref()
    }
    const stop = (error: unknown): void => {
      end()
      thread = null
      void worker.terminate()
      reject(error)
    }
    const answered = (report: DiffReport): void => {
      end()
      resolve(report)
    }
    const failed = (error: unknown): void => stop(error)
    const exited = (): void => stop(new Upstream('the comparison of two filings ended before it was done', { hint: 'ask again' }))
    const timer = setTimeout(
      () =>
        stop(
          new Upstream(`the comparison of two filings took longer than ${limitMs / 1000} s`, { hint: 'name two other filings with old= and new=' }),
        ),
      limitMs,
    )
    worker.on('message', answered).on('error', failed).on('exit', exited)
    worker.postMessage(input)
  })
}

function startThread(): Worker {
  const started = new Worker(new URL('./diff-thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
  started.on('exit', () => {
    if (thread === started) thread = null
  })
  thread = started
  return started
}
