// The answer of `GET /api/v1/data/receipts/{receipt_id}/history`: each release in which one value of an answer changed.
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { Count, Instant, Release, Text } from './values.ts'

/** Revisions of one request. */
export const maxRevisions = 100

export const ReceiptHistory = z.object({
  question: Text.describe('the canonical question of the receipt'),
  path: Text.describe('the place, with rows named by what identifies them'),
  count: Count,
  revisions: z.array(
    z.object({
      release: Release.describe('the release that brought the value'),
      committed_at: Instant,
      value: Text.nullable().describe('the value as JSON, with its digits; null: the answer had none'),
      receipt_id: ReceiptId.nullable().describe('of the answer with the value; null if it could not be signed'),
    }),
  ),
  compared: Count.describe('releases whose answers were compared'),
  next_after: Release.nullable().describe('pass back as after for the releases that are left; null: all were compared'),
})
export type ReceiptHistory = z.infer<typeof ReceiptHistory>
