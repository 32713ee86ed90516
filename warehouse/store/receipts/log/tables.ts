// Kysely's types of migrations/0030-receipt-log.sql.
import type { Generated } from 'kysely'

export type LogEntryKind = 'receipt' | 'release' | 'chain' | 'keys' | 'recovered'

type LogTables = {
  log_head: { one: Generated<boolean>; origin: string; size: number; frontier: Buffer; releases_to: number }
  log_entry: { index: number; kind: LogEntryKind; name: string; leaf: Buffer; entry: Buffer | null }
  log_checkpoint: { size: number; root: Buffer; note: string; kid: string; signed_at: Generated<string> }
}

declare module '../../database.ts' {
  interface Database extends LogTables {}
}
