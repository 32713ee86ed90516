// Over real sockets of this machine: what app.inject cannot show.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorAnswer } from '#schemas/answer.ts'
import { buildApp } from './app.ts'
import { aKey, bytes, fakes, keyList } from './fakes.ts'

const key = aKey()
const keys = keyList(key)
const clock = { ms: 0 }
const head = { release: 10, as_of: '2026-11-20T21:04:11Z' }
let lookups = 0
let app: FastifyInstance
let port = 0
beforeAll(async () => {
  app = await buildApp(
    fakes({
      keys,
      clock,
      head,
      handlers: {
        get_eod: (_question, context) => {
          lookups += 1
          return bytes(`{"bars":[{"close":41.370}],"release":${context.release}}`, context.release)
        },
      },
    }),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())
const fetchIt = (path: string, headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })

/** Writes raw bytes and reads until the server closes. */
async function raw(...parts: string[]): Promise<{ status: number; headers: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // a reset after the answer is part of being refused
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  const [top = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(top.split(' ')[1]), headers: top, body }
}
function refused(answer: { status: number; headers: string; body: string }, status: number) {
  expect(answer.status).toBe(status)
  expect(answer.headers).toMatch(/content-type: application\/json; charset=utf-8/i)
  expect(answer.headers).toMatch(/x-request-id: [\w.-]+/i)
  const body = ErrorAnswer.parse(JSON.parse(answer.body))
  expect([typeof body.detail, typeof body.code, typeof body.hint, typeof body.docs]).toEqual(['string', 'string', 'string', 'string'])
}

describe('what is no request', () => {
  it('gets the one error shape too', async () => {
    refused(await raw('NONSENSE\r\n\r\n'), 400)
    refused(await raw('GET /ping HTTP/1.1\r\nHost: a\r\nBad Header: 1\r\n\r\n'), 400)
    refused(await raw('GET /ping HTTP/1.1\r\nConnection: close\r\n\r\n'), 400)
    refused(await raw(`GET /ping HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`), 431)
    refused(await raw(`GET /ping?${'x'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), 414)
    refused(await raw(`GET /ping?${'x'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`), 414)
    refused(await raw('POST /ping HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'), 400)
    refused(await raw('BREW /ping HTTP/1.1\r\nHost: a\r\n\r\n'), 400)
    refused(await raw('PROPFIND /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), 405)
  })
  it('with an odd Expect is answered as if it were not there', async () => {
    expect((await raw('GET /ping HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n')).body).toContain('pong')
  })
  it('is answered to HTTP/1.0 without a Host header', async () => {
    expect((await raw('GET /ping HTTP/1.0\r\n\r\n')).status).toBe(200)
  })
})

describe('an answer that is asked again', () => {
  const eod = '/api/v1/market/eod/NRTH.TO'
  it('is the same, byte for byte and header for header, but for what counts on', async () => {
    const [first, second] = [await fetchIt(eod), await fetchIt(eod)]
    const steady = (response: Response) => [...response.headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name)).sort()
    expect(steady(second)).toEqual(steady(first))
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(await second.text()).toBe(await first.text())
    expect(lookups).toBe(1)
    const remaining = (response: Response) => Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
    expect(remaining(second)).toBe(remaining(first) - 1)
  })
  it('is 304 to a client that has it, and follows the release', async () => {
    const etag = (await fetchIt(eod)).headers.get('etag') ?? ''
    expect((await fetchIt(eod, { 'if-none-match': etag })).status).toBe(304)
    head.release = 11
    const next = await fetchIt(eod, { 'if-none-match': etag })
    expect([next.status, await next.json()]).toEqual([200, { bars: [{ close: 41.37 }], release: 11 }])
  })
  it('is in the format that Accept or the address asks for', async () => {
    await fetchIt(eod)
    expect((await fetchIt(eod, { accept: 'text/csv' })).headers.get('content-type')).toContain('text/csv')
    expect((await fetchIt(eod, { accept: 'text/csv' })).headers.get('content-type')).toContain('text/csv')
    expect((await fetchIt(eod)).headers.get('content-type')).toContain('application/json')
    for (let twice = 0; twice < 2; twice++) expect(await (await fetchIt(`${eod}?format=excel`)).text()).toBe('close\r\n41.370\r\n')
  })
  it('is refused to a bad, revoked or missing key, however often it was served', async () => {
    const form4 = '/api/v1/data/form4?ticker=NRTH'
    const ask = async (headers: Record<string, string>) => (await fetchIt(form4, headers)).status
    const mine = { authorization: `Bearer ${key.text}` }
    for (let n = 0; n < 3; n++) expect(await ask(mine)).toBe(200)
    expect([await ask({}), await ask({ authorization: 'Bearer x' }), await ask({ ...mine, 'x-api-key': 'y' })]).toEqual([401, 401, 400])
    expect((await fetchIt(form4, mine)).headers.get('cache-control')).toMatch(/^private/)
    keys.keys[0] = { ...key, key: { ...key.key, revoked_at: '2026-11-20T21:05:00Z' } }
    clock.ms += 5000
    expect(await ask(mine)).toBe(401)
    keys.keys[0] = key
    clock.ms += 5000
    expect(await ask(mine)).toBe(200)
  })
  it('with a key in its address is never remembered by its address', async () => {
    const url = `/api/v1/data/form4?ticker=NRTH&%61pikey=${key.text}`
    for (let n = 0; n < 2; n++) expect((await fetchIt(url)).headers.get('cache-control')).toBe('private, no-store')
    expect((await fetchIt(`/api/v1/data/form4?ticker=NRTH&apikey=${key.text}`)).status).toBe(200)
    expect((await fetchIt('/api/v1/data/form4?ticker=NRTH&apikey=')).status).toBe(401)
  })
})

describe('a limit', () => {
  it('holds for answers from memory too', async () => {
    const tight = fakes({ clock })
    const plans = {
      ...tight.limits.plans,
      plans: tight.limits.plans.plans.map(plan => ({
        ...plan,
        rates: { ...plan.rates, queries: { limit: 60, window_seconds: 60, burst: 4, daily: null } },
      })),
    }
    const small = await buildApp({ ...tight, limits: { plans, store: null } })
    await small.listen({ port: 0, host: '127.0.0.1' })
    const at = `http://127.0.0.1:${(small.server.address() as AddressInfo).port}/api/v1/market/eod/A`
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await fetch(at)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429])
    await small.close()
  })
})
