// The only network client: identity, pace, retry, breaker, caps. It returns a raw document, or an error that
// distinguishes a missing document (`NotFound`) from a failed request (`Upstream`). Refused bytes are
// offered to `keepRaw` before the error is thrown, so that no upstream response is lost.
import { createHash } from 'node:crypto'
import { Agent, request as send } from 'undici'
import { NotFound, Upstream as UpstreamError } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { type Download, openDownload } from './http/download.ts'
import { exchange } from './http/exchange.ts'
import { type Clean, failure, withoutSession } from './http/failed.ts'
import { checkAddress, guardedConnector, type Resolve, resolveByDns, transportUrl } from './http/guard.ts'
import { type Held, requestHeaders, withKey, withSession } from './http/headers.ts'
import type { Politeness } from './http/politeness.ts'
import { createGate } from './http/queue.ts'
import { redactBytes, redactText, redactUrl } from './http/redact.ts'
import { jitterSeconds } from './http/retry.ts'
import { createSessionRequests, type SessionRequests } from './http/session-requests.ts'
import { evaluate, type Failure } from './http/verdict.ts'
import { addressOfAnswer, questionAt } from './sources/question.ts'
import { windows } from './sources/sniff.ts'
import { asRequested, checkReady, type FetchLimits, type SourceSettings, type Upstream } from './sources/upstream.ts'

type HttpRequest = {
  /** A plain address is requested with GET, one of `postAddress` (http/question.ts) with POST. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}
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

type Query = HttpRequest & { readonly address: URL; readonly body: string | null }
type Tried = { readonly result: Fetched | Failure; readonly status: number | null; readonly bytes: number }

/** What one attempt uses. */
type Parts = Required<Pick<HttpDependencies, 'settings' | 'politeness' | 'now' | 'dataNow'>> &
  Pick<HttpDependencies, 'keepRaw'> & {
    readonly limits: FetchLimits
    readonly dispatcher: Agent
    readonly sessions: SessionRequests
    readonly secrets: readonly string[]
    readonly clean: Clean
  }

/** The client; `close` waits for requests in progress. */
export function createHttpClient(dependencies: HttpDependencies): HttpClient {
  const { settings, politeness, now, dataNow = now, sleep, random, keepRaw, log, attempts = 5, patienceSeconds = 60 } = dependencies
  const limits = { ...defaultLimits, ...dependencies.limits }
  const bases = new Set(Object.values(settings.base).map(base => new URL(base).origin))
  const dispatcher = new Agent({ connect: guardedConnector(dependencies.resolve ?? resolveByDns, bases, limits.connectMs), pipelining: 1 })
  const gate = createGate()
  const sessions = createSessionRequests({ settings, politeness, limits, dispatcher })
  const secrets = Object.values(settings.keys).filter(secret => secret.length >= 4)
  const clean = (text: string): string => redactText(text, secrets)
  const parts: Parts = { settings, politeness, now, dataNow, keepRaw, limits, dispatcher, sessions, secrets, clean }

  async function fetchAnswer(named: Upstream, request: HttpRequest, held: Held | null, signal?: AbortSignal, into?: Download): Promise<Fetched> {
    checkReady(named, settings)
    const upstream = asRequested(named, settings)
    const { url: target, body } = questionAt(request.url)
    const url = checkAddress(upstream, target)
    for (let attempt = 1; ; attempt++) {
      const { result, status, bytes } = await tryPolitely(upstream, { ...request, address: url, body }, held, signal, into)
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
  async function tryPolitely(upstream: Upstream, query: Query, held: Held | null, signal?: AbortSignal, into?: Download): Promise<Tried> {
    const leave = await gate.enter(upstream.limits.group, upstream.limits.concurrency, signal)
    try {
      const tried = await tryOnce(parts, upstream, query, held, signal, into)
      const { result } = tried
      if (result.kind !== 'failed') await politeness.outcome(upstream, true)
      else if (result.stop !== null) await politeness.stop(upstream, result.stop, result.reason)
      else await politeness.outcome(upstream, result.healthy)
      return tried
    } finally {
      leave()
    }
  }

  return {
    fetchRaw: async (upstream, request, signal) => {
      const fetched = await fetchAnswer(upstream, request, null, signal)
      if (fetched.kind === 'document') return fetched.document
      throw new UpstreamError(`${upstream.name}: ${redactUrl(request.url)}: "not modified" to a request without conditions`)
    },
    fetchChanged: (upstream, request, held, signal) => fetchAnswer(upstream, request, held, signal),
    fetchFile: async (upstream, request, path, held, signal) => {
      const download = await openDownload(path)
      let fetched: Fetched | null = null
      try {
        fetched = await fetchAnswer(upstream, request, held, signal, download)
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

async function tryOnce(parts: Parts, upstream: Upstream, query: Query, held: Held | null, signal?: AbortSignal, into?: Download): Promise<Tried> {
  const { settings, politeness, sessions, secrets, clean } = parts
  await into?.restart()
  const url = query.address
  const subject = clean(addressOfAnswer(redactUrl(url.href), query.body))
  const caps = { ...parts.limits, ...upstream.caps(url) }
  const session = await sessions.of(upstream, url, signal)
  if (session !== null && 'reason' in session) return { status: null, bytes: 0, result: withoutSession(upstream, subject, session, clean) }
  const { received, fault } = await exchange({
    url,
    caps,
    secrets,
    signal,
    sink: into?.write,
    slot: hop => politeness.acquire(upstream, signal, hop === 0 ? upstream.cost(url) : 0),
    send: (target, whole) =>
      send(transportUrl(withSession(upstream, withKey(upstream, target, settings), session), settings.base[upstream.name]), {
        dispatcher: parts.dispatcher,
        method: query.body === null ? 'GET' : 'POST',
        body: query.body,
        headers: { ...requestHeaders(upstream, query, held, settings), ...(session ? { cookie: session.cookie } : {}) },
        headersTimeout: caps.headersMs,
        bodyTimeout: caps.bodyIdleMs,
        signal: whole,
      }),
  })
  const retrieved_at = new Date(parts.dataNow()).toISOString()
  const seen =
    fault === null && received !== null
      ? evaluate(upstream, { ...received, url, ...windows(received.body) }, { subject, conditional: held !== null, nowMs: parts.now(), clean })
      : failure(upstream, subject, fault, clean)
  const verdict = sessions.kept(upstream, session, seen)
  const tried = { status: received?.status ?? null, bytes: received?.body.length ?? 0 }
  if (verdict.kind === 'unchanged') return { ...tried, result: { kind: 'unchanged', retrieved_at } }
  if (received === null) return { ...tried, result: verdict.kind === 'failed' ? verdict : failure(upstream, subject, null, clean) }
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
    await parts.keepRaw?.({ document: refused, reason: verdict.reason, complete: received.complete })
  }
  return { ...tried, result: verdict }
}
