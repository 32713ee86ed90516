import { daysBetween } from '#schemas/days.ts'
import { decimalOf, one, over, ratioOf } from '../../datasets/prices/ratio.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-rates'])

/** Calendar days after which a rate is too old to use for another day: longer than any holiday, shorter than an outage of the feed. */
const carriedDays = 14
/** All rates of the Bank of Canada are against it. */
const pivot = 'CAD'

export type RateRow = {
  readonly base_currency: string
  readonly quote_currency: string
  readonly date: string
  readonly rate: string
  readonly series: string
  readonly source: string
}
export type RateUsed = {
  readonly from: string
  readonly to: string
  readonly rate: string
  readonly date: string
  readonly carried_days: number
  readonly basis: 'published' | 'inverse' | 'cross'
  readonly series: readonly string[]
  readonly source: string
}

/** Published rates among the currencies that may be used for the day `on`, newest first. */
export async function findRates(lake: Lake, currencies: readonly string[], on: string): Promise<RateRow[]> {
  const wanted = [...new Set([...currencies, pivot])]
  return wanted.length < 2
    ? []
    : await lake.query<RateRow>(statements['find-rates'], { on, carried_days: carriedDays, currencies: wanted, as_of: null }, { fx_rates: 'all' })
}

/**
 * The rate from one currency to another on a day, from rows newest first: the published one, the inverse of the opposite one, or the cross
 * rate through the Canadian dollar on one day. The newest wins; of one day the first of the three. Null if there is none.
 */
export function rateOn(rows: readonly RateRow[], from: string, to: string, on: string): RateUsed | null {
  const usable = rows.filter(({ date }) => date <= on && daysBetween(date, on) <= carriedDays)
  const published = (base: string, quote: string, date?: string): RateRow | undefined =>
    usable.find(row => row.base_currency === base && row.quote_currency === quote && (date === undefined || row.date === date))
  const used = (basis: RateUsed['basis'], row: RateRow, rate: string, series: readonly string[]): RateUsed => ({
    from,
    to,
    rate,
    date: row.date,
    carried_days: daysBetween(row.date, on),
    basis,
    series,
    source: row.source,
  })
  const direct = published(from, to)
  const opposite = published(to, from)
  const base = usable.find(row => row.base_currency === from && row.quote_currency === pivot && published(to, pivot, row.date) !== undefined)
  const quote = base && published(to, pivot, base.date)
  const found = [
    ...(direct ? [used('published', direct, direct.rate, [direct.series])] : []),
    ...(opposite ? [used('inverse', opposite, decimalOf(over(one, ratioOf(opposite.rate))), [opposite.series])] : []),
    ...(base && quote ? [used('cross', base, decimalOf(over(ratioOf(base.rate), ratioOf(quote.rate))), [base.series, quote.series])] : []),
  ]
  return found.reduce<RateUsed | null>((newest, each) => (newest === null || each.date > newest.date ? each : newest), null)
}
