// Watches of signed answers: request bodies and answers.
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { AnswerCause, ChangedValue } from './receipt-diff.ts'
import { Count, Flag, Instant, Release, Text } from './values.ts'

/** How a change is reported: web push, mail, or only in the feed of changes, which has every change. */
export const watchChannels = ['push', 'mail', 'changes'] as const
export type WatchChannel = (typeof watchChannels)[number]
/** Maximum number of changes on a page of the feed. */
export const maxChangesListed = 200
/** Changes that are kept for each watch; older ones are removed with the next. */
export const keptChanges = 100
/** Differing values that a change keeps; the operation of the difference lists up to 1,000. */
export const keptDifferences = 20
export const keptCauses = 50
/** Mails and pushes of one watch within 24 hours; further changes are in the feed. */
export const noticesOfDay = 24

const oneOfChannels = `expected one of ${watchChannels.join(', ')}`
export const ReceiptWatchCreate = z.strictObject({
  receipt_id: z
    .string()
    .max(128)
    .transform(id => id.trim().toLowerCase())
    .refine(id => ReceiptId.safeParse(id).success, 'expected a receipt id: r1_ and 52 letters or digits 2-7')
    .meta({ description: 'the receipt of the answer that you have', example: `r1_${'a'.repeat(52)}` }),
  channels: z
    .array(z.enum(watchChannels, { error: oneOfChannels }))
    .min(1)
    .default(['changes'])
    .transform(list => watchChannels.filter(each => list.includes(each)))
    .describe('push: your registered browsers; mail: your confirmed address; changes: only the feed, which has every change with any channel'),
})
export type ReceiptWatchCreate = z.output<typeof ReceiptWatchCreate>
export const ReceiptWatchPatch = z.strictObject({
  channels: z
    .array(z.enum(watchChannels, { error: oneOfChannels }))
    .min(1, 'expected one channel or more')
    .max(watchChannels.length)
    .transform(list => watchChannels.filter(each => list.includes(each)))
    .describe('all channels from now on; changes alone: only the feed'),
})
export type ReceiptWatchPatch = z.output<typeof ReceiptWatchPatch>

export const ReceiptWatchOut = z.object({
  id: Text,
  question: Text.describe('the canonical question, as the statement names it'),
  channels: z.array(z.enum(watchChannels)).describe('changes is always one of them'),
  first_receipt_id: ReceiptId.describe('the receipt that the watch was made with'),
  receipt_id: ReceiptId.describe('the receipt of the newest answer: the first one until an answer differs'),
  changes: Count.describe('changes since the watch was made'),
  changed_at: Instant.nullable(),
  checked_release: Release.describe('the answer of this release was compared'),
  checked_at: Instant,
  problem: Text.nullable().describe('why the newest release gave no answer to compare; it is tried again at the next release'),
  created_at: Instant,
})
export const ReceiptWatchList = z.object({
  count: Count,
  limit: Count.describe('watches that your tier allows'),
  watches: z.array(ReceiptWatchOut),
})

const Side = z.object({ receipt_id: ReceiptId, release: Release, as_of: Instant })
const ReceiptChange = z.object({
  id: Text,
  position: z.int().min(1).describe('ascending; pass the last one back as since'),
  watch_id: Text,
  question: Text,
  before: Side,
  after: Side,
  found_at: Instant,
  count: Count.describe('values that differ'),
  reason: Text.nullable().describe('why the values were not compared'),
  changes: z.array(ChangedValue).max(keptDifferences).describe(`the first ${keptDifferences}`),
  causes: z.array(AnswerCause).max(keptCauses),
  diff: Text.describe('address of the whole difference'),
  page: Text.describe('address of the page that shows it'),
  channels: z
    .array(z.object({ channel: z.enum(watchChannels), queued: Flag, skipped: Text.nullable() }))
    .describe('each channel of the watch, and why nothing was sent'),
})
export const ReceiptChangeList = z.object({
  count: Count,
  changes: z.array(ReceiptChange),
  next_since: z.int().min(0).describe('pass back as since, now or later, for what comes after this page'),
  next_before: z
    .int()
    .min(1)
    .nullable()
    .describe('with order=newest: pass back as before for older changes; null: there are none, or the order is oldest'),
})
