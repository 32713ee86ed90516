// The stored origin of a request: a shortened address and the family of the browser.
import ipaddr from 'ipaddr.js'
import type { Visitor } from '#warehouse/people/users/sessions.ts'

const families: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^python/i, 'Python'],
]

/** /24 of an IPv4 address, /48 of an IPv6 one. */
function addressPrefix(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  const bits = parsed.kind() === 'ipv4' ? 24 : 48
  const network =
    parsed.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/${bits}`) : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${bits}`)
  return `${network.toString()}/${bits}`
}

export const visitorOf = (address: string, userAgent: string | undefined): Visitor => ({
  address_prefix: addressPrefix(address),
  agent: families.find(([pattern]) => pattern.test((userAgent ?? '').slice(0, 500)))?.[1] ?? (userAgent === undefined ? 'none' : 'other'),
})
