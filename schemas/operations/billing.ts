// Tier and payment of an account: the current state, open requests, and events from Stripe.
import { z } from 'zod'
import { AccountRequestRow, CancelIn, ChangeTierIn, CheckoutIn, intervals } from '../billing.ts'
import { Tier } from '../plans.ts'
import { Count, Flag, Instant, Text } from '../values.ts'
import { operation } from './operation.ts'

const shared = { tag: 'Billing', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const

export const BillingStatus = z.strictObject({
  tier: Tier,
  tier_since: Instant,
  billing_status: Text.describe(
    'none; of a subscription: active, trialing, past_due, canceling (paid until period_end), canceled, unpaid, paused, incomplete',
  ),
  assistant_queries_per_day: Count,
  queries_today: Count.describe('of the current UTC day'),
  subscription: z
    .strictObject({ tier: Tier, interval: z.enum(intervals), status: Text, period_end: Instant.nullable(), cancel_at_period_end: Flag })
    .nullable(),
  requests: z.array(AccountRequestRow).describe('open requests: at most one of each kind'),
  checkout_available: Flag.describe('whether this installation takes payments'),
})

export const billingOperations = [
  operation('get_billing_status', 'GET /api/v1/billing/status', {
    ...shared,
    summary: 'Tier, subscription and open requests of the account',
    description: 'What the tier allows is in GET /api/v1/data/plans.',
    answer: BillingStatus,
  }),
  operation('change_tier', 'POST /api/v1/billing/change-tier', {
    ...shared,
    success: 201,
    summary: 'Requests another tier',
    description:
      'Creates a request that an administrator fulfils. days_until_eligible is the earliest time: immediately for a higher tier, at the end of the paid period for a lower one. A further request replaces the open one. 409 conflict if the account already has the tier.',
    body: ChangeTierIn,
    answer: AccountRequestRow,
    idempotency_key: true,
    example: { body: { target_tier: 'alpha', note: 'for the team' } },
  }),
  operation('cancel_billing', 'POST /api/v1/billing/cancel', {
    ...shared,
    success: 201,
    summary: 'Requests the end of the tier',
    description:
      'Creates a request to return to the free tier. A subscription is set to end with the paid period, and the request is fulfilled when it has ended. 409 conflict on the free tier.',
    body: CancelIn,
    answer: AccountRequestRow,
    idempotency_key: true,
    example: { body: { reason: null } },
  }),
  operation('create_checkout', 'POST /api/v1/billing/checkout', {
    ...shared,
    success: 201,
    summary: 'Begins the payment of a tier',
    description:
      'Returns the URL of a payment page at Stripe; this service never sees card data. The tier changes when Stripe confirms the payment. An Idempotency-Key is passed to Stripe: the same key returns the same page. 503 upstream_unavailable if this installation takes no payments, 409 conflict if a subscription exists.',
    body: CheckoutIn,
    answer: z.strictObject({
      checkout_id: Text,
      url: Text.describe('payment page at Stripe: open it in the browser'),
      expires_at: Instant,
    }),
    idempotency_key: true,
    example: { body: { tier: 'trader', interval: 'monthly' } },
  }),
  operation('take_stripe_event', 'POST /api/v1/billing/webhook', {
    ...shared,
    access: 'public',
    cross_site: true,
    raw_body: true,
    body_bytes: 256 * 1024,
    summary: 'For Stripe: an event of a subscription',
    description:
      'The header Stripe-Signature signs the body and is at most five minutes old. An event takes effect once, even if it is delivered several times, and never after a later event of its subscription. Unhandled events also return 200.',
    body: z.string().describe('an event as Stripe sends it (JSON)'),
    answer: z.strictObject({
      received: Flag,
      effect: z.enum(['applied', 'older', 'not_followed', 'no_such_user', 'unknown_price']),
      repeated: Flag.describe('it was processed before; effect is the result of the first delivery'),
    }),
    example: {
      body: '{"id":"evt_1","object":"event","type":"customer.tax_id.created","created":1795000000,"data":{"object":{"id":"txi_1"}}}',
    },
  }),
] as const
