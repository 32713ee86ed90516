// Actions and bars for the tests of this folder, in few words.
import type { ActionFacts } from './actions.ts'
import type { Ohlcv } from './adjust.ts'

/** An action of which nothing but kind and ex-date is stated. */
export const noTerms = {
  record_date: null,
  pay_date: null,
  declared_date: null,
  numerator: null,
  denominator: null,
  amount: null,
  currency: null,
}
export const anAction = (facts: Partial<ActionFacts> = {}): ActionFacts => ({
  symbol: 'XYZ',
  kind: 'dividend',
  ex_date: '2024-01-03',
  sequence: 0,
  source_name: 'tmx',
  ...noTerms,
  amount_basis: 'post_split',
  cancelled: false,
  ...facts,
})
/** A split of `numerator` new shares for `denominator` old ones. */
export const aSplit = (ex_date: string, numerator: string, denominator: string, facts: Partial<ActionFacts> = {}): ActionFacts =>
  anAction({ kind: 'split', ex_date, numerator, denominator, ...facts })

export const barsOf = (closes: Readonly<Record<string, number>>): Ohlcv[] =>
  Object.entries(closes).map(([date, close]) => ({ date, open: close, high: close, low: close, close, volume: 1000 }))
