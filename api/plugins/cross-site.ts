// Requests that change data are accepted from pages of this service and from programs, not from pages of other sites.
import type { IncomingHttpHeaders } from 'node:http'
import { type CrossfileError, Forbidden } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'

/**
 * The error for a request from a page of another site. Browsers send `Sec-Fetch-Site` (Fetch Metadata), older ones `Origin` (RFC 6454);
 * programs send neither. `ownOrigins`: the addresses of this service.
 */
export function crossSiteRefusal(operation: Operation, headers: IncomingHttpHeaders, ownOrigins: readonly string[]): CrossfileError | null {
  if ((operation.method === 'GET' && !operation.effects) || operation.cross_site) return null
  const site = headers['sec-fetch-site']
  const { origin, host } = headers
  const own = origin === undefined || ownOrigins.includes(origin) || (host !== undefined && origin.replace(/^https?:\/\//, '') === host)
  if ((site === undefined || site === 'same-origin' || site === 'none') && own) return null
  return new Forbidden('this request came from a page of another site', { hint: 'send it from a page of this service, or from a program' })
}
