// The effect of an action on a price: a change of the number of shares, cash paid out, or neither.
import type { z } from 'zod'
import type { ActionKind, corporateActions, FactorFacts } from '#schemas/corporate-actions.ts'
import { type Ratio, ratio, ratioOf } from './ratio.ts'

/** `raw_sha256`: the document with the action, if known. */
export type ActionFacts = z.infer<typeof corporateActions.facts> & { readonly raw_sha256?: string }
export type Kind = z.infer<typeof ActionKind>

/**
 * `yahoo_crsp`: 1 − D/P_previous (Yahoo's help page, CRSP). `quandl_wiki`: P_ex/(P_ex + D), exact total return reinvested at the ex-date's
 * close. `split_only`: ignores cash. They differ by up to 2.5e-4 a dividend: name one, never mix.
 */
export const conventions = ['yahoo_crsp', 'quandl_wiki', 'split_only'] as const
export type Convention = (typeof conventions)[number]
/** A factor row of any convention; the stored dataset holds `yahoo_crsp` only. */
export type DerivedFactor<C extends Convention = Convention> = Omit<FactorFacts, 'convention'> & { readonly convention: C }

export type ActionClass = 'split' | 'cash' | 'spinoff' | 'none'
const classes: Readonly<Record<Kind, ActionClass>> = {
  split: 'split',
  stock_dividend: 'split', // ratio 1 + x
  dividend: 'cash',
  special_dividend: 'cash',
  return_of_capital: 'cash', // the price falls like for cash; the tax treatment is separate
  capital_gain: 'cash',
  spinoff: 'spinoff',
  reinvested_distribution: 'none', // "phantom" distribution of Canadian funds: no cash leaves
}
export const classOf = (action: { readonly kind: Kind }): ActionClass => classes[action.kind]
export const isSplit = (action: ActionFacts): boolean => classOf(action) === 'split'
export const isCash = (action: ActionFacts): boolean => classOf(action) === 'cash' || classOf(action) === 'spinoff'

/** New shares per old as an exact fraction; null if the action states none, or one that is not positive. */
export function splitRatio(action: Pick<ActionFacts, 'numerator' | 'denominator'>): Ratio | null {
  if (action.numerator === null || action.denominator === null) return null
  const [after, before] = [ratioOf(action.numerator), ratioOf(action.denominator)]
  if (after.numerator <= 0n || before.numerator <= 0n) return null
  return ratio(after.numerator * before.denominator, after.denominator * before.numerator)
}

/** `kind:source_name:sequence`, as in a factor row's list of actions. */
export const actionLabel = (action: Pick<ActionFacts, 'kind' | 'source_name' | 'sequence'>): string =>
  `${action.kind}:${action.source_name}:${action.sequence}`
/** The dataset's key in one string, as in an operator's decision. */
export const actionKey = (action: Pick<ActionFacts, 'symbol' | 'kind' | 'ex_date' | 'sequence' | 'source_name'>): string =>
  [action.symbol, action.kind, action.ex_date, action.sequence, action.source_name].join('|')
