// The addresses of quotes and intraday bars, in each vendor's spelling.
import { daySeconds, dayStart } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { BarInterval } from '#schemas/intraday.ts'
import { postAddress } from './question.ts'
import { tmxUrl } from './tmx.ts'

const shape = /^[A-Za-z0-9][A-Za-z0-9.=-]{0,20}$/
function checked(source: string, symbols: readonly string[]): readonly string[] {
  const bad = symbols.find(symbol => !shape.test(symbol))
  if (bad !== undefined || symbols.length === 0) throw new BadRequest(`${source}: "${(bad ?? '').slice(0, 20)}" is not a symbol`)
  return symbols
}
const day = (date: string): number => dayStart(date) / 1000
/** Eastern days end after midnight in UTC: at 04:00 no session of the previous day is still open, and none of this day has begun. */
const quietSeconds = 4 * 3600

/** Quotes of up to some dozens of symbols together; requires Yahoo's session. */
export const yahooQuotesUrl = (symbols: readonly string[]): string =>
  `https://query2.finance.yahoo.com/v7/finance/quote?symbols=${checked('yahoo', symbols).map(encodeURIComponent).join('%2C')}`
/** Bars of Eastern days from `from` to `to`, both included, with pre-market and post-market. */
export const yahooIntradayUrl = (symbol: string, interval: BarInterval, from: string, to: string): string =>
  `https://query2.finance.yahoo.com/v8/finance/chart/${encodeURIComponent(checked('yahoo', [symbol])[0] ?? '')}?period1=${day(from) + quietSeconds}&period2=${day(to) + daySeconds + quietSeconds}&interval=${interval}&includePrePost=true&events=div%7Csplit%7CcapitalGains`

/** One Canadian symbol as TMX prints it, posted; only the fields that a quote needs. */
export const tmxQuoteUrl = (symbol: string): string =>
  postAddress(tmxUrl, {
    operationName: 'getQuoteBySymbol',
    variables: { symbol: checked('tmx', [symbol])[0], locale: 'en' },
    query:
      'query getQuoteBySymbol($symbol: String, $locale: String) { getQuoteBySymbol(symbol: $symbol, locale: $locale) { symbol name price priceChange percentChange exchangeName exShortName exchangeCode volume openPrice dayHigh dayLow prevClose datatype issueType } }',
  })

/** Last prices of symbols with their exchange (`AAPL.US`, `RY.TO`): one call weight each. */
export function eodhdRealTimeUrl(symbols: readonly string[]): string {
  const [first, ...more] = checked('eodhd', symbols)
  return `https://eodhd.com/api/real-time/${first}?fmt=json${more.length > 0 ? `&s=${more.join(',')}` : ''}`
}
/** Bid, ask and last price of US symbols: one call weight each. */
export const eodhdDelayedUrl = (symbols: readonly string[]): string =>
  `https://eodhd.com/api/us-quote-delayed?fmt=json&s=${checked('eodhd', symbols).join(',')}`
/** Bars of Eastern days, both included: five call weights. */
export const eodhdIntradayUrl = (symbol: string, interval: BarInterval, from: string, to: string): string =>
  `https://eodhd.com/api/intraday/${checked('eodhd', [symbol])[0]}?interval=${interval}&from=${day(from) + quietSeconds}&to=${day(to) + daySeconds + quietSeconds}&fmt=json`

const polygonApi = 'https://api.polygon.io'
export const polygonSnapshotUrl = (symbols: readonly string[]): string =>
  `${polygonApi}/v2/snapshot/locale/us/markets/stocks/tickers?tickers=${checked('polygon', symbols).map(encodeURIComponent).join('%2C')}`
/** Coming days on which an exchange is closed or closes early. */
export const polygonUpcomingUrl = `${polygonApi}/v1/marketstatus/upcoming`
/** Bars as traded, both days included. */
export function polygonIntradayUrl(symbol: string, interval: BarInterval, from: string, to: string): string {
  const [, count = '1', unit = 'm'] = /^(\d+)([mh])$/.exec(interval) ?? []
  return `${polygonApi}/v2/aggs/ticker/${encodeURIComponent(checked('polygon', [symbol])[0] ?? '')}/range/${count}/${unit === 'm' ? 'minute' : 'hour'}/${from}/${to}?adjusted=false&sort=asc&limit=50000`
}

export const tiingoQuotesUrl = (symbols: readonly string[]): string => `https://api.tiingo.com/iex/?tickers=${checked('tiingo', symbols).join(',')}`
export const tiingoIntradayUrl = (symbol: string, interval: BarInterval, from: string, to: string): string =>
  `https://api.tiingo.com/iex/${checked('tiingo', [symbol])[0]}/prices?startDate=${from}&endDate=${to}&resampleFreq=${interval.replace('m', 'min').replace('h', 'hour')}&format=json`

export const globalQuoteUrl = (symbol: string): string =>
  `https://www.alphavantage.co/query?function=GLOBAL_QUOTE&symbol=${checked('alphavantage', [symbol])[0]}`
