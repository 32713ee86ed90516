// The calendars in which US statistical agencies publish their releases: iCalendar (BLS, BEA) and JSON (BEA).
import { excerpt, isHtml } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, type Upstream, upstream } from './upstream.ts'

/** Both sites send an HTML page to suspected robots; the first line of a real calendar identifies it. */
function disguised(answer: Answer): Disguise | null {
  if (isHtml(answer.head)) return answer.status === 404 ? null : couldNotAsk('html_instead', `status ${answer.status}: "${excerpt(answer.head)}"`)
  if (answer.url.pathname.endsWith('.ics') && answer.status === 200 && !/^\s*BEGIN:VCALENDAR/i.test(answer.head.replace(/^\ufeff/, '')))
    return couldNotAsk('not_a_calendar', `text instead of a calendar: "${excerpt(answer.head)}"`, { retry: true })
  return null
}

const agency = (name: string, title: string, hosts: readonly string[]): Upstream =>
  upstream(name, title, {
    hosts,
    licence: 'public domain: a work of the United States government',
    limits: { perSecond: 0.2, burst: 2 },
    expects: url => (url.pathname.endsWith('.json') ? 'json' : 'text'),
    disguised,
  })

export const bls = agency('bls', 'Bureau of Labor Statistics, release calendar', ['www.bls.gov'])
export const bea = agency('bea', 'Bureau of Economic Analysis, release calendar', ['www.bea.gov', 'apps.bea.gov'])

export const blsCalendarUrl = 'https://www.bls.gov/schedule/news_release/bls.ics'
export const beaCalendarUrl = 'https://www.bea.gov/news/schedule/ics/online-calendar-subscription.ics'
export const beaReleaseDatesUrl = 'https://apps.bea.gov/API/signup/release_dates.json'
