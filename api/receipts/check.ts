// Checks of texts in turn: one thread checks, and clients take turns.
import type { ReceiptCheckAnswer, ReceiptCheckRequest } from '#schemas/claims.ts'
import { type CheckTools, checkReceipts } from '#warehouse/assistant/check-receipts.ts'
import { openFairQueue, type Party } from '#warehouse/people/users/fair-queue.ts'
import { findProof, unlessDamaged } from '#warehouse/store/receipts/log/find-proof.ts'
import { type Handler, partyOf } from '../handler.ts'
import type { Serving } from '../serving.ts'
import { jsonAnswer } from '../users/tools.ts'

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

/** As `checkReceipts`, in the queue of a client. Throws `TooMany` above the share of its account, `Overloaded` if its turn does not come in time. */
export async function checkTextOf(
  serving: Pick<Serving, 'db' | 'receiptLog' | 'releaseContext'>,
  text: string,
  receipts: readonly string[],
  party: Party,
  gone: AbortSignal,
): Promise<ReceiptCheckAnswer> {
  const tools: CheckTools = {
    db: serving.db,
    contextOf: (release, asOf) => serving.releaseContext(release, asOf),
    proofOf: async id => (await unlessDamaged(findProof(serving.db, serving.receiptLog, id)))?.text ?? null,
  }
  const end = await turn(party, gone)
  try {
    return await checkReceipts(tools, text, receipts)
  } finally {
    end()
  }
}

/** `POST /api/v1/receipts/check`. */
export function receiptCheckHandler(serving: Serving): Handler<'check_receipts'> {
  return async (_question, context) => {
    const { text, receipts } = context.body as ReceiptCheckRequest
    return jsonAnswer(await checkTextOf(serving, text, receipts, partyOf(context), context.client.gone))
  }
}
