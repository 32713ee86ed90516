// Pages over HTTP: what browsers and programs get, errors as pages, forms, and the register itself. Operations return their examples.
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Upstream } from '#schemas/errors.ts'
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import { type OperationId, operationOf } from '#schemas/operations.ts'
import { buildApp } from '../app.ts'
import { aKey, fakeSessions, fakes, keyList } from '../fakes.ts'
import { faultList, formToken, inputField } from './components/form.ts'
import { missing } from './components/notice.ts'
import { html } from './html.ts'
import { type Page, page, pageForm } from './page.ts'
import { pages } from './register.ts'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const submitted: unknown[] = []
/** Pages that no installation has: one for users, one with a form, one that fails. */
const further: readonly Page[] = [
  page('/test/user', 'Own', {
    summary: 'Keys of the signed-in user.',
    access: 'user',
    operations: ['get_form4', 'list_keys'],
    render: async ({ ask, session }) => {
      const [form4, keys] = await Promise.all([ask('get_form4', { ticker: 'LNTF' }), ask('list_keys')])
      return {
        main: html`<p>${session?.email}</p><p>form4 ${form4.ok ? form4.value.ticker : form4.status}, keys ${keys.ok ? 'read' : keys.status}</p>`,
      }
    },
  }),
  page('/test/form', 'Form', {
    summary: 'A form.',
    question: question({ note: text('a note', 20, 'x').optional() }),
    operations: [],
    render: async ({ token, returned, question: { note } }) => {
      const faults = returned?.faults ?? {}
      const field = { form: 'f', faults }
      return {
        main: html`<p>note ${note ?? 'none'}</p><form method="post" action="/test/form/send">${formToken(token)}${faultList('f', faults)}
${inputField({ ...field, name: 'a', label: 'A' }, String(returned?.typed['a'] ?? ''))}${inputField({ ...field, name: 'b', label: 'B' })}</form>`,
      }
    },
    forms: {
      send: pageForm(z.object({ a: z.string().min(3, 'too short'), b: z.string().min(1, 'missing') }), async fields => {
        submitted.push(fields)
        return { redirect: '/test/form?note=sent' }
      }),
    },
  }),
  page('/test/failing', 'Failing', {
    summary: 'Fails.',
    operations: ['get_symbol'],
    render: async ({ ask }) => {
      const found = await ask('get_symbol', { symbol: failure ? 'DOWN' : 'UP' })
      if (found.ok) throw new Error('secret of the inside')
      return { main: missing(found, 'Symbol') }
    },
  }),
]
let failure: Error | null = null
let app: FastifyInstance
const key = aKey()
beforeAll(async () => {
  const given = fakes({ keys: keyList(key) })
  const symbol = (given.handlers as unknown as Record<string, (...all: unknown[]) => unknown>)['get_symbol']
  app = await buildApp(
    {
      ...given,
      formTokens: async () => 'the-token',
      handlers: {
        ...given.handlers,
        get_symbol: (...all: unknown[]) => {
          if (failure) throw failure
          return symbol?.(...all)
        },
      } as typeof given.handlers,
    },
    undefined,
    [...pages, ...further],
  )
})
afterAll(() => app.close())
const get = (url: string, headers: Record<string, string> = { accept: browserAccept }) => app.inject({ method: 'GET', url, headers })
const cookie = `service_session=${fakeSessions.user}`
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { accept: browserAccept, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })

describe('the register', () => {
  it('has one page for each path, with a sentence about it', () => {
    const paths = pages.map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const { summary, title } of pages) expect([title.length > 0, /^[A-Z].{15,158}\.$/.test(summary)]).toEqual([true, true])
  })
  it('lists operations that a page may call', () => {
    for (const { operations } of pages) for (const id of operations) expect(operationOf(id as OperationId).access).not.toBe('agent')
  })
  it.each(pages.map(each => [each.path, each] as const))(
    '%s is a page at its sample, in the navigation that every page shows',
    async (_path, each) => {
      const response = await get(each.sample)
      // Examples of operations need not fit the sample: a page may lead to another one.
      expect([200, 303, 401]).toContain(response.statusCode)
      if (response.statusCode !== 200 || !String(response.headers['content-type']).startsWith('text/html')) return
      for (const { path, navigation } of pages) if (navigation !== null) expect(response.body).toContain(`<a href="${path}"`)
      expect(response.body).toContain('Release <b>4711</b>')
      expect(response.body).not.toMatch(/\sstyle=|\son\w+=|undefined|\[object/)
    },
  )
  it('is in no description of the API, except the page of an operation', async () => {
    const described = (await get('/openapi.json', {})).json() as { paths: Record<string, unknown> }
    for (const { path, answers } of pages) expect(described.paths[path] !== undefined).toBe(answers !== undefined)
  })
})

describe('a browser', () => {
  it.each([
    ['/nothing', 404],
    ['/api/v1/nothing', 404],
    ['/api/v1/data/form4', 401],
    ['/api/v1/market/eod/GLPR.TO?from=x', 400],
    ['/test/user', 401],
  ])('gets a page at %s with status %d, its request id and what to do', async (url, status) => {
    const response = await get(url)
    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
    expect(response.body).toContain(`<code>${response.headers['x-request-id']}</code>`)
    expect(response.body).toContain('<main id="main"')
  })
  it('gets 503 and 500 as pages, without the inside', async () => {
    failure = new Upstream('the database is away', { retryAfterSeconds: 7 })
    const away = await get('/api/v1/market/symbols/AWAY.TO')
    failure = null
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '7'])
    expect(away.body).toContain('Load the page again in 7 seconds.')
    const broken = await get('/test/failing')
    expect(broken.statusCode).toBe(500)
    expect(broken.body).toContain('The service failed')
    expect(broken.body).not.toContain('secret')
  })
  it('gets a page whose section reports that its data are missing', async () => {
    failure = new Upstream('the source does not answer')
    const response = await get('/test/failing')
    failure = null
    expect(response.statusCode).toBe(200)
    expect(response.body).toContain('Symbol: not available at the moment.')
  })
  it('gets 429 as a page', async () => {
    const narrow = fakes()
    const tiny = { limit: 1, window_seconds: 60, burst: 1, daily: null }
    const { plans } = narrow.limits
    const limited = await buildApp({
      ...narrow,
      limits: { store: null, plans: { ...plans, plans: plans.plans.map(plan => ({ ...plan, rates: { ...plan.rates, reads: tiny } })) } },
    })
    await limited.inject({ url: '/search', headers: { accept: browserAccept } })
    const response = await limited.inject({ url: '/search', headers: { accept: browserAccept } })
    await limited.close()
    expect(response.statusCode).toBe(429)
    expect(response.body).toMatch(/Wait \d+ seconds?/)
  })
})

describe('a program', () => {
  it.each([
    ['*/*', '/nothing'],
    ['application/json', '/nothing'],
    ['application/json, text/html;q=0.5', '/nothing'],
    ['*/*', '/api/v1/data/form4'],
    ['application/json', '/test/user'],
  ])('that accepts %s gets JSON at %s', async (accept, url) => {
    const response = await get(url, { accept })
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toMatchObject({ detail: expect.any(String), code: expect.any(String) })
  })
  it('gets a page at the address of a page', async () => {
    const response = await get('/', { accept: '*/*' })
    expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
  })
})

describe('a page', () => {
  it('calls key operations for a signed-in user, and operations on the own records', async () => {
    const response = await get('/test/user', { accept: browserAccept, cookie })
    expect(response.body).toContain('a@example.org')
    expect(response.body).toMatch(/form4 [A-Z.]+, keys read/)
    expect(response.body).toContain('action="/developer/sign-out"')
  })
  it('ignores parameters that it does not know, and fields left empty', async () => {
    expect((await get('/test/form?note=&utm_source=x')).body).toContain('note none')
    expect((await get('/test/form?note=abc')).body).toContain('note abc')
  })
  it('refuses another method with 405', async () => {
    const response = await app.inject({ method: 'DELETE', url: '/search' })
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('a form of a page', () => {
  it('has its effect once it is right, and leads on', async () => {
    submitted.length = 0
    const response = await post('/test/form/send', { a: 'abc', b: 'x', token: 'the-token' }, { cookie })
    expect([response.statusCode, response.headers.location]).toEqual([303, '/test/form?note=sent'])
    expect(submitted).toEqual([{ a: 'abc', b: 'x' }])
  })
  it('comes back with what was typed and every fault', async () => {
    submitted.length = 0
    const wrong = await post('/test/form/send', { a: '<', b: '' })
    expect(wrong.statusCode).toBe(422)
    expect(wrong.body).toContain('value="&lt;"')
    expect(wrong.body).toContain('<a href="#f-a">Too short.</a>')
    expect(wrong.body).toContain('<a href="#f-b">Missing.</a>')
    expect(submitted).toEqual([])
  })
  it('does nothing without the token of the session, or from a page of another site', async () => {
    submitted.length = 0
    const stale = await post('/test/form/send', { a: 'abc', b: 'x', token: 'other' }, { cookie })
    expect([stale.statusCode, stale.body]).toEqual([422, expect.stringContaining('The page was out of date')])
    const foreign = await post('/test/form/send', { a: 'abc', b: 'x', token: 'the-token' }, { cookie, 'sec-fetch-site': 'cross-site' })
    expect(foreign.statusCode).toBe(403)
    expect(submitted).toEqual([])
  })
})

describe('the assets', () => {
  it('are addressed by their content, kept permanently, compressed, and complete', async () => {
    const { body } = await get('/c/GLPR.TO')
    const open = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(match => match[1] as string)
    expect(open.length).toBeGreaterThan(2)
    const seen = new Set<string>()
    while (open.length > 0) {
      const path = open.pop() as string
      if (seen.has(path)) continue
      seen.add(path)
      const response = await get(path, { 'accept-encoding': 'br' })
      expect([path, response.statusCode, response.headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
      if (response.rawPayload.length > 2000) expect(response.headers['content-encoding']).toBe('br')
      const plain = (await get(path, {})).body
      if (!path.endsWith('.js')) continue
      expect(plain).not.toContain('sourceMappingURL')
      for (const [, name = ''] of plain.matchAll(/^import[^'"]*from '([^']+)'/gm)) open.push(name)
    }
    expect([...seen].every(path => path.startsWith('/assets/'))).toBe(true)
  })
  it('of another version do not exist', async () => {
    expect((await get('/assets/search.0123456789abcdef.js')).statusCode).toBe(404)
  })
})

describe('/answer', () => {
  const of = (path: string): string => encodeURIComponent(path)
  it('returns the data of a section as CSV and JSON', async () => {
    const csv = await get(`/answer?as=csv&of=${of('/api/v1/market/symbols/GLPR.TO')}`)
    expect(csv.headers['content-type']).toMatch(/^text\/csv/)
    const json = await get(`/answer?of=${of('/api/v1/market/symbols/GLPR.TO')}`)
    expect(json.json()).toHaveProperty('symbol')
  })
  it('opens to a visitor what the API opens to them', async () => {
    expect((await get(`/answer?of=${of('/api/v1/data/form4?ticker=LNTF')}`)).statusCode).toBe(401)
    expect((await get(`/answer?of=${of('/api/v1/data/form4?ticker=LNTF')}`, { accept: browserAccept, cookie })).statusCode).toBe(200)
  })
  it.each(['/api/v1/keys', '/api/v1/user/export', '//evil.example', '/api/v1/market/eod/%E0%A4%A'])('leads nowhere else: %s', async path => {
    expect((await get(`/answer?of=${of(path)}`)).statusCode).toBe(400)
  })
})
