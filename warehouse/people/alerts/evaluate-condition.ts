// One alert on one listing: its terms in today's shares, whether they hold, whether it fires, and its description. Pure.
import { type AlertTerms, alertHolds, fires, rescaleAlert } from '../../rules/indicators/alerts.ts'
import { type AlertCondition, type ConditionRule, type IndicatorRules, indicatorRules } from '../../rulesets/indicators/rules.ts'
import type { Picture } from './pictures.ts'
import type { SplitOn } from './tables.ts'

/** The last evaluated state of an alert for a listing. */
export type State = {
  readonly baseline_price: string | null
  readonly priced_on: string | null
  readonly splits: readonly SplitOn[]
  readonly holds: boolean | null
}
export type Verdict = {
  /** In shares of the snapshot's day. */
  readonly terms: AlertTerms
  readonly holds: boolean | null
  readonly fires: boolean
  readonly state: State
}

/** Evaluates an alert as created; `state` is null if it was never evaluated for the listing: its baseline is then set. */
export function evaluate(made: AlertTerms, state: State | null, picture: Picture, rules: IndicatorRules = indicatorRules): Verdict {
  const baseline_price = state?.baseline_price ?? made.baseline_price ?? picture.last_close
  const priced_on = state?.priced_on ?? picture.day
  // Without a price today there is no new information about splits either.
  const splits =
    picture.day === null
      ? (state?.splits ?? none)
      : picture.splits.length === 0
        ? none
        : picture.splits.filter(({ ex_date }) => priced_on !== null && ex_date > priced_on)
  const { condition, threshold, condition2, threshold2, logic } = made
  const terms = rescaled({ condition, threshold, baseline_price, condition2, threshold2, logic }, splits, rules)
  const holds = alertHolds(terms, picture.snapshot, rules)
  return {
    terms,
    holds,
    fires: fires(state?.holds ?? null, holds, rules),
    // A value that is unknown today was known in an earlier session: an alert armed before today's price arrives must still fire.
    state: { baseline_price, priced_on, splits, holds: holds ?? state?.holds ?? alertHolds(terms, picture.known, rules) },
  }
}
const none: readonly SplitOn[] = []

/** The alert's prices in shares after the splits. */
export const rescaled = (made: AlertTerms, splits: readonly SplitOn[], rules: IndicatorRules = indicatorRules): AlertTerms =>
  splits.length === 0 ? made : rescaleAlert(made, splits, rules)

export const sameState = (a: State, b: State): boolean =>
  a.holds === b.holds && a.baseline_price === b.baseline_price && a.priced_on === b.priced_on && a.splits.length === b.splits.length

const ruleOf = (name: AlertCondition, rules: IndicatorRules): ConditionRule => rules.conditions.find(each => each.condition === name) as ConditionRule

/** How many closes a condition reads, including the newest. */
const closesRead = (name: AlertCondition, rules: IndicatorRules): number => {
  const { reads, bars } = ruleOf(name, rules)
  return reads === 'rsi' ? rules.rsi.bars : (bars ?? 0)
}
const named = ({ condition, condition2 }: Pick<AlertTerms, 'condition' | 'condition2'>): readonly AlertCondition[] =>
  condition2 === null ? [condition] : [condition, condition2]

/** True if a condition reads an indicator, so that earlier closes are needed. */
export const readsHistory = (terms: Pick<AlertTerms, 'condition' | 'condition2'>, rules: IndicatorRules = indicatorRules): boolean =>
  named(terms).some(name => closesRead(name, rules) > 0)

/** The closes that the conditions read; if they read only a price, the bar of that close. */
export function barsRead(terms: AlertTerms, { snapshot, days, reported }: Picture, rules: IndicatorRules = indicatorRules): [string, string][] {
  const count = Math.max(...named(terms).map(name => closesRead(name, rules)), reported?.price_basis === 'last_bar' ? 1 : 0)
  const from = Math.max(0, days.length - count)
  return days.slice(from).map((date, at) => [date, snapshot.closes[from + at] as string])
}

const words = { gt: 'above', lt: 'below', gte: 'at least', lte: 'at most' } as const

function phrase(name: AlertCondition, threshold: string | null, baseline: string | null, rules: IndicatorRules): string {
  const { reads, operator, bars } = ruleOf(name, rules)
  const from = baseline === null ? 'its baseline' : baseline
  if (reads === 'rsi') return `RSI(${rules.rsi.period}) ${words[operator]} ${threshold}`
  if (reads === 'gain_pct') return `price up by ${words[operator]} ${threshold} % from ${from}`
  if (reads === 'loss_pct') return `price down by ${words[operator]} ${threshold} % from ${from}`
  return `price ${words[operator]} ${bars === null ? threshold : `the average of its last ${bars} closes`}`
}

/** The conditions as a sentence has them: `price above 12.50 and RSI(14) below 30`. */
export function inWords(terms: AlertTerms, rules: IndicatorRules = indicatorRules): string {
  const first = phrase(terms.condition, terms.threshold, terms.baseline_price, rules)
  if (terms.condition2 === null) return first
  return `${first} ${terms.logic === 'OR' ? 'or' : 'and'} ${phrase(terms.condition2, terms.threshold2, terms.baseline_price, rules)}`
}
