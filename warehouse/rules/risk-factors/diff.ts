// Comparing two long sections and their issuer's history takes a quarter of a second or more.
import { openWorkerPool } from '../../store/worker-pool.ts'
import type { DiffReport, ReportInput } from './report.ts'

/** Compares, one at a time. Throws `Upstream` if a comparison takes longer than 20 seconds. */
export const diffInThread = openWorkerPool<ReportInput, DiffReport>({
  module: new URL('./diff-thread.ts', import.meta.url),
  what: 'the comparison of two filings',
  hint: 'name two other filings with old= and new=',
  limitMs: 20_000,
  heapMegabytes: 1024,
})
