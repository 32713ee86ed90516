// Reasons why a spread cannot be used (ruleset arb, section d.2): the state of a pair at one instant, with every reason that applies.
import type { ArbRules } from '../../rulesets/arb/rules.ts'
import { fxOpenAt, hoursAt } from './market-hours.ts'

/** In order of precedence; `live` if none of the others applies. */
export const statuses = ['no_data', 'halted', 'corporate_action', 'one_market_closed', 'stale_leg', 'fx_stale', 'skewed', 'live'] as const
type Status = (typeof statuses)[number]
type LegName = 'toronto' | 'us' | 'fx'
/** `leg`: the line with the problem; null if it concerns the pair. */
type Reason = { readonly code: Exclude<Status, 'live'>; readonly leg: LegName | 'both' | null; readonly sentence: string }

/** What is known about one line at the requested instant. */
export type LegState = {
  readonly symbol: string
  readonly observed_at: string
  readonly session_date: string
  /** Of the quote: a price made outside the regular session is not compared with any other. */
  readonly session: 'pre' | 'regular' | 'post' | 'closed'
  readonly halted: boolean | null
  /** The delay in seconds that the source states; null: not stated, treated as delayed. */
  readonly delay_seconds: number | null
  /** Trading of the line outside the regular session that is in progress and whose price is not compared. */
  readonly outside?: { readonly session: 'pre' | 'post' } | null
}
type RateState = { readonly observed_at: string; readonly what: string }
type ActionEvent = { readonly symbol: string; readonly kind: string; readonly ex_date: string }
export type PairState = {
  readonly toronto: LegState | null
  readonly us: LegState | null
  /** `none_needed`: both lines trade in one currency. */
  readonly fx: RateState | 'none_needed' | null
  /** Splits and distributions of both lines around the legs' sessions. */
  readonly actions: readonly ActionEvent[]
  /** Anything else that makes the three not comparable, e.g. currencies; null: nothing. */
  readonly fault: string | null
}
export type Evaluated = { readonly status: Status; readonly reasons: readonly Reason[] }

/** Seconds from an instant to another, never below 0: an upstream's clock may be ahead of this one. */
export const ageSeconds = (observed: string, at: string): number => Math.max(0, Math.round((Date.parse(at) - Date.parse(observed)) / 1000))
const feedOf = (leg: LegState): 'live' | 'delayed' => (leg.delay_seconds === 0 ? 'live' : 'delayed')

/** The state of a pair at `at`, and all reasons against it in the order of `statuses`. */
export function evaluatePair(pair: PairState, at: string, rules: ArbRules): Evaluated {
  const { toronto, us } = pair
  const fx = pair.fx === 'none_needed' ? null : pair.fx
  const missing = [...(toronto ? [] : ['toronto' as const]), ...(us ? [] : ['us' as const]), ...(pair.fx ? [] : ['fx' as const])]
  const reasons: Reason[] = missing.map(leg => ({
    code: 'no_data',
    leg,
    sentence: `no ${leg === 'fx' ? 'exchange rate' : `price of the ${leg} line`} is known`,
  }))
  if (pair.fault !== null) reasons.push({ code: 'no_data', leg: null, sentence: pair.fault })
  const legs = [toronto && (['toronto', toronto] as const), us && (['us', us] as const)].filter(each => each !== null)
  for (const [name, leg] of legs) if (leg.halted === true) reasons.push({ code: 'halted', leg: name, sentence: `${leg.symbol} is halted` })
  if (toronto && us) {
    reasons.push(...actionReasons(toronto, us, pair.actions))
    const closed = closedReason(toronto, us, at)
    if (closed) reasons.push(closed)
  }
  for (const [name, leg] of legs) {
    const [age, most] = [ageSeconds(leg.observed_at, at), rules.max_age_seconds[feedOf(leg)]]
    if (age > most)
      reasons.push({ code: 'stale_leg', leg: name, sentence: `${leg.symbol} is of ${leg.observed_at}, ${age} seconds old; at most ${most}` })
  }
  if (fx)
    reasons.push(
      ...rateReasons(
        fx,
        legs.map(([, leg]) => leg),
        at,
        rules,
      ),
    )
  if (toronto && us) reasons.push(...skewReasons(toronto, us, rules))
  return { status: reasons[0]?.code ?? 'live', reasons }
}

/** One exchange is in its session and the other is not: now, or when the newer price was made. */
function closedReason(toronto: LegState, us: LegState, at: string): Reason | null {
  const tradesIn = (leg: LegState): 'pre' | 'post' | null =>
    leg.session === 'pre' || leg.session === 'post' ? leg.session : (leg.outside?.session ?? null)
  const [here, there] = [tradesIn(toronto), tradesIn(us)]
  const session = here ?? there
  if (session !== null && (here === null || there === null)) {
    const leg = here === null ? us : toronto
    return {
      code: 'one_market_closed',
      leg: here === null ? 'us' : 'toronto',
      sentence: `${leg.symbol} trades in the ${session === 'pre' ? 'pre-market' : 'post-market'} session alone`,
    }
  }
  const newer = Date.parse(toronto.observed_at) > Date.parse(us.observed_at) ? toronto : us
  for (const instant of [at, newer.observed_at]) {
    const [tsx, usa] = [hoursAt(toronto.symbol, instant), hoursAt(us.symbol, instant)]
    if (tsx.open !== usa.open) return { code: 'one_market_closed', leg: tsx.open ? 'us' : 'toronto', sentence: tsx.open ? usa.why : tsx.why }
  }
  return null
}

/** A rate outside the hours of foreign exchange, or older than the spread allows. */
function rateReasons(fx: RateState, legs: readonly LegState[], at: string, rules: ArbRules): Reason[] {
  if (!fxOpenAt(at, rules.fx_week))
    return [{ code: 'fx_stale', leg: 'fx', sentence: `foreign exchange does not trade at ${at}; the rate is ${fx.what}` }]
  const most = Math.min(rules.fx_max_age_seconds, ...legs.map(leg => rules.max_age_seconds[feedOf(leg)]))
  const age = ageSeconds(fx.observed_at, at)
  return age > most ? [{ code: 'fx_stale', leg: 'fx', sentence: `the rate is ${fx.what}, ${age} seconds old; at most ${most}` }] : []
}

/** How far apart two prices may have been observed, in seconds: a delayed feed on either side widens it. */
export const skewLimit = (toronto: Pick<LegState, 'delay_seconds'>, us: Pick<LegState, 'delay_seconds'>, rules: ArbRules): number =>
  rules.max_skew_seconds[toronto.delay_seconds === 0 && us.delay_seconds === 0 ? 'live' : 'delayed']
export const apartSeconds = (a: string, b: string): number => Math.abs(Math.round((Date.parse(a) - Date.parse(b)) / 1000))

function skewReasons(toronto: LegState, us: LegState, rules: ArbRules): Reason[] {
  const [apart, most] = [apartSeconds(toronto.observed_at, us.observed_at), skewLimit(toronto, us, rules)]
  return apart > most ? [{ code: 'skewed', leg: 'both', sentence: `the two prices were observed ${apart} seconds apart; at most ${most}` }] : []
}

const splits = new Set(['split', 'stock_dividend'])
/** Splits are compared with splits, and every distribution with every distribution. */
const groupOf = (kind: string): 'split' | 'distribution' => (splits.has(kind) ? 'split' : 'distribution')

/** An action that only one of the two prices includes, or that is known for only one of the two lines. */
function actionReasons(toronto: LegState, us: LegState, actions: readonly ActionEvent[]): Reason[] {
  const [from, to] = [toronto.session_date, us.session_date].sort() as [string, string]
  const around = actions.filter(action => action.ex_date >= from && action.ex_date <= to)
  const keys = [...new Set(around.map(action => `${action.ex_date} ${groupOf(action.kind)}`))].sort()
  return keys.flatMap((key): Reason[] => {
    const [ex = '', group = ''] = key.split(' ')
    const has = (leg: LegState): boolean => around.some(each => each.symbol === leg.symbol && each.ex_date === ex && groupOf(each.kind) === group)
    const [here, there] = [has(toronto), has(us)]
    if (here !== there) {
      const [one, other] = here ? [toronto, us] : [us, toronto]
      return [
        {
          code: 'corporate_action',
          leg: here ? 'toronto' : 'us',
          sentence: `${one.symbol} has a ${group} with ex-date ${ex}, ${other.symbol} is not known to have one`,
        },
      ]
    }
    const after = (leg: LegState): boolean => leg.session_date >= ex
    if (after(toronto) === after(us)) return []
    return [
      {
        code: 'corporate_action',
        leg: after(toronto) ? 'us' : 'toronto',
        sentence: `one price is from before the ex-date ${ex} of a ${group}, the other from after it`,
      },
    ]
  })
}
