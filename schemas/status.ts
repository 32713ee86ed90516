// Status of the service: components, their hours and incidents (the specification's Status records).
import { z } from 'zod'
import { Count, Instant, Text } from './values.ts'

/** `unscheduled`: no schedule loads it, so it cannot be late. `loading`: created a short time ago, and nothing was loaded yet. */
export const ComponentState = z.enum(['operational', 'degraded', 'down', 'unscheduled', 'loading'])
export type ComponentState = z.infer<typeof ComponentState>
export const IncidentImpact = z.enum(['minor', 'major', 'critical', 'maintenance'])
export type IncidentImpact = z.infer<typeof IncidentImpact>

/** `unknown`: not checked recently. */
const ShownState = z.enum([...ComponentState.options, 'unknown'])

export const ComponentStatus = z.object({
  name: Text.describe(
    'api, database, worker, storage, signing, reproduction, raw, warehouse.duckdb, bucket, witnesses, dataset:<name>, model:<name> or source:<name>',
  ),
  status: ShownState.describe(
    'operational; degraded: late, or part of it fails; down; unscheduled: nothing loads it by schedule; loading: nothing was loaded yet and it is not late; unknown: not checked for three minutes',
  ),
  latency_ms: Count.nullable().describe('of the check itself; null if there is nothing to ask'),
  detail: Text.nullable().describe('the finding, if the component is not operational; of reproduction: the result of the newest sample'),
  checked_at: Instant,
})
export type ComponentStatus = z.infer<typeof ComponentStatus>

export const ReproductionStatus = z.object({
  seed: Text.describe('of the sample: its day and the size of the receipt log; crossfile reproduce --seed repeats it'),
  population: Count.describe('receipts of which the sample was drawn'),
  size: Count.describe('receipts of the sample'),
  ended_at: Instant,
  equal: Count,
  different: Count,
  not_possible: Count.describe('not re-executed, for example because the files of the release are damaged'),
  share_equal: z.number().nullable().describe('equal of those that were re-executed, rounded down to four decimals; null: none was'),
  different_receipts: z.array(Text),
})
export type ReproductionStatus = z.infer<typeof ReproductionStatus>

export const HistoryPoint = z.object({
  component: Text,
  hour: Instant.describe('beginning of the hour, or of the day with by=day, UTC'),
  status: ComponentState.describe('the worst of the hour or day'),
  uptime_pct: z.number().min(0).max(100).describe('share of the checks of the hour or day that were good; of the worker: of the minutes'),
})
export type HistoryPoint = z.infer<typeof HistoryPoint>

export const IncidentOut = z.object({
  id: Text,
  title: Text,
  impact: IncidentImpact,
  body: Text.nullable(),
  started_at: Instant,
  resolved_at: Instant.nullable().describe('null: it is ongoing'),
})
export type IncidentOut = z.infer<typeof IncidentOut>
