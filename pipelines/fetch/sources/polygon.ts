// Polygon (Massive): the whole US market of one day in one call, splits and dividends. Its errors are JSON with a status word.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, jsonUpstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  const json = smallJson(answer)
  const status = json?.['status']
  if (typeof status !== 'string' || status === 'OK' || status === 'DELAYED') return null
  const quoted = excerpt(String(json?.['error'] ?? json?.['message'] ?? status))
  if (status === 'NOT_FOUND') return doesNotExist('not_found', `"${quoted}"`)
  if (/maximum requests per minute/i.test(quoted)) return couldNotAsk('throttled', `"${quoted}"`, { stop: 60, retry: true })
  if (status === 'NOT_AUTHORIZED' || /api key/i.test(quoted)) return couldNotAsk('key_refused', `"${quoted}"`)
  return status === 'ERROR' ? couldNotAsk('error_instead', `"${quoted}"`) : null
}

export const polygon = jsonUpstream('polygon', 'Polygon (Massive)', {
  hosts: ['api.polygon.io'],
  licence: 'individual use; redistribution needs a business plan',
  credential: 'key',
  key: { env: 'POLYGON_API_KEY', header: 'authorization', prefix: 'Bearer ' },
  // The free plan: 5 a minute.
  limits: { perSecond: 5 / 60, burst: 1 },
  disguised,
})

function day(date: string): string {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`polygon: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return date
}
/** Every US bar of one day, as traded. */
export const groupedDayUrl = (date: string): string =>
  `https://api.polygon.io/v2/aggs/grouped/locale/us/market/stocks/${day(date)}?adjusted=false&include_otc=false`
/** Splits executed on one day. */
export const polygonSplitsUrl = (date: string): string => `https://api.polygon.io/v3/reference/splits?execution_date=${day(date)}&limit=1000`
/** Dividends with that ex-date. */
export const polygonDividendsUrl = (date: string): string => `https://api.polygon.io/v3/reference/dividends?ex_dividend_date=${day(date)}&limit=1000`
/** Exchanges, reporting facilities and tapes of US equities. */
export const polygonExchangesUrl = 'https://api.polygon.io/v3/reference/exchanges?asset_class=stocks&locale=us'
/** The next page that a response names, at the host that is requested here: Polygon's responses also name its new host. Throws for others. */
export function polygonNextUrl(url: string): string {
  const next = URL.parse(url)
  if (next?.protocol !== 'https:' || !['api.polygon.io', 'api.massive.com'].includes(next.hostname) || next.searchParams.get('cursor') === null)
    throw new BadRequest(`polygon: "${url.slice(0, 80)}" is not a next page`)
  return `https://api.polygon.io${next.pathname}?cursor=${encodeURIComponent(next.searchParams.get('cursor') ?? '')}`
}
/** The list of US tickers, 1,000 a page; the answer names the next page. */
export const polygonTickersUrl = 'https://api.polygon.io/v3/reference/tickers?market=stocks&active=true&limit=1000'
/** The symbols that one issuer had, with the days of change. */
export function polygonEventsUrl(symbol: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.]{0,15}$/.test(symbol)) throw new BadRequest(`polygon: "${symbol.slice(0, 20)}" is not a symbol`)
  return `https://api.polygon.io/vX/reference/tickers/${symbol}/events?types=ticker_change`
}
