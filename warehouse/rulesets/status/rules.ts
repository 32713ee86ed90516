// When a component counts as slow or late, when an incident is opened and closed, and its severity: parameters of the product.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { type ComponentState, IncidentImpact } from '#schemas/status.ts'
import { Count, IsoDate } from '#schemas/values.ts'
import table from './rules.json' with { type: 'json' }

const Rules = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  check_seconds: Count,
  unknown_after_seconds: Count,
  slow_database_ms: Count,
  slow_api_ms: Count,
  /** A job that could run and has waited longer means that the workers do not keep up. */
  waiting_minutes: Count,
  free_disk_share: z.number().min(0).max(1),
  free_disk_bytes: Count,
  keep_hours_days: Count,
  incidents: z.strictObject({ down_checks: Count, degraded_checks: Count, good_checks_to_resolve: Count }),
  /** By the longest beginning of the component's name. */
  impact: z.array(z.strictObject({ component: z.string(), down: IncidentImpact, degraded: IncidentImpact })),
})
export const statusRules = parseOnce(Rules, table)
export type StatusRules = z.infer<typeof Rules>

/** The severity of a component that is down or degraded. */
export function impactOf(component: string, status: 'down' | 'degraded', rules = statusRules): IncidentImpact {
  const fitting = rules.impact.filter(row => component.startsWith(row.component))
  return fitting.sort((a, b) => b.component.length - a.component.length)[0]?.[status] ?? 'minor'
}

export type Run = { readonly status: ComponentState; readonly failing: number; readonly passing: number }
/** What consecutive checks require for the component's incident. */
export function checkIncident({ status, failing, passing }: Run, open: boolean, rules = statusRules): 'open' | 'resolve' | 'leave' {
  const { down_checks, degraded_checks, good_checks_to_resolve } = rules.incidents
  if (status === 'down' && failing >= down_checks) return open ? 'leave' : 'open'
  if (status === 'degraded' && failing >= degraded_checks) return open ? 'leave' : 'open'
  return open && passing >= good_checks_to_resolve ? 'resolve' : 'leave'
}
