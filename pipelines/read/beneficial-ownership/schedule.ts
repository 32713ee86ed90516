// The input and output of the readers of both layouts, and how a Schedule is recognised.
import type { Fact, FilingContext, Refused } from '../parsed.ts'

export type ScheduleContext = FilingContext & { readonly filer_cik: string | null }
export type Schedule = {
  readonly filing: Fact<'ownership_schedules'>
  readonly persons: readonly Fact<'ownership_persons'>[]
  readonly refused: readonly Refused[]
}

export const isScheduleForm = (form: string): boolean => /^(?:SC|SCHEDULE) 13[DG](?:\/A)?$/i.test(form.trim())

/** True if the head of a document is a Schedule's XML; other forms share the root's name. */
export const isStructuredSchedule = (head: string): boolean =>
  /<(?:[\w.-]{1,40}:)?edgarSubmission[\s>]/i.test(head) &&
  /edgar\/schedule13[dg]|<(?:[\w.-]{1,40}:)?submissionType>\s{0,20}SCHEDULE 13[DG]/i.test(head)
