// The description of an upstream for the network client: hosts, requirements, request rate, and how to recognise
// errors that look like success. One constant of this type per upstream; none of them does any I/O.
import { BadRequest } from '#schemas/errors.ts'

/** What the body of an address must look like; `any` is not checked. */
export type Kind = 'json' | 'csv' | 'text' | 'xml' | 'html' | 'archive' | 'any'

/** A response as it arrived, decoded. `head` is the first 64 KiB as text without a byte order mark, `tail` the last KiB. */
export type Answer = {
  readonly url: URL
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly head: string
  readonly tail: string
}

/** A response that is not what was requested, whatever its status. */
export type Disguise = {
  readonly reason: string // snake_case, stable: groups refused raw documents
  readonly detail: string
  /** `not_found` only if the upstream itself reports that the document does not exist. */
  readonly means: 'not_found' | 'could_not_ask'
  /** True if the same request may succeed within minutes. */
  readonly retry: boolean
  /** How long no process sends requests to this upstream: seconds, or until the quota's next UTC hour or day. */
  readonly stop: number | 'next_hour' | 'next_day' | null
}

/** The request rate of one host group. `perHour` and `perDay` count call weights per UTC hour and day. */
export type Limits = {
  readonly group: string
  readonly perSecond: number
  /** Burst after a pause; over any second at most `burst + perSecond` are granted. */
  readonly burst: number
  readonly concurrency: number
  readonly perHour: number | null
  readonly perDay: number | null
}

export type FetchLimits = {
  readonly connectMs: number
  readonly headersMs: number
  readonly bodyIdleMs: number
  readonly totalMs: number
  readonly bodyBytes: number
  readonly ratio: number
}

/** How a key is sent, and the setting that holds it. */
type KeyPlace = { readonly env: string; readonly query: string } | { readonly env: string; readonly header: string; readonly prefix: string }

/** A source that requires a cookie and a matching token for some addresses. */
export type SessionPlace = {
  readonly cookieUrl: string
  readonly tokenUrl: string
  /** The parameter that carries the token; redact.ts knows its name. */
  readonly query: string
  readonly needs: (url: URL) => boolean
}

type Credential = 'none' | 'contact' | 'key' | 'opt_in'

export type Upstream = {
  readonly name: string
  readonly title: string
  readonly hosts: readonly string[]
  readonly licence: string
  readonly credential: Credential
  readonly key: KeyPlace | null
  readonly session?: SessionPlace
  readonly limits: Limits
  readonly headers: Readonly<Record<string, string>>
  readonly expects: (url: URL) => Kind
  readonly disguised: (answer: Answer) => Disguise | null
  /** The weight of a call in the hourly and daily quota. */
  readonly cost: (url: URL) => number
  /** Caps of addresses that differ from the client's, such as a nightly archive. */
  readonly caps: (url: URL) => Partial<FetchLimits>
}

/** The operator's settings; read from the environment and jobs.yaml by schemas/config.ts, never here. */
export type SourceSettings = {
  readonly version: string
  readonly contact: string | null
  /** Keys by the name of their setting, e.g. `EODHD_API_TOKEN`. */
  readonly keys: Readonly<Record<string, string>>
  /** Names of the upstreams without terms for automated use that the operator switched on. */
  readonly optIn: readonly string[]
  /** Origin that replaces an upstream, by upstream: the simulator. */
  readonly base: Readonly<Record<string, string>>
  /** Requests per second to a simulator; null: the real upstream's rate. */
  readonly simulatorPerSecond: number | null
}

type Given = Pick<Upstream, 'hosts' | 'licence' | 'expects'> &
  Partial<Omit<Upstream, 'name' | 'title' | 'limits'>> & {
    readonly limits: Pick<Limits, 'perSecond' | 'burst'> & Partial<Limits>
  }

/**
 * An upstream with the members that differ from the defaults: open to all, one request at a time without quotas, each call of weight 1,
 * no errors that look like success. The host group of its limits is its name by default.
 */
export const upstream = (name: string, title: string, given: Given): Upstream => ({
  name,
  title,
  credential: 'none',
  key: null,
  headers: {},
  disguised: () => null,
  cost: () => 1,
  caps: () => ({}),
  ...given,
  limits: { group: name, concurrency: 1, perHour: null, perDay: null, ...given.limits },
})

/** An API that answers in JSON: `headers` and `expects` default to those of JSON. */
export const jsonUpstream = (name: string, title: string, given: Omit<Given, 'expects'> & Partial<Pick<Given, 'expects'>>): Upstream =>
  upstream(name, title, { headers: { accept: 'application/json' }, expects: () => 'json', ...given })

export const couldNotAsk = (reason: string, detail: string, more: Partial<Pick<Disguise, 'retry' | 'stop'>> = {}): Disguise => ({
  reason,
  detail,
  means: 'could_not_ask',
  retry: false,
  stop: null,
  ...more,
})
export const doesNotExist = (reason: string, detail: string): Disguise => ({ reason, detail, means: 'not_found', retry: false, stop: null })

const contactHint =
  'set CROSSFILE_CONTACT to an address at which the SEC can reach the operator, e.g. CROSSFILE_CONTACT="Jane Roe jane@your-firm.com"'
const placeholders =
  /@(?:[a-z0-9-]+\.)*(?:example|test|invalid|localhost)(?:\.(?:com|org|net))?$|@(?:your-?(?:firm|company|domain|email)|domain|company|email|mail|foo|bar)\.[a-z]+$|^(?:your[-_.]?(?:name|email)?|name|user|someone|me)@(?:gmail|domain|company|email|server)\.com$/i

/**
 * The contact as the SEC's fair-access rule wants it in the User-Agent: one line that holds an e-mail address.
 * Throws `BadRequest` if it is missing, has none, or is a placeholder such as name@example.com.
 */
export function checkContact(contact: string | null): string {
  const text = contact?.trim() ?? ''
  if (text === '') throw new BadRequest('edgar: no contact is set, and the SEC refuses clients that do not name one', { hint: contactHint })
  if (text.length > 200 || !/^[\x20-\x7e]+$/.test(text)) {
    throw new BadRequest('edgar: the contact must be one line of at most 200 plain characters', { hint: contactHint })
  }
  const address = text
    .split(/[\s<>(),;]+/)
    .find(word => word.length <= 120 && /^[^@]+@[^@]+$/.test(word) && /\.[a-z]{2,}$/i.test(word))
    ?.replace(/^mailto:/i, '')
  if (address === undefined) throw new BadRequest(`edgar: the contact "${text.slice(0, 60)}" holds no e-mail address`, { hint: contactHint })
  if (placeholders.test(address)) throw new BadRequest(`edgar: the contact "${address}" is a placeholder, not an address`, { hint: contactHint })
  return text
}

/** Throws `BadRequest` with a hint if the operator has not configured what this upstream needs. A simulator needs nothing. */
export function checkReady(upstream: Upstream, settings: SourceSettings): void {
  if (settings.base[upstream.name] !== undefined) return
  if (upstream.credential === 'contact') checkContact(settings.contact)
  if (upstream.credential === 'opt_in' && !settings.optIn.includes(upstream.name)) {
    throw new BadRequest(`${upstream.name}: this source is off: ${upstream.title} grants no right to automated use`, {
      hint: `to use it for yourself, set CROSSFILE_OPT_IN=${upstream.name}, or "enabled: on" for its job in jobs.yaml`,
    })
  }
  if (upstream.key !== null && !settings.keys[upstream.key.env]) {
    throw new BadRequest(`${upstream.name}: no key is set`, { hint: `set ${upstream.key.env} to your key for ${upstream.title}` })
  }
}

/** Null if the upstream can be requested; else one sentence with the setting to add. */
export function whatIsMissing(upstream: Upstream, settings: SourceSettings): string | null {
  try {
    checkReady(upstream, settings)
    return null
  } catch (error) {
    if (error instanceof BadRequest) return `${error.message}; ${error.hint}`
    throw error
  }
}

/** The upstream as configured: a simulator has its own pace, stops and quotas, separate from the real one's. */
export function asRequested(upstream: Upstream, settings: SourceSettings): Upstream {
  const base = settings.base[upstream.name]
  if (base === undefined) return upstream
  const pace = settings.simulatorPerSecond
  const group = `${upstream.limits.group} at ${base}`
  return {
    ...upstream,
    limits: { ...upstream.limits, group, ...(pace === null ? {} : { perSecond: pace, burst: pace, perHour: null, perDay: null }) },
  }
}

/** `Crossfile/<version> <contact>`; a simulator gets an address that cannot exist (RFC 2606). */
export function userAgent(upstream: Upstream, settings: SourceSettings): string {
  const product = `Crossfile/${settings.version}`
  const contact = settings.contact?.replace(/[^\x20-\x7e]/g, '').trim() ?? ''
  if (upstream.credential !== 'contact') return contact === '' ? product : `${product} ${contact}`
  if (settings.base[upstream.name] !== undefined) return `${product} ${contact || 'simulator@crossfile.invalid'}`
  return `${product} ${checkContact(settings.contact)}`
}
