// Client addresses: the key of limits, and the trusted proxies.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

export type Trusted = (address: string) => boolean

/** True for addresses in the list of addresses and CIDR ranges. Throws TypeError for an entry that is neither. */
export function addressList(entries: readonly string[]): Trusted {
  const ranges = entries.map(entry => {
    const text = entry.includes('/') ? entry : ipaddr.isValid(entry) ? `${entry}/${ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128}` : ''
    if (!ipaddr.isValidCIDR(text)) throw new TypeError(`"${entry}" is no address and no CIDR range`)
    return ipaddr.parseCIDR(text)
  })
  if (ranges.length === 0) return () => false
  return address => {
    const parsed = parse(address)
    return parsed !== null && ranges.some(range => range[0].kind() === parsed.kind() && parsed.match(range))
  }
}

/** The address of the client: that of the socket or, behind trusted proxies, the last one in X-Forwarded-For that is not such a proxy. */
export function clientAddress(request: IncomingMessage, trusted: Trusted | null): string {
  const peer = request.socket.remoteAddress ?? '0.0.0.0'
  const forwarded = request.headers['x-forwarded-for']
  if (trusted === null || forwarded === undefined || !trusted(peer)) return peer
  const hops = String(forwarded).slice(-2048).split(',')
  for (let at = hops.length - 1; at >= 0; at--) {
    const hop = hops[at]?.trim() ?? ''
    if (!ipaddr.isValid(hop)) return peer
    if (!trusted(hop)) return hop
  }
  return peer
}

/** The unit of an anonymous limit: one IPv4 address, one IPv6 /64. */
export function addressPartition(address: string): string {
  const parsed = parse(address)
  if (parsed === null) return 'unknown'
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = address.split('%', 1)[0] ?? ''
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null
}
