// Reduces an address in browsers' reports: no host of this installation, no query, no fragment, no id and no token.

const longestPage = 200
const longestHost = 100

/** A path segment that is an id, a token or an e-mail address; names of pages and symbols are not. */
function isSecretive(part: string): boolean {
  return (
    part.length > 40 ||
    part.includes('@') ||
    part.includes('=') ||
    /^\d{5,}$/.test(part) ||
    /^[0-9a-f]{8}-[0-9a-f-]{13,}$/i.test(part) ||
    /^[a-z]{1,2}_[\w-]{6,}$/i.test(part) ||
    /^cf_/.test(part) ||
    (part.length >= 16 && /\d/.test(part) && /[a-z]/i.test(part) && !/^[a-z0-9]+([-.][a-z0-9]+)+$/.test(part)) ||
    /^[0-9a-f]{16,}$/i.test(part)
  )
}

/** The page of an address or a path, with `:id` in place of ids; null if it is neither. */
export function pageOf(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > 4096) return null
  const url = URL.parse(address, 'https://page.invalid')
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  const parts = url.pathname.split('/').map(part => {
    const plain = decoded(part)
    return plain === null || isSecretive(plain) || !/^[\w.~!$&'()*+,;:-]*$/.test(plain) ? ':id' : plain
  })
  const page = parts.slice(0, 12).join('/')
  return page.length > longestPage ? null : page
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

const keywords = new Set(['inline', 'eval', 'wasm-eval', 'self', 'data', 'blob', 'about', 'filesystem', 'trusted-types-policy', 'trusted-types-sink'])

/** The blocked resource in the form that is counted: a host, or a keyword for a resource without one. */
export function blockedOf(address: unknown): string {
  if (typeof address !== 'string' || address === '') return 'unknown'
  const word = address.toLowerCase().replace(/:$/, '')
  if (keywords.has(word)) return word
  const url = address.length <= 4096 ? URL.parse(address) : null
  if (url === null) return 'unknown'
  if (url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'wss:' || url.protocol === 'ws:')
    return url.hostname !== '' && url.hostname.length <= longestHost ? url.hostname : 'unknown'
  const scheme = url.protocol.slice(0, -1)
  // Browser extensions have an id as their host: only the fact that it was an extension is kept.
  return scheme.endsWith('-extension') ? 'extension' : keywords.has(scheme) ? scheme : 'unknown'
}
