// The thread of diff.ts: one comparison per message.
import { parentPort } from 'node:worker_threads'
import { type ReportInput, reportDiff } from './report.ts'

parentPort?.on('message', (input: ReportInput) => {
  parentPort?.postMessage(reportDiff(input))
})
