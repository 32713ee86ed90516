// What a request to an upstream carries: its key, its session, its identity, and the conditions of a stored document.
import type { RawDocument } from '#schemas/raw.ts'
import { type SourceSettings, type Upstream, userAgent } from '../sources/upstream.ts'
import type { Session } from './session.ts'

/** The last stored document of an address, with what a conditional request needs. */
export type Held = Pick<RawDocument, 'headers'>
type Query = { readonly headers?: Readonly<Record<string, string>>; readonly body: string | null }

const keyOf = (upstream: Upstream, settings: SourceSettings): string | undefined =>
  upstream.key === null ? undefined : settings.keys[upstream.key.env]

function withParameter(url: URL, name: string, value: string): URL {
  const longer = new URL(url)
  longer.search += `${longer.search === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  return longer
}

/** The address with the key of a source that takes it in the query. */
export function withKey(upstream: Upstream, url: URL, settings: SourceSettings): URL {
  const key = keyOf(upstream, settings)
  return upstream.key !== null && 'query' in upstream.key && key !== undefined ? withParameter(url, upstream.key.query, key) : url
}
export const withSession = (upstream: Upstream, url: URL, session: Session | null): URL =>
  session === null || !upstream.session ? url : withParameter(url, upstream.session.query, session.token)

/**
 * The entity tag of a stored document as a condition. A server that compresses responses adds a suffix to the file's tag
 * (`-gzip`, or `;gzip`), and some compare only the file's tag: both are sent, and either means the same document.
 */
function tagsOf(etag: string): string {
  const own = etag.replace(/[-;](?:gzip|br)"$/, '"')
  return own === etag ? etag : `${etag}, ${own}`
}

export function requestHeaders(upstream: Upstream, query: Query, held: Held | null, settings: SourceSettings): Record<string, string> {
  const headers: Record<string, string> = { 'accept-encoding': 'gzip, br', ...upstream.headers, ...query.headers }
  if (query.body !== null) headers['content-type'] = 'application/json'
  headers['user-agent'] = userAgent(upstream, settings)
  const key = keyOf(upstream, settings)
  if (upstream.key !== null && 'header' in upstream.key && key !== undefined) headers[upstream.key.header] = `${upstream.key.prefix}${key}`
  if (held?.headers['etag'] !== undefined) headers['if-none-match'] = tagsOf(held.headers['etag'])
  if (held?.headers['last-modified'] !== undefined) headers['if-modified-since'] = held.headers['last-modified']
  return headers
}
