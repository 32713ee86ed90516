// What administrators read about erasures of accounts and about the reports of browsers.
import { z } from 'zod'
import { NextCursor } from './answer.ts'
import { Count, Flag, Instant, IsoDate, Text } from './values.ts'

export const AdminErasures = z.strictObject({
  grace_days: Count.describe('days between a request and the erasure; signing in cancels it during this time'),
  waiting_count: Count.describe('accounts within the grace period, and accounts that the next run of the job erasure erases'),
  waiting: z
    .array(z.strictObject({ user_id: Text, email: Text, requested_at: Instant, erase_after: Instant, is_due: Flag }))
    .describe('at most 500, those that are erased first in front; empty from the second page of erasures on'),
  count: Count,
  of: Count.describe('all accounts that were erased'),
  erasures: z.array(
    z.strictObject({
      subject_sha256: Text.describe('SHA-256 of the id of the account'),
      requested_at: Instant,
      erased_at: Instant,
      rows: Count.nullable().describe('rows that were deleted; null: the proof came from the list of another database'),
    }),
  ),
  next_cursor: NextCursor,
})

export const AdminTelemetry = z.strictObject({
  days: Count,
  kept_days: z
    .strictObject({ measurements: Count, figures: Count, violations: Count })
    .describe('days after which single measurements, figures of a day and counts of violations are deleted'),
  vitals_count: Count.describe('figures shown; at most 1000'),
  vitals: z
    .array(
      z.strictObject({
        day: IsoDate,
        page: Text,
        metric: Text,
        unit: z.enum(['ms', 'score']),
        p75: z.number().describe('75th percentile of the visits'),
        grade: z.enum(['good', 'needs improvement', 'poor']).nullable().describe('null: the metric is not graded'),
        visits: Count,
      }),
    )
    .describe('newest first, then by page and metric'),
  violations_count: Count.describe('rows shown; at most 1000'),
  violations: z
    .array(z.strictObject({ day: IsoDate, directive: Text, blocked: Text.describe('host or kind of what was blocked'), reports: Count }))
    .describe('newest first, then the most frequent'),
})
