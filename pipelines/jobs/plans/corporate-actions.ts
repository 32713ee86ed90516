// What the jobs for symbols, bars and corporate actions request from EODHD (lists), Polygon and TMX.
import { previousSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { symbolChangesUrl, symbolListUrl } from '../../fetch/sources/eodhd.ts'
import {
  groupedDayUrl,
  polygonDividendsUrl,
  polygonEventsUrl,
  polygonExchangesUrl,
  polygonNextUrl,
  polygonSplitsUrl,
  polygonTickersUrl,
} from '../../fetch/sources/polygon.ts'
import { tmxDividendsUrl } from '../../fetch/sources/tmx.ts'
import { current, dated, final, type Plan, type Wanted, type Window, weekdays } from './plan.ts'

/** Polygon has a day's bars for every plan from the next day on: a morning run requests the previous session. */
function finishedDays({ from, to, today }: Window): string[] {
  const past = weekdays(from, to).filter(date => date < today)
  return past.length > 0 ? past : [previousSession('US', today)]
}
const furtherPages = (follow: readonly string[]): Wanted[] => follow.map(url => current(polygonNextUrl(url)))

export const symbolAndActionPlans: readonly (readonly [string, Plan])[] = [
  [
    'eodhd-symbol-lists',
    {
      // EODHD has no delisting dates: the list of delisted symbols is stored raw, day by day, like the directory.
      first: ({ from, to }) => [
        ...(['US', 'TO', 'V'] as const).flatMap(exchange => [current(symbolListUrl(exchange)), current(symbolListUrl(exchange, true))]),
        current(symbolChangesUrl(from, to)),
      ],
    },
  ],
  ['eodhd-symbol-changes', { first: ({ from, to, today }) => [dated(symbolChangesUrl(from, to), to, today)] }],
  [
    'polygon-day',
    {
      first: window =>
        finishedDays(window).flatMap(date => [final(polygonSplitsUrl(date)), final(polygonDividendsUrl(date)), final(groupedDayUrl(date))]),
      next: (_url, read) => furtherPages(read.follow),
    },
  ],
  ['polygon-tickers', { first: () => [current(polygonExchangesUrl), current(polygonTickersUrl)], next: (_url, read) => furtherPages(read.follow) }],
  // A ticker that never changed has no events: that is a valid response.
  [
    'polygon-ticker-events',
    { first: ({ symbols }) => (symbols ?? []).map(symbol => ({ ...current(polygonEventsUrl(symbol)), mayBeMissing: true })) },
  ],
  [
    'tmx-dividends',
    {
      first: ({ symbols }) => (symbols ?? []).map(symbol => current(tmxDividendsUrl(symbol))),
      next: (_url, read) => read.follow.map(current),
    },
  ],
]
