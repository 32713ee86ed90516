// Kysely's types of migrations/0007-status.sql.
import type { Generated } from 'kysely'
import type { ComponentState, IncidentImpact } from '#schemas/status.ts'

export type StatusTables = {
  component_check: {
    component: string
    status: ComponentState
    latency_ms: number | null
    detail: string | null
    checked_at: string
    since: string
    failing: number
    passing: number
  }
  component_hour: { component: string; hour: string; checks: number; good: number; worst: ComponentState }
  incident: {
    incident_id: string
    component: string | null
    title: string
    impact: IncidentImpact
    body: string | null
    opened_by: 'rule' | 'operator'
    started_at: string
    resolved_at: string | null
    /** Shown to administrators only, until one of them publishes it. */
    draft: Generated<boolean>
  }
  check_round: { one: boolean; started_at: string }
}

declare module '../../store/database.ts' {
  interface Database extends StatusTables {}
}
