// The cost of a notice filing in a state, by a fee rule. US dollars as decimals in text, exact until they are printed.
import { compareDecimals, difference, productOf, roundedDecimal, shiftDecimal, sumOf } from '#schemas/decimals.ts'
import type { FeeRule } from '../../rulesets/blue-sky/rules.ts'

/**
 * exact: one fee, for any amount sold in the state. range: depends on the amount sold there, from almost nothing to the whole offering.
 * most: smaller amounts pay less, in steps that the ruleset does not list. none: the law requires no filing. unknown: not collected.
 */
type FeeBasis = 'exact' | 'range' | 'most' | 'none' | 'unknown'
export type Fee = {
  readonly basis: FeeBasis
  /** Null if it is not a single figure. */
  readonly exact_usd: string | null
  readonly low_usd: string | null
  readonly high_usd: string | null
}

/** The fee for an amount, or for an offering if the rule uses the whole; null if the rule is not known. Exact, not rounded. */
export function feeOf(rule: FeeRule, amount: string): string | null {
  switch (rule.kind) {
    case 'unknown':
      return null
    case 'none':
      return '0'
    case 'fixed':
      return rule.amount_usd
    case 'tiers':
      return rule.tiers.find(tier => tier.up_to_usd === null || compareDecimals(amount, tier.up_to_usd) <= 0)?.amount_usd ?? null
    case 'percentage': {
      const over = larger('0', difference(amount, rule.over_usd))
      const fee = sumOf([rule.base_fee_usd, shiftDecimal(productOf(over, rule.rate_pct), -2)])
      return smaller(larger(fee, rule.min_usd ?? '0'), rule.max_usd)
    }
  }
}
const larger = (a: string, b: string): string => (compareDecimals(a, b) >= 0 ? a : b)
const smaller = (a: string, b: string | null): string => (b === null || compareDecimals(a, b) <= 0 ? a : b)

/** The possible fees of an offering of this amount, an unknown part of which is sold in the state; rounded to cents. */
export function feeRange(rule: FeeRule, offering: string): Fee {
  const whole = feeOf(rule, offering)
  if (whole === null) return { basis: 'unknown', exact_usd: null, low_usd: null, high_usd: null }
  const high = roundedDecimal(whole, 2)
  if (rule.kind === 'none') return { basis: 'none', exact_usd: high, low_usd: high, high_usd: high }
  if (rule.kind === 'fixed' && rule.is_most) return { basis: 'most', exact_usd: null, low_usd: '0', high_usd: high }
  const low = rule.kind === 'percentage' ? roundedDecimal(feeOf(rule, '0') ?? '0', 2) : high
  return compareDecimals(low, high) === 0
    ? { basis: 'exact', exact_usd: high, low_usd: high, high_usd: high }
    : { basis: 'range', exact_usd: null, low_usd: low, high_usd: high }
}

/** A fee rule in words. */
export function feeWords(rule: FeeRule): string {
  switch (rule.kind) {
    case 'unknown':
      return 'not collected'
    case 'none':
      return 'no filing, no fee'
    case 'fixed':
      return rule.is_most ? `at most ${dollars(rule.amount_usd)}, by the amount` : dollars(rule.amount_usd)
    case 'tiers':
      return rule.tiers
        .map(({ up_to_usd, amount_usd }) => `${dollars(amount_usd)} ${up_to_usd === null ? 'above' : `up to ${dollars(up_to_usd)}`}`)
        .join(', ')
        .concat(' of the whole offering')
    case 'percentage': {
      const base = rule.base_fee_usd === '0' ? '' : `${dollars(rule.base_fee_usd)} + `
      const over = rule.over_usd === '0' ? '' : ` over ${dollars(rule.over_usd)}`
      const least = rule.min_usd === null ? '' : `, at least ${dollars(rule.min_usd)}`
      const most = rule.max_usd === null ? '' : `, at most ${dollars(rule.max_usd)}`
      return `${base}${rule.rate_pct} % of the amount sold in the state${over}${least}${most}`
    }
  }
}

/** `$1,234.50`: dollars, with cents if there are any. */
export function dollars(decimal: string): string {
  const [whole = '0', fraction = ''] = roundedDecimal(decimal, 2).split('.')
  return `$${grouped(whole)}${fraction === '' ? '' : `.${fraction.padEnd(2, '0')}`}`
}
/** Digits in groups of three. */
export const grouped = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
