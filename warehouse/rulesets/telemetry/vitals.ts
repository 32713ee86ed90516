// How Web Vitals are graded, and how much of what browsers report is kept, and how long.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { Count, IsoDate } from '#schemas/values.ts'
import table from './vitals.json' with { type: 'json' }

export const vitalNames = ['LCP', 'INP', 'CLS', 'FID'] as const
export type VitalName = (typeof vitalNames)[number]
const Rules = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  /** Share of visits that are at least as good as the graded value. */
  percentile: z.number().gt(0).lt(1),
  metrics: z.array(
    z.strictObject({
      metric: z.enum(vitalNames),
      name: z.string(),
      unit: z.enum(['ms', 'score']),
      good_to: z.number(),
      poor_above: z.number(),
      /** A higher reported value is not a measurement. */
      greatest: z.number(),
      valid_from: IsoDate,
      valid_to: IsoDate.nullable(),
      source: z.string(),
      confidence: z.string(),
    }),
  ),
  raw_days: Count,
  daily_days: Count,
  csp_days: Count,
  /** Of one address; more is answered alike and not kept. */
  reports_per_minute: Count,
  reports_per_minute_of_all: Count,
  /** The pages that were reported most; the rest is counted together. */
  pages_per_day: Count,
  csp_rows_per_day: Count,
})
export const vitalRules = parseOnce(Rules, table)

export type Grade = 'good' | 'needs improvement' | 'poor'
/** How good a figure of a day is; null if the metric was not graded on that day. */
export function gradeOf(metric: string, value: number, day: string, rules = vitalRules): Grade | null {
  const row = rules.metrics.find(each => each.metric === metric && each.valid_from <= day && (each.valid_to === null || day <= each.valid_to))
  if (!row) return null
  return value <= row.good_to ? 'good' : value > row.poor_above ? 'poor' : 'needs improvement'
}
