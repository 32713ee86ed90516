// Calculates one standard line item for one period: tries its rules in order and cites the filing of each figure.

import { addDays, daysBetween } from '#schemas/days.ts'
import { isRounding, isSameNumber, signedSum } from '#schemas/decimals.ts'
import type { LineItem, LineItemPart, LineItemRule, LineItemRules } from '../../rulesets/line-items/rules.ts'
import { compareFiled, type Statement, type Statements } from './statements.ts'

/** A figure of one filing that another is made of: `sign * value`, over all parts, is the value. */
type Part = {
  readonly sign: 1 | -1
  readonly concept: string
  readonly value: string
  readonly period_start: string | null
  readonly period_end: string
  readonly accession: string
  readonly filed_date: string
}
export type Value = {
  readonly value: string
  readonly unit: string
  /** `reported`: one filing states it; `derived`: made of figures that filings state (`parts`). */
  readonly basis: 'reported' | 'derived'
  readonly concept: string | null
  readonly accession: string | null
  readonly form: string | null
  readonly filed_date: string
  /** The day of a count on a cover; null: the end of the period. */
  readonly at: string | null
  readonly formula: string | null
  readonly parts: readonly Part[]
}
export type Period = {
  readonly start: string
  readonly end: string
  /** The start of the fiscal year of a quarter. Null for a year. */
  readonly year_start: string | null
  readonly currency: string | null
}
export type Values = ReadonlyMap<string, Value | null>

type Place = { readonly item: LineItem; readonly period: Period; readonly done: Map<string, Value | null>; readonly statements: Statements }

/** Every standard line item of a period; null if no rule finds a figure in the filings. */
export function valuesOf(statements: Statements, rules: LineItemRules, period: Period): Values {
  const done = new Map<string, Value | null>()
  for (const item of rules.items) done.set(item.item, valueOf({ item, period, done, statements }))
  return done
}

function valueOf(place: Place): Value | null {
  for (const rule of place.item.rules) {
    const value = ruled(rule, place)
    if (value !== null) return value
  }
  return null
}

function ruled(rule: LineItemRule, place: Place): Value | null {
  return 'first' in rule ? firstOf(rule.first, place) : sumOf(rule.sum, place)
}

function firstOf(tiers: readonly (readonly string[])[], place: Place): Value | null {
  for (const tier of tiers) {
    const found = direct(tier, place) ?? (place.item.kind === 'flow' ? betweenYearsToDate(tier, place) : null)
    if (found !== null) return found
  }
  return null
}

/** The newest filing's statement of a tier for exactly this period; within a filing the first concept of the tier. */
function newestOf(statements: Statements, tier: readonly string[], start: string | null, end: string, unit: string): Statement | null {
  let newest: Statement | null = null
  for (const name of tier) {
    for (const statement of statements.of(name, start, end)) {
      if (statement.unit !== unit) continue
      if (newest === null || (statement.accession !== newest.accession && compareFiled(statement, newest) > 0)) newest = statement
    }
  }
  return newest
}

/** The unit in which an item is stated in a currency; null if the period has none. */
export function unitOf(item: LineItem, currency: string | null): string | null {
  if (item.unit === 'shares') return 'shares'
  return currency === null ? null : item.unit === 'currency' ? currency : `${currency}/shares`
}

function direct(tier: readonly string[], { item, period, statements }: Place): Value | null {
  if (item.kind === 'cover' && tier.every(name => name.startsWith('dei:'))) return onCover(tier, period, statements)
  const unit = unitOf(item, period.currency)
  if (unit === null) return null
  const isOver = item.kind === 'flow' || item.kind === 'rate'
  const found = newestOf(statements, tier, isOver ? period.start : null, period.end, unit)
  return found && reported(found, null)
}

/** The count on the cover of the report on the period, on the day that the cover names. */
function onCover(tier: readonly string[], period: Period, statements: Statements): Value | null {
  const report = statements.reportOn(period.end)
  for (const name of report ? tier : []) {
    const newest = statements
      .inFiling(report?.accession ?? '', name)
      .reduce<Statement | null>((held, each) => (held && held.period_end >= each.period_end ? held : each), null)
    if (newest) return reported(newest, newest.period_end)
  }
  return null
}

function reported(statement: Statement, at: string | null): Value {
  const { value, unit, name, accession, form, filed_date } = statement
  return { value, unit, basis: 'reported', concept: name, accession, form, filed_date, at, formula: null, parts: [partOf(statement)] }
}
const partOf = (statement: Statement, sign: 1 | -1 = 1): Part => ({
  sign,
  concept: statement.name,
  value: statement.value,
  period_start: statement.period_start,
  period_end: statement.period_end,
  accession: statement.accession,
  filed_date: statement.filed_date,
})

/**
 * Derives a quarter that no filing states: the year to its end minus the year to its start, of one concept. This gives every fourth quarter
 * (the year minus nine months) and all quarters of cash flow except the first. Both figures must be stated.
 */
function betweenYearsToDate(tier: readonly string[], { item, period, statements }: Place): Value | null {
  const { year_start: from, currency } = period
  const unit = unitOf(item, currency)
  if (from === null || unit === null || from >= period.start) return null
  const before = addDays(period.start, -1)
  for (const name of tier) {
    const whole = historyOf(statements, name, from, period.end, unit)
    const earlier = historyOf(statements, name, from, before, unit)
    if (whole === null || earlier === null) continue
    // If only one of the two was restated, use the first statements of both, which have the same basis.
    const [long, short] = whole.restated === earlier.restated ? [whole.newest, earlier.newest] : [whole.first, earlier.first]
    const months = (end: string): string => `${Math.round((daysBetween(from, end) + 1) / 30.4)} months`
    const parts = [partOf(long), partOf(short, -1)]
    return derived(unit, parts, `${name}: ${months(period.end)} - ${months(before)}`)
  }
  return null
}

/** The first and the last stated value of a concept and period, and whether they differ by more than rounding. */
function historyOf(statements: Statements, name: string, start: string, end: string, unit: string) {
  const newest = newestOf(statements, [name], start, end, unit)
  const first = statements.of(name, start, end).find(statement => statement.unit === unit)
  if (newest === null || first === undefined) return null
  return { first, newest, restated: !isSameNumber(first.value, newest.value) && !isRounding(first.value, newest.value) }
}

function sumOf(rule: readonly LineItemPart[], place: Place): Value | null {
  const { item, period, done } = place
  const unit = unitOf(item, period.currency)
  if (unit === null) return null
  const taken = new Map<string, string>()
  const parts: Part[] = []
  const terms: string[] = []
  for (const part of rule) {
    if ('unless' in part && part.unless.some(name => taken.has(name))) continue
    const value = 'item' in part ? (done.get(part.item) ?? null) : firstOf(part.first, place)
    if (value === null) {
      if (part.optional) continue
      return null
    }
    if ('unless_equal' in part && part.unless_equal.some(name => taken.get(name) === value.value)) continue
    if (value.concept !== null) taken.set(value.concept, value.value)
    for (const each of value.parts) parts.push({ ...each, sign: each.sign === part.sign ? 1 : -1 })
    const term = 'item' in part ? part.item : (value.concept ?? value.formula ?? '')
    terms.push(terms.length === 0 && part.sign === 1 ? term : `${part.sign === 1 ? '+' : '-'} ${term}`)
  }
  return parts.length === 0 ? null : derived(unit, parts, terms.join(' '))
}

function derived(unit: string, parts: readonly Part[], formula: string): Value {
  const filed = parts.reduce((latest, part) => (part.filed_date > latest ? part.filed_date : latest), '')
  return { value: signedSum(parts), unit, basis: 'derived', concept: null, accession: null, form: null, filed_date: filed, at: null, formula, parts }
}
