// Triggers the job that evaluates watches when one is made: an answer that changed since its receipt is reported within seconds.
import type { Queue } from '../../store/queue.ts'

/** The job of jobs.yaml that evaluates watches, and its plan. Every release sends it too. */
export const watchesJob = 'receipt-watches'

/** Triggers the job. Never throws: the schedule covers a failed trigger. */
export function ringWatches(queue: Pick<Queue, 'send'>): void {
  const data = { partition: 'made', from: null, to: null, symbols: null, backfill_id: null }
  queue.send(watchesJob, data, { key: watchesJob }).catch(() => undefined)
}
