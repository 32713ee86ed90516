// The thread of pdf-process.ts: reads one document and posts its facts as the text of a JSON object.
import { parentPort, workerData } from 'node:worker_threads'
import { readDrawn } from './document.ts'
import { type DrawLimits, drawPdf, Refused } from './draw-pdf.ts'

const { data, limits } = workerData as { readonly data: Uint8Array; readonly limits: DrawLimits }
let last = 0
const progress = (done: number, of: number): void => {
  const now = performance.now()
  if (done < of && now - last < 200) return
  last = now
  parentPort?.postMessage({ progress: { done, of } })
}
try {
  const { facts, symbols, issuers } = await readDrawn(await drawPdf(data, limits, progress))
  const body = new TextEncoder().encode(JSON.stringify(facts))
  parentPort?.postMessage({ read: { symbols, issuers, body } }, [body.buffer as ArrayBuffer])
} catch (error) {
  if (!(error instanceof Refused)) throw error
  parentPort?.postMessage({ refused: error.refusal })
}
