// A period's figures as first reported, without restatements.
import { daysBetween } from '#schemas/days.ts'
import type { LineItemRules } from '../../rulesets/line-items/rules.ts'
import { type Value, valuesOf } from './evaluate.ts'
import { fiscalYearsOf, quartersOf } from './periods.ts'
import { type FactRow, type Statement, statementsOf } from './statements.ts'

export type ReportedPeriod = {
  readonly start: string
  readonly end: string
  readonly year_start: string | null
  readonly fiscal_year: number | null
  readonly fiscal_period: string | null
  /** The first filing that reports on it. */
  readonly report: Statement
}
export type FirstReported = {
  readonly periods: readonly ReportedPeriod[]
  readonly valuesOf: (period: ReportedPeriod) => ReadonlyMap<string, Value | null>
}

/** Periods that filings report on, oldest first: quarters, and fiscal years if no quarter ends with them. */
export function firstReportedOf(rows: readonly FactRow[], rules: LineItemRules): FirstReported {
  const statements = statementsOf(rows, rules)
  const years = fiscalYearsOf(statements, rules)
  const quarters = quartersOf(statements, years, rules)
  const ends = new Set(quarters.map(quarter => quarter.end))
  const all = [...quarters, ...years.filter(year => !ends.has(year.end)).map(year => ({ ...year, fiscal_period: 'FY', year_start: null }))]
  const periods = all.flatMap(period => {
    const report = statements.reportOn(period.end)
    return report ? [{ ...period, report }] : []
  })
  periods.sort((a, b) => (a.end < b.end ? -1 : 1))
  return {
    periods,
    valuesOf: period => {
      // The facts that were public when its report was filed, without later filings.
      const then = statementsOf(
        rows.filter(row => row.filed_date < period.report.filed_date || row.accession === period.report.accession),
        rules,
      )
      return valuesOf(then, rules, { start: period.start, end: period.end, year_start: period.year_start, currency: then.currencyAt(period.end) })
    },
  }
}

/** Calendars of 52 weeks end some days off the month that a release names. */
const nearDays = 7
/** Maximum number of days between the end of a period and its results. */
const lateDays = 130

/**
 * The period of an earnings release: the one that its text names; otherwise the newest that had ended by then and whose report was not yet
 * filed. Null if the facts contain neither.
 */
export function periodOfRelease(
  periods: readonly ReportedPeriod[],
  release: { readonly period_end: string | null; readonly filed_date: string },
): { readonly period: ReportedPeriod | null; readonly basis: 'stated' | 'next_reported' | null } {
  const { period_end: stated, filed_date: filed } = release
  if (stated !== null) {
    const near = periods.filter(period => Math.abs(daysBetween(stated, period.end)) <= nearDays)
    return {
      period: near.toSorted((a, b) => Math.abs(daysBetween(stated, a.end)) - Math.abs(daysBetween(stated, b.end)))[0] ?? null,
      basis: 'stated',
    }
  }
  const due = periods.findLast(period => period.end < filed && daysBetween(period.end, filed) <= lateDays && period.report.filed_date >= filed)
  return { period: due ?? null, basis: due ? 'next_reported' : null }
}
