// The ruleset of report dates: which mark of which source means that an issuer set the day. Validated once, when the module is loaded.
import { z } from 'zod'
import { ReportMark, ReportStatus } from '#schemas/calendars.ts'
import { Broken } from '#schemas/errors.ts'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { methodEdition } from '../editions.ts'
import table from './rules.json' with { type: 'json' }

const Rules = z
  .strictObject({
    ...methodEdition(/^report-dates@\d+$/),
    /** Days of one source and issuer that are at most so far apart name the same report. */
    same_report_days: z.int().min(1).max(80),
    same_report_note: z.string(),
    marks: z.array(
      z.strictObject({
        source: z.string(),
        mark: ReportMark,
        status: ReportStatus,
        valid_from: IsoDate,
        confidence: z.enum(['high', 'medium', 'low']),
        why: z.string().min(10),
      }),
    ),
  })
  .check(context => {
    const seen = new Set<string>()
    for (const { source, mark } of context.value.marks) {
      const key = `${source} ${mark}`
      if (seen.has(key)) context.issues.push({ code: 'custom', message: `${key} occurs twice`, input: key })
      seen.add(key)
    }
  })

const rules = parseOnce(Rules, table)
export const reportDatesRuleset = rules.ruleset
export const sameReportDays = rules.same_report_days
export const reportMarks: readonly z.infer<typeof Rules>['marks'][number][] = rules.marks

/** The meaning of a source's mark for a report's day; throws `Broken` for a mark that the ruleset does not have for that source. */
export function statusOfMark(source: string, mark: ReportMark): ReportStatus {
  const rule = rules.marks.find(each => each.source === source && each.mark === mark)
  if (rule === undefined) throw new Broken(`${rules.ruleset} has no rule for the mark ${mark} of ${source}`)
  return rule.status
}
