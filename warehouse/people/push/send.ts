// Pushes are written in the transaction of the event that they report; a job sends them.
import { hash } from 'node:crypto'
import type { Db } from '../../store/postgres.ts'
import type { Queue } from '../../store/queue.ts'
import { asService, type Trx } from '../users/own-rows.ts'

export type Push = {
  readonly user_id: string
  /** The same event has the same key, and is sent once to each subscription. */
  readonly dedupe_key: string
  readonly title: string
  /** Also shown on a locked screen: never contains holdings. */
  readonly body: string
  /** Path within the service that a click opens; null: its start page. */
  readonly url?: string | null
  /** Pushes of one topic replace each other until they are delivered; null: none replaces this one. */
  readonly topic?: string | null
  /** Subscriptions limited to some symbols are skipped unless this is one of them; null: not about a symbol, sent to all. */
  readonly symbol?: string | null
}

/** A topic in the form that push services accept (RFC 8030, 5.4): longer ones, or with other characters, are hashed. */
export function topicOf({ topic, dedupe_key }: Pick<Push, 'topic' | 'dedupe_key'>): string {
  const text = topic ?? dedupe_key
  return /^[A-Za-z0-9_-]{1,32}$/.test(text) ? text : hash('sha256', text, 'buffer').toString('base64url').slice(0, 32)
}

/**
 * Puts a push into the outbox of each of the user's subscriptions, in the caller's transaction; returns how many are new. May be called
 * inside `asUser` and outside of it. Title and body are truncated to the size limit of a push when it is sent.
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

/** The job of jobs.yaml that sends, and its plan. */
export const pushJob = 'push-send'
/** Triggers the sending job once the pushes are committed; if that fails, its schedule sends them within a minute. */
export async function ringPush(queue: Pick<Queue, 'send'>): Promise<void> {
  const data = { partition: 'written', from: null, to: null, symbols: null, backfill_id: null }
  await queue.send(pushJob, data, { key: pushJob }).catch(() => null)
}
