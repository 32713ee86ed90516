// The result of a user's subscriptions: the paid tier and the account's billing status. Pure.
import type { BillingInterval } from '#schemas/billing.ts'
import { Tier } from '#schemas/plans.ts'

export type Held = {
  readonly subscription_id: string
  readonly tier: string
  readonly billing_interval: BillingInterval
  readonly status: string
  readonly period_end: string | null
  readonly cancel_at_period_end: boolean
}
/** Stripe's statuses that grant the tier. Overdue is one: Stripe retries the payment for some days before it gives up. */
const live: readonly string[] = ['active', 'trialing', 'past_due']
export const isLive = (status: string): boolean => live.includes(status)

const worth = ({ tier }: Held): number => Tier.options.indexOf(tier as Tier)

/** The effective subscription: the live one with the highest tier, else none. */
export function counting(held: readonly Held[]): Held | null {
  const alive = held.filter(({ status }) => isLive(status))
  return alive.toSorted((a, b) => worth(b) - worth(a) || (a.subscription_id < b.subscription_id ? -1 : 1))[0] ?? null
}

/** Tier and billing status from a user's subscriptions; not called for an account that never had one. */
export function tierAndStatus(held: readonly Held[]): { readonly tier: Tier; readonly billing_status: string } {
  const one = counting(held)
  if (one) return { tier: one.tier as Tier, billing_status: one.cancel_at_period_end ? 'canceling' : one.status }
  const order = ['incomplete', 'paused', 'unpaid', 'canceled', 'incomplete_expired']
  const [first] = held.map(({ status }) => status).toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
  return { tier: 'free', billing_status: first ?? 'none' }
}
