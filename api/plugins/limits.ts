// The limiter for @fastify/rate-limit: the plugin provides the hook, this store decides, and errors have the format of the API.
import type { FastifyRateLimitStore, RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { BadRequest, type CrossfileError } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { withHeaders } from './errors.ts'
import type { Allowance, Caller, Limiter } from './limiter.ts'

/** The settings of a route, and what the hooks determine about a request. */
declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
}

type Evaluated = { readonly request: FastifyRequest; readonly caller: Caller; readonly operation: Operation }
type Settings = {
  readonly limiter: Limiter
  readonly callerOf: (request: FastifyRequest) => Caller
  readonly note: (request: FastifyRequest, allowance: Allowance) => void
  readonly noted: (request: FastifyRequest) => Allowance | null
}

/** Options for the plugin. Its own headers are off: RateLimit and RateLimit-Policy are written with the response. */
export function rateLimitOptions({ limiter, callerOf, note, noted }: Settings): RateLimitPluginOptions {
  const underWay = new Map<string, Evaluated>()
  // The plugin counts to `max`; the store returns 1 for a request that passes and 2 for one that does not.
  class GcraStore implements FastifyRateLimitStore {
    incr(key: string, callback: (error: Error | null, result?: { current: number; ttl: number }) => void): void {
      const evaluated = underWay.get(key)
      underWay.delete(key)
      if (!evaluated) {
        callback(new TypeError(`rate limits: no request ${key}`))
        return
      }
      const settle = (allowance: Allowance): void => {
        note(evaluated.request, allowance)
        callback(null, { current: allowance.allowed ? 1 : 2, ttl: allowance.retry_seconds * 1000 })
      }
      const taken = limiter.take(evaluated.caller, evaluated.operation.limit_class, evaluated.operation.cost)
      if (taken instanceof Promise) taken.then(settle, callback)
      else settle(taken)
    }
    child(): FastifyRateLimitStore {
      return this
    }
  }
  const silent = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
  let serial = 0
  return {
    max: 1,
    timeWindow: 1000,
    store: GcraStore,
    addHeaders: { ...silent, 'retry-after': false },
    addHeadersOnExceeding: silent,
    allowList: request => (request.routeOptions.config.operation?.cost ?? 0) === 0,
    keyGenerator: request => {
      const { operation } = request.routeOptions.config
      serial += 1
      const key = String(serial)
      if (operation && operation.cost > 0) underWay.set(key, { request, caller: callerOf(request), operation })
      return key
    },
    errorResponseBuilder: request => tooMany(noted(request), callerOf(request)),
  }
}

/** 429 with the exceeded policy and the time at which the same request succeeds. */
export function tooMany(allowance: Allowance | null, caller: Caller): CrossfileError {
  const seconds = allowance?.retry_seconds ?? 1
  const policy = allowance?.policy ?? 'reads'
  const message = `the limit "${policy}" of tier ${caller.tier} is used up`
  const better = caller.tier === 'anonymous' ? 'an API key gives a higher limit' : 'a higher tier gives a higher limit'
  const error = new BadRequest(message, {
    status: 429,
    code: 'rate_limited',
    hint: `repeat after ${seconds} seconds; ${better}: /api/v1/data/plans lists them`,
  })
  return withHeaders(error, { 'Retry-After': String(seconds) })
}
