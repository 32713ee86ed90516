// Tier and payment of an account: what stands, what is asked for, and what Stripe tells.
import { z } from 'zod'
import { AccountRequestRow, CancelIn, ChangeTierIn, CheckoutIn, intervals } from '../billing.ts'
import { Tier } from '../plans.ts'
import { Count, Flag, Instant, Text } from '../values.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'

const shared = { tag: 'Billing', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const

export const BillingStatus = z.strictObject({
  tier: Tier,
  tier_since: Instant,
  billing_status: Text.meta({
    description: 'none; of a subscription: active, trialing, past_due, canceling (paid until period_end), canceled, unpaid, paused, incomplete',
  }),
  assistant_queries_per_day: Count,
  queries_today: Count.meta({ description: 'of the day in UTC' }),
  subscription: z
    .strictObject({ tier: Tier, interval: z.enum(intervals), status: Text, period_end: Instant.nullable(), cancel_at_period_end: Flag })
    .nullable(),
  requests: z.array(AccountRequestRow).meta({ description: 'what was asked for and is not fulfilled yet: at most one of each kind' }),
  checkout_available: Flag.meta({ description: 'whether this installation takes payments' }),
})

export const billingOperations = [
  operation({
    ...shared,
    id: 'get_billing_status',
    path: '/api/v1/billing/status',
    summary: 'Tier, subscription and open requests of the account',
    description: 'What the tier allows is in GET /api/v1/data/plans.',
    question: question({}),
    answer: BillingStatus,
    example: examples.get_billing_status,
  }),
  operation({
    ...shared,
    id: 'change_tier',
    method: 'POST',
    path: '/api/v1/billing/change-tier',
    success: 201,
    summary: 'Asks for another tier',
    description:
      'Writes a request that an administrator fulfils; days_until_eligible says from when that may be: at once for a higher tier, at the end of what is paid for a lower one. Asked again, the open request becomes the new one. 409 conflict where the account has the tier already.',
    question: question({}),
    body: ChangeTierIn,
    answer: AccountRequestRow,
    example: examples.change_tier,
  }),
  operation({
    ...shared,
    id: 'cancel_billing',
    method: 'POST',
    path: '/api/v1/billing/cancel',
    success: 201,
    summary: 'Asks to end the tier',
    description:
      'Writes a request that leads back to the free tier. A subscription is told to end with the period that is paid, and the request is fulfilled when it has. 409 conflict on the free tier.',
    question: question({}),
    body: CancelIn,
    answer: AccountRequestRow,
    example: examples.cancel_billing,
  }),
  operation({
    ...shared,
    id: 'create_checkout',
    method: 'POST',
    path: '/api/v1/billing/checkout',
    success: 201,
    summary: 'Begins the payment of a tier',
    description:
      'Gives the address of a page of Stripe, where the payment is made; no card is seen here. The tier changes when Stripe tells that it was. An Idempotency-Key goes along to Stripe: the same key gives the same page. 503 upstream_unavailable where this installation takes no payments, 409 conflict where a subscription stands.',
    question: question({}),
    body: CheckoutIn,
    answer: z.strictObject({
      checkout_id: Text,
      url: Text.meta({ description: 'of Stripe: open it in the browser' }),
      expires_at: Instant,
    }),
    example: examples.create_checkout,
  }),
  operation({
    ...shared,
    id: 'take_stripe_event',
    method: 'POST',
    path: '/api/v1/billing/webhook',
    access: 'public',
    cross_site: true,
    raw_body: true,
    body_bytes: 256 * 1024,
    summary: 'For Stripe: an event of a subscription',
    description:
      'The body is signed in the header Stripe-Signature, at most five minutes ago. An event acts once, however often it comes, and never where a later one of its subscription came before it. An event that is not followed is answered with 200 too.',
    question: question({}),
    body: z.string().meta({ description: 'an event as Stripe sends it (JSON)' }),
    answer: z.strictObject({
      received: Flag,
      effect: z.enum(['applied', 'older', 'not_followed', 'no_such_user', 'unknown_price']),
      repeated: Flag.meta({ description: 'it was taken before; effect is what came of it then' }),
    }),
    example: examples.take_stripe_event,
  }),
] as const
