// Opens the sessions of sources that require one: their two requests are sent at the source's pace, like any other.
import { type Dispatcher, request as send } from 'undici'
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import type { FetchLimits, SourceSettings, Upstream } from '../sources/upstream.ts'
import { readBody } from './body.ts'
import { transportUrl } from './guard.ts'
import { requestHeaders } from './headers.ts'
import type { Politeness } from './politeness.ts'
import { createSessions, type NoSession, type Session } from './session.ts'
import type { Verdict } from './verdict.ts'

/** More than the page that sets a cookie, or a token, needs. */
const sessionBytes = 262_144

type Settings = {
  readonly settings: SourceSettings
  readonly politeness: Politeness
  readonly limits: FetchLimits
  readonly dispatcher: Dispatcher
}
export type SessionRequests = {
  /** The session for an address; null if the address needs none. */
  readonly of: (upstream: Upstream, url: URL, signal?: AbortSignal) => Promise<Session | NoSession | null>
  /** The verdict on a response to a request with a session, which may end the session. */
  readonly kept: (upstream: Upstream, session: Session | null, verdict: Verdict) => Verdict
}

export function createSessionRequests({ settings, politeness, limits, dispatcher }: Settings): SessionRequests {
  const sessions = createSessions()
  const good = new WeakSet<Session>()
  return {
    async of(upstream, url, signal) {
      const place = upstream.session
      if (!place?.needs(url)) return null
      return await sessions.of(upstream.name, place, async (address, cookie) => {
        await politeness.acquire(upstream, signal, 1)
        const deadline = AbortSignal.timeout(limits.totalMs)
        const headers = { ...requestHeaders(upstream, { body: null }, null, settings), ...(cookie === null ? {} : { cookie }) }
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
    },
    /** A refused token is not used again. A token that was valid until now has expired, which does not count against our pace. */
    kept(upstream, session, verdict) {
      if (session === null) return verdict
      if (verdict.kind !== 'failed' || !(verdict.error instanceof UpstreamError)) {
        good.add(session)
        return verdict
      }
      sessions.forget(upstream.name)
      const ranOut = good.has(session) && /crumb/i.test(verdict.error.message)
      return ranOut ? { ...verdict, reason: 'session_ran_out', retry: true, stop: null, seconds: 1 } : verdict
    },
  }
}
