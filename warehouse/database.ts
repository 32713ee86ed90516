// Every table of Postgres as kysely sees it: each module that owns tables exports their types, and they meet here.
import type { Generated } from 'kysely'
import type { AccountTables } from './accounts/tables.ts'
import type { AlertTables } from './alerts/tables.ts'
import type { BillingTables } from './billing/tables.ts'
import type { DataClockTable } from './data-clock.ts'
import type { FilingIndexTables } from './filings/tables.ts'
import type { DamagedFileTable } from './lake/damage.ts'
import type { LakeTables } from './lake/tables.ts'
import type { ModelTables } from './models/tables.ts'
import type { PortfolioTables } from './portfolio/tables.ts'
import type { PrivacyTables } from './privacy/tables.ts'
import type { PushTables } from './push/tables.ts'
import type { ReceiptTables } from './receipts/store.ts'
import type { ReferralTables } from './referrals/tables.ts'
import type { StatusTables } from './status/tables.ts'
import type { TelemetryTables } from './telemetry/tables.ts'
import type { UserTables } from './users/tables.ts'
import type { WatchlistTables } from './watchlist/tables.ts'

/** The migrator's own table; the only one that no migration makes. */
export type MigrationTables = { schema_migrations: { name: string; sha256: string; applied_at: Generated<string> } }

export type Database = MigrationTables &
  FilingIndexTables &
  DataClockTable &
  LakeTables &
  DamagedFileTable &
  ReceiptTables &
  AccountTables &
  StatusTables &
  ModelTables &
  UserTables &
  PrivacyTables &
  AlertTables &
  WatchlistTables &
  PortfolioTables &
  PushTables &
  TelemetryTables &
  ReferralTables &
  BillingTables
