// Kysely's types of migrations/0016-privacy.sql.
import type { ColumnType } from 'kysely'

export type PrivacyTables = {
  consent_entry: {
    seq: number
    consent_id: string
    at: string
    subject: string
    consent_type: string
    consent_action: string
    consent_version: string
    privacy_policy_version: string
    language: string
    address_prefix: string
    agent: string
    previous_id: string | null
    previous: Buffer
    hash: Buffer
  }
  erasure: {
    subject_sha256: Buffer
    requested_at: string
    erased_at: string
    counts: ColumnType<Readonly<Record<string, number>>, string, never>
  }
}

declare module '../../store/database.ts' {
  interface Database extends PrivacyTables {}
}
