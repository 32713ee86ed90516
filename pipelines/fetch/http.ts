// The only network client: identity, pace, retry, breaker, caps. It returns a raw document, or an error that
// distinguishes a missing document (`NotFound`) from a failed request (`Upstream`). Refused bytes are
// offered to `keepRaw` before the error is thrown, so that no upstream response is lost.
import { createHash } from 'node:crypto'
import { Agent, request as send } from 'undici'
import { NotFound, Upstream as UpstreamError } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { readBody } from './http/body.ts'
import { type Download, openDownload } from './http/download.ts'
import { exchange, type Fault, type Received } from './http/exchange.ts'
import { checkAddress, guardedConnector, type Resolve, resolveByDns, transportUrl } from './http/guard.ts'
import type { Politeness } from './http/politeness.ts'
import { createGate } from './http/queue.ts'
import { redactBytes, redactText, redactUrl } from './http/redact.ts'
import { jitterSeconds } from './http/retry.ts'
import { createSessions, type NoSession, type Session } from './http/session.ts'
import { evaluate, type Verdict } from './http/verdict.ts'
import { addressOfAnswer, questionAt } from './sources/question.ts'
import { windows } from './sources/sniff.ts'
import { asRequested, checkReady, type FetchLimits, type SourceSettings, type Upstream, userAgent } from './sources/upstream.ts'

type HttpRequest = {
  /** A plain address is requested with GET, one of `postAddress` (http/question.ts) with POST. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}
/** The last stored document of an address, with what a conditional request needs. */
type Held = Pick<RawDocument, 'headers'>
type Fetched = { readonly kind: 'document'; readonly document: RawDocument } | { readonly kind: 'unchanged'; readonly retrieved_at: string }
/** The facts about a document whose body went to a file. */
export type FileFacts = Omit<RawDocument, 'body'> & { readonly bytes: number }
type FetchedFile = { readonly kind: 'file'; readonly file: FileFacts } | Extract<Fetched, { kind: 'unchanged' }>

/**
 * A refused response, for the raw store: its `url` reads `refused:<reason>:<address>`, so that a lookup of the
 * address never returns it as the document. `complete` is false if the body broke off.
 */
export type RefusedAnswer = { readonly document: RawDocument; readonly reason: string; readonly complete: boolean }
/** One attempt, for logs and metrics; holds no credentials. */
export type HttpEvent = {
  readonly upstream: string
  readonly url: string
  readonly attempt: number
  readonly status: number | null
  readonly outcome: string // 'document', 'unchanged' or the reason of the failure
  readonly reason: string | null // what went wrong, in words, without secrets; null: nothing did
  readonly answered: boolean // the source answered the request, if only that the document does not exist
  readonly bytes: number
  readonly waitSeconds: number | null // before the next attempt; null if there is none
}

export type HttpDependencies = {
  readonly settings: SourceSettings
  readonly politeness: Politeness
  readonly now: () => number
  /** Milliseconds since 1970 that date what was retrieved; by default `now`. The bundled universe has a frozen one. */
  readonly dataNow?: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly keepRaw?: (refused: RefusedAnswer) => Promise<void>
  readonly log?: (event: HttpEvent) => void
  readonly resolve?: Resolve
  readonly limits?: Partial<FetchLimits>
  /** Requests for one document before giving up. */
  readonly attempts?: number
  /** A longer wait postpones the job instead of blocking it. */
  readonly patienceSeconds?: number
}

export type HttpClient = {
  /** The document, always requested again. */
  readonly fetchRaw: (upstream: Upstream, request: HttpRequest, signal?: AbortSignal) => Promise<RawDocument>
  /** The document, or `unchanged` if the upstream confirms (304) that `held` is still current. */
  readonly fetchChanged: (upstream: Upstream, request: HttpRequest, held: Held, signal?: AbortSignal) => Promise<Fetched>
  /** A document too large for memory, written to `path` and synced; the file does not exist if it throws or nothing changed. */
  readonly fetchFile: (upstream: Upstream, request: HttpRequest, path: string, held: Held | null, signal?: AbortSignal) => Promise<FetchedFile>
  readonly close: () => Promise<void>
}

const defaultLimits: FetchLimits = {
  connectMs: 5_000,
  headersMs: 15_000,
  bodyIdleMs: 20_000,
  totalMs: 120_000,
  bodyBytes: 33_554_432, // 32 MiB
  ratio: 100,
}

/**
 * The entity tag of a stored document as a condition. A server that compresses responses adds a suffix to the file's tag
 * (`-gzip`, or `;gzip`), and some compare only the file's tag: both are sent, and either means the same document.
 */
function tagsOf(etag: string): string {
  const own = etag.replace(/[-;](?:gzip|br)"$/, '"')
  return own === etag ? etag : `${etag}, ${own}`
}

/** More than the page that sets a cookie, or a token, needs. */
const sessionBytes = 262_144

type Query = HttpRequest & { readonly address: URL; readonly body: string | null }
type Failure = Extract<Verdict, { kind: 'failed' }>
type Tried = { readonly result: Fetched | Failure; readonly status: number | null; readonly bytes: number }

/** The client; `close` waits for requests in progress. */
export function createHttpClient(dependencies: HttpDependencies): HttpClient {
  const { settings, politeness, now, dataNow = now, sleep, random, keepRaw, log, attempts = 5, patienceSeconds = 60 } = dependencies
  const limits = { ...defaultLimits, ...dependencies.limits }
  const bases = new Set(Object.values(settings.base).map(base => new URL(base).origin))
  const dispatcher = new Agent({ connect: guardedConnector(dependencies.resolve ?? resolveByDns, bases, limits.connectMs), pipelining: 1 })
  const gate = createGate()
  const sessions = createSessions()
  const good = new WeakSet<Session>()
  const secrets = Object.values(settings.keys).filter(secret => secret.length >= 4)
  const clean = (text: string): string => redactText(text, secrets)

  async function fetchAnswer(named: Upstream, asked: HttpRequest, held: Held | null, signal?: AbortSignal, into?: Download): Promise<Fetched> {
    checkReady(named, settings)
    const upstream = asRequested(named, settings)
    const { url: target, body } = questionAt(asked.url)
    const url = checkAddress(upstream, target)
    for (let attempt = 1; ; attempt++) {
      const { result, status, bytes } = await tryPolitely(upstream, { ...asked, address: url, body }, held, signal, into)
      const event = { upstream: upstream.name, url: clean(redactUrl(url.href)), attempt, status, bytes }
      if (result.kind !== 'failed') {
        log?.({ ...event, outcome: result.kind, reason: null, answered: true, waitSeconds: null })
        return result
      }
      const wait = result.seconds ?? jitterSeconds(attempt, random)
      const again = result.retry && attempt < attempts && wait <= patienceSeconds
      const answered = result.error instanceof NotFound
      log?.({ ...event, outcome: result.reason, reason: clean(result.error.message), answered, waitSeconds: again ? wait : null })
      if (!again) throw result.error
      await sleep(wait * 1000, signal)
    }
  }

  /** One request in its turn, and its effect on the next request of every process. */
  async function tryPolitely(upstream: Upstream, asked: Query, held: Held | null, signal?: AbortSignal, into?: Download): Promise<Tried> {
    const leave = await gate.enter(upstream.limits.group, upstream.limits.concurrency, signal)
    try {
      const tried = await tryOnce(upstream, asked, held, signal, into)
      const { result } = tried
      if (result.kind !== 'failed') await politeness.outcome(upstream, true)
      else if (result.stop !== null) await politeness.stop(upstream, result.stop, result.reason)
      else await politeness.outcome(upstream, result.healthy)
      return tried
    } finally {
      leave()
    }
  }

  async function tryOnce(upstream: Upstream, asked: Query, held: Held | null, signal?: AbortSignal, into?: Download): Promise<Tried> {
    await into?.restart()
    const url = asked.address
    const subject = clean(addressOfAnswer(redactUrl(url.href), asked.body))
    const caps = { ...limits, ...upstream.caps(url) }
    const session = await sessionFor(upstream, url, signal)
    if (session !== null && 'reason' in session) return { status: null, bytes: 0, result: withoutSession(upstream, subject, session) }
    const { received, fault } = await exchange({
      url,
      caps,
      secrets,
      signal,
      sink: into?.write,
      slot: hop => politeness.acquire(upstream, signal, hop === 0 ? upstream.cost(url) : 0),
      send: (target, whole) =>
        send(transportUrl(withSession(upstream, withKey(upstream, target), session), settings.base[upstream.name]), {
          dispatcher,
          method: asked.body === null ? 'GET' : 'POST',
          body: asked.body,
          headers: { ...requestHeaders(upstream, asked, held), ...(session ? { cookie: session.cookie } : {}) },
          headersTimeout: caps.headersMs,
          bodyTimeout: caps.bodyIdleMs,
          signal: whole,
        }),
    })
    const retrieved_at = new Date(dataNow()).toISOString()
    const verdict = sessionKept(
      upstream,
      session,
      fault === null && received !== null ? classifyReceived(upstream, url, received, subject, held !== null) : failure(upstream, subject, fault),
    )
    const tried = { status: received?.status ?? null, bytes: received?.body.length ?? 0 }
    if (verdict.kind === 'unchanged') return { ...tried, result: { kind: 'unchanged', retrieved_at } }
    if (received === null) return { ...tried, result: verdict.kind === 'failed' ? verdict : failure(upstream, subject, null) }
    const document = (body: Uint8Array, address: string): RawDocument => ({
      sha256: createHash('sha256').update(body).digest('hex'), // only of the beginning if the body went to a file
      source: upstream.name,
      url: address,
      retrieved_at,
      status: received.status,
      headers: received.headers,
      body,
    })
    if (verdict.kind === 'document') return { ...tried, result: { kind: 'document', document: document(received.body, subject) } }
    if (received.body.length > 0) {
      const refused = document(redactBytes(received.body, secrets), `refused:${verdict.reason}:${subject}`)
      await keepRaw?.({ document: refused, reason: verdict.reason, complete: received.complete })
    }
    return { ...tried, result: verdict }
  }

  /** The session of a source that requires one; its two requests take their turn like any other. */
  async function sessionFor(upstream: Upstream, url: URL, signal?: AbortSignal): Promise<Session | NoSession | null> {
    const place = upstream.session
    if (!place?.needs(url)) return null
    return await sessions.of(upstream.name, place, async (address, cookie) => {
      await politeness.acquire(upstream, signal, 1)
      const deadline = AbortSignal.timeout(limits.totalMs)
      const headers = { ...requestHeaders(upstream, { url: address.href, address, body: null }, null), ...(cookie === null ? {} : { cookie }) }
      try {
        const response = await send(transportUrl(address, settings.base[upstream.name]), {
          dispatcher,
          headers,
          headersTimeout: limits.headersMs,
          bodyTimeout: limits.bodyIdleMs,
          signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
        })
        const body = await readBody(response.body, response.headers, { ...limits, bodyBytes: sessionBytes })
        const set = response.headers['set-cookie'] ?? []
        return {
          status: response.statusCode,
          setCookie: Array.isArray(set) ? set : [set],
          head: Buffer.from(body.subarray(0, 1024)).toString('utf8'),
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        return { status: 0, setCookie: [], head: error instanceof Error ? error.message : String(error) }
      }
    })
  }

  /** A refused token is not used again. A token that was valid until now has expired, which does not count against our pace. */
  function sessionKept(upstream: Upstream, session: Session | null, verdict: Verdict): Verdict {
    if (session === null) return verdict
    if (verdict.kind !== 'failed' || !(verdict.error instanceof UpstreamError)) {
      good.add(session)
      return verdict
    }
    sessions.forget(upstream.name)
    const ranOut = good.has(session) && /crumb/i.test(verdict.error.message)
    return ranOut ? { ...verdict, reason: 'session_ran_out', retry: true, stop: null, seconds: 1 } : verdict
  }

  const withoutSession = (upstream: Upstream, subject: string, none: NoSession): Failure => ({
    kind: 'failed',
    reason: none.reason,
    error: new UpstreamError(clean(`${upstream.name}: ${subject}: no session: ${none.fact}`), { retryAfterSeconds: none.seconds }),
    retry: false,
    seconds: none.seconds,
    // Requests without a session may continue, unless the refusal was about our pace.
    stop: none.reason === 'throttled' ? none.seconds : null,
    healthy: true,
  })

  function withSession(upstream: Upstream, url: URL, session: Session | null): URL {
    if (session === null || !upstream.session) return url
    const tokened = new URL(url)
    tokened.search += `${tokened.search === '' ? '?' : '&'}${upstream.session.query}=${encodeURIComponent(session.token)}`
    return tokened
  }

  const classifyReceived = (upstream: Upstream, url: URL, received: Received, subject: string, conditional: boolean): Verdict =>
    evaluate(upstream, { ...received, url, ...windows(received.body) }, { subject, conditional, nowMs: now(), clean })

  const failure = (upstream: Upstream, subject: string, fault: Fault | null): Failure => ({
    kind: 'failed',
    reason: fault?.reason ?? 'broken_connection',
    error: new UpstreamError(clean(`${upstream.name}: ${subject}: ${fault?.fact ?? 'no answer'}`), { cause: cleanCause(fault?.cause) }),
    retry: fault?.retry ?? true,
    seconds: null,
    stop: null,
    healthy: false,
  })

  /** The cause is kept for the operator's log; an upstream's or undici's message may contain the requested address. */
  function cleanCause(cause: unknown): unknown {
    if (!(cause instanceof Error)) return cause
    const copy = new Error(clean(cause.message))
    copy.name = cause.name
    return Object.assign(copy, 'code' in cause ? { code: cause.code } : {})
  }

  function withKey(upstream: Upstream, url: URL): URL {
    const keyed = new URL(url)
    const key = upstream.key === null ? undefined : settings.keys[upstream.key.env]
    if (upstream.key !== null && 'query' in upstream.key && key !== undefined) {
      keyed.search += `${keyed.search === '' ? '?' : '&'}${upstream.key.query}=${encodeURIComponent(key)}`
    }
    return keyed
  }

  function requestHeaders(upstream: Upstream, asked: Query, held: Held | null): Record<string, string> {
    const headers: Record<string, string> = { 'accept-encoding': 'gzip, br', ...upstream.headers, ...asked.headers }
    if (asked.body !== null) headers['content-type'] = 'application/json'
    headers['user-agent'] = userAgent(upstream, settings)
    const key = upstream.key === null ? undefined : settings.keys[upstream.key.env]
    if (upstream.key !== null && 'header' in upstream.key && key !== undefined) headers[upstream.key.header] = `${upstream.key.prefix}${key}`
    if (held?.headers['etag'] !== undefined) headers['if-none-match'] = tagsOf(held.headers['etag'])
    if (held?.headers['last-modified'] !== undefined) headers['if-modified-since'] = held.headers['last-modified']
    return headers
  }

  return {
    fetchRaw: async (upstream, asked, signal) => {
      const fetched = await fetchAnswer(upstream, asked, null, signal)
      if (fetched.kind === 'document') return fetched.document
      throw new UpstreamError(`${upstream.name}: ${redactUrl(asked.url)}: "not modified" to a request without conditions`)
    },
    fetchChanged: (upstream, asked, held, signal) => fetchAnswer(upstream, asked, held, signal),
    fetchFile: async (upstream, asked, path, held, signal) => {
      const download = await openDownload(path)
      let fetched: Fetched | null = null
      try {
        fetched = await fetchAnswer(upstream, asked, held, signal, download)
        if (fetched.kind === 'unchanged') return fetched
        const { body: _beginning, ...facts } = fetched.document
        return { kind: 'file', file: { ...facts, ...(await download.end()) } }
      } finally {
        await download.close(fetched?.kind !== 'document')
      }
    },
    close: () => dispatcher.close(),
  }
}
