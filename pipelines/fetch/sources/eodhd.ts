// EODHD: whole exchanges by day (US, TO, V) and single symbols. Over the daily quota it answers 402 with a sentence, and some
// errors arrive as text with status 200. The quota resets at 00:00 UTC.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, jsonUpstream } from './upstream.ts'

const api = 'https://eodhd.com/api'
export type EodhdExchange = 'US' | 'TO' | 'V'

function disguised(answer: Answer): Disguise | null {
  if (/^\s*[[{]/.test(answer.head) && answer.status < 400) return null
  const message = excerpt(answer.head)
  if (answer.status === 402 || /exceeded your daily api requests? limit/i.test(message)) {
    return couldNotAsk('quota_exceeded', `the daily quota is used up: "${message}"`, { stop: 'next_day' })
  }
  if (/(?:ticker|symbol|exchange) not found/i.test(message)) return doesNotExist('unknown_symbol', `"${message}"`)
  if (/unauthenticated|forbidden|invalid (?:api )?(?:key|token)|free users|subscription/i.test(message)) {
    return couldNotAsk('key_refused', `the key is not accepted for this: "${message}"`)
  }
  return null
}

/** Weights in the daily quota: a whole exchange 100, fundamentals 10, intraday bars 5, quotes one per symbol, every other call used here 1. */
function cost(url: URL): number {
  const { pathname, searchParams } = url
  if (pathname.startsWith('/api/eod-bulk-last-day/')) return 100
  if (pathname.startsWith('/api/fundamentals/')) return 10
  if (pathname.startsWith('/api/intraday/')) return 5
  const symbols = searchParams.get('s')?.split(',').length ?? 0
  if (pathname.startsWith('/api/real-time/')) return 1 + symbols
  return pathname === '/api/us-quote-delayed' ? Math.max(1, symbols) : 1
}

export const eodhd = jsonUpstream('eodhd', 'EODHD', {
  hosts: ['eodhd.com'],
  licence: 'personal use; display or commercial use needs a contract with EODHD',
  credential: 'key',
  key: { env: 'EODHD_API_TOKEN', query: 'api_token' },
  // Published: 1,000 requests a minute and 100,000 call weights a day on the paid plans.
  limits: { perSecond: 10, burst: 5, concurrency: 4, perDay: 100_000 },
  expects: url => (url.searchParams.get('fmt') === 'json' ? 'json' : 'csv'),
  disguised,
  cost,
})

function day(date: string): string {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`eodhd: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return date
}
/** A symbol with its exchange as EODHD spells it, e.g. `AAPL.US`, `BRK-B.US`, `BEP-UN.TO`. */
function code(symbol: string, exchange: EodhdExchange): string {
  if (!/^[A-Z0-9][A-Z0-9.-]{0,15}$/.test(symbol)) throw new BadRequest(`eodhd: "${symbol.slice(0, 20)}" is not a symbol`)
  return `${symbol}.${exchange}`
}
const span = (from?: string, to?: string): string => `${from ? `&from=${day(from)}` : ''}${to ? `&to=${day(to)}` : ''}`

/** All bars of an exchange on one day: 100 calls of the quota. */
export const bulkBarsUrl = (exchange: EodhdExchange, date: string): string => `${api}/eod-bulk-last-day/${exchange}?date=${day(date)}&fmt=json`
/** All splits or dividends with that ex-date: 100 calls of the quota. */
export const bulkActionsUrl = (exchange: EodhdExchange, date: string, type: 'splits' | 'dividends'): string =>
  `${api}/eod-bulk-last-day/${exchange}?type=${type}&date=${day(date)}&fmt=json`
/** Daily bars of one symbol, raw, with EODHD's adjusted close. */
export const barsUrl = (symbol: string, exchange: EodhdExchange, from?: string, to?: string): string =>
  `${api}/eod/${code(symbol, exchange)}?period=d&fmt=json${span(from, to)}`
export const dividendsUrl = (symbol: string, exchange: EodhdExchange, from?: string, to?: string): string =>
  `${api}/div/${code(symbol, exchange)}?fmt=json${span(from, to)}`
export const splitsUrl = (symbol: string, exchange: EodhdExchange, from?: string, to?: string): string =>
  `${api}/splits/${code(symbol, exchange)}?fmt=json${span(from, to)}`
/** The symbols of an exchange: the listed ones, or with `delisted` those that no longer are. */
export const symbolListUrl = (exchange: EodhdExchange, delisted = false): string =>
  `${api}/exchange-symbol-list/${exchange}?fmt=json${delisted ? '&delisted=1' : ''}`
/** Symbol changes in the United States; EODHD has none before 2022-07-22. */
export const symbolChangesUrl = (from: string, to: string): string => `${api}/symbol-change-history?fmt=json${span(from, to)}`
/** Reports that the calendar lists between two days, for all markets. */
export const eodhdEarningsUrl = (from: string, to: string): string => `${api}/calendar/earnings?from=${day(from)}&to=${day(to)}&fmt=json`
/** Offerings that the calendar lists between two days. */
export const eodhdIpoUrl = (from: string, to: string): string => `${api}/calendar/ipos?from=${day(from)}&to=${day(to)}&fmt=json`
/** Analysts' ratings of one symbol (`AAPL.US`): a part of its fundamentals, 10 calls of the quota. */
export function ratingsUrl(code: string): string {
  if (!/^[A-Z0-9][A-Z0-9.-]{0,15}\.(?:US|TO|V)$/.test(code)) throw new BadRequest(`eodhd: "${code.slice(0, 20)}" is not a symbol with its exchange`)
  return `${api}/fundamentals/${code}?filter=General,AnalystRatings&fmt=json`
}
