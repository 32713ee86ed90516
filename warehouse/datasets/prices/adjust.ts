// The adjusted-close engine: raw bars times the product of the factors of every later ex-date (docs/adjusted-close.md).
// Nothing of it is stored; bars are adjusted when they are read.
import { dayMs, dayStart } from '#schemas/days.ts'
import { firstPlace } from '#schemas/ordered.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { DerivedFactor } from './actions.ts'
import { numberOf, one, over, type Ratio, ratio, ratioOf, times } from './ratio.ts'

export { deriveFactors } from './derive.ts'

export type AdjustMode = 'none' | 'split' | 'all'
export type Ohlcv = {
  readonly date: string
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
  readonly volume: number | null
}
type FactorRow = Pick<DerivedFactor, 'ex_date' | 'split_numerator' | 'split_denominator' | 'cash_amount' | 'price_factor' | 'spinoff'>
export type SeriesOptions = {
  /** Factors of later ex-dates are omitted, because they were not applied on that day. */
  readonly asOf?: string
  /** Leaves the cash part of ex-dates with a spin-off out, so that the fall of the price stays visible. */
  readonly excludeSpinoffs?: boolean
}

/** What multiplies every bar before `exDate` and on or after the ex-date before it. */
type Step = { readonly exDate: string; readonly shares: Ratio; readonly cash: number }
type Cumulative = {
  readonly exDate: string
  readonly shares: Ratio
  readonly cash: number
  readonly factor: number
  /** The ratio's two integers as doubles; null if one does not fit. */
  readonly exact: readonly [numerator: number, denominator: number] | null
}

/** The factor rows as steps, oldest first; `mode` `split` leaves the cash part out. */
function stepsOf(factors: readonly FactorRow[], mode: AdjustMode, options: SeriesOptions = {}): Step[] {
  if (mode === 'none') return []
  return factors
    .filter(factor => options.asOf === undefined || factor.ex_date <= options.asOf)
    .map(factor => {
      const shares = ratio(BigInt(factor.split_numerator), BigInt(factor.split_denominator))
      const noCash = mode === 'split' || factor.cash_amount === null || (factor.spinoff && options.excludeSpinoffs === true)
      return { exDate: factor.ex_date, shares, cash: noCash ? 1 : numberOf(times(ratioOf(plainDecimal(factor.price_factor)), shares)) }
    })
    .sort((a, b) => (a.exDate < b.exDate ? -1 : a.exDate > b.exDate ? 1 : 0))
}

/** Adjusts the whole bar: prices by F_t = Π k_e over e > t, volume by Π s_e. Bars come back in the order given. */
export function adjustBars<B extends Ohlcv>(
  bars: readonly B[],
  factors: readonly FactorRow[],
  mode: AdjustMode = 'all',
  options: SeriesOptions = {},
): (B & { readonly factor: number })[] {
  const cumulative = accumulate(stepsOf(factors, mode, options))
  return bars.map(bar => {
    const at = firstAfter(cumulative, bar.date)
    const later = cumulative[at]
    if (!later) return { ...bar, factor: 1 }
    const price = (value: number | null): number | null => (value === null ? null : scale(value, later))
    return {
      ...bar,
      open: price(bar.open),
      high: price(bar.high),
      low: price(bar.low),
      close: price(bar.close),
      volume: bar.volume === null ? null : bar.volume * numberOf(later.shares),
      factor: later.factor,
    }
  })
}

/** The adjusted closes only, one for each day: the same closes as `adjustBars` with mode `all`, without its other columns. */
export function adjustedCloses(
  days: readonly string[],
  closes: readonly number[],
  factors: readonly FactorRow[],
  options: SeriesOptions = {},
): readonly number[] {
  const cumulative = accumulate(stepsOf(factors, 'all', options))
  if (cumulative.length === 0) return closes
  return closes.map((close, at) => {
    const later = cumulative[firstAfter(cumulative, days[at] as string)]
    return later ? scale(close, later) : close
  })
}

/**
 * Adjusts one column of a symbol's bars as `adjustBars` does: `values` of `days` (since 1970-01-01), which ascend, `kind` the prices or the
 * volume. NaN stays NaN. Writes into `into`, which may be `values`.
 */
export function adjustColumn(
  {
    days,
    values,
    count,
    kind,
  }: { readonly days: Float64Array; readonly values: Float64Array; readonly count: number; readonly kind: 'price' | 'volume' },
  factors: readonly FactorRow[],
  mode: AdjustMode,
  options: SeriesOptions,
  into: Float64Array,
): void {
  let at = 0
  for (const later of accumulate(stepsOf(factors, mode, options))) {
    const before = dayStart(later.exDate) / dayMs
    const shares = numberOf(later.shares)
    for (; at < count && (days[at] as number) < before; at += 1) {
      const value = values[at] as number
      into[at] = kind === 'price' ? scale(value, later) : value * shares
    }
  }
  for (; at < count; at += 1) into[at] = values[at] as number
}

/** The multiplier of bars before `to_date` and from the previous ex-date on: for prices, all actions; for prices and volume, splits only. */
export type MultiplierStep = { readonly to_date: string; readonly price_multiplier: number; readonly split_multiplier: number }

/** The steps of a series as plain multipliers, oldest first: for adjusting bars in SQL. */
export function multipliersOf(factors: readonly FactorRow[], options: SeriesOptions = {}): MultiplierStep[] {
  return accumulate(stepsOf(factors, 'all', options)).map(({ exDate, shares, factor }) => ({
    to_date: exDate,
    price_multiplier: factor,
    split_multiplier: numberOf(over(one, shares)),
  }))
}

/** Products from the newest ex-date backwards, so that the same factors give the same bits in any order of arrival. */
function accumulate(steps: readonly Step[]): Cumulative[] {
  const result: Cumulative[] = []
  let [shares, cash] = [one, 1]
  for (const step of steps.toReversed()) {
    shares = times(shares, step.shares)
    cash *= step.cash
    const [numerator, denominator] = [Number(shares.numerator), Number(shares.denominator)]
    const exact = Number.isSafeInteger(numerator) && Number.isSafeInteger(denominator) ? ([numerator, denominator] as const) : null
    result.push({ exDate: step.exDate, shares, cash, factor: numberOf(over(one, shares)) * cash, exact })
  }
  return result.reverse()
}

/** One division by the integers if they fit a double: 451.04 after a 10:1 split is 45.104, not 45.104000000000006. */
function scale(value: number, { exact, cash, factor }: Cumulative): number {
  if (exact === null) return value * factor
  return ((value * exact[1]) / exact[0]) * cash
}

function firstAfter(steps: readonly Cumulative[], date: string): number {
  return firstPlace(steps.length, place => steps[place]!.exDate <= date)
}
