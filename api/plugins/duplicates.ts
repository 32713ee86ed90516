// Headers that may be sent once. Node uses the first of several and ignores the rest, so a proxy could interpret the request differently.
import { BadRequest } from '#schemas/errors.ts'

/**
 * The header that is sent more often than allowed: a second `Host` (RFC 9112, 3.2), or a second `Authorization` or `X-API-Key` that
 * differs from the first. `rawHeaders` as node:http has them: name, value, name, value.
 */
export function repeatedHeader(rawHeaders: readonly string[]): string | null {
  let hosts = 0
  let authorization: string | undefined
  let key: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    const value = rawHeaders[at + 1] as string
    // Lengths first: this runs for every request.
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1
      if (hosts > 1) return 'Host'
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      authorization ??= value
      if (authorization !== value) return 'Authorization'
    } else if (name.length === 9 && name.toLowerCase() === 'x-api-key') {
      key ??= value
      if (key !== value) return 'X-API-Key'
    }
  }
  return null
}

/** Throws `BadRequest` for such a header. */
export function checkSingleHeaders(rawHeaders: readonly string[]): void {
  const name = repeatedHeader(rawHeaders)
  if (name !== null) throw new BadRequest(`the header ${name} was sent more than once`, { hint: `send ${name} once` })
}
