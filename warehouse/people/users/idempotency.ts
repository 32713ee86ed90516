// Idempotency-Key (conventions, 6): the first request's response is stored in the transaction of its effect and returned again for a day.

import { hash } from 'node:crypto'
import { daysBefore } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { Db } from '../../store/postgres.ts'
import { asUser, type Trx } from './own-rows.ts'

export type Effect = { readonly status: number; readonly body: object | null }
export type Replayable = Effect & { readonly replayed: boolean }
export type Once = {
  readonly userId: string
  /** From the header; null: none was sent, and every request takes effect. */
  readonly key: string | null
  /** Method and path with its ids: `PATCH /api/v1/alerts/a_1`. */
  readonly operation: string
  readonly body: unknown
}
const keyShape = /^[\x21-\x7e]{1,255}$/

/** The key as sent; null without one. Throws `BadRequest` unless it is 1 to 255 printable ASCII characters. */
export function checkIdempotencyKey(key: string | null): string | null {
  if (key === null || keyShape.test(key)) return key
  throw new BadRequest('the Idempotency-Key is invalid', { hint: 'send 1 to 255 printable ASCII characters, such as a UUID' })
}

/**
 * Runs a write of a user's rows once per key. Throws `BadRequest` unless the key is 1 to 255 printable ASCII characters, and 409
 * `conflict` if the key was used for another request.
 */
export async function once(db: Db, { userId, key, operation, body }: Once, effect: (trx: Trx) => Promise<Effect>): Promise<Replayable> {
  checkIdempotencyKey(key)
  return await asUser(db, userId, async trx => {
    if (key === null) return { ...(await effect(trx)), replayed: false }
    const body_sha256 = hash('sha256', JSON.stringify([operation, body ?? null]), 'buffer')
    // A second request with the key waits here for the first one's transaction to end.
    const first = await trx
      .insertInto('idempotency_key')
      .values({ user_id: userId, key, operation, body_sha256, status: 0, answer: '' })
      .onConflict(conflict => conflict.columns(['user_id', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst()
    if (!first) {
      const held = await trx
        .selectFrom('idempotency_key')
        .select(['body_sha256', 'status', 'answer'])
        .where('user_id', '=', userId)
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
      if (!held.body_sha256.equals(body_sha256))
        throw new BadRequest('this Idempotency-Key was used for another request', {
          status: 409,
          code: 'conflict',
          hint: 'send a new key with a new request',
        })
      return { status: held.status, body: held.answer === '' ? null : (parseExactly(held.answer) as object), replayed: true }
    }
    const done = await effect(trx)
    await trx
      .updateTable('idempotency_key')
      .set({ status: done.status, answer: done.body === null ? '' : JSON.stringify(done.body) })
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .execute()
    return { ...done, replayed: false }
  })
}

/** Deletes keys that are more than a day old. */
export async function sweepIdempotency(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_key').where('created_at', '<', daysBefore(now, 1).toISOString()).execute()
}
