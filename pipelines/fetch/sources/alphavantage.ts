// Alpha Vantage: every error is status 200 and a JSON object with the single member Note, Information or Error Message.
import { BadRequest } from '#schemas/errors.ts'
import { excerpt, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, upstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  const json = smallJson(answer)
  if (json === null) return null
  const limit = json['Note'] ?? json['Information']
  if (typeof limit === 'string') {
    const message = excerpt(limit)
    if (/premium (?:endpoint|feature)/i.test(message)) return couldNotAsk('key_refused', `"${message}"`)
    return couldNotAsk('quota_exceeded', `"${message}"`, { stop: /per day|daily|requests\/day/i.test(limit) ? 'next_day' : 60 })
  }
  const error = json['Error Message']
  if (typeof error !== 'string') return null
  // "Invalid API call" covers unknown symbols, wrong functions and bad parameters alike, so it proves nothing about the symbol.
  return couldNotAsk(/apikey/i.test(error) ? 'key_refused' : 'error_instead', `"${excerpt(error)}"`)
}

export const alphavantage = upstream('alphavantage', 'Alpha Vantage', {
  hosts: ['www.alphavantage.co'],
  licence: 'personal use',
  credential: 'key',
  key: { env: 'ALPHAVANTAGE_API_KEY', query: 'apikey' },
  limits: { perSecond: 1 / 12, burst: 1, perDay: 25 },
  expects: url => (/^(?:LISTING_STATUS|EARNINGS_CALENDAR|IPO_CALENDAR)$/.test(url.searchParams.get('function') ?? '') ? 'csv' : 'json'),
  disguised,
})

/** Daily rows, raw and adjusted, with dividends and split coefficients; Toronto is `.TRT`, Venture `.TRV`. A premium call. */
export function dailyAdjustedUrl(symbol: string): string {
  if (!/^[A-Z0-9][A-Z0-9.-]{0,15}$/.test(symbol)) throw new BadRequest(`alphavantage: "${symbol.slice(0, 20)}" is not a symbol`)
  return `https://www.alphavantage.co/query?function=TIME_SERIES_DAILY_ADJUSTED&symbol=${symbol}&outputsize=full`
}
/** Reports expected in the next three months, for all symbols: one call, CSV. */
export const alphaVantageEarningsUrl = 'https://www.alphavantage.co/query?function=EARNINGS_CALENDAR&horizon=3month'
/** Offerings expected in the next three months: one call, CSV. */
export const alphaVantageIpoUrl = 'https://www.alphavantage.co/query?function=IPO_CALENDAR'
/** A company's overview, with ratings and target price. */
export function overviewUrl(symbol: string): string {
  if (!/^[A-Z0-9][A-Z0-9.-]{0,15}$/.test(symbol)) throw new BadRequest(`alphavantage: "${symbol.slice(0, 20)}" is not a symbol`)
  return `https://www.alphavantage.co/query?function=OVERVIEW&symbol=${symbol}`
}
