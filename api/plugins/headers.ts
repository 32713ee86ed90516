// Headers of every response, as flat lists that node:http writes without copying.
import { daySeconds } from '#schemas/days.ts'
import type { CacheClass, Operation } from '#schemas/operations.ts'

/** Secure defaults: no framing, no sniffing, no scripts. */
export const securityHeaders: readonly string[] = [
  'Strict-Transport-Security',
  'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'accelerometer=(), camera=(), geolocation=(), microphone=(), payment=(), usb=()',
]
export const apiPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"
/** The documentation page runs its script and style, and sends requests to its origin only. */
export const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /api/v1/csp-report; report-to csp"
/** The target of `report-to csp`; browsers without support for it use report-uri. */
export const reportingEndpoints: readonly [string, string] = ['Reporting-Endpoints', 'csp="/api/v1/csp-report"']

const exposed = 'ETag, Last-Modified, Link, RateLimit, RateLimit-Policy, Retry-After, X-Clamped, X-Cost, X-Receipt-Id, X-Request-Id'

/** A page for people, and the files that only a page loads. */
const isPage = ({ media_type }: Operation): boolean => /^text\/(?:html|css|javascript)\b/.test(media_type)

/** Public data may be read from any origin (`more`: further headers that its scripts may read), without credentials; pages for people, the rest, and what changes something, from none. */
export function crossOrigin(operation: Operation | null, more: readonly string[] = []): readonly string[] {
  return operation?.access === 'public' && operation.method === 'GET' && !isPage(operation)
    ? ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', [exposed, ...more].join(', ')]
    : []
}

/** Names of the headers in a list of name, value, name, value that scripts of other origins read in addition to the usual ones. */
export function exposedOf(headers: readonly string[]): string[] {
  return headers.filter((name, at) => at % 2 === 0 && /^(?:X-Meta-|X-Data-Clock$|Content-Disposition$)/.test(name))
}

const lifetimes: Readonly<Record<CacheClass, string>> = {
  live: 'no-store',
  quotes: 'max-age=5, stale-while-revalidate=30',
  history: `max-age=300, stale-while-revalidate=${daySeconds}`,
  steady: 'max-age=300',
  file: 'max-age=31536000, immutable',
}

/** Cache-Control of a 200. Requests with a key are private, except for a public file, which is the same for everybody; answers to a key in the address are not cached. */
export function cacheControl(operation: Operation, keyed: boolean, inQuery: boolean, immutable: boolean): string {
  if (inQuery) return 'private, no-store'
  if (operation.cache === 'live') return 'no-store'
  const isPublicFile = operation.cache === 'file' && operation.access === 'public'
  return `${keyed && !isPublicFile ? 'private' : 'public'}, ${immutable ? lifetimes.file : lifetimes[operation.cache]}`
}

export function varyOf(operation: Operation): string {
  return operation.access === 'public' ? 'Accept, Accept-Encoding' : 'Accept, Accept-Encoding, Authorization, X-API-Key'
}
