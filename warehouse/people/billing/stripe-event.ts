// Reads Stripe's events about a subscription or a customer from their JSON. Pure.
import { z } from 'zod'
import type { BillingInterval, PaidTier } from '#schemas/billing.ts'

const Envelope = z.looseObject({
  id: z.string().regex(/^evt_\w{1,250}$/),
  type: z.string().min(1).max(100),
  created: z.int().min(0),
  data: z.looseObject({ object: z.looseObject({ id: z.string().max(255).optional() }) }),
})
/** A customer or a subscription, as its id or whole. */
const Reference = z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
const Metadata = z.looseObject({ user_id: z.string().max(64).optional() }).nullish()
const Session = z.looseObject({
  client_reference_id: z.string().max(64).nullish(),
  customer: Reference.nullish(),
  metadata: Metadata,
})
const Subscription = z.looseObject({
  id: z.string().max(255),
  customer: Reference,
  status: z.string().max(40),
  cancel_at_period_end: z.boolean().default(false),
  // From older versions of the API; newer ones report it for each item.
  current_period_end: z.int().nullish(),
  metadata: Metadata,
  items: z.looseObject({
    data: z.array(z.looseObject({ current_period_end: z.int().nullish(), price: z.looseObject({ id: z.string() }) })).min(1),
  }),
})

export type StripeEvent = { readonly id: string; readonly type: string; readonly object_id: string | null; readonly created_at: string } & (
  | { readonly kind: 'customer'; readonly user_id: string | null; readonly customer: string }
  | {
      readonly kind: 'subscription'
      readonly user_id: string | null
      readonly customer: string
      readonly subscription: string
      readonly price: string
      readonly status: string
      readonly period_end: string | null
      readonly cancel_at_period_end: boolean
      /** Order of events of one second. */
      readonly rank: number
    }
  | { readonly kind: 'other' }
)
const ranks: Readonly<Record<string, number>> = {
  'customer.subscription.created': 0,
  'customer.subscription.updated': 1,
  'customer.subscription.paused': 1,
  'customer.subscription.resumed': 1,
  'customer.subscription.deleted': 2,
}
const instant = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** An event whose signature was verified; null if it does not have the shape of an event. */
export function readStripeEvent(json: unknown): StripeEvent | null {
  const read = Envelope.safeParse(json)
  if (!read.success) return null
  const { id, type, created, data } = read.data
  const about = { id, type, object_id: data.object.id ?? null, created_at: instant(created) }
  const rank = ranks[type]
  if (rank !== undefined) {
    const held = Subscription.safeParse(data.object)
    if (!held.success) return { ...about, kind: 'other' }
    const { customer, status, cancel_at_period_end, metadata, items, current_period_end } = held.data
    const [item] = items.data
    const end = item?.current_period_end ?? current_period_end ?? null
    return {
      ...about,
      kind: 'subscription',
      user_id: metadata?.user_id ?? null,
      customer,
      subscription: held.data.id,
      price: item?.price.id ?? '',
      status: rank === 2 ? 'canceled' : status,
      period_end: end === null ? null : instant(end),
      cancel_at_period_end,
      rank,
    }
  }
  if (type === 'checkout.session.completed') {
    const session = Session.safeParse(data.object)
    const customer = session.success ? session.data.customer : null
    if (session.success && typeof customer === 'string')
      return { ...about, kind: 'customer', user_id: session.data.client_reference_id ?? session.data.metadata?.user_id ?? null, customer }
  }
  return { ...about, kind: 'other' }
}

export type Prices = ReadonlyMap<string, { readonly tier: PaidTier; readonly interval: BillingInterval }>
