// Market value of a company in the currency of its statements: raw closes times the shares counted at the time, and averages of month-ends.
// Exact fractions; a missing input is reported, never assumed.
import type { BarBasis } from '#schemas/bars.ts'
import { addDays, dayOfMonth, daysBetween } from '#schemas/days.ts'
import { firstPlace } from '#schemas/ordered.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { FxLookup } from '../../datasets/prices/derive.ts'
import { over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import { shariaInputs } from '../../rulesets/sharia/rules.ts'

type Closes = {
  readonly date: readonly string[]
  readonly close: readonly number[]
  readonly currency: readonly string[]
  /** Absent: all closes are as traded. */
  readonly basis?: readonly BarBasis[]
}
export type CountBasis = 'cover' | 'balance_sheet' | 'weighted_average'
/** Shares outstanding as a filing states them, on the day that they were counted. */
export type ShareCount = {
  readonly at: string
  readonly value: string
  readonly basis: CountBasis
  readonly concept: string
  readonly accession: string
  readonly filed_at: string
  /**
   * The day whose shares it counts: a cover's own date; the filing's date for a balance sheet or an average, since statements restate
   * earlier counts after a split.
   */
  readonly stated_at: string
  /** The day of the balance sheet that the filing reports on. */
  readonly reports_on: string | null
}
export type Split = { readonly ex_date: string; readonly ratio: Ratio }
export type Market = {
  readonly closes: Closes
  readonly counts: readonly ShareCount[]
  readonly splits: readonly Split[]
  readonly fx: FxLookup
  /** Why closes times shares is not the company's value, e.g. classes of different prices; null if it is. */
  readonly obstacle: string | null
}
export type Valued = {
  readonly day: string
  readonly date: string
  readonly close: string
  readonly price_currency: string
  readonly shares: Ratio
  readonly count: ShareCount
  /** True if the count was adjusted for a split up to the day of the close. */
  readonly carried_over_split: boolean
  readonly rate: string | null
  readonly rate_date: string | null
  readonly value: Ratio
}
export type Missing = {
  readonly day: string
  readonly missing: 'no_close' | 'close_basis_unknown' | 'no_share_count' | 'no_exchange_rate' | 'obstacle'
}
export type Average = {
  readonly window_months: number
  readonly months_known: number
  readonly months_required: number
  readonly months: readonly (Valued | Missing)[]
  /** Null if too few months are known. */
  readonly value: Ratio | null
}

/** Index of the last close on or before a day; -1 if there is none. The days are sorted. */
function placeOf({ date }: Closes, day: string): number {
  return firstPlace(date.length, place => (date[place] as string) <= day) - 1
}

const rank: Readonly<Record<CountBasis, number>> = { cover: 0, balance_sheet: 1, weighted_average: 2 }

/**
 * The count used for a day: the newest on a cover that is not older than 13 months; if there is none, one of the balance sheet, then an
 * average of a period. `reportOn`: at a position, the cover of the report on it takes precedence.
 */
export function countFor(counts: readonly ShareCount[], day: string, reportOn: string | null = null): ShareCount | null {
  const { shares_max_age_days, shares_after_max_days } = shariaInputs
  let best: ShareCount | null = null
  for (const count of counts) {
    const own = reportOn !== null && count.basis === 'cover' && count.reports_on === reportOn && daysBetween(day, count.at) <= shares_after_max_days
    if (own && count.at >= day) return count
    const age = daysBetween(count.at, day)
    if (age < 0 || age > shares_max_age_days) continue
    if (best === null || rank[count.basis] < rank[best.basis] || (rank[count.basis] === rank[best.basis] && count.at >= best.at)) best = count
  }
  return best
}

/** New shares per old over the splits after `from` up to `to`; the inverse if `to` is earlier. */
export function splitBetween(splits: readonly Split[], from: string, to: string): Ratio {
  const [first, last] = from <= to ? [from, to] : [to, from]
  const product = splits.filter(({ ex_date }) => ex_date > first && ex_date <= last).reduce((all, { ratio }) => times(all, ratio), ratioOf('1'))
  return from <= to ? product : over(ratioOf('1'), product)
}

/** The value on the last close at or before a day, not more than ten days before it. */
export function valueOn(market: Market, day: string, currency: string, reportOn: string | null = null): Valued | Missing {
  if (market.obstacle !== null) return { day, missing: 'obstacle' }
  const place = placeOf(market.closes, day)
  const date = market.closes.date[place]
  if (date === undefined || daysBetween(date, day) > shariaInputs.month_end_max_age_days) return { day, missing: 'no_close' }
  // Divided by splits that are not all known: it must not be multiplied by a filing's number of shares.
  if (market.closes.basis?.[place] === 'split_adjusted_unknown') return { day, missing: 'close_basis_unknown' }
  const count = countFor(market.counts, day, reportOn)
  if (count === null) return { day, missing: 'no_share_count' }
  const price_currency = market.closes.currency[place] as string
  const rate = price_currency === currency ? null : market.fx(price_currency, currency, addDays(day, 1))
  if (price_currency !== currency && rate === null) return { day, missing: 'no_exchange_rate' }
  const close = plainDecimal(market.closes.close[place] as number)
  const split = splitBetween(market.splits, count.stated_at, date)
  const shares = times(ratioOf(count.value), split)
  const own = times(ratioOf(close), shares)
  return {
    day,
    date,
    close,
    price_currency,
    shares,
    count,
    carried_over_split: split.numerator !== split.denominator,
    rate: rate?.rate ?? null,
    rate_date: rate?.date ?? null,
    value: rate === null ? own : times(own, ratioOf(rate.rate)),
  }
}

/** The last days of the `months` whole months before a day, oldest first. */
export function monthEndsBefore(day: string, months: number): string[] {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return Array.from({ length: months }, (_, at) => dayOfMonth(year, month - months + at + 1, 0))
}

/** True if enough of a window's months are known: at least 75 percent, in integer arithmetic. */
export const enoughMonths = (known: number, window: number, percent = shariaInputs.months_required_pct): boolean => known * 100 >= percent * window

/** The mean of the month-ends of a window. The month of `evaluatedOn` is excluded, because it is not over. */
export function averageValue(market: Market, evaluatedOn: string, windowMonths: number, currency: string): Average {
  const months = monthEndsBefore(evaluatedOn, windowMonths).map(day => valueOn(market, day, currency))
  return averageOf(months, windowMonths)
}

/** The mean of the known months of a window. */
export function averageOf(months: readonly (Valued | Missing)[], windowMonths: number): Average {
  const values = months.flatMap(month => ('value' in month ? [month.value] : []))
  return {
    window_months: windowMonths,
    months_known: values.length,
    months_required: Math.ceil((shariaInputs.months_required_pct * windowMonths) / 100),
    months,
    value: values.length > 0 && enoughMonths(values.length, windowMonths) ? over(values.reduce(plus), ratioOf(String(values.length))) : null,
  }
}
