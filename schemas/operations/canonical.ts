// The canonical spelling of a request: the key of caches and the subject of receipts.
import { createHash } from 'node:crypto'

/** `from=2024-01-01&symbol=RY.TO`: parameters by name, lists with commas, absent ones omitted, values percent-encoded. */
export function canonicalQuery(question: Readonly<Record<string, unknown>>): string {
  return Object.keys(question)
    .sort()
    .filter(name => question[name] !== undefined && question[name] !== null)
    .map(name => `${name}=${encode(question[name])}`)
    .join('&')
}

function encode(value: unknown): string {
  return Array.isArray(value) ? value.map(each => encodeURIComponent(String(each))).join(',') : encodeURIComponent(String(value))
}

/** Parameters that change the delivery of an answer, not its content. */
const manner = new Set(['format', 'receipt', 'release', 'apikey'])

/**
 * `GET /api/v1/data/form4?since=2024-01-01&ticker=MRVL`: path with its parameters filled in, then the rest in order, defaults
 * explicit. It does not include the release, which statements and caches store separately.
 */
export function canonicalName(method: string, path: string, question: Readonly<Record<string, unknown>>): string {
  const rest: Record<string, unknown> = {}
  let filled = path
  for (const [name, value] of Object.entries(question)) {
    if (manner.has(name)) continue
    if (filled.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, () => encode(value))
    else rest[name] = value
  }
  const query = canonicalQuery(rest)
  return `${method} ${filled}${query === '' ? '' : `?${query}`}`
}

/**
 * The SHA-256 of the request body, defaults filled in, as JSON with sorted members and no spaces (the form of RFC 8785). Canonical
 * names use it in place of the body.
 */
export function inputSha256(body: unknown): string {
  return createHash('sha256').update(sortedJson(body)).digest('hex')
}
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`)
    .join(',')}}`
}
