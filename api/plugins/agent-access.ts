// Access to the agent endpoints: Host and Origin of the request, then an API key in a header with its scope and tier (RFC 6750, RFC 9728).
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { type CrossfileError, Forbidden, Unauthorized } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { Tier } from '#schemas/plans.ts'
import type { Credential } from './auth.ts'
import { withHeaders } from './errors.ts'

/** Address of the metadata document of an endpoint. */
const metadataUrl = (baseUrl: string, path: string): string => `${baseUrl}/.well-known/oauth-protected-resource${path}`

/**
 * The error for a request whose `Host` or `Origin` is not that of this service (DNS rebinding, pages of other sites). An IP address cannot
 * be rebound, so it is accepted as `Host`; a request without `Origin` comes from a program.
 */
export function originRefusal({ host, origin }: IncomingHttpHeaders, baseUrl: string): CrossfileError | null {
  const own = new URL(baseUrl)
  const hostUrl = host === undefined ? null : URL.parse(`http://${host}`)
  const known = hostUrl !== null && (isAddress(hostUrl.hostname) || hostUrl.hostname === 'localhost' || hostUrl.hostname === own.hostname)
  if (!known)
    return new Forbidden('the Host header names another server', { hint: `send requests to ${baseUrl}; CROSSFILE_PUBLIC_URL sets this address` })
  if (origin === undefined) return null
  const from = URL.parse(origin)
  const same = from !== null && (from.origin === own.origin || (isLoopback(from.hostname) && isLoopback(own.hostname) && from.port === own.port))
  return same ? null : new Forbidden('this request came from a page of another site', { hint: 'send it from a program, without Origin' })
}

const isAddress = (hostname: string): boolean => isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')

/** The error if the key of a request gives no access to an agent endpoint; null if it does. */
export function agentRefusal({ agent, path }: Operation, credential: Credential | null, baseUrl: string): CrossfileError | null {
  if (agent === null) return new Forbidden('this is no agent endpoint')
  const scope = agent.scopes[0] ?? 'mcp:research'
  const challenge = (error: string): string =>
    `Bearer realm="${scope.replace(':', '-')}", ${error}resource_metadata="${metadataUrl(baseUrl, path)}", scope="${scope}"`
  if (credential === null || credential.sent_as === 'query') {
    const error = new Unauthorized(credential === null ? `${path} needs an API key` : `${path} takes no key in the address`, {
      hint: `send "Authorization: Bearer <key>"; make a key with the scope ${scope} on the developer page, ${baseUrl}/developer`,
    })
    return withHeaders(error, { 'WWW-Authenticate': challenge('') })
  }
  const refused = (message: string, hint: string, code: 'forbidden' | 'tier_required'): CrossfileError =>
    withHeaders(new Forbidden(message, { hint, code }), { 'WWW-Authenticate': challenge('error="insufficient_scope", ') })
  if (!credential.scopes.some(each => agent.scopes.includes(each)))
    return refused(`this API key lacks the scope ${agent.scopes.join(' or ')}`, `use a key that was made with the scope ${scope}`, 'forbidden')
  const order = Tier.options
  if (order.indexOf(credential.tier) < order.indexOf(agent.lowest_tier))
    return refused(
      `${path} needs tier ${agent.lowest_tier} or higher, this key has ${credential.tier}`,
      'GET /api/v1/data/plans lists the tiers; /mcp/mineral is open to every tier',
      'tier_required',
    )
  return null
}

const jsonRpcCodes: Readonly<Record<string, number>> = { payload_too_large: -32600, bad_request: -32600, internal_error: -32603 }

/** The body of the error for clients of the protocol too: its members, and those of a JSON-RPC error. */
export function asMessage(body: string): string {
  const values = JSON.parse(body) as { detail: string; code: string; hint?: string }
  const { detail, code, hint } = values
  return JSON.stringify({ ...values, jsonrpc: '2.0', id: null, error: { code: jsonRpcCodes[code] ?? -32000, message: detail, data: { code, hint } } })
}
