// Applies an event from Stripe once: the event's row, the subscription, the tier and the user's open request change in one transaction.
// Events can arrive late, repeatedly and in any order.
import { type Db, transaction } from '../../store/postgres.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { type Held, tierAndStatus } from './effective-tier.ts'
import { settleByStripe } from './requests.ts'
import type { Prices, StripeEvent } from './stripe-event.ts'
import { setTier } from './tier.ts'

export type EventEffect = 'applied' | 'older' | 'not_followed' | 'no_such_user' | 'unknown_price'
type SubscriptionEvent = Extract<StripeEvent, { kind: 'subscription' }>

/** Applies an event; `repeated` if it was applied before, with the earlier result. */
export async function applyStripeEvent(
  db: Db,
  event: StripeEvent,
  prices: Prices,
  now: Date,
): Promise<{ readonly effect: EventEffect; readonly repeated: boolean }> {
  return await transaction(db, async trx => {
    const { id, type, object_id, created_at } = event
    const at = now.toISOString()
    // A second delivery waits here for the first one's transaction to end.
    const row = await trx
      .insertInto('billing_event')
      .values({ event_id: id, user_id: null, type, object_id, created_at, received_at: at, effect: 'not_followed' })
      .onConflict(conflict => conflict.column('event_id').doNothing())
      .returning('event_id')
      .executeTakeFirst()
    if (!row) {
      const { effect } = await trx.selectFrom('billing_event').select('effect').where('event_id', '=', id).executeTakeFirstOrThrow()
      return { effect: effect as EventEffect, repeated: true }
    }
    if (event.kind === 'other') return { effect: 'not_followed', repeated: false }
    const user = await userOfEvent(trx, event)
    const effect = user === null ? ('no_such_user' as const) : await applyTo(trx, user, event, prices, now)
    await trx.updateTable('billing_event').set({ effect, user_id: user }).where('event_id', '=', id).execute()
    return { effect, repeated: false }
  })
}

/** The user of an event: by the known customer, else by the id that our checkout added. Locks the row, so events of one user are applied in turn. */
async function userOfEvent(trx: Db, { user_id, customer }: { readonly user_id: string | null; readonly customer: string }): Promise<string | null> {
  const known = await trx.selectFrom('billing_customer').select('user_id').where('customer_id', '=', customer).executeTakeFirst()
  const id = known?.user_id ?? user_id
  if (id === null) return null
  const row = await trx.selectFrom('app_user').select('user_id').where('user_id', '=', id).forUpdate().executeTakeFirst()
  return row?.user_id ?? null
}

async function applyTo(trx: Db, userId: string, event: Exclude<StripeEvent, { kind: 'other' }>, prices: Prices, now: Date): Promise<EventEffect> {
  await trx
    .insertInto('billing_customer')
    .values({ user_id: userId, customer_id: event.customer })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  if (event.kind === 'customer') return 'applied'
  const price = prices.get(event.price)
  if (!price) return 'unknown_price'
  if (!(await storeSubscription(trx, userId, event, price))) return 'older'
  const held = await trx
    .selectFrom('billing_subscription')
    .select(['subscription_id', 'tier', 'billing_interval', 'status', 'period_end', 'cancel_at_period_end'])
    .where('user_id', '=', userId)
    .execute()
  const { tier, billing_status } = tierAndStatus(held as Held[])
  const before = await trx.selectFrom('app_user').select(['user_id', 'tier', 'subject_key']).where('user_id', '=', userId).executeTakeFirstOrThrow()
  await trx.updateTable('app_user').set({ billing_status }).where('user_id', '=', userId).execute()
  // A subscription that never began does not remove a tier that an administrator granted.
  if (billing_status !== 'incomplete' && billing_status !== 'incomplete_expired' && (await setTier(trx, userId, tier, now)))
    await audit(trx, { actor: 'stripe', act: 'billing.tier', subject: pseudonymOf(before), details: { from: before.tier, to: tier } }, now)
  await settleByStripe(trx, userId, tier, now)
  return 'applied'
}

/** Stores the event's state of its subscription; false if a newer one is stored already. */
async function storeSubscription(
  trx: Db,
  userId: string,
  event: SubscriptionEvent,
  price: { readonly tier: string; readonly interval: 'monthly' | 'yearly' },
) {
  const values = {
    tier: price.tier,
    billing_interval: price.interval,
    status: event.status,
    period_end: event.period_end,
    cancel_at_period_end: event.cancel_at_period_end,
    event_at: event.created_at,
    event_rank: event.rank,
  }
  const row = await trx
    .insertInto('billing_subscription')
    .values({ subscription_id: event.subscription, user_id: userId, ...values })
    .onConflict(conflict =>
      conflict
        .column('subscription_id')
        .doUpdateSet(values)
        .where('billing_subscription.user_id', '=', userId)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('billing_subscription.event_at', 'billing_subscription.event_rank'), '<=', tuple(event.created_at, event.rank)),
        ),
    )
    .returning('subscription_id')
    .executeTakeFirst()
  return row !== undefined
}
