// Rates for dividends declared in another currency than the price (docs/adjusted-close.md): the last observation before the ex-date. The
// Bank of Canada publishes none on its own holidays, so the result includes the day of the rate.
import { daysBetween } from '#schemas/days.ts'
import { calendarYears, previousSession } from '../../rulesets/exchange-calendars/calendar.ts'
import { firstFrom } from './closes.ts'
import type { FxLookup } from './derive.ts'
import { decimalOf, over, ratioOf } from './ratio.ts'

export type RateRow = { readonly base_currency: string; readonly quote_currency: string; readonly date: string; readonly rate: string }

/** Days after which the last rate is too old to use: longer than any holiday, shorter than an outage of the feed. */
const maxAgeDays = 14
const calendar = 'BOC'

/** True if no day between the two can still receive a rate: an applied rate is not restated, so it waits for it. */
function isLastBefore(date: string, before: string): boolean {
  const { from, to } = calendarYears(calendar)
  return date < from || before > to || previousSession(calendar, before) <= date
}

/**
 * Looks rates up in rows of `fx_rates` (any order). Pairs that are not published are made of published ones: the inverse,
 * or both against one third currency on one day, with 12 digits after the point.
 */
export function fxLookup(rows: readonly RateRow[]): FxLookup {
  const series = new Map<string, RateRow[]>()
  for (const row of rows) {
    const key = `${row.base_currency}/${row.quote_currency}`
    const list = series.get(key)
    if (list) list.push(row)
    else series.set(key, [row])
  }
  for (const list of series.values()) list.sort((a, b) => (a.date < b.date ? -1 : 1))
  const third = [...new Set(rows.map(row => row.quote_currency))].sort()

  const published = (base: string, quote: string, before: string): { rate: string; date: string } | null => {
    const list = series.get(`${base}/${quote}`) ?? []
    const row = list[firstFrom(list, before) - 1]
    if (!row || daysBetween(row.date, before) > maxAgeDays) return null
    if (row === list.at(-1) && !isLastBefore(row.date, before)) return null
    return { rate: row.rate, date: row.date }
  }
  return (base, quote, before) => {
    const direct = published(base, quote, before)
    if (direct) return direct
    const inverse = published(quote, base, before)
    if (inverse) return { rate: decimalOf(over(ratioOf('1'), ratioOf(inverse.rate))), date: inverse.date }
    for (const currency of third) {
      const [ours, theirs] = [published(base, currency, before), published(quote, currency, before)]
      if (ours && theirs && ours.date === theirs.date) return { rate: decimalOf(over(ratioOf(ours.rate), ratioOf(theirs.rate))), date: ours.date }
    }
    return null
  }
}
