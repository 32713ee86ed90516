// api.nasdaq.com: the calendars behind nasdaq.com. Undocumented and without terms for automated use, so off until the operator
// enables it. Behind a bot wall that answers with a web page; its own errors are status 200 with an `rCode` above 200.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt, isHtml, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, upstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  // Akamai's page comes with 403, sometimes 200; repeating the request would prolong the block.
  if (isHtml(answer.head)) return couldNotAsk('bot_wall', `"${excerpt(answer.head)}" (status ${answer.status})`, { stop: 3600 })
  const json = smallJson(answer)
  const status = json?.['status']
  if (typeof status !== 'object' || status === null) return null
  const { rCode, bCodeMessage } = status as { rCode?: unknown; bCodeMessage?: unknown }
  if (rCode === undefined || rCode === 200) return null
  const message = JSON.stringify(bCodeMessage ?? null)
  return couldNotAsk('error_instead', `rCode ${String(rCode)}: ${excerpt(message)} (status ${answer.status})`)
}

export const nasdaq = upstream('nasdaq', 'nasdaq.com calendars', {
  hosts: ['api.nasdaq.com'],
  licence: 'undocumented; no right to redistribute, projections are of a third party',
  credential: 'opt_in',
  limits: { perSecond: 0.2, burst: 1, perHour: 300 },
  headers: {
    accept: 'application/json, text/plain, */*',
    'accept-language': 'en-US,en;q=0.9',
    origin: 'https://www.nasdaq.com',
    referer: 'https://www.nasdaq.com/',
  },
  expects: () => 'json',
  disguised,
})

/** Reports that the calendar lists on one day. */
export function nasdaqEarningsUrl(date: string): string {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`nasdaq: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return `https://api.nasdaq.com/api/calendar/earnings?date=${date}`
}
/** Deals that were priced, filed or withdrawn in a month (`YYYY-MM`), and the upcoming ones. */
export function nasdaqIpoUrl(month: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new BadRequest(`nasdaq: "${month.slice(0, 20)}" is not a month as YYYY-MM`)
  return `https://api.nasdaq.com/api/ipo/calendar?date=${month}`
}
