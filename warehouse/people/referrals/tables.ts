// Kysely's types of referrals in migrations/0014-push.sql.
import type { Generated } from 'kysely'
import type { Instant, MaybeInstant } from '../users/tables.ts'

export type ReferralTables = {
  referral_code: { user_id: string; code: string; created_at: Generated<Instant> }
  referral: {
    user_id: string
    referrer_id: string | null
    code: string
    attributed_at: Generated<Instant>
    converted_at: MaybeInstant
    converted_tier: Generated<string | null>
  }
}

declare module '../../store/database.ts' {
  interface Database extends ReferralTables {}
}
