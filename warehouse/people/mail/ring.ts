// Triggers the job that sends mail when mail is written, so that it is sent immediately instead of at the next minute.
import type { Queue } from '../../store/queue.ts'

/** The job of jobs.yaml that sends the outbox, and its plan. */
export const mailJob = 'mail'

/** Triggers the job. Never throws: the schedule covers a failed trigger, and before the first worker starts there is no queue. */
export function ringMail(queue: Pick<Queue, 'send'>): void {
  const data = { partition: 'rung', from: null, to: null, symbols: null, backfill_id: null }
  queue.send(mailJob, data, { key: mailJob }).catch(() => undefined)
}
