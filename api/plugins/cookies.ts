// Cookies of sessions: read and written here alone. All have what the `__Host-` prefix asks for: Secure, no Domain.
import type { IncomingHttpHeaders } from 'node:http'
import { BadRequest } from '#schemas/errors.ts'
import type { SessionKind } from '#warehouse/users/sessions.ts'
import { sessionTimes } from '#warehouse/users/sessions.ts'

/** An administrator's cookie goes to the paths of administration alone, and never along from another site. */
const kinds = {
  user: { name: 'service_session', path: '/', sameSite: 'Lax' },
  admin: { name: 'service_admin', path: '/api/v1/admin', sameSite: 'Strict' },
} as const
/** A prefixed cookie has to have the path `/`. */
const settings = (kind: SessionKind, prefixed: boolean) => ({
  ...kinds[kind],
  ...(prefixed ? { name: `__Host-${kinds[kind].name}`, path: '/' } : {}),
})

/** The session text that the request's cookie holds, null without one. Throws `BadRequest` where two are sent: one may be planted. */
export function sessionCookie(headers: IncomingHttpHeaders, kind: SessionKind, prefixed: boolean): string | null {
  const { cookie } = headers
  if (cookie === undefined) return null
  const { name } = settings(kind, prefixed)
  const found = cookie.split(';').flatMap(part => {
    const equals = part.indexOf('=')
    return equals > 0 && part.slice(0, equals).trim() === name ? [part.slice(equals + 1).trim()] : []
  })
  if (found.length > 1)
    throw new BadRequest(`the cookie ${name} was sent ${found.length} times`, { hint: 'delete the cookies of this site and sign in again' })
  return found[0] ?? null
}

/** `Set-Cookie` that hands a session to the browser, or with null takes it away. */
export function setSessionCookie(kind: SessionKind, text: string | null, prefixed: boolean): readonly [string, string] {
  const { name, path, sameSite } = settings(kind, prefixed)
  const age = text === null ? 0 : Math.floor(sessionTimes[kind].absolute / 1000)
  return ['Set-Cookie', `${name}=${text ?? ''}; Path=${path}; Max-Age=${age}; HttpOnly; Secure; SameSite=${sameSite}`]
}
