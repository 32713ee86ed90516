// Bank of Canada, Valet: daily exchange rates since 2017-01-03, published at 16:30 Eastern on the bank's business days.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { excerpt, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, jsonUpstream } from './upstream.ts'

/** An error is `{"message", "docs"}`. An unknown series gives 404; with any other status, a message without observations is an error. */
function disguised(answer: Answer): Disguise | null {
  const json = smallJson(answer)
  if (json === null || json['observations'] !== undefined || typeof json['message'] !== 'string') return null
  const quoted = excerpt(json['message'])
  return answer.status === 404 ? doesNotExist('unknown_series', `"${quoted}"`) : couldNotAsk('error_instead', `"${quoted}"`)
}

export const bankOfCanada = jsonUpstream('bank-of-canada', 'Bank of Canada Valet', {
  hosts: ['www.bankofcanada.ca'],
  licence: 'Bank of Canada terms: reuse with attribution',
  limits: { perSecond: 1, burst: 2 },
  disguised,
})

const valet = 'https://www.bankofcanada.ca/valet/observations'
function day(date: string): string {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`bank-of-canada: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return date
}
/** One series, e.g. `FXUSDCAD`, both ends included. */
export function seriesUrl(series: string, from: string, to?: string): string {
  if (!/^[A-Z0-9_.]{2,40}$/.test(series)) throw new BadRequest(`bank-of-canada: "${series.slice(0, 40)}" is not a series`)
  return `${valet}/${series}/json?start_date=${day(from)}${to ? `&end_date=${day(to)}` : ''}`
}
/** Some series in one response, both ends included; their names as the bank spells them. */
export function valetUrl(names: readonly string[], from: string, to?: string): string {
  const wrong = names.find(name => !/^[A-Z0-9_.]{2,40}$/.test(name))
  if (wrong !== undefined || names.length === 0) throw new BadRequest(`bank-of-canada: "${String(wrong).slice(0, 40)}" is not a series`)
  return `${valet}/${names.join(',')}/json?start_date=${day(from)}${to ? `&end_date=${day(to)}` : ''}`
}
/** All daily exchange rates against the Canadian dollar, both ends included. */
export const ratesUrl = (from: string, to?: string): string =>
  `${valet}/group/FX_RATES_DAILY/json?start_date=${day(from)}${to ? `&end_date=${day(to)}` : ''}`
