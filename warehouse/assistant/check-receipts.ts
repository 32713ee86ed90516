// Compares a text with signed answers: only the payload of a valid receipt supports a figure. One implementation for the operation, the
// assistant and the command line.
import type { CheckedReceipt, ReceiptCheckAnswer } from '#schemas/claims.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type DiffTools, getSigned, signedPayload } from '../answers/receipt-diff/receipt-diff.ts'
import { keyRing } from '../store/receipts/keys.ts'
import { getReceipt, listKeys } from '../store/receipts/store.ts'
import { verifyReceipt } from '../store/receipts/verify.ts'
import { checkClaimsInThread } from './check-in-thread.ts'

/** Maximum bytes of all payloads of one check, as their statements give them. */
const mostPayloadBytes = 4 * 1024 * 1024

export type CheckTools = DiffTools & {
  /** The proof of a receipt in the log, null if it has none yet. */
  readonly proofOf: (id: string) => Promise<string | null>
}

/**
 * Every figure of `text` with the place in the payload of a receipt that it is bound to, or the reason why it has none. `receipts`: ids, at
 * least one. An answer that is not stored is made again from the files of its release; other bytes than the signed ones are never read.
 * Throws `NotFound` for a receipt that was never issued here or whose answer is not available, 422 for one that is not valid or is too large.
 */
export async function checkReceipts(tools: CheckTools, text: string, receipts: readonly string[]): Promise<ReceiptCheckAnswer> {
  const ring = keyRing(await listKeys(tools.db))
  const answers: { text: string; receipt_id: string }[] = []
  const named: CheckedReceipt[] = []
  let bytes = 0
  for (const [at, id] of [...new Set(receipts)].entries()) {
    const signed = await getSigned(tools.db, id)
    const { predicate, subject } = signed.statement
    bytes += predicate.payload.bytes
    if (bytes > mostPayloadBytes) throw refused(at, `the answers of these receipts have more than ${mostPayloadBytes} bytes`)
    const receipt = await getReceipt(tools.db, id)
    const proof = await tools.proofOf(id)
    const before = verifyReceipt(receipt, ring, { proof })
    if (!before.valid) throw refused(at, `receipt ${id} is not valid: ${before.reason}`)
    const found = await signedPayload(tools, signed)
    if (found === null)
      throw new NotFound(`the answer of receipt ${id} is not stored, and making it again gives other bytes or is not possible`, {
        hint: 'request the answer again with receipt=1, and use its receipt_id',
      })
    const { valid, reason } = verifyReceipt(receipt, ring, { proof, payload: found.payload })
    if (!valid) throw refused(at, `receipt ${id} is not valid: ${reason}`)
    answers.push({ text: found.payload.toString('utf8'), receipt_id: id })
    named.push({
      receipt_id: id,
      question: subject[0]?.name ?? '',
      release: predicate.release,
      as_of: predicate.as_of,
      payload: found.isStored ? 'stored' : 'made_again',
    })
  }
  return { ...(await checkClaimsInThread({ text, answers })), receipts: named }
}

function refused(at: number, msg: string): BadRequest {
  return new BadRequest('1 field of the body is not as described', {
    status: 422,
    code: 'validation_error',
    items: [{ loc: ['body', 'receipts', at], msg, type: 'not_valid' }],
    hint: `correct receipts.${at}: ${msg}`,
  })
}
