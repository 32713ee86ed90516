// Two long sections and their issuer's history take a quarter of a second and more to compare.
import { openAside } from '../aside.ts'
import type { DiffReport, ReportInput } from './report.ts'

/** Compares, one at a time. Throws `Upstream` where a comparison takes longer than 20 seconds. */
export const diffInThread = openAside<ReportInput, DiffReport>({
  module: new URL('./diff-thread.ts', import.meta.url),
  what: 'the comparison of two filings',
  hint: 'name two other filings with old= and new=',
  limitMs: 20_000,
  heapMegabytes: 1024,
})
