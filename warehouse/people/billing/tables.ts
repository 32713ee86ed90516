// Kysely's types of migrations/0015-billing.sql.
import type { Generated } from 'kysely'
import type { Instant, MaybeInstant } from '../users/tables.ts'

export type BillingTables = {
  daily_use: { user_id: string; day: string; class: string; used: number }
  account_request: {
    request_id: Generated<number>
    user_id: string
    kind: 'change_tier' | 'cancel'
    note: string | null
    target_tier: string | null
    received_at: Instant
    eligible_at: Instant
    fulfilled_at: MaybeInstant
    fulfilled_by: Generated<string | null>
  }
  billing_customer: { user_id: string; customer_id: string; created_at: Generated<Instant> }
  billing_subscription: {
    subscription_id: string
    user_id: string
    tier: string
    billing_interval: 'monthly' | 'yearly'
    status: string
    period_end: string | null
    cancel_at_period_end: boolean
    event_at: Instant
    event_rank: number
  }
  billing_event: {
    event_id: string
    user_id: string | null
    type: string
    object_id: string | null
    created_at: Instant
    received_at: Instant
    effect: string
  }
  admin_totp: {
    user_id: string
    secret: Buffer | null
    confirmed_at: MaybeInstant
    pending: Buffer | null
    pending_at: MaybeInstant
    last_step: Generated<number>
    tries: Generated<number>
    tries_since: Generated<Instant>
  }
  admin_recovery_code: { user_id: string; hmac: Buffer; used_at: MaybeInstant }
}

declare module '../../store/database.ts' {
  interface Database extends BillingTables {}
}
