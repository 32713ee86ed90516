// Renders answers in a thread, so that a long one does not hold up other requests. A short text is rendered directly.
import { Broken, Overloaded, Upstream } from '#schemas/errors.ts'
import { openWorkerPool } from '#warehouse/store/worker-pool.ts'
import { type RenderedBody, type RenderJob, render } from './render.ts'
import type { ThreadMessage } from './thread.ts'

/** A body of this size is rendered as text in a few milliseconds. */
const shortBytes = 128 * 1024
/** Bodies that wait for the thread or are in it, in number and bytes: what is beyond is refused with 503. */
const mostWaiting = 32
const mostWaitingBytes = 256 * 1024 * 1024

const ask = openWorkerPool<RenderJob, ThreadMessage>({
  module: new URL('./thread.ts', import.meta.url),
  what: 'the answer in this format',
  hint: 'request fewer rows, or format=json',
  limitMs: 30_000,
  heapMegabytes: 1024,
})
const waiting = { count: 0, bytes: 0 }

/** Throws Overloaded if too many answers wait for the thread, and Upstream if this one takes too long or too much memory. */
export async function renderAnswer(job: RenderJob): Promise<RenderedBody> {
  const isText = job.format === 'csv' || job.format === 'excel' || job.format === 'ndjson'
  if (isText && job.body.length <= shortBytes) return await render(job)
  if (waiting.count >= mostWaiting || waiting.bytes + job.body.length > mostWaitingBytes)
    throw new Overloaded(`${waiting.count} answers wait for their format`, { retryAfterSeconds: 5, hint: 'repeat the request, or use format=json' })
  waiting.count += 1
  waiting.bytes += job.body.length
  try {
    // A message copies the whole buffer that a body is a part of, which can be many times as large.
    const body = job.body.byteLength === job.body.buffer.byteLength ? job.body : Buffer.from(job.body)
    const message = await ask({ ...job, body })
    if ('failed' in message) throw new Broken(`${job.question}: not rendered as ${job.format}: ${message.failed}`)
    return message.rendered
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
    throw new Upstream('the answer in this format takes more memory than it may', { cause: error, hint: 'request fewer rows, or format=json' })
  } finally {
    waiting.count -= 1
    waiting.bytes -= job.body.length
  }
}
