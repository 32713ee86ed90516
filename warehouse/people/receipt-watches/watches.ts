// A user's watches of signed answers, and the feed of what changed: create, list, delete. Each statement names the user, in a transaction
// that shows no other user's rows.
import { sql } from 'kysely'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Tier } from '#schemas/plans.ts'
import type { WatchChannel } from '#schemas/receipt-watches.ts'
import { plans } from '../../rulesets/plans/plans.ts'
import { deleteOwn, type Trx } from '../users/own-rows.ts'
import { printedChange, printedWatch } from './print.ts'

/** Watches that a tier allows, as `/api/v1/data/plans` publishes it. */
export const watchLimit = (tier: Tier): number => plans.plans.find(plan => plan.tier === tier)?.receipt_watches ?? 0

/** The same error for another user's watch and for one that never existed. */
const noWatch = (): NotFound => new NotFound('there is no such watch', { hint: 'GET /api/v1/receipts/watch lists yours' })

const conflict = (message: string, hint: string): BadRequest => new BadRequest(message, { status: 409, code: 'conflict', hint })

export type NewWatch = {
  readonly watch_id: string
  readonly question: string
  readonly receipt_id: string
  /** Of the statement: a later release is compared with it. */
  readonly release: number
  readonly channels: readonly WatchChannel[]
}

/** Creates a watch; throws 409 `conflict` if the user watches the question already, or has as many watches as the tier allows. */
export async function insertWatch(trx: Trx, userId: string, tier: Tier, given: NewWatch, now: string): Promise<object> {
  // The lock keeps the count valid until the end of the transaction.
  await trx.selectFrom('app_user').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute()
  const same = await trx
    .selectFrom('receipt_watch')
    .select('watch_id')
    .where('user_id', '=', userId)
    .where('question', '=', given.question)
    .executeTakeFirst()
  if (same)
    throw conflict(`you watch this question already, as ${same.watch_id}`, `PATCH /api/v1/receipts/watch/${same.watch_id} changes its channels`)
  const { count } = await trx
    .selectFrom('receipt_watch')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const most = watchLimit(tier)
  if (count >= most)
    throw conflict(
      `you watch ${count} answers, and the tier ${tier} allows ${most}`,
      'delete one with DELETE /api/v1/receipts/watch/{id}; GET /api/v1/data/plans lists the tiers',
    )
  const row = await trx
    .insertInto('receipt_watch')
    .values({
      watch_id: given.watch_id,
      user_id: userId,
      question: given.question,
      first_receipt_id: given.receipt_id,
      receipt_id: given.receipt_id,
      push: given.channels.includes('push'),
      mail: given.channels.includes('mail'),
      checked_release: given.release,
      checked_at: now,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return printedWatch(row)
}

/** The user's watches, newest first, then by id. */
export async function findWatches(trx: Trx, userId: string): Promise<object[]> {
  const rows = await trx
    .selectFrom('receipt_watch')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('watch_id', 'desc')
    .execute()
  return rows.map(printedWatch)
}

/** One watch. Throws `NotFound`. */
export async function getWatch(trx: Trx, userId: string, watchId: string): Promise<object> {
  const row = await trx.selectFrom('receipt_watch').selectAll().where('user_id', '=', userId).where('watch_id', '=', watchId).executeTakeFirst()
  if (!row) throw noWatch()
  return printedWatch(row)
}

/** Sets the channels of a watch. Throws `NotFound`. */
export async function changeWatch(trx: Trx, userId: string, watchId: string, channels: readonly WatchChannel[]): Promise<object> {
  const row = await trx
    .updateTable('receipt_watch')
    .set({ push: channels.includes('push'), mail: channels.includes('mail') })
    .where('user_id', '=', userId)
    .where('watch_id', '=', watchId)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw noWatch()
  return printedWatch(row)
}

/** Deletes a watch with its changes. Throws `NotFound`. */
export async function deleteWatch(trx: Trx, userId: string, watchId: string): Promise<void> {
  if (!(await deleteOwn(trx, 'receipt_watch', 'watch_id', userId, watchId))) throw noWatch()
}

export type FeedQuestion = {
  readonly since: number
  readonly order: 'oldest' | 'newest'
  /** Of `newest`: the last position that was read. */
  readonly before?: number | undefined
  readonly limit: number
  readonly watch?: string | undefined
}

/**
 * Changes of the user's watches behind the position `since`, in the order in which they were found, or the newest first. Throws `NotFound` for
 * an unknown watch.
 */
export async function findChanges(trx: Trx, userId: string, { since, order, before, limit, watch }: FeedQuestion): Promise<object> {
  const newest = order === 'newest'
  if (watch !== undefined) await getWatch(trx, userId, watch)
  const rows = await trx
    .selectFrom('receipt_change as c')
    .innerJoin('receipt_watch as w', 'w.watch_id', 'c.watch_id')
    .selectAll('c')
    .select(['w.question', 'w.push', 'w.mail'])
    .where('c.user_id', '=', userId)
    .where('w.user_id', '=', userId)
    .where('c.position', '>', since)
    .$if(watch !== undefined, query => query.where('c.watch_id', '=', watch ?? ''))
    .$if(newest && before !== undefined, query => query.where('c.position', '<', before ?? 0))
    .orderBy('c.position', newest ? 'desc' : 'asc')
    .limit(newest ? limit + 1 : limit)
    .execute()
  const page = rows.slice(0, limit)
  const positions = page.map(row => row.position)
  return {
    count: page.length,
    changes: page.map(printedChange),
    next_since: Math.max(since, ...positions),
    next_before: newest && rows.length > limit ? (positions.at(-1) ?? null) : null,
  }
}
