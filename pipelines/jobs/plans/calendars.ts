// Which calendars a job requests: the days of its window, and if that reaches today, also the coming weeks.
import { addDays, addMonths } from '#schemas/days.ts'
import { alphaVantage as avSpelling, eodhd as eodhdSpelling, yahoo as yahooSpelling } from '#schemas/vendor-spelling.ts'
import { alphaVantageEarningsUrl, alphaVantageIpoUrl, overviewUrl } from '../../fetch/sources/alphavantage.ts'
import { eodhdEarningsUrl, eodhdIpoUrl, ratingsUrl } from '../../fetch/sources/eodhd.ts'
import { nasdaqEarningsUrl, nasdaqIpoUrl } from '../../fetch/sources/nasdaq.ts'
import { tmxEarningsUrl } from '../../fetch/sources/tmx.ts'
import { yahooSummaryUrl } from '../../fetch/sources/yahoo.ts'
import { current, dated, type Plan, type Window, weekdays } from './plan.ts'

/** A scheduled day that was missed is made up after a weekend. */
const lateDays = 3
/** A window that ends about today extends `days` ahead, because a calendar lists future events. */
const reach = ({ to, today }: Window, days: number): string => (to < addDays(today, -lateDays) ? to : addDays(to, days))

/** Every month from that of `from` to that of `to`, as `YYYY-MM`. */
export function monthsOf(from: string, to: string): string[] {
  const months: string[] = []
  for (let day = `${from.slice(0, 7)}-01`; day <= to; day = addMonths(day, 1)) months.push(day.slice(0, 7))
  return months
}

/** One address for each symbol of a window that the vendor can spell; a symbol without analysts or an overview is a valid response. */
const eachSpelled = (spell: (symbol: string) => string | null, url: (spelled: string) => string): Plan => ({
  first: window =>
    (window.symbols ?? [])
      .map(spell)
      .filter(spelled => spelled !== null)
      .map(spelled => ({ url: url(spelled), final: false, mayBeMissing: true })),
})

export const calendarPlans: readonly (readonly [string, Plan])[] = [
  ['nasdaq-earnings', { first: window => weekdays(window.from, reach(window, 28)).map(date => dated(nasdaqEarningsUrl(date), date, window.today)) }],
  ['nasdaq-ipos', { first: window => monthsOf(window.from, reach(window, 31)).map(month => current(nasdaqIpoUrl(month))) }],
  // A day without reports looks like a failure, so each day is a separate request that no other depends on.
  ['tmx-earnings', { first: window => weekdays(window.from, window.to).map(date => dated(tmxEarningsUrl(date), date, window.today)) }],
  ['eodhd-earnings', { first: window => [current(eodhdEarningsUrl(window.from, reach(window, 60)))] }],
  ['eodhd-ipos', { first: window => [current(eodhdIpoUrl(window.from, reach(window, 60)))] }],
  ['alphavantage-calendars', { first: () => [current(alphaVantageEarningsUrl), current(alphaVantageIpoUrl)] }],
  ['yahoo-summary', eachSpelled(yahooSpelling.write, yahooSummaryUrl)],
  ['eodhd-ratings', eachSpelled(eodhdSpelling.write, ratingsUrl)],
  ['alphavantage-overview', eachSpelled(avSpelling.write, overviewUrl)],
]
