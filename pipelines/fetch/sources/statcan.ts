// Statistics Canada's Web Data Service. A request for vectors is a posted array with numeric ids. Every element of the response has
// its own status, and with status 200 all of them may have failed. Tables are locked from midnight to 08:30 Eastern (409).
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { postAddress } from './question.ts'
import { excerpt } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, jsonUpstream } from './upstream.ts'

const rest = 'https://www150.statcan.gc.ca/t1/wds/rest'

/** Failure of the whole response: an object, or a list whose first element reports it and that contains no success. */
function disguised(answer: Answer): Disguise | null {
  const { head, status } = answer
  if (status === 409)
    return couldNotAsk('tables_locked', `status 409: "${excerpt(head)}"; tables are locked from 00:00 to 08:30 Eastern`, { stop: 900 })
  if (!/^\s*(?:\[\s*)?\{/.test(head) || !/"status"\s*:\s*"FAILED"/.test(head) || /"status"\s*:\s*"SUCCESS"/.test(head)) return null
  const message = /"object"\s*:\s*"([^"]{0,200})"/.exec(head)?.[1] ?? head
  return couldNotAsk(/lock|not available at this time/i.test(message) ? 'tables_locked' : 'all_failed', `"${excerpt(message)}" with status ${status}`)
}

export const statcan = jsonUpstream('statcan', 'Statistics Canada Web Data Service', {
  hosts: ['www150.statcan.gc.ca'],
  licence: 'Statistics Canada Open Licence',
  // Published: 25 requests a second and address.
  limits: { perSecond: 2, burst: 4, concurrency: 2 },
  expects: url => (url.pathname.endsWith('.zip') ? 'archive' : 'json'),
  disguised,
  caps: url => (url.pathname.endsWith('.zip') ? { bodyBytes: 268_435_456, totalMs: 600_000 } : {}),
})

/** Vectors of one request: the service accepts 300, one of our addresses fewer. */
export const vectorsAtOnce = 20
const vector = (name: string): number => {
  const id = /^v?(\d{1,12})$/i.exec(name)?.[1]
  if (id === undefined) throw new BadRequest(`statcan: "${name.slice(0, 20)}" is not a vector`)
  return Number(id)
}
/** The last periods of some vectors, each value with its release minute. */
export const vectorsUrl = (vectors: readonly string[], latest: number): string =>
  postAddress(
    `${rest}/getDataFromVectorsAndLatestNPeriods`,
    vectors.map(name => ({ vectorId: vector(name), latestN: latest })),
  )
/** Values of some vectors that were released between two days, both included. */
export function releasedVectorsUrl(vectors: readonly string[], from: string, to: string): string {
  for (const date of [from, to])
    if (!IsoDate.safeParse(date).success) throw new BadRequest(`statcan: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return postAddress(`${rest}/getBulkVectorDataByRange`, {
    vectorIds: vectors.map(name => String(vector(name))),
    startDataPointReleaseDate: `${from}T00:00`,
    endDataPointReleaseDate: `${to}T23:59`,
  })
}
function product(id: string): string {
  if (!/^\d{8}$/.test(id)) throw new BadRequest(`statcan: "${id.slice(0, 20)}" is not a table of eight digits`)
  return id
}
/** Title, dimensions and members of a table. */
export const cubeUrl = (id: string): string => postAddress(`${rest}/getCubeMetadata`, [{ productId: Number(product(id)) }])
/** The address of the whole table as a zip of CSV. */
export const tableUrl = (id: string): string => `${rest}/getFullTableDownloadCSV/${product(id)}/en`
/** The coming releases of key indicators, as The Daily announces them. */
export const statcanScheduleUrl = 'https://www150.statcan.gc.ca/n1/dai-quo/ssi/homepage/schedule-key_indicators-eng.json'
