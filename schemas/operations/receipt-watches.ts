// Watches of signed answers: make, list, read and delete them, and the feed of what changed.
import { maxChangesListed, ReceiptChangeList, ReceiptWatchCreate, ReceiptWatchList, ReceiptWatchOut, ReceiptWatchPatch } from '../receipt-watches.ts'
import { operation, question } from './operation.ts'
import { capped, integer, oneOf, shaped } from './parameters.ts'

const of = { tag: 'Alerts', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the watch', /^w_[A-Za-z0-9_-]{1,32}$/, 'an id as the list gives it', 'w_0123456789ab')

export const receiptWatchOperations = [
  operation('list_receipt_watches', 'GET /api/v1/receipts/watch', {
    ...of,
    summary: 'Answers that you watch',
    description: 'Newest first, then by id, with the number that your tier allows.',
    answer: ReceiptWatchList,
  }),
  operation('create_receipt_watch', 'POST /api/v1/receipts/watch', {
    ...of,
    summary: 'Watch a signed answer',
    description:
      'Reports when the answer to the question of a receipt changes: by web push, by mail, and in the feed of changes, with the difference, both receipts and the causes. Every release that changes a dataset of the question answers it again; its release, instant and sources alone are no change. An answer that changed since the receipt is reported immediately. 409 conflict if you watch the question already or have as many watches as your tier allows; 422 for an answer to a posted request, of which only a hash is kept.',
    body: ReceiptWatchCreate,
    success: 201,
    answer: ReceiptWatchOut,
    idempotency_key: true,
    can_be_missing: true,
    example: {
      body: { receipt_id: 'r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a', channels: ['mail', 'changes'] },
    },
  }),
  operation('get_receipt_watch', 'GET /api/v1/receipts/watch/{id}', {
    ...of,
    summary: 'One watch of an answer',
    description: 'With the receipt of the newest answer, and the release that was compared last.',
    question: question({ id }),
    answer: ReceiptWatchOut,
    example: '/api/v1/receipts/watch/w_0123456789ab',
  }),
  operation('update_receipt_watch', 'PATCH /api/v1/receipts/watch/{id}', {
    ...of,
    summary: 'Change how a watch reports',
    description: 'Sets the channels of a watch. Its changes and what was compared stay as they are.',
    question: question({ id }),
    body: ReceiptWatchPatch,
    answer: ReceiptWatchOut,
    idempotency_key: true,
    example: { request: '/api/v1/receipts/watch/w_0123456789ab', body: { channels: ['push', 'changes'] } },
  }),
  operation('delete_receipt_watch', 'DELETE /api/v1/receipts/watch/{id}', {
    ...of,
    summary: 'Stop watching an answer',
    description: 'Deletes the watch and its changes. The receipts stay valid. A second deletion finds nothing: 404.',
    question: question({ id }),
    success: 204,
    example: '/api/v1/receipts/watch/w_0123456789ab',
  }),
  operation('list_receipt_changes', 'GET /api/v1/receipts/changes', {
    ...of,
    summary: 'Changes of the answers that you watch',
    description:
      'A feed, oldest first: each change once, with both receipts, the first differing values, their causes and the channels. Ask again with since=next_since for what comes later. order=newest is for reading: the newest first, and older ones with before=next_before. The newest 100 changes of each watch are kept.',
    question: question({
      since: integer('next_since of the page before, or 0', 0, Number.MAX_SAFE_INTEGER, { example: 0 }).default(0),
      order: oneOf('oldest: a feed; newest: for reading', ['oldest', 'newest'], 'oldest').default('oldest'),
      before: integer('of order=newest: next_before of the page before', 1, Number.MAX_SAFE_INTEGER).optional(),
      watch: id.optional(),
      limit: capped(maxChangesListed, 'changes of a page', 50),
    }),
    answer: ReceiptChangeList,
    rows: 'changes',
    can_be_missing: true,
    example: '/api/v1/receipts/changes?since=0',
  }),
] as const
