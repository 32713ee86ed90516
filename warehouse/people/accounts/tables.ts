// Kysely's types of migrations/0005-accounts.sql, 0011-keys.sql and 0034-key-usage.sql.
import type { ColumnType, Generated } from 'kysely'
import type { LimitClass } from '#schemas/plans.ts'

/** An instant as text in UTC (warehouse/store/postgres.ts). */
type MaybeInstant = ColumnType<string | null, string | null | undefined, string | null>
export type AccountTables = {
  api_key: {
    key_id: string
    name: string
    owner: string | null
    sha256: Buffer
    last4: string
    tier: string
    scopes: string[]
    allowed_addresses: Generated<string[]>
    created_at: Generated<string>
    expires_at: MaybeInstant
    revoked_at: MaybeInstant
    last_used_at: MaybeInstant
    last_used_as: Generated<string | null>
    last_in_query_at: MaybeInstant
  }
  key_usage: {
    key_id: string
    owner: string | null
    day: string
    class: LimitClass
    requests: number
    units: number
    limited: number
    refused: number
    failed: number
  }
  rate_budget: { partition: string; arrival_us: number; day: string; used: number; granted: number }
}

declare module '../../store/database.ts' {
  interface Database extends AccountTables {}
}
