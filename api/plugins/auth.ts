// API keys: found in the request, checked, and cached for a few seconds. A bad explicit key is 401.
import type { IncomingHttpHeaders } from 'node:http'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { BadRequest, type CrossfileError, Forbidden, Unauthorized, Upstream } from '#schemas/errors.ts'
import { printable } from '#schemas/operations/parameters.ts'
import type { Operation, Scope } from '#schemas/operations.ts'
import { isKeyText, keyDigest } from '#warehouse/people/accounts/key-text.ts'
import { createUsageCounter } from '#warehouse/people/accounts/key-usage.ts'
import type { ApiKey, KeyStore, KeyUse } from '#warehouse/people/accounts/keys.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { addressList, type Trusted } from './addresses.ts'
import { withHeaders } from './errors.ts'
import type { Caller } from './limiter.ts'
import { keyHeaders, misnamedKey } from './other-names.ts'

type SentAs = 'bearer' | 'x-api-key' | 'query'
export type Credential = Pick<ApiKey, 'key_id' | 'name' | 'last4' | 'tier' | 'created_at' | 'expires_at'> & {
  /** The permissions of this request: a key in the query has `data:read` at most, because addresses appear in logs and histories. */
  readonly scopes: readonly Scope[]
  readonly sent_as: SentAs
  /** The caller for limits: the key. */
  readonly caller: Caller
  /** The account of the key; the key itself if it has none. */
  readonly account: string
}
export type Presented = { readonly text: string; readonly sent_as: SentAs }

/** How long a revoked key may still work after its last look-up: less than the guaranteed 5 seconds. */
const rememberMs = 4000
const makeOne = 'make one on the developer page, /developer, or with crossfile keys create'

/** The key of a request. Throws BadRequest for two keys that differ, Unauthorized for a header without one. */
export function presentedKey(headers: IncomingHttpHeaders, inQuery: string | undefined): Presented | null {
  const { authorization } = headers
  const own = headers['x-api-key']
  if (authorization === undefined && own === undefined && inQuery === undefined) return null
  const found: Presented[] = []
  if (authorization !== undefined) {
    const match = /^bearer +([^\s]+) *$/i.exec(authorization)
    if (!match?.[1]) {
      const scheme = /^([A-Za-z-]{1,20}) +\S+ *$/.exec(authorization)?.[1]
      const instead = scheme === undefined ? '' : `write Bearer in place of ${scheme}: `
      throw invalid('the Authorization header holds no bearer token', `${instead}send "Authorization: Bearer <key>"`)
    }
    found.push({ text: match[1], sent_as: 'bearer' })
  }
  if (own !== undefined) found.push({ text: String(own), sent_as: 'x-api-key' })
  if (inQuery !== undefined) found.push({ text: inQuery, sent_as: 'query' })
  const first = found[0]
  if (first && found.some(each => each.text !== first.text)) {
    throw new BadRequest(`${found.length} API keys were sent and they differ`, {
      hint: 'send one key: Authorization: Bearer, or X-API-Key, or the apikey parameter',
    })
  }
  return first ?? null
}

export type Keys = {
  /** The credential, if the key was checked within the last seconds; undefined if `check` must be called. */
  readonly recall: (presented: Presented, address: string) => Credential | undefined
  readonly check: (presented: Presented, address: string) => Promise<Credential>
  /** Counts an answered request of a key. */
  readonly count: (keyId: string, operation: Operation, status: number) => void
  /** Writes to the store when and how keys were last used, and for what. */
  readonly flush: () => Promise<void>
}
type Remembered = { readonly key: ApiKey | null; readonly until: number; readonly allowed: Trusted | null; readonly byWay: Map<SentAs, Credential> }

export function createKeys(store: KeyStore, now: () => Date, monotonic: () => number): Keys {
  const remembered = new Map<string, Remembered>()
  const pending = new Map<string, Promise<Remembered>>()
  const noted = createNotes(store, now)

  async function look(text: string): Promise<Remembered> {
    const startedAt = monotonic()
    let key: ApiKey | null
    try {
      key = await store.find(keyDigest(text))
    } catch (cause) {
      throw new Upstream('API keys cannot be checked at the moment', { cause, retryAfterSeconds: 2, hint: 'repeat the request in a few seconds' })
    }
    for (const [old, { until }] of remembered) if (until <= startedAt || remembered.size >= cacheLimits.apiKeys) remembered.delete(old)
    const entry = {
      key,
      until: startedAt + rememberMs,
      allowed: key && key.allowed_addresses.length > 0 ? addressList(key.allowed_addresses) : null,
      byWay: new Map<SentAs, Credential>(),
    }
    // Cached by the text of the key: to hash it for every request would take a tenth of the time of the fast path. Entries expire after
    // four seconds.
    remembered.set(text, entry)
    return entry
  }
  function evaluate(entry: Remembered, { sent_as }: Presented, address: string): Credential {
    const { key } = entry
    if (key === null || key.revoked_at !== null) throw invalid('this API key is not valid', makeOne)
    if (key.expires_at !== null && Date.parse(key.expires_at) <= now().getTime()) {
      throw invalid(`this API key expired at ${key.expires_at}`, makeOne)
    }
    if (key.halted !== null)
      throw key.halted === 'inactive'
        ? invalid('the account of this API key is not active', 'ask the operator of this service')
        : invalid('the erasure of the account of this API key is queued', 'its owner can still keep the account: POST /api/v1/user/delete/cancel')
    if (entry.allowed !== null && !entry.allowed(address)) {
      throw new Forbidden('this API key may not be used from this address', { hint: 'the owner of the key lists the addresses that may use it' })
    }
    let credential = entry.byWay.get(sent_as)
    if (!credential) {
      const { key_id, name, last4, tier, created_at, expires_at } = key
      const scopes = sent_as === 'query' ? key.scopes.filter(scope => scope === 'data:read') : key.scopes
      credential = {
        key_id,
        name,
        last4,
        tier,
        scopes,
        sent_as,
        created_at,
        expires_at,
        caller: { partition: key_id, tier },
        account: key.owner ?? key_id,
      }
      entry.byWay.set(sent_as, credential)
    }
    noted.use(key.key_id, sent_as)
    return credential
  }

  return {
    recall(presented, address) {
      const entry = remembered.get(presented.text)
      return entry && entry.until > monotonic() ? evaluate(entry, presented, address) : undefined
    },
    async check(presented, address) {
      if (!isKeyText(presented.text)) {
        throw invalid(
          'this is no API key of this service',
          'keys begin with cf_live_ and have 46 characters; check that it was copied whole, without quotation marks',
        )
      }
      let lookup = pending.get(presented.text)
      if (!lookup) {
        lookup = look(presented.text).finally(() => pending.delete(presented.text))
        pending.set(presented.text, lookup)
      }
      return evaluate(await lookup, presented, address)
    },
    count: noted.count,
    flush: noted.flush,
  }
}

/** Uses of keys since the last flush: how they were sent, and for what. */
function createNotes(store: KeyStore, now: () => Date): Pick<Keys, 'count' | 'flush'> & { use(keyId: string, sentAs: SentAs): void } {
  let uses = new Map<string, KeyUse>()
  const usage = createUsageCounter(now)
  return {
    use(keyId, sentAs) {
      // Only the first use since the last flush is written: owners need days, not milliseconds.
      const use = uses.get(keyId)
      if (use?.as !== sentAs) uses.set(keyId, { at: now(), as: sentAs, in_query: sentAs === 'query' || use?.in_query === true })
    },
    count: (keyId, { limit_class, cost }, status) => usage.count(keyId, limit_class, cost, status),
    async flush() {
      const counts = usage.take()
      if (counts.length > 0) {
        try {
          await store.addUsage(counts)
        } catch (error) {
          usage.putBack(counts)
          throw error
        }
      }
      if (uses.size === 0) return
      const taken = uses
      uses = new Map()
      await store.noteUses(taken)
    },
  }
}

/** The caller for a session: its user, independent of the number of sessions. */
export const callerOfSession = ({ user_id, tier }: Session): Caller => ({ partition: user_id, tier })

/** Scopes of which one gives access to an operation: `data:read` for all operations, `market:read` for those that a session may read. */
function opening(operation: Operation): readonly Scope[] {
  return operation.access === 'key' ? ['data:read'] : ['market:read', 'data:read']
}

/** Whether the credential or the session gives access to the operation; otherwise the error. */
export function refusal(operation: Operation, credential: Credential | null, session: Session | null = null): CrossfileError | null {
  if (operation.access === 'public') return null
  if (session !== null) return refusalOfSession(operation, session)
  if (operation.access === 'agent') return new Forbidden('an agent endpoint does not accept this kind of request')
  if (operation.access === 'user' || operation.access === 'admin') return notSignedIn(operation, credential)
  if (credential === null) {
    const error = new Unauthorized(`${operation.method} ${operation.path} needs an API key`, {
      hint: 'send "Authorization: Bearer <key>"; the developer page, /developer, makes one, and so does crossfile keys create',
    })
    return withHeaders(error, { 'WWW-Authenticate': 'Bearer realm="api"' })
  }
  const wanted = opening(operation)
  if (credential.scopes.some(scope => wanted.includes(scope))) return null
  const error = new Forbidden(`this API key lacks the scope ${wanted.join(' or ')}`, {
    hint: 'use a key that was made with this scope; one in the query has data:read at most',
  })
  return withHeaders(error, { 'WWW-Authenticate': `Bearer realm="api", error="insufficient_scope", scope="${wanted[0]}"` })
}

/** The refusal of a request without a key, with a hint that names the parameter or header in which the request holds one. */
export function withMisplacedKey(
  error: CrossfileError,
  { query, credential }: { readonly query: Readonly<Record<string, string>>; readonly credential: Credential | null },
  headers: IncomingHttpHeaders,
): CrossfileError {
  if (!(error instanceof Unauthorized) || credential !== null) return error
  const parameter = misnamedKey(Object.keys(query))
  const header = keyHeaders.find(name => headers[name] !== undefined)
  if (parameter === null && header === undefined) return error
  const hint =
    parameter === null
      ? `the header ${header} is not read: send "Authorization: Bearer <key>" or "X-API-Key: <key>"`
      : `the parameter ${printable(parameter)} is not read: name it apikey, or send "Authorization: Bearer <key>"`
  return withHeaders(new Unauthorized(error.message, { hint }), { 'WWW-Authenticate': 'Bearer realm="api"' })
}

function refusalOfSession(operation: Operation, session: Session): CrossfileError | null {
  if (!session.is_active) return new Forbidden('this account is not active', { hint: 'ask the operator of this service' })
  if (operation.access === 'key') {
    const error = new Unauthorized(`${operation.method} ${operation.path} needs an API key`, {
      hint: 'make one on the developer page, /developer, and send it as "Authorization: Bearer <key>"',
    })
    return withHeaders(error, { 'WWW-Authenticate': 'Bearer realm="api"' })
  }
  if (operation.access === 'admin')
    return session.kind === 'admin' && session.is_admin
      ? null
      : new Forbidden('this needs the session of an administrator', { hint: 'sign in at POST /api/v1/admin/login' })
  if (session.kind === 'admin')
    return new Forbidden("an administrator's session is for administration only", { hint: 'sign in at POST /api/v1/auth/login' })
  if (session.leaving && !operation.while_leaving)
    return new Forbidden('the erasure of this account is queued', { hint: 'POST /api/v1/user/delete/cancel keeps the account' })
  return null
}

function notSignedIn(operation: Operation, credential: Credential | null): CrossfileError {
  if (credential !== null) return new Forbidden('an API key does not open this', { hint: 'sign in: it belongs to a person, not to a program' })
  const hint =
    operation.access === 'admin' ? 'POST /api/v1/admin/login signs in' : 'POST /api/v1/auth/login signs in; in a browser, the page /developer'
  return withHeaders(new Unauthorized('this needs you to be signed in', { hint }), {
    'WWW-Authenticate': 'Session realm="api"',
  })
}

function invalid(message: string, hint: string): CrossfileError {
  return withHeaders(new Unauthorized(message, { hint }), { 'WWW-Authenticate': 'Bearer realm="api", error="invalid_token"' })
}
