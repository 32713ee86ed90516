// Kysely's types of what browsers report and visitors leave in migrations/0014-push.sql.
import type { Generated } from 'kysely'
import type { Instant, MaybeInstant } from '../users/tables.ts'

export type TelemetryTables = {
  vital_sample: { sample_id: Generated<number>; day: string; page: string; metric: string; value: number }
  vital_daily: { day: string; page: string; metric: string; samples: number; p75: number }
  csp_daily: { day: string; directive: string; blocked: string; reports: number }
  email_capture: {
    email_key: string
    email: string
    user_id: Generated<string | null>
    source: string
    context: Generated<string | null>
    token_sha256: Buffer
    asked_at: Generated<Instant>
    confirmed_at: MaybeInstant
    consent_text: Generated<string | null>
    confirmed_from: Generated<string | null>
  }
}

declare module '../../store/database.ts' {
  interface Database extends TelemetryTables {}
}
