// The thread of filing-document-pool.ts: one document per message.
import { parentPort } from 'node:worker_threads'
import { CrossfileError } from '#schemas/errors.ts'
import { type DocumentRequest, readFilingDocument } from './filing-document.ts'

parentPort?.on('message', (request: DocumentRequest) => {
  try {
    parentPort?.postMessage({ read: readFilingDocument(request) })
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    parentPort?.postMessage({ refused: error.message })
  }
})
