// The first hook of a request: what its headers and query say about who sends it, and whether its operation is open to them.
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, CrossfileError, Unauthorized, Upstream } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { isSessionText } from '#warehouse/people/users/session-text.ts'
import type { Dependencies } from '../handler.ts'
import { parameterNames, type Query, readQuery } from '../question.ts'
import { agentRefusal, originRefusal } from './agent-access.ts'
import { type Keys, presentedKey, refusal, withMisplacedKey } from './auth.ts'
import { type CookieSettings, sessionCookie } from './cookies.ts'
import { crossSiteRefusal } from './cross-site.ts'
import { checkSingleHeaders } from './duplicates.ts'
import type { Caller, Limiter } from './limiter.ts'
import { tooMany } from './limits.ts'

const maxUrlLength = 8192

type Settings = Pick<Dependencies, 'now' | 'baseUrl' | 'sessions'> & {
  readonly keys: Keys
  readonly limiter: Limiter
  readonly cookies: CookieSettings
  readonly monotonic: () => number
  readonly addressOf: (request: IncomingMessage) => string
  readonly anonymousCaller: (request: IncomingMessage) => Caller
  readonly answerUnknown: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}
type Next = (error?: Error) => void

export function createAdmission(settings: Settings): (request: FastifyRequest, reply: FastifyReply, next: Next) => void {
  const { baseUrl, keys, limiter, cookies, monotonic, addressOf, anonymousCaller, answerUnknown } = settings

  return (request, reply, next) => {
    request.state = { query: {}, credential: null, session: null, allowance: null, started: monotonic() }
    const state = request.state
    const { operation } = request.routeOptions.config
    const { raw } = request
    try {
      checkHead(request)
      if (!operation) return void answerUnknown(request, reply).catch(next)
      const origin = operation.agent === null ? null : originRefusal(raw.headers, baseUrl())
      if (origin) return charge(request, origin, next)
      const mark = request.url.indexOf('?')
      state.query = mark < 0 ? {} : readQuery(request.url.slice(mark + 1))
      if (operation.tag === 'Pages') state.query = pageQuery(operation, state.query)
      const presented = presentedKey(raw.headers, state.query['apikey'])
      // A request with a key does not come from another site's page in a user's browser.
      const crossSite = presented === null ? crossSiteRefusal(operation, raw.headers, [baseUrl()]) : null
      if (crossSite) return charge(request, crossSite, next)
      // A public file is the same for everybody: no session is looked up. A key that was sent is checked, as everywhere.
      if (presented === null && operation.cache === 'file' && operation.access === 'public') return admit(request, operation, next)
      const token = presented?.sent_as === 'bearer' && isSessionText(presented.text) ? presented.text : null
      const cookie = presented === null ? sessionCookie(raw.headers, operation.access === 'admin' ? 'admin' : 'user', cookies) : null
      if (token !== null || cookie !== null) return void signIn(request, operation, (token ?? cookie) as string, token !== null, next)
      if (presented === null) return admit(request, operation, next)
      const address = addressOf(raw)
      const known = keys.recall(presented, address)
      if (known) {
        state.credential = known
        return admit(request, operation, next)
      }
      keys.check(presented, address).then(
        credential => {
          state.credential = credential
          admit(request, operation, next)
        },
        (error: Error) => charge(request, error, next),
      )
    } catch (error) {
      charge(request, error as Error, next)
    }
  }

  function admit(request: FastifyRequest, wanted: Operation, next: Next): void {
    const { query = {}, credential = null, session = null } = request.state ?? {}
    const error = wanted.agent === null ? refusal(wanted, credential, session) : agentRefusal(wanted, credential, baseUrl())
    if (error && wanted.access === 'key' && session === null)
      charge(request, withMisplacedKey(error, { query, credential }, request.raw.headers), next)
    else if (error) charge(request, error, next)
    else next()
  }

  /** An invalid token is refused; an invalid cookie is ignored, and the request is anonymous. */
  async function signIn(request: FastifyRequest, wanted: Operation, text: string, sent: boolean, next: Next): Promise<void> {
    try {
      const session = isSessionText(text) ? ((await settings.sessions?.find(text, settings.now())) ?? null) : null
      if (session === null && sent) throw new Unauthorized('this session has ended', { hint: 'POST /api/v1/auth/login signs in' })
      if (request.state) request.state.session = session
    } catch (cause) {
      const known = cause instanceof CrossfileError
      const error = known
        ? cause
        : new Upstream('sessions cannot be checked at the moment', { cause, retryAfterSeconds: 2, hint: 'repeat the request' })
      return charge(request, error, next)
    }
    admit(request, wanted, next)
  }

  /**
   * Counts requests refused before they are counted against the address, so that guessing keys is bounded too. Faults of the
   * service are not counted: otherwise clients that retry while the database is unavailable would get 429.
   */
  function charge(request: FastifyRequest, error: Error, next: Next): void {
    if (error instanceof Upstream) {
      next(error)
      return
    }
    const caller = anonymousCaller(request.raw)
    Promise.resolve(limiter.take(caller, 'reads', 1)).then(
      allowance => {
        if (request.state) request.state.allowance = allowance
        next(allowance.allowed ? error : tooMany(allowance, caller))
      },
      () => next(error),
    )
  }
}

/** The parameters that a page knows. Fields that were left empty, and what other sites append to links, are ignored. */
function pageQuery(operation: Operation, query: Query): Query {
  const known = parameterNames(operation)
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => known.includes(name) && value.trim() !== ''))
}

/** Throws `BadRequest` for a URL that is too long, a missing Host header and a header that is sent twice. */
function checkHead({ url, raw }: FastifyRequest): void {
  if (url.length > maxUrlLength)
    throw new BadRequest(`the URL has ${url.length} characters, the maximum is ${maxUrlLength}`, {
      status: 414,
      code: 'uri_too_long',
      hint: 'shorten the query, or split it into several requests',
    })
  if (raw.headers.host === undefined && raw.httpVersion === '1.1')
    throw new BadRequest('the Host header is missing', { hint: 'HTTP/1.1 needs a Host header' })
  checkSingleHeaders(raw.rawHeaders)
}
