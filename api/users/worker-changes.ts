// A change that only a worker can make, requested by an administrator: sent once, and its result awaited for a short time.
import { sql } from 'kysely'
import type { z } from 'zod'
import type { OperatorRequest } from '#warehouse/store/queue.ts'
import type { Answered, Context } from '../handler.ts'
import { acted, administrator, pseudonym } from './admin.ts'
import { answerOfWorker, sendToWorker } from './operator-requests.ts'
import { jsonAnswer, type UserTools } from './tools.ts'

/**
 * Sends a change to the worker, once for each Idempotency-Key, and waits a short time for its result. `check` runs before, in the transaction
 * that sends it. Without a result in time the state is `sent`.
 */
export async function changeByWorker<S extends z.ZodType<object>>(
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

/** One instant for every attempt of the worker, by the clock that dates receipts. */
export async function workerInstant(trx: UserTools['db'], context: Pick<Context, 'now'>): Promise<Date> {
  const { rows } = await sql<{ at: string }>`select clock_timestamp() as at`.execute(trx)
  return new Date(rows[0]?.at ?? context.now())
}
