import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ErrorAnswer } from '#schemas/answer.ts'
import { Broken, NotFound, Overloaded, Upstream } from '#schemas/errors.ts'
import { operation } from '#schemas/operations/operation.ts'
import { operations } from '#schemas/operations.ts'
import { buildApp } from './app.ts'
import { aKey, bytes, exampleRequest, fakes, keyList } from './fakes.ts'

const key = aKey()
const agentKey = aKey({ tier: 'trader', scopes: ['mcp:research'] })
const bearer = { authorization: `Bearer ${key.text}` }
const clock = { ms: 0 }
const drill = operation('test_post', 'POST /api/v1/test/post', {
  tag: 'Reference',
  access: 'public',
  summary: 'A body',
  description: 'A body.',
  body: z.strictObject({ text: z.string(), intervals: z.array(z.strictObject({ from: z.number() })).default([]) }),
  answer: z.object({ text: z.string() }),
  served_from: 'pure',
  example: { request: '/api/v1/test/post', answer: { text: 'x' } },
})
let app: FastifyInstance
beforeAll(async () => {
  app = await buildApp(
    fakes({
      keys: keyList(key, agentKey),
      clock,
      handlers: {
        test_post: (_question, context) => bytes(JSON.stringify(context.body)),
        get_symbol: (parameters, context) => {
          if (parameters['symbol'] === 'NOSUCH') throw new NotFound('no symbol NOSUCH', { hint: 'did you mean NORCH?' })
          if (parameters['symbol'] === 'DOWN') throw new Upstream('the source does not answer', { retryAfterSeconds: 7 })
          if (parameters['symbol'] === 'BROKEN') throw new Broken('page /secret/path: hash differs')
          if (parameters['symbol'] === 'CRASH') throw new TypeError('cannot read properties of undefined (reading canary)')
          return bytes(JSON.stringify({ parameters: context.parameters, name: context.name, history: [] }))
        },
        get_eod: (parameters, context) =>
          bytes(
            `{"symbol":"${parameters['symbol']}","count":${parameters['symbol'] === 'UNKNOWN' ? 0 : 1},"bars":[${parameters['symbol'] === 'UNKNOWN' ? '' : '{"date":"2026-11-20","close":41.370}'}],"release":${context.release}}`,
            context.release,
          ),
      },
    }),
    [...operations, drill],
  )
})
afterAll(() => app.close())
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })

/** The one shape, on a status. */
async function refused(response: Awaited<ReturnType<typeof get>>, status: number, code: string) {
  expect(response.statusCode).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  const body = ErrorAnswer.parse(response.json())
  expect(body.code).toBe(code)
  expect(body.hint).toBeTruthy()
  expect(new URL(body.docs ?? '').origin).toBe('http://api.test')
  expect(response.headers['x-request-id']).toMatch(/^[\w.-]+$/)
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['x-content-type-options']).toBe('nosniff')
  return body
}

describe('every operation of the table', () => {
  it.each(operations.map(each => [each.id, each] as const))('%s answers its example request', async (_, each) => {
    const response = await app.inject(exampleRequest(each, each.id === 'call_research_agent' ? agentKey.text : key.text))
    expect(response.statusCode).toBe(each.success)
    if (each.id !== 'get_bulk_file' && each.success !== 204) expect(response.headers['content-type']).toBe(each.media_type)
    expect(response.headers['strict-transport-security']).toMatch(/^max-age=63072000/)
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    expect(response.headers['x-frame-options']).toBe('DENY')
    expect(response.headers['access-control-allow-origin']).toBe(
      each.access === 'public' && each.method === 'GET' && !/^text\/(html|css|javascript)/.test(each.media_type) ? '*' : undefined,
    )
    expect(response.headers['access-control-allow-credentials']).toBeUndefined()
    if (each.answer !== null && each.success !== 204 && !['get_symbol', 'get_eod'].includes(each.id))
      expect(each.answer.safeParse(response.json()).error).toBeUndefined()
  })
  it('answers HEAD without a body', async () => {
    const response = await app.inject({ method: 'HEAD', url: '/api/v1/market/eod/NRTH.TO' })
    expect(response.statusCode).toBe(200)
    expect(response.body).toBe('')
    expect(Number(response.headers['content-length'])).toBeGreaterThan(50)
  })
  it('answers ping with the text pong', async () => {
    expect((await get('/ping')).body).toBe('pong')
  })
})

describe('a refused request', () => {
  it('names an unknown symbol, with the hint of the symbol lookup', async () => {
    const body = await refused(await get('/api/v1/market/symbols/NOSUCH'), 404, 'not_found')
    expect(body).toMatchObject({ detail: 'no symbol NOSUCH', hint: 'did you mean NORCH?', docs: 'http://api.test/api/v1/public/docs#get_symbol' })
  })
  it('answers an unknown symbol on end-of-day with 200 and count 0', async () => {
    const response = await get('/api/v1/market/eod/UNKNOWN')
    expect([response.statusCode, response.json()]).toEqual([200, { symbol: 'UNKNOWN', count: 0, bars: [], release: 4711 }])
  })
  it.each([
    ['/api/v1/market/eod/NRTH.TO?from=2024-02-30', /^from: expected a calendar day/, /YYYY-MM-DD/],
    ['/api/v1/market/eod/NRTH.TO?limit=abc', /^limit: expected an integer.*got "abc"/, /limit is an integer from 1 to 100000/],
    ['/api/v1/market/eod/NRTH.TO?fron=2024-01-01', /unknown parameter "fron"/, /did you mean from\?/],
    ['/api/v1/market/eod/NRTH.TO?zzzzzzzz=1', /unknown parameter/, /takes from, to, order/],
    ['/api/v1/market/eod/NRTH.TO?from=2024-01-01&from=2024-01-02', /from was given twice/, /give from once/],
    ['/api/v1/market/eod/NRTH.TO?order=descc', /^order: expected one of asc, desc/, /did you mean order=desc\?/],
    ['/api/v1/market/eod/%00', /^symbol: expected a symbol/, /such as AAPL/],
    ['/api/v1/market/eod/NRTH.TO?from=%E0%A4%A', /not well encoded/, /UTF-8/],
    ['/api/v1/market/eod/%E0%A4%A', /not well encoded/, /UTF-8/],
    ['/api/v1/market/eod/NRTH.TO?as_of=2027-01-01', /as_of is in the future/, /leave it out/],
    [`/api/v1/market/quotes?symbols=${Array.from({ length: 31 }, (_, i) => `S${i}`)}`, /at most 30 symbols, got 31/, /1 to 30 symbols/],
    ['/api/v1/market/symbols?cursor=abc', /cursor is damaged/, /leave cursor out/],
    ['/api/v1/market/quotes', /symbols is missing/, /for example symbols=/],
    ['/api/v1/market/quotes?symbols=', /^symbols: expected a symbol/, /1 to 30/],
    ['/api/v1/market/symbols?exchange=LSE', /one of US, TO, V/, /exchange is one of/],
    [`/api/v1/market/eod/NRTH.TO?${Array.from({ length: 80 }, (_, i) => `p${i}=1`).join('&')}`, /more than 64 parameters/, /./],
  ])('400 names what to change: %s', async (url, detail, hint) => {
    const body = await refused(await get(url), 400, 'bad_request')
    expect(body.detail).toMatch(detail)
    expect(body.hint).toMatch(hint)
  })
  it('refuses every time frame but the eleven', async () => {
    await refused(await get('/api/v1/chart/NRTH.TO?timeframe=7d', bearer), 400, 'bad_request')
    expect((await get('/api/v1/chart/NRTH.TO?timeframe=MAX', bearer)).statusCode).toBe(200)
  })
  it('never echoes more than 64 characters of input, nor control characters', async () => {
    const response = await get(`/api/v1/market/eod/NRTH.TO?from=%1b%0d%0a${'<x>'.repeat(500)}`)
    const body = await refused(response, 400, 'bad_request')
    expect(JSON.stringify(body)).not.toContain('<x>'.repeat(30))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(String(body.detail)).not.toMatch(/[\u0000-\u001f]/)
  })
  it('answers an unknown path with the nearest one', async () => {
    expect((await refused(await get('/api/v1/market/quotess'), 404, 'not_found')).hint).toContain('/api/v1/market/quotes')
    expect((await refused(await get('/api/v1/market/quotes/'), 404, 'not_found')).hint).toContain('/api/v1/market/quotes')
    await refused(await get('/favicon.ico'), 404, 'not_found')
    await refused(
      await app.inject({ method: 'POST', url: '/nowhere', payload: '{', headers: { 'content-type': 'application/json' } }),
      404,
      'not_found',
    )
  })
  it('returns the methods that a path takes', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const) {
      const response = await app.inject({ method, url: '/api/v1/market/quotes', payload: '{', headers: { 'content-type': 'application/json' } })
      await refused(response, 405, 'method_not_allowed')
      expect(response.headers['allow']).toBe('GET, HEAD, OPTIONS')
    }
    const options = await app.inject({ method: 'OPTIONS', url: '/api/v1/market/quotes' })
    expect([options.statusCode, options.headers['allow'], options.headers['access-control-allow-origin']]).toEqual([204, 'GET, HEAD, OPTIONS', '*'])
  })
  it('refuses an unknown format with 406', async () => {
    const body = await refused(await get('/api/v1/market/eod/NRTH.TO?format=xml'), 406, 'not_acceptable')
    expect(body.hint).toBe('format is one of json, csv, excel, ndjson, xlsx, parquet, arrow')
    await refused(await get('/api/v1/data/catalog?format=xml', bearer), 406, 'not_acceptable')
  })
  it('refuses a huge address with 414, without echoing it', async () => {
    const response = await get(`/api/v1/market/eod/NRTH.TO?from=${'9'.repeat(9000)}`)
    await refused(response, 414, 'uri_too_long')
    expect(response.body.length).toBeLessThan(400)
    await refused(await get(`/api/v1/market/eod/${'A'.repeat(200)}`), 414, 'uri_too_long')
  })
  it('refuses broken JSON, poisoned keys, other media types and large bodies', async () => {
    const post = (payload: string, type = 'application/json') =>
      app.inject({ method: 'POST', url: '/api/v1/test/post', payload, headers: { 'content-type': type } })
    expect((await post('{"text":"a"}')).json()).toEqual({ text: 'a', intervals: [] })
    for (const broken of ['{', '{"text":', 'nul', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', ''])
      await refused(await post(broken), 400, 'bad_request')
    await refused(await post('text=a', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
    await refused(await post(JSON.stringify({ text: 'x'.repeat(70_000) })), 413, 'payload_too_large')
    await refused(await post('{"text":"a"}', 'text/xml'), 415, 'unsupported_media_type')
  })
  it('lists the fields of a body that are not as described, with 422', async () => {
    const response = await app.inject({ method: 'POST', url: '/api/v1/test/post', payload: { text: 5, intervals: [{ from: 'x' }], extra: 1 } })
    const body = await refused(response, 422, 'validation_error')
    expect(body.detail).toContainEqual({ loc: ['body', 'intervals', 0, 'from'], msg: expect.any(String), type: 'wrong_type' })
    expect(body.detail).toHaveLength(3)
  })
  it('answers 503 with Retry-After for an unavailable upstream, and reveals no internals on 500', async () => {
    const down = await get('/api/v1/market/symbols/DOWN')
    expect(down.statusCode).toBe(503)
    expect([down.json().code, down.headers['retry-after']]).toEqual(['upstream_unavailable', '7'])
    for (const which of ['BROKEN', 'CRASH']) {
      const response = await get(`/api/v1/market/symbols/${which}`)
      await refused(response, 500, 'internal_error')
      expect(response.body).not.toMatch(/secret|canary|TypeError/)
    }
  })
  it('answers in RFC 9457 if requested', async () => {
    const response = await get('/api/v1/market/symbols/NOSUCH', { accept: 'application/problem+json' })
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.json()).toEqual({
      type: 'http://api.test/api/v1/public/docs#get_symbol',
      title: 'Not Found',
      status: 404,
      detail: 'no symbol NOSUCH',
      instance: response.headers['x-request-id'],
      code: 'not_found',
      hint: 'did you mean NORCH?',
      docs: 'http://api.test/api/v1/public/docs#get_symbol',
    })
  })
  it('keeps the request id of the client where it is plain', async () => {
    expect((await get('/ping', { 'x-request-id': 'client-0001' })).headers['x-request-id']).toBe('client-0001')
    expect((await get('/ping', { 'x-request-id': 'a b<script>' })).headers['x-request-id']).not.toContain('script')
  })
  it('does not know a release that is not there yet', async () => {
    expect((await refused(await get('/api/v1/market/eod/NRTH.TO?release=9999'), 404, 'not_found')).hint).toContain('4711')
  })
})

describe('a question', () => {
  it('reaches its handler in canonical and original spelling', async () => {
    expect((await get('/api/v1/market/symbols/TSX%3Anrth?as_of=2026-01-02')).json()).toMatchObject({
      name: 'GET /api/v1/market/symbols/TSX%3Anrth?as_of=2026-01-02T23%3A59%3A59.999999Z',
      parameters: { symbol: 'TSX:nrth', as_of: '2026-01-02' },
    })
  })
  it('is reduced to the largest page, and reports it', async () => {
    const response = await get('/api/v1/market/symbols?limit=99999')
    expect([response.statusCode, response.headers['x-clamped']]).toEqual([200, 'limit=1000'])
    expect((await get('/api/v1/market/symbols?limit=1000')).headers['x-clamped']).toBeUndefined()
  })
})

describe('readiness', () => {
  it('is 503 while a probe fails, and names it', async () => {
    let up = false
    const other = await buildApp(
      fakes({
        probes: {
          postgres: async () => {
            if (!up) throw new Error('ECONNREFUSED 10.0.0.3')
          },
        },
      }),
    )
    const down = await other.inject('/health/ready')
    expect([down.statusCode, down.json().detail, down.headers['retry-after']]).toEqual([503, 'not ready: postgres failed', '2'])
    expect(down.body).not.toContain('10.0.0.3')
    up = true
    expect((await other.inject('/health/ready')).json()).toMatchObject({ ready: true, checks: [{ name: 'postgres', status: 'ok' }] })
    await other.close()
  })
})

describe('the API', () => {
  it('is not built while an operation lacks its handler', async () => {
    const lacking = fakes()
    const { get_eod: _gone, ...handlers } = lacking.handlers
    await expect(buildApp({ ...lacking, handlers: handlers as typeof lacking.handlers })).rejects.toThrow('operations without a handler: get_eod')
  })
  it('logs requests that were refused to shed load at most once a minute, with their number, and not as errors', async () => {
    const lines: string[] = []
    const time = { ms: 0 }
    const logged = await buildApp({
      ...fakes({
        keys: keyList(key),
        options: { logLevel: 'info', logStream: { write: line => void lines.push(line) } },
        handlers: {
          get_eod: () => {
            throw new Overloaded('too many people sign in or register at this moment', { retryAfterSeconds: 5 })
          },
        },
      }),
      monotonic: () => time.ms,
    })
    const flood = async (requests: number): Promise<void> => {
      for (let n = 0; n < requests; n += 1) {
        const refusedOne = await logged.inject({ url: '/api/v1/market/eod/GLPR?from=2024-01-01', headers: bearer })
        expect([refusedOne.statusCode, refusedOne.headers['retry-after']]).toEqual([503, '5'])
      }
    }
    await flood(8)
    time.ms = 61_000
    await flood(2)
    const entries = lines.map(line => JSON.parse(line))
    expect(entries.map(({ level, requests }) => [level, requests])).toEqual([
      [30, 1],
      [30, 8],
    ])
    await logged.close()
  })
  it('logs no address, query, header or key', async () => {
    const lines: string[] = []
    const logged = await buildApp(
      fakes({
        keys: keyList(key),
        options: { logLevel: 'debug', accessLog: 'all', logStream: { write: line => void lines.push(line) } },
        handlers: {
          get_eod: () => {
            throw new TypeError('boom')
          },
        },
      }),
    )
    await logged.inject({ url: `/api/v1/data/health?apikey=${key.text}` })
    await logged.inject({ url: '/api/v1/data/health', headers: bearer })
    await logged.inject({ url: '/api/v1/market/eod/SECRETSYM?from=2024-01-01', headers: { cookie: 'c=canary', authorization: bearer.authorization } })
    await logged.inject({ url: '/canary/unknown?x=canary' })
    const text = lines.join('')
    expect(text).toContain('"route":"/api/v1/data/health"')
    expect(text).toContain(key.key.key_id)
    for (const secret of [key.text, 'canary', 'SECRETSYM', '2024-01-01']) expect(text).not.toContain(secret)
    await logged.close()
  })
})
