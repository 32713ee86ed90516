// Kysely's types of migrations/0030-receipt-log.sql and 0032-witnesses.sql.
import type { Generated } from 'kysely'

export type LogEntryKind = 'receipt' | 'release' | 'chain' | 'keys' | 'recovered'

type LogTables = {
  log_head: { one: Generated<boolean>; origin: string; size: number; frontier: Buffer; releases_to: number }
  log_entry: { index: number; kind: LogEntryKind; name: string; leaf: Buffer; entry: Buffer | null }
  log_witness: {
    vkey: string
    name: string
    url: string
    state: Generated<'waiting' | 'ok' | 'unreachable' | 'refused' | 'wrong'>
    detail: Generated<string | null>
    state_since: Generated<string>
    size: Generated<number>
    failures: Generated<number>
    succeeded_at: Generated<string | null>
    next_at: Generated<string>
    leased_until: Generated<string>
  }
  log_cosignature: { size: number; vkey: string; line: string; cosigned_at: string; received_at: Generated<string> }
  log_checkpoint: { size: number; root: Buffer; note: string; kid: string; signed_at: Generated<string> }
}

declare module '../../database.ts' {
  interface Database extends LogTables {}
}
