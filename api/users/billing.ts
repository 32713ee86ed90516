// Tier and payment of the signed-in user, and Stripe's events.

import type { z } from 'zod'
import type { CancelIn, ChangeTierIn, CheckoutIn } from '#schemas/billing.ts'
import { utcDay } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { Tier } from '#schemas/plans.ts'
import { applyStripeEvent } from '#warehouse/people/billing/apply-event.ts'
import { counting, type Held, isLive } from '#warehouse/people/billing/effective-tier.ts'
import { askFor, openRequests } from '#warehouse/people/billing/requests.ts'
import { assistantCap, queriesToday } from '#warehouse/people/users/daily-cap.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Handler } from '../handler.ts'
import { type StripeClient, stripeClient } from './stripe.ts'
import { jsonAnswer, type UserTools, userOf, written } from './tools.ts'

const heldBy = async (db: Db, userId: string): Promise<Held[]> =>
  await db
    .selectFrom('billing_subscription')
    .select(['subscription_id', 'tier', 'billing_interval', 'status', 'period_end', 'cancel_at_period_end'])
    .where('user_id', '=', userId)
    .execute()

/** Sets a user's subscription at Stripe to end with the paid period. Idempotent. Throws 503 if Stripe cannot be reached; then nothing changed. */
export async function endPayments({ db }: Pick<UserTools, 'db'>, stripe: StripeClient, userId: string): Promise<void> {
  const held = await asUser(db, userId, trx => heldBy(trx, userId))
  for (const each of held) if (isLive(each.status) && !each.cancel_at_period_end) await stripe.endAtPeriodEnd(each.subscription_id)
}

const hasSubscription = (): BadRequest =>
  new BadRequest('this account already has a subscription', {
    status: 409,
    code: 'conflict',
    hint: 'POST /api/v1/billing/change-tier asks for another tier, /billing/cancel ends it',
  })

export function billingHandlers(tools: UserTools) {
  const { db, config, baseUrl } = tools
  const stripe = stripeClient(config)

  const status: Handler<'get_billing_status'> = async (_question, context) => {
    const { user_id } = userOf(context)
    const now = context.now()
    return await asUser(db, user_id, async trx => {
      const user = await trx
        .selectFrom('app_user')
        .select(['tier', 'tier_since', 'billing_status'])
        .where('user_id', '=', user_id)
        .executeTakeFirstOrThrow()
      const one = counting(await heldBy(trx, user_id))
      return jsonAnswer({
        ...user,
        assistant_queries_per_day: assistantCap(user.tier as Tier),
        queries_today: await queriesToday(trx, user_id, utcDay(now)),
        subscription: one && {
          tier: one.tier,
          interval: one.billing_interval,
          status: one.status,
          period_end: one.period_end,
          cancel_at_period_end: one.cancel_at_period_end,
        },
        requests: await openRequests(trx, user_id, now),
        checkout_available: stripe.takesPayments,
      })
    })
  }

  const change: Handler<'change_tier'> = async (_question, context) => {
    const { target_tier: target, note = null } = context.body as z.output<typeof ChangeTierIn>
    return await written(tools, context, async trx => ({
      status: 201,
      body: await askFor(trx, userOf(context), { kind: 'change_tier', target, note }, context.now()),
    }))
  }

  const cancel: Handler<'cancel_billing'> = async (_question, context) => {
    const { reason = null } = context.body as z.output<typeof CancelIn>
    const user = userOf(context)
    await endPayments(tools, stripe, user.user_id)
    return await written(tools, context, async trx => ({
      status: 201,
      body: await askFor(trx, user, { kind: 'cancel', target: null, note: reason }, context.now()),
    }))
  }

  const checkout: Handler<'create_checkout'> = async (_question, context) => {
    const { tier, interval } = context.body as z.output<typeof CheckoutIn>
    const { user_id, email } = userOf(context)
    const known = await asUser(db, user_id, async trx => ({
      held: await heldBy(trx, user_id),
      customer: await trx.selectFrom('billing_customer').select('customer_id').where('user_id', '=', user_id).executeTakeFirst(),
    }))
    if (known.held.some(each => isLive(each.status))) throw hasSubscription()
    // Nothing is stored here: the idempotency key at Stripe prevents a second session.
    const { idempotency_key } = context
    const begun = await stripe.checkout({ user_id, email, customer: known.customer?.customer_id ?? null, tier, interval, idempotency_key }, baseUrl())
    return jsonAnswer(begun, { status: 201 })
  }

  const webhook: Handler<'take_stripe_event'> = async (_question, context) => {
    const event = await stripe.readEvent(String(context.body), context.signature, context.now())
    return jsonAnswer({ received: true, ...(await applyStripeEvent(db, event, stripe.prices, context.now())) })
  }

  return {
    get_billing_status: status,
    change_tier: change,
    cancel_billing: cancel,
    create_checkout: checkout,
    take_stripe_event: webhook,
  }
}
