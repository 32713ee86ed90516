// The result of a flow-through calculation as the answer prints it; also used by the command line.
import type { Source } from '#schemas/answer.ts'
import { plainDecimal } from '#schemas/values.ts'
import { digits } from '../../context/answer.ts'
import { decimalOf, minus, over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import { citedSources, leastSure } from '../../rulesets/editions.ts'
import type { FlowThroughRules } from '../../rulesets/flow-through/rules.ts'
import { combinedPct, percentOf } from './bands.ts'
import type { Alternative, FlowThrough } from './calculate.ts'
import { isCritical } from './commodity.ts'
import type { Credit } from './terms.ts'

const cents = (amount: Ratio): object | null => digits(decimalOf(amount, 2))
const percent = (rate: Ratio | null): object | null => (rate === null ? null : digits(decimalOf(rate, 2)))
const shareOf = (part: Ratio, whole: Ratio): Ratio | null => (whole.numerator === 0n ? null : over(times(part, ratioOf('100')), whole))
const perShare = (amount: Ratio, { shares }: FlowThrough): object | null =>
  shares.numerator === 0n ? null : digits(decimalOf(over(amount, shares), 4))

/** The body of the answer for a calculation under its ruleset. */
export function flowThroughBody(found: FlowThrough, rules: FlowThroughRules) {
  const { result, terms } = found
  return {
    ruleset: rules.ruleset,
    ruleset_valid_from: rules.valid_from,
    ruleset_valid_to: rules.valid_to,
    confidence: leastSure(found.used.map(row => row.confidence)),
    tax_year: rules.tax_year,
    currency: rules.currency,
    understood: understoodOf(found),
    cost: cents(terms.cost),
    eligible_amount: cents(terms.eligible),
    deduction: deductionOf(found),
    tax: taxOf(found),
    marginal_rate_pct: percent(result.marginal_pct),
    effective_rate_pct: percent(result.effective_pct),
    federal_credit: federalOf(found, rules),
    provincial_credit: provincialOf(found),
    net_of_assistance_base: cents(result.federal.base),
    total_benefit: cents(result.benefit),
    recapture: {
      income: cents(result.recapture.income),
      rate_pct: percent(result.marginal_pct),
      tax: cents(result.recapture.tax),
      note: rules.recapture.note,
    },
    net_benefit: cents(minus(result.benefit, result.recapture.tax)),
    net_cost: cents(result.net_cost),
    net_cost_pct: percent(shareOf(result.net_cost, terms.cost)),
    break_even: {
      proceeds: cents(result.break_even),
      per_share: perShare(result.break_even, found),
      cost_base: rules.gain.cost_base,
      inclusion_pct: digits(rules.gain.inclusion_pct),
      note: rules.gain.note,
    },
    critical_minerals: found.minerals,
    alternative: found.alternative && alternativeOf(found.alternative, found),
    ended_measures: endedOf(found, rules),
    minimum_tax: { flag: rules.minimum_tax.flag, note: rules.minimum_tax.note },
    hints: found.hints,
    rules: found.used.map(({ source, ...row }) => ({ ...row, source_ids: source })),
    assumptions: found.assumptions,
    not_covered: rules.not_covered,
    rounding: rules.rounding,
    not_advice: true as const,
  }
}

const understoodOf = ({ request, jurisdiction, type, commodity, day }: FlowThrough) => ({
  jurisdiction: jurisdiction.code,
  jurisdiction_name: jurisdiction.name,
  income: digits(plainDecimal(request.income)),
  share_price: digits(plainDecimal(request.share_price)),
  num_shares: digits(plainDecimal(request.num_shares)),
  warrant_value: digits(plainDecimal(Math.min(request.warrant_value, request.share_price))),
  warrant_clamped: request.warrant_value > request.share_price,
  fts_type: type.fts_type,
  fts_title: type.title,
  commodities: commodity.named.map(({ text, mineral }) => ({
    text,
    mineral: mineral?.mineral ?? null,
    critical: mineral && isCritical(mineral, day),
  })),
})

function deductionOf({ type, terms, result }: FlowThrough) {
  const { deduction, saving } = result
  return {
    expense: type.expense,
    pct: digits(terms.deduction_pct),
    amount: cents(deduction.amount),
    used_this_year: cents(deduction.used),
    left_in_pool: cents(deduction.left),
    tax_saving: cents(saving),
    brackets: deduction.slices.map(({ band, from, to, amount }) => ({
      income_from: cents(from),
      income_to: cents(to),
      amount: cents(amount),
      rate_pct: percent(combinedPct(band)),
      federal_rate_pct: percent(band.federal_pct),
      provincial_rate_pct: percent(band.provincial_pct),
      tax_saving: cents(percentOf(amount, combinedPct(band))),
    })),
  }
}

function taxOf({ result: { tax } }: FlowThrough) {
  const { federal, provincial } = tax
  return {
    before: cents(plus(federal.before, provincial.before)),
    after_deduction: cents(plus(federal.after, provincial.after)),
    federal_before: cents(federal.before),
    federal_after_deduction: cents(federal.after),
    provincial_before: cents(provincial.before),
    provincial_after_deduction: cents(provincial.after),
  }
}

const creditOnWire = (credit: Credit, rate_pct: string) => ({
  rate_pct: digits(rate_pct),
  base: cents(credit.base),
  amount: cents(credit.amount),
  used_this_year: cents(credit.used),
  carried: cents(credit.carried),
})

function federalOf({ federal_credit: row, result }: FlowThrough, { federal_carry: carry }: FlowThroughRules) {
  if (row === null) return null
  return {
    credit: row.credit,
    title: row.title,
    ...creditOnWire(result.federal, row.rate_pct),
    refundable: false,
    carry_back_years: carry.back_years,
    carry_forward_years: carry.forward_years,
    agreements_until: row.valid_to,
    condition: row.condition,
    note: carry.note,
  }
}

function provincialOf({ provincial_credit: row, result }: FlowThrough) {
  if (row === null) return null
  return {
    programme: row.programme,
    ...creditOnWire(result.provincial, row.rate_pct),
    refundable: row.kind === 'refundable',
    carry_back_years: row.carry_back_years,
    carry_forward_years: row.carry_forward_years,
    agreements_until: row.valid_to,
    condition: row.condition,
    note: row.note,
  }
}

const alternativeOf = ({ credit, result, applies_if }: Alternative, found: FlowThrough) => ({
  credit: credit.credit,
  title: credit.title,
  ...creditOnWire(result.federal, credit.rate_pct),
  net_cost: cents(result.net_cost),
  break_even_proceeds: cents(result.break_even),
  break_even_per_share: perShare(result.break_even, found),
  applies_if,
})

/** Expired measures of the jurisdiction: many calculators still include them. */
const endedOf = ({ jurisdiction, day }: FlowThrough, rules: FlowThroughRules) =>
  rules.ended_measures
    .filter(row => row.jurisdiction === jurisdiction.code && row.valid_to !== null && row.valid_to < day)
    .map(({ measure, note, valid_to, confidence, source }) => ({ measure, ended: valid_to, note, confidence, source_ids: source }))

/** The sources of the rows that the figures depend on. */
export const flowThroughSources = (found: FlowThrough, rules: FlowThroughRules): Source[] =>
  citedSources(rules.sources, [...found.used, ...rules.ended_measures.filter(row => row.jurisdiction === found.jurisdiction.code), rules.minimum_tax])
