// The earliest instant at which a request may be fulfilled, by the rules of request-rules.json. Pure.

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { dayMs } from '#schemas/days.ts'
import { Tier } from '#schemas/plans.ts'
import { IsoDate } from '#schemas/values.ts'

const Rule = z.strictObject({ wait_days: z.int().min(0).max(365), after_paid_period: z.boolean() })
const Rules = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  note: z.string(),
  rules: z.strictObject({ upgrade: Rule, downgrade: Rule, cancel: Rule }),
})
export type RequestRules = z.infer<typeof Rules>['rules']
const requestRules = Rules.parse(JSON.parse(readFileSync(new URL('./request-rules.json', import.meta.url), 'utf8'))).rules

/** Whether `to` holds more than `from`. */
const isUpgrade = (from: Tier, to: Tier): boolean => Tier.options.indexOf(to) > Tier.options.indexOf(from)

/** When a request may be fulfilled. `to` null: a cancellation. `paidUntil` null: no paid period. */
export function eligibleAt(
  {
    from,
    to,
    paidUntil,
    receivedAt,
  }: { readonly from: Tier; readonly to: Tier | null; readonly paidUntil: string | null; readonly receivedAt: Date },
  rules: RequestRules = requestRules,
): Date {
  const rule = to === null ? rules.cancel : isUpgrade(from, to) ? rules.upgrade : rules.downgrade
  const waited = receivedAt.getTime() + rule.wait_days * dayMs
  return new Date(rule.after_paid_period && paidUntil !== null ? Math.max(waited, Date.parse(paidUntil)) : waited)
}

/** Whole days until then, rounded up; 0 once it has passed. */
export const daysUntil = (at: string, now: Date): number => Math.max(0, Math.ceil((Date.parse(at) - now.getTime()) / dayMs))
