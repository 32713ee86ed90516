// The thread that renders answers: one message per body.
import { parentPort } from 'node:worker_threads'
import { type RenderedBody, type RenderJob, render } from './render.ts'

/** `failed`: why the body could not be rendered. */
export type ThreadMessage = { readonly rendered: RenderedBody } | { readonly failed: string }

if (!parentPort) throw new TypeError('this module runs as a thread')
const port = parentPort
port.on('message', (job: RenderJob) => {
  render(job).then(
    rendered => port.postMessage({ rendered } satisfies ThreadMessage),
    (error: unknown) => port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies ThreadMessage),
  )
})
