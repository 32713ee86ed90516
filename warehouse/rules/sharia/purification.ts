// The amount that a holder gives away because of a company's prohibited income: by the dividends received, and by the shares held. The two
// are never merged. Exact fractions; rounded once, when printed.
import { over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { Business } from './business.ts'
import type { Position } from './figures.ts'
import { figureOf } from './figures.ts'
import { countFor, type ShareCount, type Split, splitBetween } from './market-value.ts'
import { impermissibleIncome, type Range } from './verdicts.ts'

export type Dividend = {
  readonly ex_date: string
  readonly kind: string
  readonly amount: string
  readonly currency: string
  readonly pay_date: string | null
}
/** Impermissible income of a fiscal year; `value` null if an input is missing, which `missing` names. */
export type ImpureYear = {
  readonly position: Position
  readonly income: Ratio | null
  readonly total: Ratio | null
  readonly ratio: Ratio | null
  readonly missing: readonly string[]
}
export type DividendDue = {
  readonly dividend: Dividend
  readonly shares: Ratio
  readonly received: Ratio
  readonly year: ImpureYear | null
  /** True if the year of the dividend is not reported yet and the previous one is used instead. */
  readonly provisional: boolean
  readonly purify: Ratio | null
}
export type HoldingDue = {
  readonly year: ImpureYear
  readonly count: ShareCount | null
  readonly shares: Ratio
  readonly per_share: Ratio | null
  readonly purify: Ratio | null
  readonly missing: readonly string[]
}

/** Interest income and the measurements of a review of a fiscal year, as in the income test. */
export function impureYear(position: Position, share: Business['share']): ImpureYear {
  const [revenue, interest] = [figureOf(position, 'revenue'), figureOf(position, 'interest_income')]
  const plain = { revenue: revenue?.value ?? null, interest_income: interest?.value ?? null }
  const none = { debt: null, interest_bearing_assets: null, cash: null, receivables: null, total_assets: null, marketValue: () => null }
  const range: Range | null = impermissibleIncome({ ...none, ...plain }, { share, status: 'clean', basis: 'none', sentence: '', categories: [] })
  const total = plain.revenue === null ? null : ratioOf(plain.revenue)
  const income = range !== null && range.high !== null ? range.high : null
  const missing = [
    ...(plain.interest_income === null ? ['interest_income'] : []),
    ...(share.high === null ? ['impermissible_revenue_pct'] : []),
    ...(total === null || total.numerator <= 0n ? ['total_income'] : []),
  ]
  return { position, income, total, ratio: income && total && total.numerator > 0n ? over(income, total) : null, missing }
}

/** The fiscal year that contains a day, else the last one that ended before it. */
function yearOf(years: readonly ImpureYear[], day: string): { year: ImpureYear; provisional: boolean } | null {
  const own = years.find(({ position }) => (position.period_start ?? '') <= day && day <= position.period_end)
  if (own) return { year: own, provisional: false }
  const before = years.findLast(({ position }) => position.period_end < day)
  return before ? { year: before, provisional: true } : null
}

/** By dividends: the amount received times impermissible over total income. `shares` are counted at `until`; before a split fewer were held. */
export function byDividends(
  dividends: readonly Dividend[],
  years: readonly ImpureYear[],
  shares: string,
  until: string,
  splits: readonly Split[],
): DividendDue[] {
  return dividends.map(dividend => {
    const held = times(ratioOf(shares), splitBetween(splits, until, dividend.ex_date))
    const received = times(held, ratioOf(dividend.amount))
    const found = yearOf(years, dividend.ex_date)
    const ratio = found?.year.ratio ?? null
    return {
      dividend,
      shares: held,
      received,
      year: found?.year ?? null,
      provisional: found?.provisional ?? false,
      purify: ratio && times(received, ratio),
    }
  })
}

/** By holding: impermissible income per share outstanding at the end of each fiscal year in the range, dividend or none. */
export function byHolding(
  years: readonly ImpureYear[],
  counts: readonly ShareCount[],
  shares: string,
  from: string,
  until: string,
  splits: readonly Split[],
): HoldingDue[] {
  return years
    .filter(({ position }) => position.period_end >= from && position.period_end <= until)
    .map(year => {
      const end = year.position.period_end
      const count = countFor(counts, end, end)
      const outstanding = count && times(ratioOf(count.value), splitBetween(splits, count.stated_at, end))
      const held = times(ratioOf(shares), splitBetween(splits, until, end))
      const per_share = year.income && outstanding ? over(year.income, outstanding) : null
      const missing = [...year.missing.filter(each => each !== 'total_income'), ...(count ? [] : ['shares_outstanding'])]
      return { year, count, shares: held, per_share, purify: per_share && times(held, per_share), missing }
    })
}

/** Sums by currency, sorted by currency; null if one of the amounts is unknown. */
export function totalsOf(
  items: readonly { readonly currency: string; readonly amount: Ratio | null }[],
): { readonly currency: string; readonly amount: Ratio | null }[] {
  const totals = new Map<string, Ratio | null>()
  for (const { currency, amount } of items) {
    const held = totals.get(currency)
    totals.set(currency, held === undefined ? amount : held === null || amount === null ? null : plus(held, amount))
  }
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, amount]) => ({ currency, amount }))
}
