// Erasures of accounts and reports of browsers for administrators: what `crossfile erasures` and `crossfile telemetry` print, over HTTP.
import { findDoneErasures, findWaitingErasures } from '#warehouse/people/admin/erasures.ts'
import { graceDays } from '#warehouse/people/privacy/erasure.ts'
import { findViolations, findVitals } from '#warehouse/people/telemetry/store.ts'
import { vitalRules } from '#warehouse/rulesets/telemetry/vitals.ts'
import type { Handler, Handlers } from '../handler.ts'
import { administrator, afterCursor, paged } from './admin.ts'
import { jsonAnswer, type UserTools } from './tools.ts'

export function adminPrivacyHandlers(tools: UserTools) {
  const { db } = tools
  const erasures: Handler<'list_erasures'> = async (question, context) => {
    await administrator(tools, context)
    const last = afterCursor(context, question)
    const after = last === null ? null : { erased_at: String(last[0]), subject_sha256: String(last[1]) }
    const queued = await findWaitingErasures(db, context.now())
    const { count, done } = await findDoneErasures(db, { after, limit: question.limit + 1 })
    const { rows, next_cursor } = paged(context, question, done, row => [row.erased_at, row.subject_sha256])
    return jsonAnswer({
      grace_days: graceDays,
      waiting_count: queued.count,
      waiting: after === null ? queued.waiting : [],
      count: rows.length,
      of: count,
      erasures: rows,
      next_cursor,
    })
  }
  const telemetry: Handler<'get_admin_telemetry'> = async ({ days }, context) => {
    await administrator(tools, context)
    const [vitals, violations] = await Promise.all([findVitals(db, days, context.now()), findViolations(db, days, context.now())])
    return jsonAnswer({
      days,
      kept_days: { measurements: vitalRules.raw_days, figures: vitalRules.daily_days, violations: vitalRules.csp_days },
      vitals_count: vitals.length,
      vitals: vitals.map(({ day, page, metric, samples, p75, grade }) => ({ day, page, metric, unit: unitOf(metric), p75, grade, visits: samples })),
      violations_count: violations.length,
      violations,
    })
  }
  return { list_erasures: erasures, get_admin_telemetry: telemetry } satisfies Partial<Handlers>
}

const unitOf = (metric: string): 'ms' | 'score' => vitalRules.metrics.find(each => each.metric === metric)?.unit ?? 'ms'
