// Finds fiscal years and quarters in the filings' statements: years of 52 or 53 weeks, quarters of 12 to 17.
import { addDays, daysBetween } from '#schemas/days.ts'
import { firstPlace } from '#schemas/ordered.ts'
import type { LineItemRules } from '../../rulesets/line-items/rules.ts'
import { baseForm, type Statement, type Statements } from './statements.ts'

export type FiscalYear = { readonly start: string; readonly end: string; readonly fiscal_year: number | null }
export type Quarter = {
  readonly start: string
  readonly end: string
  readonly fiscal_year: number | null
  readonly fiscal_period: string | null // Q1 to Q4; null if the fiscal year is unknown
  /** First day of its fiscal year: what year-to-date figures begin with. */
  readonly year_start: string | null
}

type Window = { readonly start: string; readonly end: string; readonly count: number }
const isWithin = (days: number, [least, most]: readonly [number, number]): boolean => days >= least && days <= most

/** Windows of a length that statements are about, the most stated first. */
function windowsOf(statements: readonly Statement[], length: readonly [number, number]): Window[] {
  const counts = new Map<string, { start: string; end: string; count: number }>()
  for (const { period_start: start, period_end: end } of statements) {
    if (start === null) continue
    const key = `${start} ${end}`
    const held = counts.get(key)
    if (held) held.count += 1
    else if (isWithin(daysBetween(start, end), length)) counts.set(key, { start, end, count: 1 })
  }
  return [...counts.values()].sort(mostStated)
}
const mostStated = (a: Window, b: Window): number => b.count - a.count || (a.end > b.end ? -1 : a.end < b.end ? 1 : a.start < b.start ? -1 : 1)

/**
 * Of overlapping windows the one stated most often is kept: a mistyped day, or the months since an acquisition, is not a
 * period of the company. Oldest first.
 */
function withoutOverlap(windows: readonly Window[]): Window[] {
  const kept: Window[] = [] // by start; as none overlap, also by end
  for (const window of windows) {
    const low = firstPlace(kept.length, place => (kept[place] as Window).start < window.start)
    const before = kept[low - 1]
    const after = kept[low]
    if ((before === undefined || before.end < window.start) && (after === undefined || window.end < after.start)) kept.splice(low, 0, window)
  }
  return kept
}

/**
 * Fiscal years that annual reports state, oldest first; `fiscal_year` is the filer's own number (`fy` of the report on it), for
 * years that are only in later reports the number before that of the year that follows on it.
 */
export function fiscalYearsOf(statements: Statements, rules: LineItemRules): FiscalYear[] {
  const annual = new Set(rules.annual_forms)
  const stated = statements.all.filter(statement => annual.has(baseForm(statement.form)))
  const years: FiscalYear[] = []
  for (const { start, end } of withoutOverlap(windowsOf(stated, rules.days.annual)).reverse()) {
    const next = years[0]
    const before = next?.fiscal_year != null && next.start === addDays(end, 1) ? next.fiscal_year - 1 : null
    years.unshift({ start, end, fiscal_year: statements.reportOn(end)?.fy ?? before })
  }
  return years
}

/** Quarters that are stated, or that are the difference of two year-to-date periods, oldest first. */
export function quartersOf(statements: Statements, years: readonly FiscalYear[], rules: LineItemRules): Quarter[] {
  const last = years.at(-1)
  const starts = [...years.map(year => year.start), ...(last ? [addDays(last.end, 1)] : [])]
  const toDate = new Map<string, Set<string>>(starts.map(start => [start, new Set()]))
  for (const { period_start: start, period_end: end } of statements.all) {
    if (start !== null && daysBetween(start, end) <= rules.days.annual[1]) toDate.get(start)?.add(end)
  }
  const windows = new Map(windowsOf(statements.all, rules.days.quarter).map(window => [`${window.start} ${window.end}`, window]))
  for (const [start, ends] of toDate) {
    let from = start
    for (const end of [...ends].sort()) {
      if (isWithin(daysBetween(from, end), rules.days.quarter)) {
        const key = `${from} ${end}`
        const held = windows.get(key)
        // Figures of cash flow are stated for the year to date only: that they are is as good as a statement of the quarter.
        windows.set(key, { start: from, end, count: (held?.count ?? 0) + 1 })
        from = addDays(end, 1)
      }
    }
  }
  return withoutOverlap([...windows.values()].sort(mostStated)).map(window => labelled(window, years, statements))
}

function labelled({ start, end }: Window, years: readonly FiscalYear[], statements: Statements): Quarter {
  const own = years.find(year => year.start <= start && end <= year.end)
  const last = years.at(-1)
  const current = last !== undefined && start > last.end && daysBetween(last.end, end) <= 380 ? addDays(last.end, 1) : null
  const yearStart = own?.start ?? current
  const length = own ? daysBetween(own.start, own.end) + 1 : 365
  const place = yearStart === null ? null : Math.round(((daysBetween(yearStart, end) + 1) / length) * 4)
  return {
    start,
    end,
    fiscal_year: own ? own.fiscal_year : (statements.reportOn(end)?.fy ?? null),
    fiscal_period: place !== null && place >= 1 && place <= 4 ? `Q${place}` : null,
    year_start: yearStart,
  }
}
