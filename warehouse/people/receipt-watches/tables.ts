// Kysely's types of the tables of watches (migrations/0033-receipt-watches.sql).
import type { ColumnType, Generated } from 'kysely'
import type { Json } from '../users/tables.ts'

type Instant = ColumnType<string, string, string>

export type ReceiptWatchTables = {
  receipt_watch: {
    watch_id: string
    user_id: string
    question: string
    first_receipt_id: string
    receipt_id: string
    push: boolean
    mail: boolean
    checked_release: number
    checked_at: Instant
    datasets: string[] | null
    problem: string | null
    changes: Generated<number>
    changed_at: ColumnType<string | null, string | null | undefined, string | null>
    created_at: Instant
  }
  receipt_change: {
    change_id: string
    position: Generated<number>
    watch_id: string
    user_id: string
    before_receipt_id: string
    before_release: number
    before_as_of: Instant
    after_receipt_id: string
    after_release: number
    after_as_of: Instant
    found_at: Instant
    count: number
    reason: string | null
    differences: Json<readonly unknown[]>
    causes: Json<readonly unknown[]>
    mail_skipped: string | null
    push_skipped: string | null
  }
  receipt_change_turn: { one: Generated<boolean> }
}

declare module '../../store/database.ts' {
  interface Database extends ReceiptWatchTables {}
}
