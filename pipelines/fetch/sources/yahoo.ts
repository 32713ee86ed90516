// Yahoo's chart and quote: personal use only and no terms for automated use, so it is off until the operator enables it.
// It throttles with short texts under several statuses, and reports "not found" properly as JSON.
import { BadRequest } from '#schemas/errors.ts'
import { excerpt, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, jsonUpstream } from './upstream.ts'

type YahooError = { readonly code?: unknown; readonly description?: unknown }

function disguised(answer: Answer): Disguise | null {
  if (answer.body.length <= 4096 && /^\s*(?:Edge:\s*)?(?:Too Many Requests|Will be right back|Unauthorized|Invalid Crumb)/i.test(answer.head)) {
    return couldNotAsk('throttled', `"${excerpt(answer.head)}" (status ${answer.status})`, { stop: 300 })
  }
  const json = smallJson(answer)
  const part = json?.['chart'] ?? json?.['quoteResponse'] ?? json?.['quoteSummary'] ?? json?.['finance']
  if (typeof part !== 'object' || part === null) return null
  const { result, error } = part as { result?: unknown; error?: YahooError | null }
  if (error !== undefined && error !== null) return classifyError(error)
  const rows: unknown[] = Array.isArray(result) ? result : []
  if (rows.length > 0 && rows.every(row => (row as { quoteType?: unknown } | null)?.quoteType === 'NONE')) {
    return doesNotExist('unknown_symbol', 'Yahoo answers 200 with quoteType NONE') // SIMP, recorded 2025
  }
  return null
}

function classifyError({ code, description }: YahooError): Disguise {
  const message = excerpt(`${String(code)}: ${String(description)}`)
  if (code === 'Not Found') return doesNotExist('unknown_symbol', `"${message}"`)
  if (/Data doesn't exist for startDate/i.test(message)) return doesNotExist('no_data_in_range', `"${message}"`)
  return /crumb|unauthorized|too many/i.test(message)
    ? couldNotAsk('throttled', `"${message}"`, { stop: 300 })
    : couldNotAsk('error_instead', `"${message}"`)
}

export const yahoo = jsonUpstream('yahoo', 'Yahoo Finance', {
  hosts: ['query1.finance.yahoo.com', 'query2.finance.yahoo.com', 'fc.yahoo.com'],
  licence: 'personal use only; no terms for automated use, no redistribution',
  credential: 'opt_in',
  session: {
    cookieUrl: 'https://fc.yahoo.com/', // answers 404, but sets the cookie
    tokenUrl: 'https://query2.finance.yahoo.com/v1/test/getcrumb',
    query: 'crumb',
    needs: url => /^\/(?:v7\/finance\/quote|v10\/finance\/quoteSummary\/)/.test(url.pathname),
  },
  limits: { perSecond: 1, burst: 2, perHour: 1500 },
  disguised,
})

/**
 * Daily chart of a symbol in Yahoo's spelling (`BRK-B`, `RY.TO`), from one instant until before another, in UTC seconds.
 * `Close` there is already adjusted for splits.
 */
export function yahooChartUrl(symbol: string, fromSeconds: number, toSeconds: number): string {
  if (!/^[A-Z0-9^][A-Z0-9.^=-]{0,20}$/.test(symbol)) throw new BadRequest(`yahoo: "${symbol.slice(0, 20)}" is not a symbol`)
  if (!Number.isSafeInteger(fromSeconds) || !Number.isSafeInteger(toSeconds) || fromSeconds >= toSeconds) {
    throw new BadRequest(`yahoo: ${fromSeconds} to ${toSeconds} is not a range of whole seconds`)
  }
  return `https://query2.finance.yahoo.com/v8/finance/chart/${encodeURIComponent(symbol)}?period1=${fromSeconds}&period2=${toSeconds}&interval=1d&events=div%7Csplit%7CcapitalGains`
}
/** The next report, analysts' ratings and targets of a symbol in Yahoo's spelling; needs the session's crumb. */
export function yahooSummaryUrl(symbol: string): string {
  if (!/^[A-Z0-9^][A-Z0-9.^=-]{0,20}$/.test(symbol)) throw new BadRequest(`yahoo: "${symbol.slice(0, 20)}" is not a symbol`)
  return `https://query2.finance.yahoo.com/v10/finance/quoteSummary/${encodeURIComponent(symbol)}?formatted=false&modules=calendarEvents%2CrecommendationTrend%2CfinancialData%2Cprice`
}
