// Tiingo: end of day for US symbols, raw and adjusted, with dividends and splits in the row. Its rate limit error once came with
// status 200 and was not JSON. Its API never answers in HTML, so a page does not come from Tiingo, whatever the status.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt, isHtml, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, upstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  if (answer.url.pathname.endsWith('.zip')) return null
  const detail = smallJson(answer)?.['detail']
  const message = typeof detail === 'string' ? excerpt(detail) : excerpt(answer.head)
  if (answer.status === 404 && isHtml(answer.head)) return couldNotAsk('html_instead', `a web page with status 404: "${message}"`)
  const isData = answer.status < 300 && detail === undefined && /^\s*(?:[[{]|date,|ticker,)/.test(answer.head)
  if (isData) return null
  if (/run over your|request allocation|hourly|rate limit|too many requests/i.test(message)) {
    return couldNotAsk('quota_exceeded', `"${message}"`, { stop: /daily|monthly|bandwidth|unique symbols/i.test(message) ? 'next_day' : 'next_hour' })
  }
  if (/(?:ticker|symbol).{0,40}not found|^not found/i.test(message)) return doesNotExist('unknown_symbol', `"${message}"`)
  if (/token|authenticat|permission|not authorized/i.test(message)) return couldNotAsk('key_refused', `"${message}"`)
  return detail === undefined ? null : couldNotAsk('error_instead', `"${message}"`)
}

export const tiingo = upstream('tiingo', 'Tiingo', {
  hosts: ['api.tiingo.com', 'apimedia.tiingo.com'],
  licence: 'internal use; redistribution needs a commercial plan',
  credential: 'key',
  key: { env: 'TIINGO_API_KEY', header: 'authorization', prefix: 'Token ' },
  limits: { perSecond: 1, burst: 3, concurrency: 2, perHour: 50, perDay: 1000 },
  expects: url => (url.pathname.endsWith('.zip') ? 'archive' : url.searchParams.get('format') === 'csv' ? 'csv' : 'json'),
  disguised,
})

const day = (date: string): string => {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`tiingo: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return date
}

/** Daily rows of a US symbol (`BRK-B` style class marks), both ends included. */
export function tiingoPricesUrl(symbol: string, from: string, to?: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,15}$/.test(symbol)) throw new BadRequest(`tiingo: "${symbol.slice(0, 20)}" is not a symbol`)
  return `https://api.tiingo.com/tiingo/daily/${symbol.toLowerCase()}/prices?startDate=${day(from)}${to ? `&endDate=${day(to)}` : ''}&format=json&resampleFreq=daily`
}
/** All tickers with exchange and first and last day; needs no key and costs no quota. */
export const tiingoTickersUrl = 'https://apimedia.tiingo.com/docs/tiingo/daily/supported_tickers.zip'
