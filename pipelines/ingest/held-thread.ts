// The thread of held-reader.ts: each message is a document, and gets one reply.
import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { readers } from '../read/register.ts'
import type { FromThread, ThreadReply, ThreadRequest } from './held-reader.ts'
import { prepareHeld, ReaderFault } from './prepare-held.ts'

parentPort?.on('message', ({ raw_id, document }: ThreadRequest) => {
  const { reply, moved } = answerTo(raw_id, document)
  parentPort?.postMessage({ reply } satisfies FromThread, moved)
})
parentPort?.postMessage({ heapBytes: getHeapStatistics().heap_size_limit } satisfies FromThread)

function answerTo(raw_id: number, document: ThreadRequest['document']): { readonly reply: ThreadReply; readonly moved: ArrayBuffer[] } {
  try {
    // What the document's findings refer to; the caller has its bytes.
    const { body: _body, ...origin } = document
    const { reading, checked } = prepareHeld(readers, { raw_id, document })
    if (!reading) throw new TypeError(`${document.url}: a document that is read in parts is read at its commit`)
    const moved: ArrayBuffer[] = []
    const small = [...(checked ?? [])].map(([name, { rows, packed, refused }]) => {
      if (packed) moved.push(packed.lines.buffer as ArrayBuffer)
      return [name, { rows, ...(packed && { packed }), refused: refused.map(each => ({ ...each, origin })) }] as const
    })
    return { reply: { reading, checked: checked && new Map(small) }, moved }
  } catch (error) {
    if (!(error instanceof ReaderFault)) throw error
    return { reply: { fault: error.message }, moved: [] }
  }
}
