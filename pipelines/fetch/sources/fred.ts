// FRED and ALFRED of the Federal Reserve Bank of St. Louis: the keyed API, and the keyless download of single series as CSV.
// Errors are `{"error_code", "error_message"}`, mostly with status 400, both for an unknown series and for an invalid key.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt, isHtml, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, jsonUpstream, type Upstream } from './upstream.ts'

const api = 'https://api.stlouisfed.org/fred'

function disguised(answer: Answer): Disguise | null {
  const json = smallJson(answer)
  const message = json?.['error_message']
  if (typeof message !== 'string' && json?.['error_code'] === undefined) return null
  const quoted = excerpt(String(message ?? json?.['error_code']))
  if (answer.status === 429 || /too many requests|rate limit/i.test(quoted)) return couldNotAsk('throttled', `"${quoted}"`, { retry: true, stop: 60 })
  if (/api_key|api key/i.test(quoted)) return couldNotAsk('key_refused', `"${quoted}"`)
  if (/does not exist/i.test(quoted)) return doesNotExist('unknown_series', `"${quoted}"`)
  return couldNotAsk('error_instead', `"${quoted}"`, { retry: answer.status >= 500 })
}

const licence = 'FRED terms of use; series marked as copyrighted need the permission of their owners'
export const fred = jsonUpstream('fred', 'FRED, Federal Reserve Bank of St. Louis', {
  hosts: ['api.stlouisfed.org'],
  licence,
  credential: 'key',
  key: { env: 'FRED_API_KEY', query: 'api_key' },
  // Published: 120 requests a minute and key.
  limits: { perSecond: 1.5, burst: 3, concurrency: 2 },
  disguised,
})

/** An unknown series gives the site's 404 page; a page with status 200 is a bot wall. */
export const fredCsv: Upstream = {
  ...fred,
  name: 'fred-csv',
  title: 'FRED, download of single series',
  hosts: ['fred.stlouisfed.org'],
  credential: 'none',
  key: null,
  limits: { group: 'fred-csv', perSecond: 0.5, burst: 2, concurrency: 1, perHour: null, perDay: null },
  headers: { accept: 'text/csv' },
  expects: () => 'csv',
  disguised: answer =>
    isHtml(answer.head) && answer.status !== 404 ? couldNotAsk('html_instead', `"${excerpt(answer.head)}"`, { retry: true }) : null,
}

function series(id: string): string {
  if (!/^[A-Z0-9_]{1,40}$/.test(id)) throw new BadRequest(`fred: "${id.slice(0, 40)}" is not a series`)
  return id
}
function day(date: string): string {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`fred: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return date
}
/** A day before the first vintage of any series. */
export const firstVintage = '1776-07-04'
/** Rows of one page of observations; the API's own limit. */
export const fredPage = 100_000

/** Every value that was current on a day from `since` on, with the days on which it was current; pages by `offset`. */
export const fredObservationsUrl = (id: string, since: string, offset = 0): string =>
  `${api}/series/observations?series_id=${series(id)}&file_type=json&realtime_start=${day(since)}&realtime_end=9999-12-31&limit=${fredPage}${offset > 0 ? `&offset=${offset}` : ''}`
/** Title, units, frequency and notes of a series. */
export const fredSeriesUrl = (id: string): string => `${api}/series?series_id=${series(id)}&file_type=json`
/** Release dates from a day on, including future ones; at most 1,000 a page. */
export const fredReleaseDatesUrl = (from: string, offset = 0): string =>
  `${api}/releases/dates?file_type=json&realtime_start=${day(from)}&realtime_end=9999-12-31&include_release_dates_with_no_data=true&order_by=release_date&sort_order=asc&limit=1000${offset > 0 ? `&offset=${offset}` : ''}`
/** The whole series as of today, without a key. */
export const fredCsvUrl = (id: string): string => `https://fred.stlouisfed.org/graph/fredgraph.csv?id=${series(id)}`
