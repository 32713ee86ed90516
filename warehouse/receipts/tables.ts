// Kysely's types of the tables of receipts and keys (migrations/0003-receipts.sql).
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
  }
}
