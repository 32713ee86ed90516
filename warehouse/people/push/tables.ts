// Kysely's types of devices and pushes in migrations/0014-push.sql.
import type { Generated } from 'kysely'
import type { Instant, MaybeInstant } from '../users/tables.ts'

export type PushTables = {
  push_key: { sole: Generated<boolean>; public_key: string; created_at: Generated<Instant> }
  device: {
    device_id: string
    user_id: string
    platform: string
    token: string
    token_sha256: Buffer
    created_at: Generated<Instant>
    seen_at: Generated<Instant>
  }
  push_subscription: {
    subscription_id: string
    user_id: string
    endpoint: string
    endpoint_sha256: Buffer
    p256dh: string
    auth: string
    tickers: string[] | null
    created_at: Generated<Instant>
    seen_at: Generated<Instant>
  }
  push_outbox: {
    push_id: Generated<number>
    subscription_id: string
    user_id: string
    dedupe_key: string
    title: string
    body: string
    url: string | null
    topic: string
    created_at: Generated<Instant>
    next_try_at: Generated<Instant>
    claimed_until: MaybeInstant
    attempts: Generated<number>
    sent_at: MaybeInstant
    given_up_at: MaybeInstant
    error: Generated<string | null>
  }
}

declare module '../../store/database.ts' {
  interface Database extends PushTables {}
}
