// Reading the visible text of a long report takes longer than a request may hold the event loop.
import { openWorkerPool } from '../store/worker-pool.ts'
import type { DocumentRequest, ReadDocument } from './filing-document.ts'

export type DocumentReply = { readonly read: ReadDocument } | { readonly refused: string }
/** Reads one document at a time. Throws `Upstream` if one takes longer than 20 seconds. */
export const readDocumentInThread = openWorkerPool<DocumentRequest, DocumentReply>({
  module: new URL('./filing-document-thread.ts', import.meta.url),
  what: 'reading the document of a filing',
  hint: 'document_url of the filing is the document itself',
  limitMs: 20_000,
  heapMegabytes: 1024,
})
