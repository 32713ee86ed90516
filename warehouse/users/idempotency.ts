// Idempotency-Key (conventions, 6): the first request's answer is kept in the transaction of its effect and given again for a day.
import { hash } from 'node:crypto'
import { BadRequest } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { Db } from '../postgres.ts'
import { asUser, type Trx } from './own-rows.ts'

export type Effect = { readonly status: number; readonly body: object | null }
export type Replayable = Effect & { readonly replayed: boolean }
export type Once = {
  readonly userId: string
  /** Of the header; null: none was sent, and the effect is had as often as it is asked for. */
  readonly key: string | null
  /** Method and path with its ids: `PATCH /api/v1/alerts/a_1`. */
  readonly operation: string
  readonly body: unknown
}
const keyShape = /^[\x21-\x7e]{1,255}$/

/** The key as it was sent; null without one. Throws `BadRequest` for a key that is no printable ASCII of 1 to 255 characters. */
export function checkIdempotencyKey(key: string | null): string | null {
  if (key === null || keyShape.test(key)) return key
  throw new BadRequest('the Idempotency-Key is not read', { hint: 'send 1 to 255 printable ASCII characters, such as a UUID' })
}

/**
 * Has the effect of a write of a user's rows, once for each key. Throws `BadRequest` for a key that is no printable ASCII of 1 to
 * 255 characters, and 409 `conflict` where the key stood for another request.
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
        throw new BadRequest('this Idempotency-Key stood for another request', {
          status: 409,
          code: 'conflict',
          hint: 'a new request needs a new key',
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

/** Forgets keys of more than a day ago. */
export async function sweepIdempotency(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('created_at', '<', new Date(now.getTime() - 86_400_000).toISOString())
    .execute()
}
