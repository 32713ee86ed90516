// Allowed destinations of pushes and how they are sent: parameters of the product. A browser supplies its endpoint as an address of its
// choice, so the service only connects to listed hosts.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { Count, IsoDate } from '#schemas/values.ts'
import table from './rules.json' with { type: 'json' }

const Rules = z.strictObject({
  ruleset: z.string(),
  valid_from: IsoDate,
  source: z.string(),
  /** `*.` matches one or more labels. */
  hosts: z.array(z.strictObject({ host: z.string().regex(/^(\*\.)?[a-z0-9.-]+$/), browsers: z.string() })),
  /** The one unused for longest is removed. */
  subscriptions_per_user: Count,
  devices_per_user: Count,
  tickers_per_subscription: Count,
  /** Of a push before it is encrypted: 4,096 are carried (RFC 8291, 4). */
  plain_bytes: Count,
  /** How long a push service stores a message that it cannot deliver. */
  ttl_seconds: Count,
  urgency: z.enum(['very-low', 'low', 'normal', 'high']),
  attempts: Count,
  first_retry_seconds: Count,
  longest_retry_seconds: Count,
  /** A push whose worker died is taken up by another after so long. */
  claim_seconds: Count,
  tests_per_hour: Count,
  keep_days: Count,
})
export const pushRules = parseOnce(Rules, table)
export type PushRules = z.infer<typeof Rules>

/** Hosts and origins in addition to the list, as the operator gives them: `push.example.org`, `*.example.org`, `http://127.0.0.1:9000`. */
export type MorePushHosts = readonly string[]

/**
 * The address as one that pushes may go to, else a sentence with the reason. An origin that the operator named in full may have any
 * port, and on this machine be http; everything else is https on 443.
 */
export function pushAddress(endpoint: string, more: MorePushHosts, rules: PushRules = pushRules): URL | string {
  const url = URL.parse(endpoint)
  if (url === null || !/^[\x21-\x7e]+$/.test(endpoint)) return 'the endpoint is no web address'
  if (url.username !== '' || url.password !== '') return 'the endpoint carries a user part'
  if (url.hash !== '') return 'the endpoint carries a fragment'
  if (more.includes(url.origin)) return url
  if (url.protocol !== 'https:') return 'the endpoint is not https'
  if (url.port !== '') return 'the endpoint is not on port 443'
  const patterns = [...rules.hosts.map(each => each.host), ...more.filter(each => !each.includes('/'))]
  return patterns.some(pattern => fits(pattern, url.hostname)) ? url : 'the endpoint does not belong to a known push service'
}

const fits = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.length > pattern.length - 1 && host.endsWith(pattern.slice(1)) : host === pattern

/** Complete origins named by the operator: only these may resolve to a non-public address. */
export const namedOrigins = (more: MorePushHosts): ReadonlySet<string> => new Set(more.filter(each => each.includes('/')))
