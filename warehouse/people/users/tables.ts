// Kysely's types of migrations/0009-users.sql and 0022-sign-in.sql.
import type { ColumnType, Generated } from 'kysely'

/** An instant as text in UTC (warehouse/store/postgres.ts). */
export type Instant = string
/** Written as JSON text, read as a parsed value. */
export type Json<T> = ColumnType<T, string, string>
export type MaybeInstant = ColumnType<string | null, string | null | undefined, string | null>
export type UserTables = {
  app_user: {
    user_id: string
    email: string
    email_key: string
    full_name: Generated<string | null>
    display_name: Generated<string | null>
    password_hash: Generated<string | null>
    tier: Generated<string>
    tier_since: Generated<Instant>
    billing_status: Generated<string>
    is_active: Generated<boolean>
    is_admin: Generated<boolean>
    is_reviewer: Generated<boolean>
    email_verified_at: MaybeInstant
    subject_key: Buffer
    created_at: Generated<Instant>
    last_login_at: MaybeInstant
    erasure_requested_at: MaybeInstant
  }
  user_session: {
    session_id: string
    user_id: string
    sha256: Buffer
    kind: 'user' | 'admin'
    created_at: Generated<Instant>
    seen_at: Generated<Instant>
    idle_until: Instant
    expires_at: Instant
    proved_at: Instant
    address_prefix: string
    agent: string
  }
  one_time_token: {
    sha256: Buffer
    user_id: string
    purpose: 'verify_email' | 'reset_password'
    created_at: Generated<Instant>
    expires_at: Instant
    used_at: MaybeInstant
  }
  mail_outbox: {
    mail_id: Generated<number>
    dedupe_key: string
    user_id: string | null
    to_address: string
    kind: string
    subject: string
    body: string
    created_at: Generated<Instant>
    next_try_at: Generated<Instant>
    attempts: Generated<number>
    sent_at: MaybeInstant
    given_up_at: MaybeInstant
    error: Generated<string | null>
  }
  sign_in_origin: { user_id: string; kind: 'device' | 'address'; sha256: Buffer; created_at: Generated<Instant>; seen_at: Generated<Instant> }
  sign_in_failure: { bucket: string; failures: number; since: Instant; blocked_until: MaybeInstant }
  idempotency_key: {
    user_id: string
    key: string
    operation: string
    body_sha256: Buffer
    status: number
    answer: string
    created_at: Generated<Instant>
  }
  audit_entry: {
    seq: number
    at: Instant
    actor: string
    act: string
    subject: string
    details: ColumnType<unknown, string, never>
    previous: Buffer
    hash: Buffer
  }
}

declare module '../../store/database.ts' {
  interface Database extends UserTables {}
}
