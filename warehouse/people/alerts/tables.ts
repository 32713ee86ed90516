// Kysely's types of migrations/0012-alerts.sql.
import type { ColumnType, Generated } from 'kysely'
import type { IpoEventName } from '#schemas/alerts.ts'
import type { AlertCondition } from '../../rulesets/indicators/rules.ts'
import type { Instant, Json, MaybeInstant } from '../users/tables.ts'

export type AlertStatus = 'active' | 'triggered' | 'dismissed'
export type SplitOn = { readonly ex_date: string; readonly numerator: string; readonly denominator: string }

export type AlertTables = {
  alert: {
    alert_id: string
    user_id: string
    scope: 'ticker' | 'watchlist'
    ticker: string
    instrument_id: string | null
    condition: AlertCondition
    threshold: string | null
    baseline_price: string | null
    condition2: AlertCondition | null
    threshold2: string | null
    logic: 'AND' | 'OR' | null
    note: string | null
    status: AlertStatus
    armed: Generated<number>
    armed_at: Instant
    triggered_at: MaybeInstant
    triggered_price: Generated<string | null>
    triggered_symbol: Generated<string | null>
    created_at: Instant
  }
  alert_symbol: {
    alert_id: string
    user_id: string
    symbol: string
    baseline_price: string | null
    priced_on: string | null
    splits: ColumnType<readonly SplitOn[], string | undefined, string>
    holds: boolean | null
    release: number
  }
  ipo_alert: {
    ipo_alert_id: string
    user_id: string
    ticker: string
    event: IpoEventName
    lead_days: number
    note: string | null
    status: AlertStatus
    armed: Generated<number>
    armed_at: Instant
    seen: Json<readonly string[]>
    triggered_at: MaybeInstant
    created_at: Instant
  }
  alert_firing: {
    firing_id: string
    user_id: string
    alert_id: string | null
    ipo_alert_id: string | null
    armed: number
    subject: string
    fired_at: Instant
    release: number
    price: string | null
    rule: string
    ruleset: string
    inputs: Json<unknown>
    bars: Json<readonly (readonly [string, string])[]>
  }
  alert_delivery: {
    firing_id: string
    channel: 'api' | 'mail' | 'push'
    user_id: string
    queued_at: Instant
    skipped: string | null
  }
  alert_round: { kind: 'price' | 'ipo'; release: number; day: string; read_at: Instant }
}

declare module '../../store/database.ts' {
  interface Database extends AlertTables {}
}
