// What is left of an address in what browsers report: no host of ours, no query, no fragment, no id and no token.

const longestPage = 200
const longestHost = 100

/** A part of a path that is an id, a token or an address of mail; names of pages and symbols are none. */
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

/** The page of an address or a path, with `:id` in the place of ids; null where it is neither. */
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

/** What was blocked, as it is counted: a host, or a word for what has none. */
export function blockedOf(address: unknown): string {
  if (typeof address !== 'string' || address === '') return 'unknown'
  const word = address.toLowerCase().replace(/:$/, '')
  if (keywords.has(word)) return word
  const url = address.length <= 4096 ? URL.parse(address) : null
  if (url === null) return 'unknown'
  if (url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'wss:' || url.protocol === 'ws:')
    return url.hostname !== '' && url.hostname.length <= longestHost ? url.hostname : 'unknown'
  const scheme = url.protocol.slice(0, -1)
  // Extensions of a browser name themselves by an id: that they were one is enough.
  return scheme.endsWith('-extension') ? 'extension' : keywords.has(scheme) ? scheme : 'unknown'
}
