// Reports of browsers. Every report gets the same response, and valid ones are stored without data about the sender.

import { readViolations, readVitals } from '#warehouse/people/telemetry/read.ts'
import { countViolations, keepVitals } from '#warehouse/people/telemetry/store.ts'
import { vitalRules } from '#warehouse/rulesets/telemetry/vitals.ts'
import type { Context, Handlers } from '../handler.ts'
import { createMeter } from '../plugins/meter.ts'
import { noContent, type UserTools } from '../users/tools.ts'

export function telemetryHandlers({ db, warn }: Pick<UserTools, 'db' | 'warn'>): Pick<Handlers, 'report_csp' | 'report_vitals'> {
  const { reports_per_minute, reports_per_minute_of_all } = vitalRules
  const listens = createMeter(reports_per_minute, reports_per_minute_of_all, () => performance.now())
  /** A report that cannot be stored is lost; the operator's log has the reason. */
  const lost = (error: unknown): void => warn(`a browser's report was lost: ${error instanceof Error ? error.name : 'unknown error'}`)
  const received = async (context: Context, keep: (text: string) => Promise<void>) => {
    if (typeof context.body === 'string' && context.body !== '' && listens(context.address)) await keep(context.body).catch(lost)
    return noContent()
  }
  return {
    report_csp: (_question, context) => received(context, async text => countViolations(db, readViolations(text), context.now())),
    report_vitals: (_question, context) => received(context, async text => keepVitals(db, readVitals(text), context.now())),
  }
}
