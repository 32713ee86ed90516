// Requests that change something are taken from our own pages and from programs, never from another site's page.
import type { IncomingHttpHeaders } from 'node:http'
import { type CrossfileError, Forbidden } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'

/**
 * What to throw for a request that another site's page made. Browsers say it in `Sec-Fetch-Site` (Fetch Metadata), older ones in
 * `Origin` (RFC 6454); a program sends neither. `ownOrigins`: addresses under which this service is reached.
 */
export function crossSiteRefusal(operation: Operation, headers: IncomingHttpHeaders, ownOrigins: readonly string[]): CrossfileError | null {
  if ((operation.method === 'GET' && !operation.effects) || operation.cross_site) return null
  const site = headers['sec-fetch-site']
  const { origin, host } = headers
  const own = origin === undefined || ownOrigins.includes(origin) || (host !== undefined && origin.replace(/^https?:\/\//, '') === host)
  if ((site === undefined || site === 'same-origin' || site === 'none') && own) return null
  return new Forbidden('this request came from a page of another site', { hint: 'send it from a page of this service, or from a program' })
}
