// Standard fundamentals of one company, as its filings state them: years, quarters and the trailing twelve months, each calculated
// separately, and restatements. Records in, records out.

import { addDays, daysBetween } from '#schemas/days.ts'
import { isRounding, isSameNumber, signedSum } from '#schemas/decimals.ts'
import type { LineItem, LineItemRules } from '../../rulesets/line-items/rules.ts'
import { type Period, unitOf, type Values, valuesOf } from './evaluate.ts'
import { fiscalYearsOf, type Quarter, quartersOf } from './periods.ts'
import { compareFiled, type FactRow, type Statement, type Statements, statementsOf } from './statements.ts'

export type StandardPeriod = {
  readonly fiscal_year: number | null
  readonly fiscal_period: string | null // FY, Q1 to Q4
  readonly period_start: string
  readonly period_end: string
  readonly days: number
  readonly currency: string | null
  readonly values: Values
}
export type Trailing = {
  readonly period_start: string
  readonly period_end: string
  readonly currency: string | null
  /** Items that add up over time, each with its four quarters; null if one of the quarters is unknown. */
  readonly values: ReadonlyMap<string, { readonly value: string; readonly unit: string; readonly quarters: readonly QuarterPart[] } | null>
}
type QuarterPart = { readonly period_end: string; readonly value: string; readonly basis: 'reported' | 'derived' }
export type Side = {
  readonly concept: string
  readonly value: string
  readonly accession: string
  readonly form: string
  readonly filed_date: string
}
export type Restatement = {
  readonly item: string
  readonly period_start: string | null
  readonly period_end: string
  readonly unit: string
  readonly before: Side
  readonly after: Side
}
export type Standard = {
  readonly annual: readonly StandardPeriod[]
  readonly quarterly: readonly StandardPeriod[]
  readonly ttm: Trailing | null
  readonly restatements: readonly Restatement[]
}

/** Newest first; at most `years` fiscal years and four times as many quarters. Restatements, which take half of the time, are optional. */
export function standardOf(rows: readonly FactRow[], rules: LineItemRules, years: number, { restated = true } = {}): Standard {
  const statements = statementsOf(rows, rules)
  const allYears = fiscalYearsOf(statements, rules)
  const periodOf = (start: string, end: string, yearStart: string | null): Period => ({
    start,
    end,
    year_start: yearStart,
    currency: statements.currencyAt(end),
  })
  const annual = allYears.slice(-years).map(year => {
    const period = periodOf(year.start, year.end, null)
    return standardPeriod(period, year.fiscal_year, 'FY', valuesOf(statements, rules, period))
  })
  const quarters = quartersOf(statements, allYears, rules).slice(-4 * years)
  const quarterly = quarters.map(quarter => {
    const period = periodOf(quarter.start, quarter.end, quarter.year_start)
    return standardPeriod(period, quarter.fiscal_year, quarter.fiscal_period, valuesOf(statements, rules, period))
  })
  return {
    annual: annual.reverse(),
    quarterly: [...quarterly].reverse(),
    ttm: trailingOf(quarters, quarterly, rules),
    restatements: restated ? restatementsOf(statements, rules, [...annual, ...quarterly]) : [],
  }
}

function standardPeriod(period: Period, fiscalYear: number | null, fiscalPeriod: string | null, values: Values): StandardPeriod {
  return {
    fiscal_year: fiscalYear,
    fiscal_period: fiscalPeriod,
    period_start: period.start,
    period_end: period.end,
    days: daysBetween(period.start, period.end) + 1,
    currency: period.currency,
    values,
  }
}

/** The last four quarters, if they are consecutive and in one currency: never a fiscal year instead. */
function trailingOf(quarters: readonly Quarter[], periods: readonly StandardPeriod[], rules: LineItemRules): Trailing | null {
  const last = periods.slice(-4)
  const [first] = last
  const newest = last.at(-1)
  if (last.length < 4 || !first || !newest) return null
  const follows = quarters.slice(-4).every((quarter, at, four) => at === 0 || quarter.start === addDays((four[at - 1] as Quarter).end, 1))
  if (!follows || last.some(each => each.currency !== newest.currency)) return null
  const values = new Map<string, { value: string; unit: string; quarters: readonly QuarterPart[] } | null>()
  for (const { item, kind } of rules.items) {
    if (kind !== 'flow') continue
    const parts = last.map(period => ({ period_end: period.period_end, value: period.values.get(item) ?? null }))
    const known = parts.flatMap(({ period_end, value }) => (value ? [{ period_end, value: value.value, basis: value.basis, unit: value.unit }] : []))
    values.set(
      item,
      known.length < 4
        ? null
        : {
            value: signedSum(known.map(({ value }) => ({ sign: 1, value }))),
            unit: known[0]?.unit ?? '',
            quarters: known.map(({ period_end, value, basis }) => ({ period_end, value, basis })),
          },
    )
  }
  return { period_start: first.period_start, period_end: newest.period_end, currency: newest.currency, values }
}

/** Shown periods for which a later filing states another figure, item by item, oldest period first. */
function restatementsOf(statements: Statements, rules: LineItemRules, periods: readonly StandardPeriod[]): Restatement[] {
  const found = new Map<string, Restatement>()
  for (const item of rules.items) {
    if (item.kind === 'cover') continue
    const isOver = item.kind !== 'level'
    for (const { period_start, period_end, currency } of periods) {
      const unit = unitOf(item, currency)
      if (unit === null) continue
      for (const each of changesOf(statements, item, isOver ? period_start : null, period_end, unit))
        found.set(`${item.item} ${each.period_start ?? ''} ${each.period_end} ${each.after.accession} ${each.after.concept}`, each)
    }
  }
  return [...found.values()].sort((a, b) =>
    a.period_end < b.period_end ? -1 : a.period_end > b.period_end ? 1 : a.after.filed_date < b.after.filed_date ? -1 : 1,
  )
}

function changesOf(statements: Statements, item: LineItem, start: string | null, end: string, unit: string): Restatement[] {
  const changes: Restatement[] = []
  for (const rule of item.rules) {
    for (const tier of 'first' in rule ? rule.first : []) {
      let held: Statement | null = null
      for (const statement of byFiling(statements, tier, start, end, unit)) {
        if (held && !isSameNumber(held.value, statement.value) && !isRounding(held.value, statement.value))
          changes.push({ item: item.item, period_start: start, period_end: end, unit, before: sideOf(held), after: sideOf(statement) })
        held = statement
      }
    }
  }
  return changes
}

/** One statement per filing, oldest first: the first concept of the tier in it. */
function byFiling(statements: Statements, tier: readonly string[], start: string | null, end: string, unit: string): Statement[] {
  const own = new Map<string, Statement>()
  for (const name of tier) {
    for (const statement of statements.of(name, start, end)) {
      if (statement.unit === unit && !own.has(statement.accession)) own.set(statement.accession, statement)
    }
  }
  return [...own.values()].sort(compareFiled)
}
const sideOf = ({ name, value, accession, form, filed_date }: Statement): Side => ({ concept: name, value, accession, form, filed_date })
