// Receipts for administrators: keys, the log and its witnesses, samples. Changes are made by a worker, which alone has the private keys.
import { sql } from 'kysely'
import type { z } from 'zod'
import { AdminReceipts, LogContinued, Revoked, type RevokeIn, Rotated, type RotateIn } from '#schemas/admin-steer.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { readReceiptsState } from '#warehouse/people/admin/receipts-state.ts'
import type { OperatorRequest } from '#warehouse/store/queue.ts'
import { findActiveKid } from '#warehouse/store/receipts/rotation.ts'
import type { Answered, Context, Handler, Handlers } from '../handler.ts'
import { acted, administrator, pseudonym } from './admin.ts'
import { seenByWorker } from './admin-steer.ts'
import { answerOfWorker, sendToWorker } from './operator-requests.ts'
import { jsonAnswer, type UserTools } from './tools.ts'

const Signing = AdminReceipts.shape.signing.unwrap()

/**
 * Sends a change to the worker, once for each Idempotency-Key, and waits a short time for its result. `check` runs before, in the transaction
 * that sends it. Without a result in time the state is `sent`.
 */
async function changed<S extends z.ZodType<object>>(
  tools: UserTools,
  context: Context,
  {
    check,
    none,
    schema,
  }: { readonly check: (trx: UserTools['db'], actor: string) => Promise<OperatorRequest>; readonly none: object; readonly schema: S },
): Promise<Answered> {
  const session = await administrator(tools, context, true)
  const sent: { job: string | null } = { job: null }
  const answered = await acted(tools, context, session, async trx => {
    sent.job = await sendToWorker(tools.queue, await check(trx, await pseudonym(trx, session.user_id)), trx)
    // The worker writes the row of the audit chain in the transaction of the change.
    return { status: 202, body: { state: 'sent', ...none }, act: null }
  })
  const effect = sent.job === null ? null : await answerOfWorker(tools.queue, sent.job, schema)
  return effect === null ? answered : jsonAnswer({ state: 'applied', ...none, ...effect }, { status: 202 })
}

export function adminReceiptHandlers(tools: UserTools) {
  const { db, config } = tools
  const receipts: Handler<'get_admin_receipts'> = async (_question, context) => {
    await administrator(tools, context)
    const [state, signing] = await Promise.all([readReceiptsState(db, config.dataFolder), seenByWorker(tools, 'signing', Signing)])
    return jsonAnswer({ ...state, signing })
  }
  const rotate: Handler<'rotate_signing_key'> = (_question, context) => {
    const { active } = context.body as z.output<typeof RotateIn>
    return changed(tools, context, {
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
    return changed(tools, context, {
      none: { kid, from, valid_before: null, failing: null, new_key: null, fault: null },
      schema: Revoked.omit({ state: true, kid: true }),
      async check(trx, actor) {
        const row = await trx.selectFrom('signing_key').select('kid').where('kid', '=', kid).executeTakeFirst()
        if (!row) throw new NotFound('this installation has no such signing key', { hint: 'GET /api/v1/admin/receipts lists them' })
        // One instant for every attempt of the worker, by the clock that dates receipts.
        const { rows } = await sql<{ at: string }>`select clock_timestamp() as at`.execute(trx)
        const now = new Date(rows[0]?.at ?? context.now())
        const at = from === 'now' ? now : new Date(from)
        if (at > now)
          throw new BadRequest(`from: ${from} is in the future`, { hint: 'give the time since which another person may have had the key, or now' })
        return { kind: 'revoke', kid, from: at.toISOString(), actor }
      },
    })
  }
  const proceed: Handler<'continue_receipt_log'> = (_question, context) =>
    changed(tools, context, {
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
