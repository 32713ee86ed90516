// The job that sends mail is rung when mail was written: it then goes out at once instead of at the next minute.
import type { Queue } from '../queue.ts'

/** The job of jobs.yaml that sends the outbox, and its plan. */
export const mailJob = 'mail'

/** Asks for the job. Never throws: what is not rung now is found by the schedule, and before the first worker there is no queue. */
export function ringMail(queue: Pick<Queue, 'send'>): void {
  const data = { partition: 'rung', from: null, to: null, symbols: null, backfill_id: null }
  queue.send(mailJob, data, { key: mailJob }).catch(() => undefined)
}
