// Evaluates the conditions of an alert on one snapshot of a share, decides when they fire, and adjusts them for splits.
import { compareDecimals } from '#schemas/decimals.ts'
import { compare, decimalOf, negated, one, over, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { AlertCondition, ConditionRule, IndicatorRules } from '../../rulesets/indicators/rules.ts'
import { gainPct, rsiWilder, sma } from './indicators.ts'

/** The data that an alert is evaluated on: prices and closes of one series, adjusted for splits. */
export type Snapshot = {
  /** Null: there is none, or it is older than the last session (`usablePrice`). */
  readonly price: string | null
  /** Daily closes, the newest last; during a session the last price replaces the day's close. */
  readonly closes: readonly string[]
  /** The last close is a price of a session in progress. */
  readonly intraday: boolean
}
export type AlertTerms = {
  readonly condition: AlertCondition
  /** Null: the condition reads none. */
  readonly threshold: string | null
  readonly baseline_price: string | null
  readonly condition2: AlertCondition | null
  readonly threshold2: string | null
  readonly logic: 'AND' | 'OR' | null
}
export type EvaluatedCondition = {
  readonly condition: AlertCondition
  /** Null: one of its inputs is unknown. */
  readonly holds: boolean | null
  /** The value and what it was compared with, rounded for print. */
  readonly value: string | null
  readonly against: string | null
  /** It reads the closes, and the last of them is a price of a session in progress. */
  readonly intraday: boolean
  /** An RSI over too few closes to be independent of the start of the series. */
  readonly warmed_up: boolean
}
export type EvaluatedAlert = { readonly holds: boolean | null; readonly conditions: readonly EvaluatedCondition[] }

/** A price that conditions may read: above zero, and not from a session before the last one (both days as YYYY-MM-DD). */
export function usablePrice(price: string | null, session: string, lastSession: string): string | null {
  return price !== null && compareDecimals(price, '0') > 0 && session >= lastSession ? price : null
}

/** The value of a condition and the value it is compared with, exactly; null: unknown. */
function compareCondition(
  name: AlertCondition,
  threshold: string | null,
  baseline: string | null,
  snapshot: Snapshot,
  rules: IndicatorRules,
): { readonly rule: ConditionRule; readonly value: Ratio | null; readonly limit: Ratio | null; readonly holds: boolean | null } {
  const rule = rules.conditions.find(each => each.condition === name) as ConditionRule
  const value = readingOf(rule, baseline, snapshot, rules)
  const limit = rule.bars === null ? (threshold === null ? null : ratioOf(threshold)) : smaOf(snapshot, rule.bars)
  return { rule, value, limit, holds: value === null || limit === null ? null : satisfies(compare(value, limit), rule.operator) }
}

/** Evaluates one condition; a `threshold` of null holds for no condition that reads it. */
export function evaluateCondition(
  name: AlertCondition,
  threshold: string | null,
  baseline: string | null,
  snapshot: Snapshot,
  rules: IndicatorRules,
): EvaluatedCondition {
  const { rule, value, limit, holds } = compareCondition(name, threshold, baseline, snapshot, rules)
  const printed = (each: Ratio | null): string | null => each && decimalOf(each, rules.decimals)
  return {
    condition: name,
    holds,
    value: printed(value),
    against: printed(limit),
    intraday: snapshot.intraday && (rule.reads === 'rsi' || rule.bars !== null),
    warmed_up: rule.reads !== 'rsi' || snapshot.closes.length >= rules.rsi.bars_least,
  }
}

function readingOf(rule: ConditionRule, baseline: string | null, { price, closes }: Snapshot, rules: IndicatorRules): Ratio | null {
  if (rule.reads === 'rsi') {
    const { bars, period, flat } = rules.rsi
    return cached(closes, `rsi ${rules.ruleset}`, () => rsiWilder(closes.slice(-bars), period, flat))
  }
  if (price === null) return null
  if (rule.reads === 'price') return ratioOf(price)
  const gain = gainPct(price, baseline)
  return gain && rule.reads === 'loss_pct' ? negated(gain) : gain
}

/** Cached results per list of closes: thousands of alerts are evaluated against the same one. */
const calculated = new WeakMap<readonly string[], Map<string, Ratio | null>>()
function cached(closes: readonly string[], name: string, calculate: () => Ratio | null): Ratio | null {
  const held = calculated.get(closes) ?? new Map<string, Ratio | null>()
  calculated.set(closes, held)
  const known = held.get(name)
  if (known !== undefined) return known
  const value = calculate()
  held.set(name, value)
  return value
}
const smaOf = ({ closes }: Snapshot, bars: number): Ratio | null => cached(closes, `sma ${bars}`, () => sma(closes, bars))

function satisfies(order: number, operator: ConditionRule['operator']): boolean {
  if (operator === 'gt') return order > 0
  if (operator === 'lt') return order < 0
  return operator === 'gte' ? order >= 0 : order <= 0
}

/**
 * Evaluates an alert on one snapshot. AND holds if both hold, OR if one does. An unknown condition makes AND unknown unless the other
 * fails, and OR unless the other holds. Without `logic` two conditions are joined by AND.
 */
export function evaluateAlert(alert: AlertTerms, snapshot: Snapshot, rules: IndicatorRules): EvaluatedAlert {
  const first = evaluateCondition(alert.condition, alert.threshold, alert.baseline_price, snapshot, rules)
  if (alert.condition2 === null) return { holds: first.holds, conditions: [first] }
  const second = evaluateCondition(alert.condition2, alert.threshold2, alert.baseline_price, snapshot, rules)
  return { holds: combined(first.holds, second.holds, alert.logic), conditions: [first, second] }
}

/** The result of `evaluateAlert` without the figures: of a hundred thousand alerts few fire. */
export function alertHolds(alert: AlertTerms, snapshot: Snapshot, rules: IndicatorRules): boolean | null {
  const first = compareCondition(alert.condition, alert.threshold, alert.baseline_price, snapshot, rules).holds
  if (alert.condition2 === null) return first
  return combined(first, compareCondition(alert.condition2, alert.threshold2, alert.baseline_price, snapshot, rules).holds, alert.logic)
}

function combined(first: boolean | null, second: boolean | null, logic: AlertTerms['logic']): boolean | null {
  const decisive = logic === 'OR'
  const both = [first, second]
  return both.includes(decisive) ? decisive : both.includes(null) ? null : !decisive
}

/**
 * Whether an alert fires: it became true after it was last known to be false. `last`: the last known result, null if there was none;
 * an unknown result neither fires nor is stored.
 */
export const fires = (last: boolean | null, now: boolean | null, rules: IndicatorRules): boolean =>
  last === rules.transition.from && now === rules.transition.to

/** New shares for old ones: 2 and 1 for a two-for-one split. */
export type Split = { readonly numerator: string; readonly denominator: string }

/**
 * The alert as adjusted for splits, from the original (which is kept) and every split since: its baseline and those thresholds that
 * are prices, rounded once.
 */
export function rescaleAlert<A extends AlertTerms>(made: A, splits: readonly Split[], rules: IndicatorRules): A {
  // Old shares per new one: the multiplier of a price.
  const factor = splits.map(({ numerator, denominator }) => over(ratioOf(denominator), ratioOf(numerator))).reduce(times, one)
  const price = (text: string): string => decimalOf(times(ratioOf(text), factor), rules.rescaling.decimals)
  const rescales = (condition: AlertCondition): boolean => rules.conditions.some(each => each.condition === condition && each.rescales)
  return {
    ...made,
    threshold: made.threshold !== null && rescales(made.condition) ? price(made.threshold) : made.threshold,
    threshold2: made.condition2 !== null && made.threshold2 !== null && rescales(made.condition2) ? price(made.threshold2) : made.threshold2,
    baseline_price: made.baseline_price && price(made.baseline_price),
  }
}
