// The arithmetic of flow-through shares: takes amounts and bands of tax, returns the cost of the shares after tax. Exact fractions of
// dollars; nothing is rounded here.
import { minus, over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import { type Band, least, marginalPct, most, type Part, percentOf, type Slice, slicesOf, taxOn, zero } from './bands.ts'

export type Terms = {
  readonly cost: Ratio
  /** The renounced amount: the cost without the warrants. */
  readonly eligible: Ratio
  /** Taxable income before the deduction. */
  readonly income: Ratio
  readonly deduction_pct: string
  readonly bands: readonly Band[]
  readonly federal_credit_pct: string
  readonly provincial_credit_pct: string
  /** True: paid out if no tax is left to set it off against. */
  readonly provincial_refundable: boolean
  /** Share of a capital gain that is taxed, in percent. */
  readonly inclusion_pct: string
}
/** A credit: its basis, its amount, the part set off against this year's tax, and the rest. */
export type Credit = { readonly base: Ratio; readonly amount: Ratio; readonly used: Ratio; readonly carried: Ratio }
type TaxOf = { readonly before: Ratio; readonly after: Ratio }
export type FlowThroughResult = {
  readonly deduction: { readonly amount: Ratio; readonly used: Ratio; readonly left: Ratio; readonly slices: readonly Slice[] }
  readonly tax: Readonly<Record<Part, TaxOf>>
  readonly saving: Ratio
  readonly marginal_pct: Ratio
  /** Of the deduction that was used; null if none was. */
  readonly effective_pct: Ratio | null
  readonly provincial: Credit
  readonly federal: Credit
  /** Deduction and credits, before recapture. */
  readonly benefit: Ratio
  readonly recapture: { readonly income: Ratio; readonly tax: Ratio }
  readonly net_cost: Ratio
  readonly break_even: Ratio
}

/** Tax saved by the deduction bracket by bracket, credits, recapture, net cost, and the proceeds that recover it after tax. */
export function calculateAfterTax(terms: Terms): FlowThroughResult {
  const { cost, eligible, income, bands } = terms
  const amount = percentOf(eligible, ratioOf(terms.deduction_pct))
  const used = least(amount, income)
  const taxed = minus(income, used)
  const tax = { federal: taxOf(bands, income, taxed, 'federal'), provincial: taxOf(bands, income, taxed, 'provincial') }
  const saving = plus(minus(tax.federal.before, tax.federal.after), minus(tax.provincial.before, tax.provincial.after))
  // A provincial credit is assistance: the federal credit is calculated on the remainder.
  const provincial = creditOf(eligible, terms.provincial_credit_pct, terms.provincial_refundable ? null : tax.provincial.after)
  const federal = creditOf(minus(eligible, provincial.amount), terms.federal_credit_pct, tax.federal.after)
  const credits = plus(provincial.used, federal.used)
  const marginal = marginalPct(bands, income)
  // Remaining deductions cover what the credits take out of the pool.
  const left = minus(eligible, used)
  const recaptured = most(minus(credits, left), zero)
  const recapture = { income: recaptured, tax: percentOf(recaptured, marginal) }
  const benefit = plus(saving, credits)
  const net_cost = plus(minus(cost, benefit), recapture.tax)
  const gainTax = percentOf(marginal, ratioOf(terms.inclusion_pct))
  return {
    deduction: { amount, used, left, slices: slicesOf(bands, taxed, income) },
    tax,
    saving,
    marginal_pct: marginal,
    effective_pct: used.numerator === 0n ? null : over(times(saving, ratioOf('100')), used),
    provincial,
    federal,
    benefit,
    recapture,
    net_cost,
    break_even: over(times(net_cost, ratioOf('100')), minus(ratioOf('100'), gainTax)),
  }
}

const taxOf = (bands: readonly Band[], before: Ratio, after: Ratio, part: Part): TaxOf => ({
  before: taxOn(bands, before, part),
  after: taxOn(bands, after, part),
})

/** `tax`: the tax that the credit can reduce; null if the rest is refunded. */
function creditOf(base: Ratio, rate_pct: string, tax: Ratio | null): Credit {
  const amount = percentOf(base, ratioOf(rate_pct))
  const used = tax === null ? amount : least(amount, tax)
  return { base, amount, used, carried: minus(amount, used) }
}
