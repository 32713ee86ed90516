// The network access of the `ai` package: a `fetch` for the one address of the configured model, through the same guard as every other request.
import { Agent, request as send } from 'undici'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import { guardedConnector, type Resolve, resolveByDns } from './guard.ts'

/** Longest accepted response of a model. */
const mostBytes = 8 * 1024 * 1024
const connectMs = 5_000
const bodyIdleMs = 60_000

export type ModelFetch = { readonly fetch: typeof globalThis.fetch; readonly close: () => Promise<void> }

/**
 * A `fetch` that accepts only addresses below `base`, follows no redirect, and reads at most 8 MiB. `named`: the operator configured the address,
 * so it may be on this machine or in a private network; otherwise it must be public and https. Throws `BadRequest` for any other address.
 */
export function createModelFetch(base: string, named: boolean, resolve: Resolve = resolveByDns): ModelFetch {
  const allowed = new URL(`${base}/`)
  const bases = new Set(named ? [allowed.origin] : [])
  const dispatcher = new Agent({ connect: guardedConnector(resolve, bases, connectMs), pipelining: 1 })

  async function modelFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== allowed.origin || !url.pathname.startsWith(allowed.pathname) || url.username !== '')
      throw new BadRequest(`model: ${url.origin}${url.pathname.slice(0, 100)} is not below ${allowed.origin}${allowed.pathname}`)
    const response = await send(url, {
      dispatcher,
      method: (init.method ?? 'GET') as 'GET' | 'POST',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? init.body : null,
      headersTimeout: 0,
      bodyTimeout: bodyIdleMs,
      signal: init.signal ?? null,
    })
    if (response.statusCode >= 300 && response.statusCode < 400) {
      await response.body.dump()
      throw new Upstream(`model: ${allowed.host} answered with a redirect (${response.statusCode}), which is not followed`)
    }
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of response.body) {
      bytes += (part as Buffer).length
      if (bytes > mostBytes) throw new Upstream(`model: the answer of ${allowed.host} is longer than ${mostBytes} bytes`)
      parts.push(part as Buffer)
    }
    const headers = new Headers()
    for (const [name, value] of Object.entries(response.headers))
      for (const each of Array.isArray(value) ? value : [value ?? ''])
        if (name !== 'content-encoding' && name !== 'content-length') headers.append(name, each)
    return new Response(new Uint8Array(Buffer.concat(parts)), { status: response.statusCode, headers })
  }
  return { fetch: modelFetch as typeof globalThis.fetch, close: () => dispatcher.close() }
}
