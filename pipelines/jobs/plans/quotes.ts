// What the jobs for quotes and intraday bars request: the tracked symbols that a source covers, within the number and the batch size that
// the ruleset of quotes allows for it.

import { addDays } from '#schemas/days.ts'
import type { ExchangeCode } from '#schemas/spelling.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { alphaVantage, eodhd, type Spelling, tiingo, writeTmx, yahoo } from '#schemas/vendor-spelling.ts'
import { type IntradayRequest, intradayRequests, trackingOf } from '#warehouse/rulesets/quotes/rules.ts'
import { polygonNextUrl } from '../../fetch/sources/polygon.ts'
import {
  eodhdDelayedUrl,
  eodhdIntradayUrl,
  eodhdRealTimeUrl,
  globalQuoteUrl,
  polygonIntradayUrl,
  polygonSnapshotUrl,
  polygonUpcomingUrl,
  tiingoIntradayUrl,
  tiingoQuotesUrl,
  tmxQuoteUrl,
  yahooIntradayUrl,
  yahooQuotesUrl,
} from '../../fetch/sources/quote-addresses.ts'
import { current, dated, type Lookup, type Plan, type Wanted, type Window } from './plan.ts'

type Write = Spelling['write']
/** Polygon spells classes with a point, as the tape does; symbols with other marks are not requested. */
const writePolygon: Write = symbol => (/^[A-Z0-9]+$/.test(symbol) ? symbol : /^([A-Z0-9]+)-([A-Z])$/.test(symbol) ? symbol.replace('-', '.') : null)
const onlyUs =
  (write: Write): Write =>
  symbol =>
    exchangeOf(symbol) === 'US' ? write(symbol) : null

/** The symbols that were requested by name, else the tracked ones in the ruleset's order; each in the source's spelling. */
async function spelled(
  source: string,
  kind: 'quotes' | 'intraday',
  write: Write,
  window: Window,
  lookup: Lookup,
): Promise<{ symbol: string; spelling: string }[]> {
  const requested = window.symbols ?? (await lookup.tracked?.()) ?? []
  const most = window.symbols === null ? trackingOf(source)[kind] : window.symbols.length
  return requested
    .flatMap(symbol => {
      const spelling = write(symbol)
      return spelling === null ? [] : [{ symbol, spelling }]
    })
    .slice(0, most)
}

const maybe = (url: string): Wanted => ({ ...current(url), mayBeMissing: true })

/** Quotes are requested every time. A batch whose symbols are all unknown to the source is a valid response. */
const quotesOf = (source: string, write: Write, urls: (batch: readonly string[]) => readonly string[]): Plan => ({
  first: async (window, lookup) => {
    const symbols = (await spelled(source, 'quotes', write, window, lookup)).map(({ spelling }) => spelling)
    const { per_request } = trackingOf(source)
    const wanted: Wanted[] = []
    for (let at = 0; at < symbols.length; at += per_request) wanted.push(...urls(symbols.slice(at, at + per_request)).map(maybe))
    return wanted
  },
})

/** The day after, since days are final only when their last session has ended everywhere. */

const intradayOf = (source: string, write: Write, url: (spelling: string, request: IntradayRequest) => string): Plan => ({
  first: async (window, lookup) => {
    const symbols = await spelled(source, 'intraday', write, window, lookup)
    return symbols.flatMap(({ symbol, spelling }) =>
      intradayRequests(source, exchangeOf(symbol) as ExchangeCode, window.from, window.to, window.today).map(request =>
        dated(url(spelling, request), addDays(request.to, 1), window.today),
      ),
    )
  },
  ...(source === 'polygon' ? { next: (_url, read) => read.follow.map(each => current(polygonNextUrl(each))) } : {}),
})

/** EODHD has bid and ask only for US symbols, and last prices for all. */
function eodhdQuotes(batch: readonly string[]): string[] {
  const [us, others] = [batch.filter(each => each.endsWith('.US')), batch.filter(each => !each.endsWith('.US'))]
  return [...(us.length > 0 ? [eodhdDelayedUrl(us)] : []), ...(others.length > 0 ? [eodhdRealTimeUrl(others)] : [])]
}

export const quotePlans: readonly (readonly [string, Plan])[] = [
  ['eodhd-quotes', quotesOf('eodhd', eodhd.write, eodhdQuotes)],
  ['yahoo-quotes', quotesOf('yahoo', yahoo.write, batch => [yahooQuotesUrl(batch)])],
  ['tmx-quotes', quotesOf('tmx', writeTmx, batch => batch.map(tmxQuoteUrl))],
  ['polygon-quotes', quotesOf('polygon', writePolygon, batch => [polygonSnapshotUrl(batch)])],
  ['tiingo-quotes', quotesOf('tiingo', tiingo.write, batch => [tiingoQuotesUrl(batch)])],
  ['alphavantage-quotes', quotesOf('alphavantage', alphaVantage.write, batch => batch.map(globalQuoteUrl))],
  ['eodhd-intraday', intradayOf('eodhd', eodhd.write, (symbol, { interval, from, to }) => eodhdIntradayUrl(symbol, interval, from, to))],
  ['yahoo-intraday', intradayOf('yahoo', yahoo.write, (symbol, { interval, from, to }) => yahooIntradayUrl(symbol, interval, from, to))],
  ['polygon-intraday', intradayOf('polygon', writePolygon, (symbol, { interval, from, to }) => polygonIntradayUrl(symbol, interval, from, to))],
  ['tiingo-intraday', intradayOf('tiingo', onlyUs(tiingo.write), (symbol, { interval, from, to }) => tiingoIntradayUrl(symbol, interval, from, to))],
  ['polygon-calendar', { first: () => [current(polygonUpcomingUrl)] }],
]
