// The answer of `GET /api/v1/data/receipts/{a}/diff/{b}`: what changed between two answers to one question, and why.
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { AccessionNumber, Instant, IsoDate, Release, Sha256, Text } from './values.ts'

const versions = { before: Text, after: Text }
const filing = { accession: AccessionNumber, sha256: Sha256 }
const document = { source: Text, sha256: Sha256 }

export const AnswerCause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('transform'), ...versions }).describe('another version of the code that computes the answer'),
  z.object({ kind: z.literal('schema'), ...versions }).describe('another version of the shape of the answer'),
  z.object({ kind: z.literal('ruleset'), ...versions }).describe('another edition of a ruleset'),
  z.object({ kind: z.literal('new_filing'), ...filing }).describe('a filing that only the second answer is made from'),
  z.object({ kind: z.literal('absent_filing'), ...filing }).describe('a filing that only the first answer is made from'),
  z.object({ kind: z.literal('new_document'), ...document }).describe('another document that only the second answer is made from'),
  z.object({ kind: z.literal('absent_document'), ...document }).describe('another document that only the first answer is made from'),
  z.object({ kind: z.literal('correction'), path: Text }).describe('the operator corrected the value, or undid that'),
  z
    .object({
      kind: z.literal('restatement'),
      ex_date: IsoDate,
      actions: z.array(Text),
      reason: Text,
      release: Release,
      withdrawn: z.boolean(),
      first_date: IsoDate.nullable(),
      last_date: IsoDate.nullable(),
    })
    .describe('a corporate action that restated prices from first_date to last_date; list_eod_revisions has its factor'),
])
export type AnswerCause = z.infer<typeof AnswerCause>

const Side = z.object({
  receipt_id: ReceiptId,
  release: Release,
  as_of: Instant,
  schema: Text,
  transform: Text,
  payload_sha256: Sha256,
})

export const MAX_CHANGES = 1_000

export const ChangedValue = z.object({
  path: Text.describe('where the value is; rows are named by what identifies them'),
  kind: z.enum(['changed', 'added', 'removed']),
  before: Text.nullable().describe('the value as JSON, with its digits; null if it was not there'),
  after: Text.nullable().describe('as before'),
  causes: z.array(z.int().min(0)).describe('positions in causes; empty: nothing names a cause'),
})
export type ChangedValue = z.infer<typeof ChangedValue>

export const ReceiptDiff = z.object({
  question: Text.describe('the canonical question of both answers'),
  before: Side,
  after: Side,
  equal: z.boolean().describe('the signed bytes of both answers are equal'),
  reason: Text.nullable().describe('why the values are not compared: an answer is not stored and cannot be made again'),
  count: z.int().min(0).describe('values that differ, also if the list is cut'),
  changes: z.array(ChangedValue).max(MAX_CHANGES),
  causes: z.array(AnswerCause),
})
export type ReceiptDiff = z.infer<typeof ReceiptDiff>
