// One pair at one instant: its legs, its spread and its state, as answers print them and the benchmark recomputes them.
import type { Pair } from '../../datasets/dual-listings/pairs.ts'
import { type ArbRules, arbRules, type Costs } from '../../rulesets/arb/rules.ts'
import type { ActionRow, ArbInputs } from './inputs.ts'
import { type Leg, legsOf, type Rate, rateOf } from './legs.ts'
import { type Spread, spreadOf } from './spread.ts'
import { ageSeconds, type Evaluated, evaluatePair } from './status.ts'

export type PairSpread = Evaluated & {
  readonly pair: Pair
  readonly toronto: Leg | null
  readonly us: Leg | null
  readonly fx: Rate | null
  readonly spread: Spread | null
  /** Seconds since the older of the two prices was made; null if one is missing. */
  readonly data_lag_seconds: number | null
  /** True only if the spread is live, both lines and the rate are two-sided, and an edge remains after costs. */
  readonly actionable: boolean
  readonly actions: readonly ActionRow[]
}

/** Currencies in which a pair can be compared: dollars of both countries, or one currency on both sides. */
function currencyFault(toronto: Leg | null, us: Leg | null): string | null {
  if (!toronto || !us || toronto.currency === us.currency) return null
  if (toronto.currency === 'CAD' && us.currency === 'USD') return null
  return `${toronto.symbol} is quoted in ${toronto.currency} and ${us.symbol} in ${us.currency}: no rate is kept for that`
}

const whatRate = (fx: Rate): string =>
  fx.basis === 'reference_rate'
    ? `the published rate of ${fx.date} (${fx.series})`
    : fx.basis === 'identity'
      ? 'not needed'
      : `a quote of ${fx.observed_at}`

/** The spread and state of a pair at `at`, from inputs that were read for its two symbols. */
export function pairSpreadOf(pair: Pair, inputs: ArbInputs, at: string, costs: Costs, rules: ArbRules = arbRules): PairSpread {
  const { toronto, us } = legsOf([pair.tsx_symbol, pair.us_symbol], inputs, at, rules)
  const fault = currencyFault(toronto, us)
  const fx = rateOf(toronto, us, inputs, at)
  const spread =
    toronto && us && fx && fault === null ? spreadOf({ toronto, us, fx, ratio: pair.ratio, costs, tolerance_bps: rules.premium_tolerance_bps }) : null
  const actions = [...(inputs.actions.get(pair.tsx_symbol) ?? []), ...(inputs.actions.get(pair.us_symbol) ?? [])]
  // A pair in one currency needs no rate, so none can be stale.
  const rateState = fx && (fx.basis === 'identity' ? 'none_needed' : { observed_at: fx.observed_at, what: whatRate(fx) })
  const evaluated = evaluatePair({ toronto, us, fx: rateState, actions, fault }, at, rules)
  const lag = toronto && us ? Math.max(ageSeconds(toronto.observed_at, at), ageSeconds(us.observed_at, at)) : null
  return {
    ...evaluated,
    pair,
    toronto,
    us,
    fx,
    spread,
    data_lag_seconds: lag,
    actionable: evaluated.status === 'live' && spread !== null && spread.fx_sides !== 'one_rate' && (spread.net_edge_bps ?? 0) > 0,
    actions,
  }
}
