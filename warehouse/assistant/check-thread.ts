// The thread in which texts are checked: a long answer has a hundred thousand values, and a text thousands of figures.
import { parentPort } from 'node:worker_threads'
import { BadRequest } from '#schemas/errors.ts'
import { type CheckedAnswer, checkText } from './check-text.ts'

parentPort?.on('message', ({ text, answers }: { readonly text: string; readonly answers: readonly CheckedAnswer[] }) => {
  try {
    parentPort?.postMessage({ checked: checkText(text, answers) })
  } catch (error) {
    // An error of our own loses its class on the way between threads.
    if (!(error instanceof BadRequest)) throw error
    parentPort?.postMessage({ refused: { message: error.message, status: error.status, code: error.code, hint: error.hint, items: error.items } })
  }
})
