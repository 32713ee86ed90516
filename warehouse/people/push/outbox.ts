// The outbox of pushes for the sending job: rows are claimed, tried, and settled one by one.

import { sql } from 'kysely'
import { daysBefore } from '#schemas/days.ts'
import { pushRules } from '../../rulesets/push/rules.ts'
import type { Db } from '../../store/postgres.ts'

export type DuePush = {
  readonly push_id: number
  readonly subscription_id: string
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly title: string
  readonly body: string
  readonly url: string | null
  readonly topic: string
  readonly created_at: string
  /** Includes this attempt. */
  readonly attempts: number
}

/** Claims due pushes, the longest waiting first. Concurrent claims get different rows; an unsettled claim expires. */
export async function claimPushes(db: Db, limit: number, now: Date): Promise<DuePush[]> {
  const until = new Date(now.getTime() + pushRules.claim_seconds * 1000).toISOString()
  const at = now.toISOString()
  const { rows } = await sql<DuePush>`
    with due as (
      select push_id from push_outbox
      where sent_at is null and given_up_at is null and next_try_at <= ${at} and (claimed_until is null or claimed_until <= ${at})
      order by next_try_at, push_id
      limit ${limit}
      for update skip locked
    ), claimed as (
      update push_outbox o set claimed_until = ${until}, attempts = attempts + 1
      from due where o.push_id = due.push_id
      returning o.*
    )
    select c.push_id, c.subscription_id, s.endpoint, s.p256dh, s.auth, c.title, c.body, c.url, c.topic, c.created_at, c.attempts
    from claimed c join push_subscription s using (subscription_id)
    order by c.push_id`.execute(db)
  return rows
}

/** The outcome of an attempt. */
export type Settled =
  | { readonly kind: 'sent' }
  /** The subscription has ended: it is deleted with all of its waiting pushes. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'retry'; readonly at: Date; readonly error: string; readonly uncounted?: boolean }
  | { readonly kind: 'give_up'; readonly error: string }

/** Stores the outcome of an attempt; a push settled in the meantime (its claim expired) is unchanged. */
export async function settlePush(db: Db, push: Pick<DuePush, 'push_id' | 'subscription_id' | 'p256dh'>, settled: Settled, now: Date): Promise<void> {
  if (settled.kind === 'gone') {
    // A browser that has subscribed again at the same address has other keys and is kept.
    await db.deleteFrom('push_subscription').where('subscription_id', '=', push.subscription_id).where('p256dh', '=', push.p256dh).execute()
    return
  }
  const at = now.toISOString()
  const change =
    settled.kind === 'sent'
      ? { sent_at: at, error: null }
      : settled.kind === 'give_up'
        ? { given_up_at: at, error: settled.error }
        : { next_try_at: settled.at.toISOString(), error: settled.error }
  await db
    .updateTable('push_outbox')
    .set({ ...change, claimed_until: null })
    .$if(settled.kind === 'retry' && settled.uncounted === true, query => query.set({ attempts: sql`greatest(attempts - 1, 0)` }))
    .where('push_id', '=', push.push_id)
    .where('sent_at', 'is', null)
    .where('given_up_at', 'is', null)
    .execute()
}

/** Deletes pushes that were settled long ago; returns how many. */
export async function sweepPushes(db: Db, now: Date): Promise<number> {
  const before = daysBefore(now, pushRules.keep_days).toISOString()
  const gone = await db
    .deleteFrom('push_outbox')
    .where(where => where.or([where('sent_at', '<', before), where('given_up_at', '<', before)]))
    .executeTakeFirst()
  return Number(gone.numDeletedRows)
}
