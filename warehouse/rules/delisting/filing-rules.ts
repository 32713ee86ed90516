// Tests of filings by an issuer (or its exchange): notices, removals, late reports, a shell's industry.
import { addDays, daysBetween } from '#schemas/days.ts'
import type { RuleOf } from '../../rulesets/delisting/rules.ts'
import { nothing } from './levels.ts'
import type { Subject } from './measures.ts'
import type { Evidence, FoundFiling, Outcome } from './types.ts'

const noFilings = ({ no_filings }: Evidence): string => no_filings ?? 'no filing of the issuer is held'
const lake = { basis: 'lake' as const }

/** Filings of the forms (and items) within the window; passes if filings of the issuer are stored and none of them matches. */
export function evaluateFilings({ test }: RuleOf<'filings'>, { evidence }: Subject): Outcome {
  if (evidence.filings === null) return { ...nothing, reason: noFilings(evidence) }
  const since = addDays(evidence.day, -test.days)
  const found = evidence.filings.filter(
    ({ form, items, filed_date }) =>
      test.forms.includes(form) &&
      filed_date > since &&
      filed_date <= evidence.day &&
      (test.items.length === 0 || items.some(item => test.items.includes(item))),
  )
  const [newest] = found
  return {
    ...nothing,
    ...lake,
    status: newest ? test.status : 'pass',
    reason: newest
      ? `${test.found} (filed ${newest.filed_date}${found.length > 1 ? `, and ${found.length - 1} more since ${since}` : ''})`
      : `none since ${since}`,
    value: String(found.length),
    unit: 'filings',
    operator: '<',
    threshold: '1',
    at: newest?.filed_date ?? null,
    documents: found.map(({ accession }) => accession),
  }
}

/** A notice of a late report without a later report of its kind: fails once the extension that the notice gives has passed. */
export function evaluateLateReport({ test }: RuleOf<'late_report'>, { evidence }: Subject): Outcome {
  if (evidence.filings === null) return { ...nothing, reason: noFilings(evidence) }
  const since = addDays(evidence.day, -test.days)
  const open = test.notices
    .flatMap(kind =>
      (evidence.filings ?? [])
        .filter(({ form, filed_date }) => kind.forms.includes(form) && filed_date > since && filed_date <= evidence.day)
        .filter(notice => !(evidence.filings ?? []).some(filing => kind.reports.includes(filing.form) && answers(filing, notice)))
        .map(notice => ({ notice, until: addDays(notice.filed_date, kind.extension_days) })),
    )
    .sort((a, b) => (a.notice.filed_date < b.notice.filed_date ? -1 : 1))
  const [oldest] = open
  if (!oldest)
    return {
      ...nothing,
      ...lake,
      status: 'pass',
      reason: `no notice of a late report since ${since} is without its report`,
      value: '0',
      unit: 'filings',
      operator: '<',
      threshold: '1',
    }
  const { notice, until } = oldest
  const late = evidence.day > until
  const elapsed = Math.max(0, daysBetween(notice.filed_date, evidence.day))
  return {
    ...nothing,
    ...lake,
    status: late ? 'fail' : 'watch',
    reason: late
      ? `${notice.form} of ${notice.filed_date}: the report that it announces is not held, and its extension ended on ${until}`
      : `${notice.form} of ${notice.filed_date}: the report is late; its extension ends on ${until}`,
    value: String(open.length),
    unit: 'filings',
    operator: '<',
    threshold: '1',
    clock: {
      stage: 'report',
      unit: 'calendar_days',
      from: notice.filed_date,
      until: addDays(notice.filed_date, test.period_days),
      days: test.period_days,
      days_elapsed: elapsed,
      days_left: Math.max(0, test.period_days - elapsed),
      mended_sessions: null,
      mended_after: null,
      gaps: 0,
      sentence: `counted from the notice, which follows the due date by a day: ${test.plan_days} days to file a plan, up to ${test.period_days} days to file the report`,
    },
    at: notice.filed_date,
    documents: open.map(each => each.notice.accession),
  }
}

/** A report of the same period, or if one of the two states none, any later one. */
const answers = (filing: FoundFiling, notice: FoundFiling): boolean =>
  filing.filed_date >= notice.filed_date &&
  (filing.period_of_report === null || notice.period_of_report === null || filing.period_of_report === notice.period_of_report)

/** A shell according to the request, or by the industry under which EDGAR files the issuer. */
export function evaluateShell({ test }: RuleOf<'shell'>, { evidence }: Subject, requested: boolean): Outcome {
  if (requested) return { ...nothing, status: 'watch', reason: 'a shell company, by the request', basis: 'request' }
  const blank = evidence.sic !== null && test.sics.includes(evidence.sic)
  if (blank) return { ...nothing, ...lake, status: 'watch', reason: `EDGAR files the issuer under SIC ${evidence.sic}, blank checks` }
  return { ...nothing, status: 'not_applicable', reason: 'the request does not state is_shell_company', basis: 'request' }
}
