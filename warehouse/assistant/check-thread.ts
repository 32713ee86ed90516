// The thread that checks texts: a long answer has a hundred thousand values, and a text thousands of figures.
import { parentPort } from 'node:worker_threads'
import { BadRequest } from '#schemas/errors.ts'
import { type CheckedAnswer, checkClaims } from './check-text.ts'

parentPort?.on('message', ({ text, answers }: { readonly text: string; readonly answers: readonly CheckedAnswer[] }) => {
  try {
    parentPort?.postMessage({ checked: checkClaims(text, answers) })
  } catch (error) {
    // A `CrossfileError` loses its class between threads.
    if (!(error instanceof BadRequest)) throw error
    parentPort?.postMessage({ refused: { message: error.message, status: error.status, code: error.code, hint: error.hint, items: error.items } })
  }
})
