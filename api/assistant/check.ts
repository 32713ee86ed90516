// Compares a text with signed answers: only an answer with a valid receipt supports a figure.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { checkTextInThread } from '#warehouse/assistant/check-in-thread.ts'
import { openFairQueue, type Party } from '#warehouse/people/users/fair-queue.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { keyRing } from '#warehouse/store/receipts/keys.ts'
import { getReceipt, listKeys } from '#warehouse/store/receipts/store.ts'
import { verifyReceipt } from '#warehouse/store/receipts/verify.ts'

/** Maximum bytes of all answers of one check. */
const mostBytes = 4 * 1024 * 1024
/** One thread checks texts. An account has one running check and two that wait, and accounts take turns. */
const turn = openFairQueue({
  what: 'checks of texts',
  atOnce: 1,
  waiting: 32,
  waitMs: 10_000,
  account: { running: 1, waiting: 2 },
  address: { running: 1, waiting: 8 },
  network: { running: 1, waiting: 12 },
})

/** As `checkStored`, in the queue of a client. Throws `TooMany` above the share of its account, `Overloaded` if its turn does not come in time. */
export async function checkTextOf(db: Db, text: string, receipts: readonly string[], party: Party, gone: AbortSignal): Promise<object> {
  const end = await turn(party, gone)
  try {
    return await checkStored(db, text, receipts)
  } finally {
    end()
  }
}

/**
 * The figures of the text with the values that support them. Throws `NotFound` for a receipt that was never issued or whose answer is not
 * stored, 422 for a receipt that is not valid.
 */
async function checkStored(db: Db, text: string, receipts: readonly string[]): Promise<object> {
  const ring = keyRing(await listKeys(db))
  const answers: { text: string; receipt_id: string }[] = []
  const named: object[] = []
  let bytes = 0
  for (const [at, id] of [...new Set(receipts)].entries()) {
    const receipt = await getReceipt(db, id)
    const page = await db.selectFrom('page').select('payload').where('receipt_id', '=', id).executeTakeFirst()
    if (!page?.payload)
      throw new NotFound(`the answer of receipt ${id} is not stored any more`, {
        hint: 'request the answer again with receipt=1, and use its receipt_id',
      })
    const { valid, reason, statement } = verifyReceipt(receipt, ring, { payload: page.payload })
    if (!valid || statement === null) throw refused(at, `receipt ${id} is not valid: ${reason}`)
    bytes += page.payload.length
    if (bytes > mostBytes) throw refused(at, `the answers of these receipts have more than ${mostBytes} bytes`)
    answers.push({ text: page.payload.toString('utf8'), receipt_id: id })
    named.push({ answer: at + 1, receipt_id: id, question: statement.subject[0]?.name ?? '', release: receipt.release })
  }
  return { ...(await checkTextInThread({ text, answers })), receipts: named }
}

function refused(at: number, msg: string): BadRequest {
  return new BadRequest('1 field of the body is not as described', {
    status: 422,
    code: 'validation_error',
    items: [{ loc: ['body', 'receipts', at], msg, type: 'not_valid' }],
    hint: `correct receipts.${at}: ${msg}`,
  })
}
