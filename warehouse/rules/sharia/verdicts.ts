// Verdicts under the Sharia standards from plain inputs: one per standard, never merged. Pure and exact: a ratio is compared as a fraction,
// so the rule's operator decides a value on the limit, not rounding.

import type { z } from 'zod'
import type { InstrumentType } from '#schemas/symbols.ts'
import { compare, minus, numberOf, over, plus, type Ratio, ratioOf, times, unreduced, zero } from '../../datasets/prices/ratio.ts'
import { currentRulesets, type ShariaMode, type ShariaRuleset, type ShariaTest } from '../../rulesets/sharia/rules.ts'
import { type Business, evaluateBusiness, type Industry, type Review } from './business.ts'

export type Verdict = 'compliant' | 'non_compliant' | 'questionable' | 'unknown' | 'not_covered'
/** The known range of an amount: at least `low`, at most `high`; `high` null: no known upper bound. Equal: known exactly. */
export type Range = { readonly low: Ratio; readonly high: Ratio | null }

/** Statement figures in one currency, as decimals; null: not stated. */
export type PlainFigures = {
  readonly debt: string | null
  readonly interest_bearing_assets: string | null
  readonly cash: string | null
  readonly receivables: string | null
  readonly total_assets: string | null
  readonly revenue: string | null
  readonly interest_income: string | null
  /** Market value in the currency of the statements: 0 at the last verified position, else the average of this many months. */
  readonly marketValue: (windowMonths: number) => Ratio | null
}
export type Company = {
  readonly type: z.infer<typeof InstrumentType>
  readonly review: Review | null
  readonly industry: Industry | null
}
type TestStatus = 'pass' | 'fail' | 'unknown'
export type Outcome = {
  readonly test: ShariaTest
  readonly limit: string
  readonly operator: 'lt' | 'lte'
  readonly numerator: Range | null
  readonly denominator: Ratio | null
  /** The exact ratio, or its lower bound; null if there is none. */
  readonly ratio: number | null
  readonly at_least: boolean
  /** Limit minus ratio: negative above it. */
  readonly margin: number | null
  readonly status: TestStatus
  /** Why it is unknown, or why it was kept by the buffer of an index. */
  readonly reason: string | null
}
export type Assessment = {
  readonly ruleset: ShariaRuleset
  readonly mode: ShariaMode
  readonly verdict: Verdict
  readonly reason: string
  readonly business: Business
  readonly outcomes: readonly Outcome[]
}

const hundred = ratioOf('100')
const exactly = (value: Ratio): Range => ({ low: value, high: value })
const known = (decimal: string | null): Ratio | null => (decimal === null ? null : ratioOf(decimal))

function sum(a: Ratio | null, b: Ratio | null): Range | null {
  return a === null || b === null ? null : exactly(plus(a, b))
}

/**
 * Interest income and the share of revenue that a review found. A missing input leaves the upper end open, so the test can fail on known
 * amounts and can never pass on unknown ones.
 */
export function impermissibleIncome(figures: PlainFigures, business: Business): Range | null {
  const [interest, revenue] = [known(figures.interest_income), known(figures.revenue)]
  const { low, high } = business.share
  const part = (percent: Ratio): Ratio | null => (percent.numerator === 0n ? zero : revenue && over(times(revenue, percent), hundred))
  const least = part(low)
  if (interest === null && (least === null || least.numerator === 0n)) return null
  const most = high === null ? null : part(high)
  return { low: plus(interest ?? zero, least ?? zero), high: interest === null || most === null ? null : plus(interest, most) }
}

function numeratorOf({ numerator }: ShariaTest, figures: PlainFigures, business: Business): Range | null {
  if (numerator === 'impermissible_income') return impermissibleIncome(figures, business)
  if (numerator === 'receivables_and_cash') return sum(known(figures.receivables), known(figures.cash))
  const value = known(figures[numerator])
  return value && exactly(value)
}

function denominatorOf({ denominator, window_months }: ShariaTest, figures: PlainFigures): Ratio | null {
  if (denominator === 'market_value') return figures.marketValue(window_months ?? 0)
  // The revenue of a statement is used as total income: an omission makes the ratio larger, never smaller.
  return known(denominator === 'total_assets' ? figures.total_assets : figures.revenue)
}

/** A product that is only compared or divided. */
const product = (a: Ratio, b: Ratio): Ratio => unreduced(a.numerator * b.numerator, a.denominator * b.denominator)
/** The double nearest to `a / b`; `b` is above 0. */
const quotient = (a: Ratio, b: Ratio): number => numberOf(unreduced(a.numerator * b.denominator, a.denominator * b.numerator))

/** True if `numerator / denominator` breaks the limit; compared without dividing. The denominator is above 0. */
function breaks(numerator: Ratio, denominator: Ratio, limit: Ratio, operator: 'lt' | 'lte'): boolean {
  const order = compare(numerator, product(limit, denominator))
  return operator === 'lt' ? order >= 0 : order > 0
}

/** The mode whose limits apply: an index with two limits applies the retention limit to its constituents. */
export function limitsMode(ruleset: ShariaRuleset, mode: ShariaMode, prior: Prior | null): ShariaMode {
  return mode === 'index' && ruleset.index_rule?.kind === 'entry_retention' ? (prior?.verdict === 'compliant' ? 'retention' : 'entry') : mode
}

/** One test from the known amounts of its two sides. */
export function evaluateTest(test: ShariaTest, mode: ShariaMode, numerator: Range | null, denominator: Ratio | null): Outcome {
  const rule = test.limits.find(each => each.modes.includes(mode))
  if (!rule) throw new TypeError(`${test.id} has no limit in mode ${mode}`)
  const { limit, operator } = rule
  const base = { test, limit, operator, numerator, denominator }
  const unknown = (reason: string, ratio: number | null = null): Outcome => ({
    ...base,
    ratio,
    at_least: ratio !== null,
    margin: ratio === null ? null : Number(limit) - ratio,
    status: 'unknown',
    reason,
  })
  if (numerator === null) return unknown(`${test.numerator}_missing`)
  if (denominator === null) return unknown(`${test.denominator}_missing`)
  if (denominator.numerator <= 0n) return unknown(`${test.denominator}_not_positive`)
  if (numerator.low.numerator < 0n) return unknown(`${test.numerator}_negative`)
  const { low, high } = numerator
  const of = ratioOf(limit)
  const ratio = quotient(low, denominator)
  const exact = high !== null && compare(low, high) === 0
  const decided = { ...base, ratio, at_least: !exact, margin: marginOf(low, denominator, of), reason: null }
  if (breaks(low, denominator, of, operator)) return { ...decided, status: 'fail' }
  if (high !== null && !breaks(high, denominator, of, operator)) return { ...decided, status: 'pass' }
  return unknown(`${test.numerator}_incomplete`, ratio)
}
function marginOf(numerator: Ratio, denominator: Ratio, limit: Ratio): number {
  const allowed = product(limit, denominator)
  const left = allowed.numerator * numerator.denominator - numerator.numerator * allowed.denominator
  return quotient(unreduced(left, allowed.denominator * numerator.denominator), denominator)
}

/** The previous verdict, and the number of consecutive evaluations before it on the other side of a limit. */
export type Prior = { readonly verdict: 'compliant' | 'non_compliant'; readonly evaluations: number }

/**
 * Within the buffer of an index a company keeps its status until it was on the other side of the limit for this many consecutive
 * evaluations. Outside the buffer, whose edge belongs to it, the status changes immediately. Only tests of a market value have one.
 */
function buffered(outcome: Outcome, ruleset: ShariaRuleset, prior: Prior | null): Outcome {
  const rule = ruleset.index_rule
  if (rule?.kind !== 'buffer' || prior === null || outcome.test.denominator !== 'market_value') return outcome
  const { numerator, denominator, status } = outcome
  if (numerator === null || denominator === null || status === 'unknown') return outcome
  const crossed = (status === 'fail') === (prior.verdict === 'compliant')
  if (!crossed || prior.evaluations + 1 >= rule.evaluations) return outcome
  const [limit, buffer] = [ratioOf(outcome.limit), ratioOf(rule.buffer)]
  const edge = status === 'fail' ? plus(limit, buffer) : minus(limit, buffer)
  const order = compare(numerator.low, product(edge, denominator))
  if (status === 'fail' ? order > 0 : order < 0) return outcome
  return { ...outcome, status: status === 'fail' ? 'pass' : 'fail', reason: 'kept_by_buffer' }
}

const listed = (outcomes: readonly Outcome[], status: TestStatus): string =>
  outcomes
    .filter(outcome => outcome.status === status)
    .map(({ test, ratio, limit, operator, reason, at_least }) =>
      status === 'unknown'
        ? `${test.id} (${(reason ?? '').replaceAll('_', ' ')})`
        : `${test.id} ${at_least ? 'at least ' : ''}${ratio?.toFixed(4)}, limit ${operator === 'lt' ? 'below' : 'up to'} ${limit}${reason === 'kept_by_buffer' ? ' (kept by the buffer)' : ''}`,
    )
    .join('; ')

/** The order of b.3: prohibited, a failed test, questionable, an unknown test, else compliant. */
function verdictOf(business: Business, outcomes: readonly Outcome[]): Pick<Assessment, 'verdict' | 'reason'> {
  const named = business.categories.map(each => each.category).join(', ')
  if (business.status === 'not_covered') return { verdict: 'not_covered', reason: business.sentence }
  if (business.status === 'prohibited') return { verdict: 'non_compliant', reason: `business: ${named || business.sentence}` }
  const failed = listed(outcomes, 'fail')
  if (failed !== '') return { verdict: 'non_compliant', reason: `failed: ${failed}` }
  if (business.status === 'questionable') return { verdict: 'questionable', reason: `business: ${named || business.sentence}` }
  const open = listed(outcomes, 'unknown')
  if (open !== '' || business.status === 'unknown') {
    const parts = [business.status === 'unknown' ? `business: ${business.sentence}` : '', open === '' ? '' : `not known: ${open}`]
    return { verdict: 'unknown', reason: parts.filter(part => part !== '').join('; ') }
  }
  return { verdict: 'compliant', reason: 'the business is clean and every test is passed' }
}

/** One standard: the business, every test of the edition, and the verdict. */
export function evaluate(ruleset: ShariaRuleset, mode: ShariaMode, figures: PlainFigures, company: Company, prior: Prior | null = null): Assessment {
  const business = evaluateBusiness(ruleset, company)
  const limits = limitsMode(ruleset, mode, prior)
  const outcomes = ruleset.tests.map(test => {
    const outcome = evaluateTest(test, limits, numeratorOf(test, figures, business), denominatorOf(test, figures))
    return mode === 'index' ? buffered(outcome, ruleset, prior) : outcome
  })
  return { ruleset, mode, ...verdictOf(business, outcomes), business, outcomes }
}

/** A verdict for the current edition of each of the five standards, in its default mode. Cost: about ten microseconds. */
export const verdictsOf = (figures: PlainFigures, company: Company): readonly Assessment[] =>
  currentRulesets.map(ruleset => evaluate(ruleset, ruleset.default_mode, figures, company))
