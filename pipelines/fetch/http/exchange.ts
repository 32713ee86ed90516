// One exchange with an upstream: request, redirects on the same host, body. An error on the way is a `Fault` with the
// data that arrived. Only the caller's abort and a slot that was not granted are thrown.
import type { Dispatcher } from 'undici'
import type { FetchLimits } from '../sources/upstream.ts'
import { BodyFault, readBody, type Sink } from './body.ts'
import { keptHeaders } from './redact.ts'

export type Fault = { readonly reason: string; readonly fact: string; readonly retry: boolean; readonly cause: unknown }
type Received = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** False if the body broke off. */
  readonly complete: boolean
}
export type Exchange = { readonly received: Received | null; readonly fault: Fault | null }

export type Road = {
  /** The real address, even if a simulator answers in its place. */
  readonly url: URL
  readonly caps: FetchLimits
  readonly secrets: readonly string[]
  readonly signal: AbortSignal | undefined
  /** Waits for a slot; its errors are passed on. */
  readonly slot: (hop: number) => Promise<void>
  readonly send: (target: URL, signal: AbortSignal) => Promise<Dispatcher.ResponseData>
  /** Receives the body of a 200; `received` then holds only its beginning. */
  readonly sink?: Sink | undefined
}

const mostRedirects = 3
const redirectBytes = 65_536

export async function exchange({ url, caps, secrets, signal, slot, send, sink }: Road): Promise<Exchange> {
  let target = url
  for (let hop = 0; ; hop++) {
    await slot(hop)
    const deadline = AbortSignal.timeout(caps.totalMs) // the wait for a slot was caused by this client, not by the upstream
    const whole = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    let response: Dispatcher.ResponseData | null = null
    const received = (body: Uint8Array, complete: boolean): Received | null =>
      response === null ? null : { status: response.statusCode, headers: keptHeaders(response.headers, secrets), body, complete }
    try {
      response = await send(target, whole)
      const next = redirectTarget(target, response)
      const body = await readWhole(response, next === null ? caps : { ...caps, bodyBytes: redirectBytes }, response.statusCode === 200 ? sink : null)
      const arrived = received(body, true)
      if (next === null) return { received: arrived, fault: null }
      const fault = checkRedirect(url, next, hop, response.statusCode)
      if (fault !== null || next === 'nowhere') return { received: arrived, fault }
      target = next
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      const partial = error instanceof BodyFault ? error.partial : new Uint8Array()
      const fault = deadline.aborted
        ? { reason: 'too_slow', fact: `not finished within ${caps.totalMs / 1000} s`, retry: true, cause: error }
        : describe(error)
      return { received: received(partial, false), fault }
    }
  }
}

async function readWhole(response: Dispatcher.ResponseData, caps: FetchLimits, sink: Sink | null | undefined): Promise<Uint8Array> {
  if (response.statusCode !== 304 && response.statusCode !== 204) return readBody(response.body, response.headers, caps, sink)
  await response.body.dump() // has no body, though it may carry the content-length of the one that it represents
  return new Uint8Array()
}

/** The target of a 3xx, resolved against the real address; null if the response is not a redirect. */
function redirectTarget(from: URL, { statusCode, headers }: Dispatcher.ResponseData): URL | 'nowhere' | null {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null
  const location = headers['location']
  if (typeof location !== 'string' || location.length > 4096) return 'nowhere'
  return URL.parse(location, from.href) ?? 'nowhere'
}

function checkRedirect(url: URL, next: URL | 'nowhere', hop: number, status: number): Fault | null {
  const fault = (reason: string, fact: string): Fault => ({ reason, fact, retry: false, cause: undefined })
  if (next === 'nowhere') return fault('bad_redirect', `status ${status} without a usable location`)
  if (next.host !== url.host || next.protocol !== 'https:' || next.username !== '' || next.password !== '') {
    return fault('foreign_redirect', `redirected to ${`${next.protocol}//${next.host}`.slice(0, 120)}: only redirects on the same host are followed`)
  }
  return hop < mostRedirects ? null : fault('redirect_loop', `redirected more than ${mostRedirects} times`)
}

function describe(error: unknown): Fault {
  const fault = (reason: string, fact: string, retry = true): Fault => ({ reason, fact, retry, cause: error })
  if (error instanceof BodyFault) {
    const lasting = ['too_large', 'decompression_bomb', 'unknown_encoding'].includes(error.reason)
    return fault(error.reason, error.message, !lasting)
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error && error.message !== '' ? error.message : code || String(error)
  if (code === 'REFUSED_ADDRESS') return fault('refused_address', `not connected: ${message}`, false)
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return fault('connect_timeout', 'no connection in time')
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return fault('headers_timeout', 'no answer began in time')
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(code)) return fault('bad_tls', `the connection is not trusted: ${code}`)
  return fault('broken_connection', `the connection failed: ${message}`)
}
