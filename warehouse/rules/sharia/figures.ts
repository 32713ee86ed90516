// The figures of a company's filings for a screen, as known at an instant: the newest balance sheet, the last fiscal year, and every count
// of shares. Records in, records out.

import { daysBetween } from '#schemas/days.ts'
import { type Value, type Values, valuesOf } from '../../datasets/fundamentals/evaluate.ts'
import type { KnownFact } from '../../datasets/fundamentals/fundamentals.ts'
import { fiscalYearsOf } from '../../datasets/fundamentals/periods.ts'
import { type Statements, statementsOf } from '../../datasets/fundamentals/statements.ts'
import { shariaInputs, shariaItems } from '../../rulesets/sharia/rules.ts'
import type { CountBasis, ShareCount } from './market-value.ts'

export type Position = {
  readonly period_start: string | null
  readonly period_end: string
  readonly fiscal_year: number | null
  readonly currency: string | null
  readonly values: Values
}
export type Figures = {
  readonly balance: Position | null
  readonly year: Position | null
  /** Every fiscal year that is stated, oldest first. */
  readonly years: readonly Position[]
  readonly counts: readonly ShareCount[]
}
export type FigureName = keyof typeof shariaInputs.figures

/** A figure of a position; null if it is not stated. */
export function figureOf(position: Position | null, name: FigureName): Value | null {
  for (const item of shariaInputs.figures[name]) {
    const value = position?.values.get(item) ?? null
    if (value !== null) return value
  }
  return null
}

const assets = ['us-gaap:Assets', 'ifrs-full:Assets']

/** The figures of filings that were public at `at`; a position that ended too long before it is ignored. Cost: a few milliseconds. */
export const figuresAt = (facts: readonly KnownFact[], at: string): Figures => figuresOver(facts)(at)

/**
 * As `figuresAt`, for many instants over the same facts: data from the same filings is read once. Memory: the positions of each
 * requested set of filings.
 */
export function figuresOver(facts: readonly KnownFact[]): (at: string) => Figures {
  const dated = facts.map(fact => ({ fact, instant: Date.parse(fact.known_from) })).sort((a, b) => a.instant - b.instant)
  const held = new Map<number, Stated>()
  return at => {
    const instant = Date.parse(at)
    let visible = dated.findIndex(each => each.instant > instant)
    if (visible < 0) visible = dated.length
    const stated = held.get(visible) ?? statedBy(dated.slice(0, visible).map(({ fact }) => fact))
    held.set(visible, stated)
    return freshAt(stated, at.slice(0, 10))
  }
}

type Stated = { readonly balance: Position | null; readonly years: readonly Position[]; readonly counts: readonly ShareCount[] }

function statedBy(rows: readonly KnownFact[]): Stated {
  const statements = statementsOf(rows, shariaItems)
  const newest = statements.all
    .filter(({ name, period_start }) => period_start === null && assets.includes(name))
    .reduce((latest, { period_end, filed_date }) => (period_end > latest && period_end <= filed_date ? period_end : latest), '')
  return {
    balance: newest === '' ? null : positionOf(statements, null, newest, null),
    years: fiscalYearsOf(statements, shariaItems).map(({ start, end, fiscal_year }) => positionOf(statements, start, end, fiscal_year)),
    counts: countsOf(statements, new Map(rows.map(row => [row.accession, row.known_from]))),
  }
}

function freshAt({ balance, years, counts }: Stated, day: string): Figures {
  const fresh = (position: Position | null): Position | null =>
    position && daysBetween(position.period_end, day) <= shariaInputs.position_max_age_days ? position : null
  return { balance: fresh(balance), year: fresh(years.at(-1) ?? null), years, counts }
}

function positionOf(statements: Statements, start: string | null, end: string, fiscalYear: number | null): Position {
  const currency = statements.currencyAt(end)
  const values = valuesOf(statements, shariaItems, { start: start ?? end, end, year_start: null, currency })
  return { period_start: start, period_end: end, fiscal_year: fiscalYear, currency, values }
}

/**
 * Counts of shares, one per basis, filing and day. Two different counts on one cover are classes that cannot be distinguished, so neither
 * is used.
 */
function countsOf(statements: Statements, knownFrom: ReadonlyMap<string, string>): ShareCount[] {
  const basisOf = new Map(
    Object.entries(shariaInputs.count_concepts).flatMap(([basis, concepts]) => concepts.map(concept => [concept, basis as CountBasis] as const)),
  )
  const groups = new Map<string, ShareCount[]>()
  const reportsOn = newestBalanceOf(statements)
  for (const { name, unit, value, period_end, filed_date, accession } of statements.all) {
    const basis = basisOf.get(name)
    if (basis === undefined || unit !== 'shares' || !(Number(value) > 0)) continue
    const key = `${basis} ${accession} ${period_end}`
    const count = {
      at: period_end,
      value,
      basis,
      concept: name,
      accession,
      filed_at: knownFrom.get(accession) ?? '',
      stated_at: basis === 'cover' ? period_end : filed_date,
      reports_on: reportsOn.get(accession) ?? null,
    }
    const group = groups.get(key)
    if (group) group.push(count)
    else groups.set(key, [count])
  }
  const clear = [...groups.values()].flatMap(group =>
    new Set(group.map(({ value }) => value)).size === 1 ? group.slice(0, 1) : group[0]?.basis === 'cover' ? [] : group.slice(0, 1),
  )
  return clear.sort((a, b) =>
    a.at !== b.at ? (a.at < b.at ? -1 : 1) : a.filed_at !== b.filed_at ? (a.filed_at < b.filed_at ? -1 : 1) : a.accession < b.accession ? -1 : 1,
  )
}

function newestBalanceOf(statements: Statements): Map<string, string> {
  const newest = new Map<string, string>()
  for (const { name, period_start, period_end, accession } of statements.all)
    if (period_start === null && assets.includes(name) && period_end > (newest.get(accession) ?? '')) newest.set(accession, period_end)
  return newest
}
