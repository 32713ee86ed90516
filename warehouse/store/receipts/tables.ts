// Kysely's types of the tables of receipts and keys (migrations/0003-receipts.sql, 0020-signing-keys.sql).
import type { Generated } from 'kysely'
import type { KeyStatus } from '#schemas/receipts.ts'

export type ReceiptTables = {
  signing_key: {
    kid: string
    x: string
    status: KeyStatus
    valid_from: number | null
    valid_to: number | null
    from_index: number | null
    to_index: number | null
    created_at: Generated<string>
    /** Signatures from this instant on do not count; set for compromised keys only. */
    compromised_from: Generated<string | null>
    /** When a rotation retired it: it signs checkpoints with the active key for a day. */
    retired_at: Generated<string | null>
  }
  receipt: {
    receipt_id: string
    statement: Buffer
    signature: Buffer
    kid: string
    operation: string
    parameters: string
    release: number
    payload_sha256: string
    created_at: Generated<string>
    /** Its index in the receipt log; null: it waits. */
    log_index: Generated<number | null>
  }
  receipt_countersignature: {
    receipt_id: string
    kid: string
    signature: Buffer
    signed_at: Generated<string>
  }
}

declare module '../database.ts' {
  interface Database extends ReceiptTables {}
}
