// Prints Sharia screens: amounts with the digits of their filings, computed amounts with at most four decimals, ratios as numbers.

import { digits } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import type { Value } from '../datasets/fundamentals/evaluate.ts'
import { decimalOf, type Ratio, ratioOf } from '../datasets/prices/ratio.ts'
import { type FigureName, figureOf, type Position } from '../rules/sharia/figures.ts'
import type { Average, Missing, Valued } from '../rules/sharia/market-value.ts'
import type { SubjectState } from '../rules/sharia/screen.ts'
import { type Assessment, evaluateTest, limitsMode, type Outcome, type Prior } from '../rules/sharia/verdicts.ts'

export const amount = (value: Ratio | null, places = 4): object | null => (value === null ? null : digits(decimalOf(value, places)))
const ratio = (value: number | null): number | null => (value === null ? null : rounded(value))

/** When the filings were public, by accession. */
export type FiledAt = ReadonlyMap<string, string>

type Input = { readonly concept: string; readonly value: string; readonly accession: string; readonly period_end: string }
const inputsOf = (value: Value | null): Input[] =>
  (value?.parts ?? []).map(({ concept, value: own, accession, period_end }) => ({ concept, value: own, accession, period_end }))
const countsOf = (valued: readonly Valued[]): Input[] =>
  valued.map(({ count }) => ({ concept: count.concept, value: count.value, accession: count.accession, period_end: count.at }))

function printedInputs(inputs: readonly Input[], filedAt: FiledAt): object[] {
  const distinct = new Map(inputs.map(input => [`${input.concept} ${input.accession} ${input.period_end}`, input]))
  return [...distinct.values()].map(({ concept, value, accession, period_end }) => ({
    concept,
    value: digits(value),
    accession,
    period_end,
    filed_at: filedAt.get(accession) ?? null,
  }))
}

const named: Readonly<Record<string, readonly FigureName[]>> = {
  debt: ['debt'],
  interest_bearing_assets: ['interest_bearing_assets'],
  receivables: ['receivables'],
  receivables_and_cash: ['receivables', 'cash'],
  impermissible_income: ['interest_income'],
  total_assets: ['total_assets'],
  revenue: ['revenue'],
  total_income: ['revenue'],
}
const valued = (average: Average | null): Valued[] => (average?.months ?? []).flatMap(month => ('value' in month ? [month] : []))

const methods = {
  spot: 'close of the last session up to the balance sheet times shares outstanding',
  average: 'mean of month-end closes times the shares outstanding then',
  revenue: 'as stated',
  total_assets: 'as stated',
  total_income: 'revenue as stated stands for total income: what it leaves out makes the ratio larger',
} as const

/** One test with its inputs. */
function printedTest(outcome: Outcome, assessment: Assessment, state: SubjectState, filedAt: FiledAt, prior: Prior | null): object {
  const { test } = outcome
  const position = (name: FigureName): Position | null =>
    name === 'interest_income' || name === 'revenue' ? state.figures.year : state.figures.balance
  const items = (named[test.numerator] ?? []).map(name => ({ name, value: figureOf(position(name), name) }))
  const months = test.window_months ?? 0
  const average = months > 0 ? state.average(months) : null
  const spot = state.spot && 'value' in state.spot ? [state.spot] : []
  const isMarket = test.denominator === 'market_value'
  const below = isMarket
    ? countsOf(months > 0 ? valued(average) : spot)
    : (named[test.denominator] ?? []).flatMap(name => inputsOf(figureOf(position(name), name)))
  const { numerator } = outcome
  return {
    id: test.id,
    title: test.title,
    status: outcome.status,
    reason: outcome.reason,
    numerator: {
      name: test.numerator,
      value: amount(numerator?.low ?? null),
      at_least: outcome.at_least,
      items: [
        ...items.map(({ name, value }) => ({
          item: name as string,
          value: digits(value?.value),
          basis: value?.basis ?? null,
          formula: value?.formula ?? null,
        })),
        ...(test.numerator === 'impermissible_income' ? [shareItem(assessment)] : []),
      ],
    },
    denominator: {
      name: test.denominator,
      value: amount(outcome.denominator),
      currency: state.currency,
      window_months: test.window_months,
      method: isMarket ? (months > 0 ? methods.average : methods.spot) : methods[test.denominator as 'revenue' | 'total_assets' | 'total_income'],
      months_known: average?.months_known ?? null,
      months_required: average?.months_required ?? null,
    },
    ratio: ratio(outcome.ratio),
    limit: digits(outcome.limit),
    operator: outcome.operator,
    margin: ratio(outcome.margin),
    clause: test.clause,
    source: test.source,
    confidence: test.confidence,
    note: test.note ?? null,
    alternative: alternativeOf(outcome, assessment, state, prior),
    inputs: printedInputs([...items.flatMap(({ value }) => inputsOf(value)), ...below], filedAt),
  }
}

function shareItem({ business }: Assessment): { item: string; value: object | null; basis: string | null; formula: string | null } {
  const { low, high } = business.share
  const percent = high === null ? null : decimalOf(high)
  const exact = high !== null && decimalOf(low) === percent
  return {
    item: 'impermissible_revenue_pct',
    value: percent === null ? null : digits(percent),
    basis: percent === null ? null : exact ? 'review' : 'at_most',
    formula: percent === null ? null : 'percent of revenue',
  }
}

/** Debt with operating leases: an alternative result of the same test. Null if nothing of it is stated. */
function alternativeOf(outcome: Outcome, assessment: Assessment, state: SubjectState, prior: Prior | null): object | null {
  if (outcome.test.numerator !== 'debt') return null
  const value = figureOf(state.figures.balance, 'debt_with_operating_leases')
  if (value === null) return null
  const exact = ratioOf(value.value)
  const other = evaluateTest(outcome.test, limitsMode(assessment.ruleset, assessment.mode, prior), { low: exact, high: exact }, outcome.denominator)
  return { method: 'debt with operating leases', value: digits(value.value), ratio: ratio(other.ratio), status: other.status }
}

export function printedVerdict(assessment: Assessment, state: SubjectState, filedAt: FiledAt, prior: Prior | null): object {
  const { ruleset, mode, verdict, reason, business, outcomes } = assessment
  return {
    standard: ruleset.standard,
    ruleset: ruleset.ruleset,
    title: ruleset.title,
    valid_from: ruleset.valid_from,
    valid_to: ruleset.valid_to,
    mode,
    limits_of: limitsMode(ruleset, mode, prior),
    verdict,
    reason,
    business: { status: business.status, basis: business.basis, sentence: business.sentence, categories: business.categories },
    tests: outcomes.map(outcome => printedTest(outcome, assessment, state, filedAt, prior)),
  }
}

export function printedValued(value: Valued | Missing): object {
  if (!('value' in value))
    return {
      day: value.day,
      missing: value.missing,
      date: null,
      close: null,
      price_currency: null,
      shares: null,
      shares_at: null,
      shares_basis: null,
      carried_over_split: null,
      accession: null,
      rate: null,
      rate_date: null,
      value: null,
    }
  const { day, date, close, price_currency, shares, count, carried_over_split, rate, rate_date } = value
  return {
    day,
    missing: null,
    date,
    close: digits(close),
    price_currency,
    shares: amount(shares),
    shares_at: count.at,
    shares_basis: count.basis,
    carried_over_split,
    accession: count.accession,
    rate: digits(rate),
    rate_date,
    value: amount(value.value),
  }
}

export const printedAverage = (average: Average): object => ({
  window_months: average.window_months,
  months_known: average.months_known,
  months_required: average.months_required,
  value: amount(average.value),
  /** A count that is not from a cover is an approximation. */
  approximated: valued(average).some(month => month.count.basis !== 'cover'),
})
