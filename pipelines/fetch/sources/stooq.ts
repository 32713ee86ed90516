// Stooq: daily CSV. Over its undisclosed quota it answers 200 with a sentence; since 2026 it requires a key obtained through a CAPTCHA.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, upstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  const start = answer.head.trimStart()
  if (/^exceeded the daily hits limit/i.test(start)) return couldNotAsk('quota_exceeded', `"${excerpt(start)}"`, { stop: 'next_day' })
  if (/^no data\b/i.test(start)) return doesNotExist('no_data', `"${excerpt(start)}"`)
  if (answer.status !== 200 || start === '' || start.startsWith('<') || /^Date,Open,High,Low,Close\b/i.test(start)) return null
  return couldNotAsk('error_instead', `"${excerpt(start)}"`)
}

export const stooq = upstream('stooq', 'Stooq', {
  hosts: ['stooq.com'],
  licence: 'none granted',
  credential: 'opt_in',
  key: { env: 'STOOQ_API_KEY', query: 'apikey' },
  limits: { perSecond: 0.5, burst: 1, perDay: 200 },
  expects: () => 'csv',
  disguised,
})

const day = (date: string): string => {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`stooq: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return date.replaceAll('-', '')
}
/** Daily rows of a US symbol, adjusted by Stooq; both ends included. */
export function stooqDailyUrl(symbol: string, from: string, to: string): string {
  if (!/^[A-Z0-9][A-Z0-9.-]{0,15}$/.test(symbol)) throw new BadRequest(`stooq: "${symbol.slice(0, 20)}" is not a symbol`)
  return `https://stooq.com/q/d/l/?s=${symbol.toLowerCase()}.us&d1=${day(from)}&d2=${day(to)}&i=d`
}
