// Account requests: made by the user, fulfilled once by an administrator or by an event from Stripe.

import type { AccountRequestRow, assignableTiers } from '#schemas/billing.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Tier } from '#schemas/plans.ts'
import type { Db } from '../../store/postgres.ts'
import { isLive } from './effective-tier.ts'
import { daysUntil, eligibleAt } from './eligible.ts'
import { setTier } from './tier.ts'

export type Query =
  | { readonly kind: 'change_tier'; readonly target: (typeof assignableTiers)[number]; readonly note: string | null }
  | { readonly kind: 'cancel'; readonly target: null; readonly note: string | null }
type Row = {
  request_id: number
  user_id: string
  email: string
  kind: 'change_tier' | 'cancel'
  note: string | null
  target_tier: string | null
  received_at: string
  eligible_at: string
  fulfilled_at: string | null
  fulfilled_by: string | null
}
const columns = [
  'r.request_id',
  'r.user_id',
  'u.email',
  'r.kind',
  'r.note',
  'r.target_tier',
  'r.received_at',
  'r.eligible_at',
  'r.fulfilled_at',
  'r.fulfilled_by',
] as const

const shown = ({ request_id, user_id, email, kind, note, target_tier, received_at, fulfilled_at, fulfilled_by, eligible_at }: Row, now: Date) => ({
  id: request_id,
  user_id,
  email,
  kind,
  note,
  target_tier,
  received_at,
  fulfilled_at,
  fulfilled_by,
  days_until_eligible: fulfilled_at === null ? daysUntil(eligible_at, now) : null,
})
const rowsOf = (db: Db) => db.selectFrom('account_request as r').innerJoin('app_user as u', 'u.user_id', 'r.user_id').select(columns)

/** The end of the period that a user has paid for; null without one. */
async function paidUntil(db: Db, userId: string): Promise<string | null> {
  const held = await db.selectFrom('billing_subscription').select(['status', 'period_end']).where('user_id', '=', userId).execute()
  return held
    .filter(({ status }) => isLive(status))
    .reduce<string | null>((last, { period_end: end }) => (end && (!last || end > last) ? end : last), null)
}

/**
 * Stores a request; it replaces an open one of its kind and restarts its time. Throws 409 `conflict` if there is nothing to do: the
 * account already has the tier, or there is nothing to cancel.
 */
export async function askFor(trx: Db, user: { readonly user_id: string }, requested: Query, now: Date): Promise<AccountRequestRow> {
  const { tier, email } = await trx
    .selectFrom('app_user')
    .select(['tier', 'email'])
    .where('user_id', '=', user.user_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (requested.kind === 'change_tier' && requested.target === tier)
    throw new BadRequest(`this account is on tier ${tier} already`, { status: 409, code: 'conflict', hint: 'GET /api/v1/data/plans lists the tiers' })
  if (requested.kind === 'cancel' && tier === 'free')
    throw new BadRequest('this account is on the free tier: there is nothing to cancel', {
      status: 409,
      code: 'conflict',
      hint: 'POST /api/v1/user/delete deletes an account',
    })
  const paid = await paidUntil(trx, user.user_id)
  const eligible = eligibleAt({ from: tier as Tier, to: requested.target, paidUntil: paid, receivedAt: now })
  const values = { note: requested.note, target_tier: requested.target, received_at: now.toISOString(), eligible_at: eligible.toISOString() }
  const row = await trx
    .insertInto('account_request')
    .values({ user_id: user.user_id, kind: requested.kind, ...values })
    .onConflict(conflict => conflict.columns(['user_id', 'kind']).where('fulfilled_at', 'is', null).doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow()
  return shown({ ...row, email }, now)
}

/** A user's unfulfilled requests, oldest first: at most one of each kind. */
export async function openRequests(db: Db, userId: string, now: Date): Promise<AccountRequestRow[]> {
  const rows = await rowsOf(db).where('r.user_id', '=', userId).where('r.fulfilled_at', 'is', null).orderBy('r.request_id').execute()
  return rows.map(row => shown(row, now))
}

export type RequestList = { readonly state: 'open' | 'fulfilled' | 'all'; readonly before: number | null; readonly limit: number }
/** Requests of all users, newest first; `before` is the last one of the previous page. */
export async function findRequests(db: Db, { state, before, limit }: RequestList, now: Date): Promise<AccountRequestRow[]> {
  const rows = await rowsOf(db)
    .$if(state === 'open', query => query.where('r.fulfilled_at', 'is', null))
    .$if(state === 'fulfilled', query => query.where('r.fulfilled_at', 'is not', null))
    .$if(before !== null, query => query.where('r.request_id', '<', before ?? 0))
    .orderBy('r.request_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(row => shown(row, now))
}

/**
 * Fulfils a request: changes the tier and closes the request in this transaction, once. Throws `NotFound`; 409 `conflict` if it is
 * fulfilled, not yet eligible, or the account pays through Stripe, whose event fulfils it.
 */
export async function fulfil(trx: Db, id: number, by: string, now: Date): Promise<AccountRequestRow> {
  const row = await rowsOf(trx).where('r.request_id', '=', id).forUpdate('r').executeTakeFirst()
  if (!row) throw new NotFound('there is no such request', { hint: 'GET /api/v1/admin/account-requests lists them' })
  const conflict = (message: string, hint: string): BadRequest => new BadRequest(message, { status: 409, code: 'conflict', hint })
  if (row.fulfilled_at !== null) throw conflict(`request ${id} is fulfilled since ${row.fulfilled_at}`, 'a request is fulfilled once')
  const days = daysUntil(row.eligible_at, now)
  if (days > 0) throw conflict(`request ${id} may be fulfilled from ${row.eligible_at} on`, `ask again in ${days} ${days === 1 ? 'day' : 'days'}`)
  const held = await trx.selectFrom('billing_subscription').select('status').where('user_id', '=', row.user_id).execute()
  if (held.some(({ status }) => isLive(status)))
    throw conflict('this account pays through Stripe', 'change or end the subscription there: its event fulfils the request')
  await setTier(trx, row.user_id, (row.target_tier ?? 'free') as Tier, now)
  const done = { fulfilled_at: now.toISOString(), fulfilled_by: by }
  const written = await trx.updateTable('account_request').set(done).where('request_id', '=', id).returningAll().executeTakeFirstOrThrow()
  return shown({ ...written, email: row.email }, now)
}

/** Closes the user's request if Stripe's tier is the requested one. */
export async function settleByStripe(trx: Db, userId: string, tier: Tier, now: Date): Promise<void> {
  await trx
    .updateTable('account_request')
    .set({ fulfilled_at: now.toISOString(), fulfilled_by: 'stripe' })
    .where('user_id', '=', userId)
    .where('fulfilled_at', 'is', null)
    .where(where => where.or(tier === 'free' ? [where('kind', '=', 'cancel')] : [where('target_tier', '=', tier)]))
    .execute()
}
