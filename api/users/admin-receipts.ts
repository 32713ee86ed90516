// Receipts for administrators: keys, the log and its witnesses, samples. Changes are made by a worker, which alone has the private keys.
import type { z } from 'zod'
import { AdminReceipts, LogContinued, Revoked, type RevokeIn, Rotated, type RotateIn } from '#schemas/admin-steer.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { readReceiptsState } from '#warehouse/people/admin/receipts-state.ts'
import { findActiveKid } from '#warehouse/store/receipts/rotation.ts'
import type { Handler, Handlers } from '../handler.ts'
import { administrator } from './admin.ts'
import { seenByWorker } from './admin-steer.ts'
import { jsonAnswer, type UserTools } from './tools.ts'
import { changeByWorker, workerInstant } from './worker-changes.ts'

const Signing = AdminReceipts.shape.signing.unwrap()

export function adminReceiptHandlers(tools: UserTools) {
  const { db, serving } = tools
  const receipts: Handler<'get_admin_receipts'> = async (_question, context) => {
    await administrator(tools, context)
    const [state, signing] = await Promise.all([readReceiptsState(db, serving.receiptLog), seenByWorker(tools, 'signing', Signing)])
    return jsonAnswer({ ...state, signing })
  }
  const rotate: Handler<'rotate_signing_key'> = (_question, context) => {
    const { active } = context.body as z.output<typeof RotateIn>
    return changeByWorker(tools, context, {
      none: { kid: null, retired: null, release: null },
      schema: Rotated.omit({ state: true }),
      async check(trx, actor) {
        const signs = await findActiveKid(trx)
        if (signs !== active)
          throw new BadRequest(`active: ${active ?? 'no key'} does not sign now${signs === null ? '' : `: ${signs} does`}`, {
            status: 409,
            code: 'conflict',
            hint: 'GET /api/v1/admin/receipts has the key that signs',
          })
        return { kind: 'rotate', active, actor }
      },
    })
  }
  const revoke: Handler<'revoke_signing_key'> = ({ kid }, context) => {
    const { from, confirm } = context.body as z.output<typeof RevokeIn>
    if (confirm !== kid) throw new BadRequest('confirm: this is not the id of the key', { hint: `to revoke this key, send ${kid}` })
    return changeByWorker(tools, context, {
      none: { kid, from, valid_before: null, failing: null, new_key: null, fault: null },
      schema: Revoked.omit({ state: true, kid: true }),
      async check(trx, actor) {
        const row = await trx.selectFrom('signing_key').select('kid').where('kid', '=', kid).executeTakeFirst()
        if (!row) throw new NotFound('this installation has no such signing key', { hint: 'GET /api/v1/admin/receipts lists them' })
        const now = await workerInstant(trx, context)
        const at = from === 'now' ? now : new Date(from)
        if (at > now)
          throw new BadRequest(`from: ${from} is in the future`, { hint: 'give the time since which another person may have had the key, or now' })
        return { kind: 'revoke', kid, from: at.toISOString(), actor }
      },
    })
  }
  const proceed: Handler<'continue_receipt_log'> = (_question, context) =>
    changeByWorker(tools, context, {
      none: { did: null, size: null },
      schema: LogContinued.omit({ state: true }),
      check: async (_trx, actor) => ({ kind: 'continue_log', actor }),
    })
  return {
    get_admin_receipts: receipts,
    rotate_signing_key: rotate,
    revoke_signing_key: revoke,
    continue_receipt_log: proceed,
  } satisfies Partial<Handlers>
}
