// Pushes are written where the thing that they tell is done, in the same transaction; a job sends them.
import { hash } from 'node:crypto'
import type { Db } from '../postgres.ts'
import type { Queue } from '../queue.ts'
import { asService, type Trx } from '../users/own-rows.ts'

/** The job of jobs.yaml that sends, and its plan. */
export const pushJob = 'push-send'

export type Push = {
  readonly user_id: string
  /** The same event has the same key, and is told once to each subscription. */
  readonly dedupe_key: string
  readonly title: string
  /** Shown on a locked screen too: never what somebody holds. */
  readonly body: string
  /** Path within the service that a click opens; null: its beginning. */
  readonly url?: string | null
  /** Pushes of one topic replace each other until they are delivered; null: none replaces this one. */
  readonly topic?: string | null
  /** Subscriptions that asked for some symbols alone are left out where this is none of them; null: of no symbol, told to all. */
  readonly symbol?: string | null
}

/** A topic as push services take it (RFC 8030, 5.4): what is longer or has other letters is hashed. */
export function topicOf({ topic, dedupe_key }: Pick<Push, 'topic' | 'dedupe_key'>): string {
  const text = topic ?? dedupe_key
  return /^[A-Za-z0-9_-]{1,32}$/.test(text) ? text : hash('sha256', text, 'buffer').toString('base64url').slice(0, 32)
}

/**
 * Puts a push into the outbox of each of the user's subscriptions, in the caller's transaction; returns how many are new. May be
 * called inside `asUser` and outside of it. Title and body are cut to what a push holds when it is sent.
 */
export async function enqueuePush(trx: Db, push: Push): Promise<number> {
  const { user_id, dedupe_key, title, body, url = null, symbol = null } = push
  return await asService(trx as Trx, async () => {
    const to = await trx
      .selectFrom('push_subscription')
      .select(['subscription_id', 'tickers'])
      .where('user_id', '=', user_id)
      .orderBy('subscription_id')
      .execute()
    const wanted = to.filter(({ tickers }) => symbol === null || tickers === null || tickers.includes(symbol))
    if (wanted.length === 0) return 0
    const topic = topicOf(push)
    const written = await trx
      .insertInto('push_outbox')
      .values(wanted.map(({ subscription_id }) => ({ subscription_id, user_id, dedupe_key, title, body, url, topic })))
      .onConflict(conflict => conflict.columns(['dedupe_key', 'subscription_id']).doNothing())
      .returning('push_id')
      .execute()
    return written.length
  })
}

/** Rings the job that sends, once the pushes are committed; where it cannot be rung its schedule sends them within a minute. */
export async function ringPush(queue: Pick<Queue, 'send'>): Promise<void> {
  const data = { partition: 'written', from: null, to: null, symbols: null, backfill_id: null }
  await queue.send(pushJob, data, { key: pushJob }).catch(() => null)
}
