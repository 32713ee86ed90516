// Factors from actions (docs/adjusted-close.md): effective actions and raw closes in, one factor row per ex-date out.
// Ratios are exact integers; the price factor is one double per ex-date, rounded once, from exact fractions.
import type { FactorFacts } from '#schemas/corporate-actions.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { ActionFacts, Convention, DerivedFactor } from './actions.ts'
import { actionLabel, isCash, isSplit, splitRatio } from './actions.ts'
import type { ClosePoint, Prices } from './closes.ts'
import { compare, decimalOf, minus, numberOf, one, over, plus, type Ratio, ratioOf, times, zero } from './ratio.ts'

/** The rate of the last observation strictly before a day: the price of one `base` in `quote`. Null if unknown. */
export type FxLookup = (base: string, quote: string, before: string) => { readonly rate: string; readonly date: string } | null

export type DeriveOptions<C extends Convention = 'yahoo_crsp'> = {
  readonly symbol: string
  readonly currency: string // of the prices
  readonly prices: Prices
  readonly convention?: C // default yahoo_crsp
  readonly fx?: FxLookup
  /** Actions with a later ex-date are announced, not yet effective: they give no factor. */
  readonly asOf: string
  readonly reason?: string
}
export type Unapplied = { readonly action: ActionFacts; readonly reason: UnappliedReason; readonly detail: string }
type UnappliedReason =
  | 'ex_date_ahead'
  | 'before_first_bar'
  | 'amount_exceeds_price'
  | 'no_fx_rate'
  | 'no_amount'
  | 'no_ratio'
  | 'no_ex_close'
  | 'no_cash_leaves'

/**
 * One factor row per ex-date, oldest first, from actions already accepted as effective; the result does not depend on their
 * order. Every action that gives no factor is in `unapplied` with its reason. With p the last raw close before the ex-date,
 * s new shares per old and D cash per new share: `(1/s)·(1 − D·s/p)`; `quandl_wiki` uses `(1/s)·P_ex/(P_ex + D)`.
 */
export function deriveFactors<C extends Convention = 'yahoo_crsp'>(
  actions: readonly ActionFacts[],
  options: DeriveOptions<C>,
): { factors: DerivedFactor<C>[]; unapplied: Unapplied[] } {
  const days = new Map<string, ActionFacts[]>()
  for (const action of actions) days.set(action.ex_date, [...(days.get(action.ex_date) ?? []), action])
  const convention = (options.convention ?? 'yahoo_crsp') as C
  const factors: DerivedFactor<C>[] = []
  const unapplied: Unapplied[] = []
  for (const exDate of [...days.keys()].sort()) {
    const day = (days.get(exDate) ?? []).sort((a, b) => (actionLabel(a) < actionLabel(b) ? -1 : 1))
    const factor = deriveDay(exDate, day, options, unapplied)
    if (factor) factors.push({ ...factor, convention })
  }
  return { factors, unapplied }
}

type AnyOptions = DeriveOptions<Convention>
type FactorOfDay = Omit<FactorFacts, 'convention'>
type Cash = { readonly action: ActionFacts; readonly perNewShare: Ratio; readonly rate: { rate: string; date: string } | null }

function deriveDay(exDate: string, day: readonly ActionFacts[], options: AnyOptions, unapplied: Unapplied[]): FactorOfDay | null {
  const leave = (action: ActionFacts, reason: UnappliedReason, detail: string): undefined => {
    unapplied.push({ action, reason, detail: `${options.symbol} ${actionLabel(action)} of ${exDate}: ${detail}` })
    return undefined
  }
  if (exDate > options.asOf) {
    for (const action of day) leave(action, 'ex_date_ahead', `the ex-date is after ${options.asOf}`)
    return null
  }
  const before = options.prices.closeBefore(exDate)
  if (!before) {
    for (const action of day) leave(action, 'before_first_bar', 'no bar before the ex-date, so there is nothing to adjust')
    return null
  }
  const price = ratioOf(plainDecimal(before.close))
  const applied: ActionFacts[] = []
  let split = one
  for (const action of day.filter(isSplit)) {
    const shares = splitRatio(action)
    if (!shares) leave(action, 'no_ratio', 'it states no ratio of shares')
    else {
      split = times(split, shares)
      applied.push(action)
    }
  }
  const cash: Cash[] = []
  for (const action of day) {
    if (isSplit(action)) continue
    if (!isCash(action)) leave(action, 'no_cash_leaves', 'a reinvested distribution pays nothing out, so prices are not adjusted')
    else if (options.convention === 'split_only') leave(action, 'no_cash_leaves', 'the convention split_only leaves cash out')
    else {
      const found = cashPerNewShare(action, split, price, options)
      if (typeof found === 'string')
        leave(
          action,
          found,
          found === 'no_fx_rate' ? `no rate from ${action.currency} to ${options.currency} before it` : 'it states no amount above 0',
        )
      else cash.push({ action, ...found })
    }
  }
  const paid = payable(cash, split, price, item =>
    leave(item.action, 'amount_exceeds_price', `${item.action.amount ?? 'its value'} is at or above the previous close ${before.close}`),
  )
  const total = paid.reduce((sum, item) => plus(sum, item.perNewShare), zero)
  const kept = cashFactor(total, split, price, exDate, options)
  if (kept === null)
    for (const item of paid) leave(item.action, 'no_ex_close', 'no close on or after the ex-date, which the convention quandl_wiki needs')
  const cashApplied = kept === null ? [] : paid
  applied.push(...cashApplied.map(item => item.action))
  if (applied.length === 0) return null
  return row(exDate, options, before, split, cashApplied, total, kept ?? one, applied)
}

/** The day's plausible cash: the largest amounts are excluded until the rest is below the price. */
function payable(cash: readonly Cash[], split: Ratio, price: Ratio, refuse: (item: Cash) => void): Cash[] {
  const rest = [...cash].sort((a, b) => compare(b.perNewShare, a.perNewShare))
  const perOldShare = (): Ratio =>
    times(
      rest.reduce((sum, item) => plus(sum, item.perNewShare), ratioOf('0')),
      split,
    )
  while (rest.length > 0 && compare(perOldShare(), price) >= 0) refuse(rest.shift()!)
  return cash.filter(item => rest.includes(item))
}

function cashPerNewShare(
  action: ActionFacts,
  split: Ratio,
  price: Ratio,
  options: AnyOptions,
): { perNewShare: Ratio; rate: { rate: string; date: string } | null } | 'no_fx_rate' | 'no_amount' {
  if (action.amount === null) {
    // Yahoo books a spin-off as a split: shares 1.236 for 1 mean that 1 - 1/1.236 of the old share's price left it.
    const shares = action.kind === 'spinoff' ? splitRatio(action) : null
    return shares && compare(shares, one) > 0 ? { perNewShare: over(times(price, minus(one, over(one, shares))), split), rate: null } : 'no_amount'
  }
  const declared = ratioOf(action.amount)
  if (declared.numerator <= 0n) return 'no_amount'
  const foreign = action.currency !== null && action.currency !== options.currency ? action.currency : null
  const rate = foreign === null ? null : (options.fx?.(foreign, options.currency, action.ex_date) ?? null)
  if (foreign !== null && rate === null) return 'no_fx_rate'
  const amount = rate === null ? declared : times(declared, ratioOf(rate.rate))
  return { perNewShare: action.amount_basis === 'pre_split' ? over(amount, split) : amount, rate }
}

/** The fraction of the price that remains before the ex-date after the value is paid, without the split; null if the rule's price is missing. */
function cashFactor(total: Ratio, split: Ratio, price: Ratio, exDate: string, options: AnyOptions): Ratio | null {
  if (total.numerator === 0n) return one
  if (options.convention !== 'quandl_wiki') return minus(one, over(times(total, split), price))
  const ex = options.prices.closeFrom(exDate)
  if (!ex) return null
  const exPrice = ratioOf(plainDecimal(ex.close))
  return over(exPrice, plus(exPrice, total))
}

function row(
  exDate: string,
  options: AnyOptions,
  before: ClosePoint,
  split: Ratio,
  cash: readonly Cash[],
  total: Ratio,
  kept: Ratio,
  applied: readonly ActionFacts[],
): FactorOfDay {
  const rate = cash.find(item => item.rate !== null)?.rate ?? null
  return {
    symbol: options.symbol,
    ex_date: exDate,
    split_numerator: String(split.numerator),
    split_denominator: String(split.denominator),
    cash_amount: cash.length === 0 ? null : decimalOf(total),
    price_factor: numberOf(over(kept, split)),
    previous_close: before.close,
    previous_close_date: before.date,
    fx_rate: rate?.rate ?? null,
    fx_rate_date: rate?.date ?? null,
    spinoff: applied.some(action => action.kind === 'spinoff'),
    actions: applied.map(actionLabel).sort(),
    reason: options.reason ?? 'action',
  }
}
