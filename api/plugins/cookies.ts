// Reads and writes the cookies of sessions. All cookies meet the conditions of the `__Host-` prefix (Secure, no Domain) unless the operator
// allows plain HTTP.

import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '#schemas/config.ts'
import { daySeconds } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { deviceDays, isDeviceToken } from '#warehouse/people/users/origins.ts'
import type { SessionKind } from '#warehouse/people/users/sessions.ts'
import { sessionTimes } from '#warehouse/people/users/sessions.ts'

export type CookieSettings = {
  /** Names begin with `__Host-`. */
  readonly prefixed: boolean
  /** False only if the operator allows plain HTTP: browsers drop a `Secure` cookie that arrives over it. */
  readonly secure: boolean
}

/**
 * An administrator's cookie is sent only to the operations and pages of administration, and never with requests from another site. It is set
 * once for each path.
 */
const kinds = {
  user: { name: 'service_session', paths: ['/'], sameSite: 'Lax' },
  admin: { name: 'service_admin', paths: ['/api/v1/admin', '/operator'], sameSite: 'Strict' },
} as const
/** The tokens of known devices that a browser has, one per account, the newest first. */
const device = { name: 'service_device', path: '/', sameSite: 'Strict' } as const
/** Maximum number of accounts for which one browser is a known device. */
const mostDevices = 4

/** A prefixed cookie has to have the path `/`. */
const settings = (kind: SessionKind, { prefixed }: CookieSettings) => ({
  ...kinds[kind],
  ...(prefixed ? { name: `__Host-${kinds[kind].name}`, paths: ['/'] } : {}),
})

/** The session text in the request's cookie; null without one. Throws `BadRequest` for two cookies, because one may be planted. */
export function sessionCookie(headers: IncomingHttpHeaders, kind: SessionKind, given: CookieSettings): string | null {
  const { name } = settings(kind, given)
  const found = cookiesOf(headers, name)
  if (found.length > 1)
    throw new BadRequest(`the cookie ${name} was sent ${found.length} times`, { hint: 'delete the cookies of this site and sign in again' })
  return found[0] ?? null
}

/** `Set-Cookie` headers that set a session in the browser, or with null delete it. */
export function setSessionCookie(kind: SessionKind, text: string | null, given: CookieSettings): readonly string[] {
  const { name, paths, sameSite } = settings(kind, given)
  const age = text === null ? 0 : Math.floor(sessionTimes[kind].absolute / 1000)
  return paths.flatMap(path => [
    'Set-Cookie',
    `${name}=${text ?? ''}; Path=${path}; Max-Age=${age}; HttpOnly;${given.secure ? ' Secure;' : ''} SameSite=${sameSite}`,
  ])
}

/** Tokens of known devices in the request's cookie; other contents are ignored. */
export function deviceCookie(headers: IncomingHttpHeaders, { prefixed }: CookieSettings): readonly string[] {
  const found = cookiesOf(headers, prefixed ? `__Host-${device.name}` : device.name)
  return found.length === 1 ? (found[0] ?? '').split('.').filter(isDeviceToken).slice(0, mostDevices) : []
}

/** `Set-Cookie` that adds a device's token to those of the browser; nothing if there is no new one. */
export function setDeviceCookie(token: string | null, held: readonly string[], { prefixed, secure }: CookieSettings): readonly string[] {
  if (token === null) return []
  const { name, path, sameSite } = device
  const value = [token, ...held].slice(0, mostDevices).join('.')
  const age = deviceDays * daySeconds
  return [
    'Set-Cookie',
    `${prefixed ? '__Host-' : ''}${name}=${value}; Path=${path}; Max-Age=${age}; HttpOnly;${secure ? ' Secure;' : ''} SameSite=${sameSite}`,
  ]
}

/**
 * True if a browser uses plain HTTP with another name than this machine's, and therefore drops cookies that are marked `Secure`. Behind a
 * proxy the connection does not show it, but browsers send `Sec-Fetch-Site` only over HTTPS and to localhost (W3C Fetch Metadata).
 */
export function isPlainHttp(headers: IncomingHttpHeaders): boolean {
  const name = URL.parse(`http://${headers.host}`)?.hostname ?? ''
  const browser = headers['user-agent']?.startsWith('Mozilla/') ?? false
  const secure = headers['sec-fetch-site'] !== undefined || headers['x-forwarded-proto'] === 'https'
  return browser && !secure && !isLoopback(name) && !name.endsWith('.localhost')
}

function cookiesOf({ cookie }: IncomingHttpHeaders, name: string): string[] {
  return (cookie ?? '').split(';').flatMap(part => {
    const equals = part.indexOf('=')
    return equals > 0 && part.slice(0, equals).trim() === name ? [part.slice(equals + 1).trim()] : []
  })
}
