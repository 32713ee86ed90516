// Where the service may connect to: the allow-listed host names of its upstreams on port 443, and only if the name resolves to
// a public address. Names are resolved and checked here, and the socket gets exactly the checked addresses, so a name that
// resolves differently between check and connect (DNS rebinding) gains nothing.
import { promises as dns, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { BadRequest } from '#schemas/errors.ts'
import type { Upstream } from '../sources/upstream.ts'
import { redactUrl } from './redact.ts'

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>
export const resolveByDns: Resolve = host => dns.lookup(host, { all: true, verbatim: true })

/** Thrown before a socket exists; the caller gets it as the cause of an `Upstream` error. */
export class RefusedAddress extends Error {
  readonly code = 'REFUSED_ADDRESS'
}

/** True for an address of the public internet; mapped, translated, private, local, shared and reserved ones are not. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address) || (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address))) return false
  return ipaddr.process(address).range() === 'unicast'
}

/** The address as a URL that this upstream may be requested at; throws `BadRequest` for any other. */
export function checkAddress(upstream: Upstream, address: string): URL {
  const url = address.length <= 4096 ? URL.parse(address) : null
  if (url === null) throw new BadRequest(`${upstream.name}: "${address.slice(0, 60)}" is not an address of at most 4096 characters`)
  const shown = redactUrl(address).slice(0, 200)
  if (url.protocol !== 'https:' || url.port !== '') throw new BadRequest(`${upstream.name}: ${shown} is not https on port 443`)
  if (url.username !== '' || url.password !== '') throw new BadRequest(`${upstream.name}: ${shown} carries a user part`)
  if (!upstream.hosts.includes(url.hostname)) {
    throw new BadRequest(`${upstream.name}: host ${url.hostname} is not one of ${upstream.hosts.join(', ') || 'none (this source reads files)'}`)
  }
  url.hash = ''
  return url
}

/** The actual target of the request: the same address, or the simulator's `base/<host>/<path>`. */
export function transportUrl(url: URL, base: string | undefined): URL {
  if (base === undefined) return new URL(url)
  const origin = new URL(base)
  return new URL(`${origin.origin}${origin.pathname.replace(/\/$/, '')}/${url.hostname}${url.pathname}${url.search}`)
}

/** undici's connector behind the guard. Origins in `bases` (simulators, named by the operator) are exempt from it. */
export function guardedConnector(resolve: Resolve, bases: ReadonlySet<string>, connectMs: number): buildConnector.connector {
  const plain = buildConnector({ timeout: connectMs })
  return (options, callback) => {
    const { protocol, hostname, port } = options
    if (bases.has(new URL(`${protocol}//${options.host ?? hostname}`).origin)) return plain(options, callback)
    const refuse = (fact: string): void => callback(new RefusedAddress(`${hostname}: ${fact}`), null)
    if (protocol !== 'https:' || (port !== '' && port !== '443')) return refuse(`${protocol}//…:${port} is not https on port 443`)
    resolve(hostname).then(
      addresses => {
        const bad = addresses.find(({ address }) => !isPublic(address))
        if (addresses.length === 0) return refuse('the name leads to no address')
        if (bad !== undefined) return refuse(`the name leads to ${bad.address}, which is not a public address`)
        const guarded = buildConnector({
          timeout: connectMs,
          minVersion: 'TLSv1.2',
          rejectUnauthorized: true,
          autoSelectFamily: true,
          lookup: fixedLookup(addresses),
        })
        guarded(options, callback)
      },
      (error: Error) => callback(error, null),
    )
  }
}

const fixedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else if (first !== undefined) callback(null, first.address, first.family)
  }
