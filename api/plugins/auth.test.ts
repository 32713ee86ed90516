import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isOfUsers, operations } from '#schemas/operations.ts'
import { isKeyText, mintKeyText } from '#warehouse/people/accounts/key-text.ts'
import { buildApp } from '../app.ts'
import { aKey, exampleForm, type FakeKey, fakes, keyList } from '../fakes.ts'

const good = aKey()
const market = aKey({ scopes: ['market:read'] })
const agent = aKey({ scopes: ['mcp:research'] })
const revoked = aKey({ revoked_at: '2026-10-01T00:00:00Z' })
const expired = aKey({ expires_at: '2026-11-20T21:04:59Z' })
const elsewhere = aKey({ allowed_addresses: ['192.0.2.0/24'] })
const here = aKey({ allowed_addresses: ['127.0.0.0/8'] })
const keys = keyList(good, market, agent, revoked, expired, elsewhere, here)
const clock = { ms: 0 }
let app: FastifyInstance
beforeAll(async () => {
  app = await buildApp(fakes({ keys, clock }))
})
afterAll(() => app.close())
beforeEach(() => {
  keys.down = false
})

const wrong = `${good.text.slice(0, 20)}${good.text[20] === 'x' ? 'y' : 'x'}${good.text.slice(21)}`
/** Ways to send a key, and what a key operation, a session operation and a public one answer to each. */
const kinds: readonly (readonly [string, { headers?: Record<string, string>; apikey?: string }, number, number, number])[] = [
  ['no key', {}, 401, 401, 200],
  ['Authorization: Bearer', { headers: { authorization: `Bearer ${good.text}` } }, 200, 200, 200],
  ['bearer in lower case', { headers: { authorization: `bearer ${good.text}` } }, 200, 200, 200],
  ['X-API-Key', { headers: { 'x-api-key': good.text } }, 200, 200, 200],
  ['apikey in the query', { apikey: good.text }, 200, 200, 200],
  ['the same key three times', { headers: { authorization: `Bearer ${good.text}`, 'x-api-key': good.text }, apikey: good.text }, 200, 200, 200],
  ['two keys that differ', { headers: { authorization: `Bearer ${good.text}`, 'x-api-key': market.text } }, 400, 400, 400],
  ['header and query that differ', { headers: { authorization: `Bearer ${good.text}` }, apikey: wrong }, 400, 400, 400],
  ['a key with a wrong check sum', { headers: { authorization: `Bearer ${wrong}` } }, 401, 401, 401],
  ['a well-formed unknown key', { headers: { 'x-api-key': mintKeyText() } }, 401, 401, 401],
  ['a wrong key with a cookie', { headers: { 'x-api-key': wrong, cookie: 'service_session=abc' } }, 401, 401, 401],
  ['a key sent as cookie', { headers: { cookie: `service_session=${good.text}` } }, 401, 401, 200],
  ['an empty bearer', { headers: { authorization: 'Bearer ' } }, 401, 401, 401],
  ['another scheme', { headers: { authorization: 'Basic dTpw' } }, 401, 401, 401],
  ['an empty X-API-Key', { headers: { 'x-api-key': '' } }, 401, 401, 401],
  ['an empty apikey', { apikey: '' }, 401, 401, 401],
  ['a revoked key', { headers: { 'x-api-key': revoked.text } }, 401, 401, 401],
  ['an expired key', { headers: { 'x-api-key': expired.text } }, 401, 401, 401],
  ['a key with market:read only', { headers: { 'x-api-key': market.text } }, 403, 200, 200],
  ['a key for agents only', { headers: { 'x-api-key': agent.text } }, 403, 403, 200],
  ['market:read in the query', { apikey: market.text }, 403, 403, 200],
  ['a key from an address not listed', { headers: { 'x-api-key': elsewhere.text } }, 403, 403, 403],
  ['a key from an address listed', { headers: { 'x-api-key': here.text } }, 200, 200, 200],
]
const send = (url: string, { headers, apikey }: { headers?: Record<string, string>; apikey?: string }, body?: unknown) =>
  app.inject({
    url: apikey === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}apikey=${apikey}`,
    headers: headers ?? {},
    ...(body === undefined ? {} : { method: 'POST', payload: body as object }),
  })

/** A form with a file, as the operations on documents take it. */
function sendForm(path: string, { headers, apikey }: { headers?: Record<string, string>; apikey?: string }) {
  const url = apikey === undefined ? path : `${path}?apikey=${apikey}`
  return app.inject({ url, method: 'POST', ...exampleForm(headers) })
}

describe.each(kinds)('%s', (_name, sent, key, session, open) => {
  it.each(operations.filter(each => !isOfUsers(each) && each.agent === null).map(each => [each.path, each] as const))(
    'on %s',
    async (_path, each) => {
      const isForm = each.body_media.includes('multipart/form-data')
      const response = isForm ? await sendForm(each.example.request, sent) : await send(each.example.request, sent, each.example.body)
      const wanted = each.access === 'key' ? key : each.access === 'session' ? session : open
      expect(response.statusCode).toBe(wanted)
      if (wanted >= 400) expect(response.json()).toMatchObject({ hint: expect.any(String), code: expect.any(String) })
      if (wanted === 401) {
        const sentOne = sent.headers?.['authorization'] !== undefined || sent.headers?.['x-api-key'] !== undefined || sent.apikey !== undefined
        expect(response.headers['www-authenticate']).toBe(sentOne ? 'Bearer realm="api", error="invalid_token"' : 'Bearer realm="api"')
      }
      for (const text of [good.text, market.text, wrong]) expect(response.body).not.toContain(text)
    },
  )
})

describe('a key', () => {
  it('with a wrong check sum is refused without asking the database', async () => {
    const before = keys.lookups
    for (const text of [wrong, 'cf_live_short', `cf_test_${good.text.slice(8)}`, `${good.text}0`, 'ü'.repeat(46)]) {
      expect((await app.inject({ url: '/api/v1/data/health', headers: { 'x-api-key': encodeURIComponent(text) } })).statusCode).toBe(401)
      expect((await send('/api/v1/data/health', { apikey: encodeURIComponent(text) })).statusCode).toBe(401)
    }
    expect(keys.lookups).toBe(before)
  })
  it('is refused within 5 seconds of being revoked', async () => {
    const mine = aKey()
    keys.keys.push(mine)
    const ask = async () => (await send('/api/v1/data/health', { headers: { 'x-api-key': mine.text } })).statusCode
    expect(await ask()).toBe(200)
    keys.keys[keys.keys.indexOf(mine)] = { ...mine, key: { ...mine.key, revoked_at: '2026-11-20T21:05:00Z' } }
    const lookups = keys.lookups
    expect([await ask(), keys.lookups]).toEqual([200, lookups])
    clock.ms += 4001
    expect(await ask()).toBe(401)
  })
  it('is looked up once for a hundred requests at once', async () => {
    clock.ms += 10_000
    const before = keys.lookups
    await Promise.all(Array.from({ length: 100 }, () => send('/api/v1/data/health', { headers: { 'x-api-key': good.text } })))
    expect(keys.lookups).toBe(before + 1)
  })
  it('that cannot be looked up is 503, and public answers go on', async () => {
    clock.ms += 10_000
    keys.down = true
    const response = await send('/api/v1/data/health', { headers: { 'x-api-key': good.text } })
    expect([response.statusCode, response.json().code, response.headers['retry-after']]).toEqual([503, 'upstream_unavailable', '2'])
    // Not counted against the address: repeating it as asked must not end in 429.
    expect(response.headers['ratelimit']).toBeUndefined()
    expect((await send('/api/v1/data/health', { headers: { 'x-api-key': wrong } })).headers['ratelimit']).toBeDefined()
    expect((await send('/api/v1/market/eod/NRTH.TO', {})).statusCode).toBe(200)
  })
  it('in the query makes an answer that must not be stored; in a header a private one', async () => {
    const cache = async (sent: Parameters<typeof send>[1], url = '/api/v1/data/form4?ticker=NRTH') => (await send(url, sent)).headers['cache-control']
    expect(await cache({ apikey: good.text })).toBe('private, no-store')
    expect(await cache({ headers: { 'x-api-key': good.text } })).toBe('private, max-age=300, stale-while-revalidate=86400')
    expect(await cache({ headers: { 'x-api-key': good.text } }, '/api/v1/market/eod/NRTH.TO')).toMatch(/^private/)
    expect(await cache({}, '/api/v1/market/eod/NRTH.TO')).toMatch(/^public/)
  })
  it('is echoed as tier, permissions and limits, never as itself', async () => {
    const body = (await send('/api/v1/data/health', { headers: { 'x-api-key': good.text } })).json()
    expect(body.key).toMatchObject({
      id: good.key.key_id,
      last4: good.text.slice(-4),
      tier: 'core',
      scopes: ['data:read', 'market:read'],
      sent_as: 'x-api-key',
    })
    expect((await send('/api/v1/data/health', { apikey: good.text })).json().key).toMatchObject({ scopes: ['data:read'], sent_as: 'query' })
    expect(body.limits.map((each: { limit_class: string }) => each.limit_class)).toEqual(['reads', 'queries', 'files', 'agents'])
  })
  it('has its last use written when the process closes', async () => {
    const used: FakeKey = aKey()
    const list = keyList(used)
    const other = await buildApp(fakes({ keys: list }))
    for (let n = 0; n < 5; n++) await other.inject({ url: `/api/v1/data/health?apikey=${used.text}` })
    expect(list.uses).toEqual([])
    await other.close()
    expect(list.uses).toEqual([`${used.key.key_id} query`])
  })
})

describe('the text of a key', () => {
  it('has 190 random bits and a check sum that finds every changed character', () => {
    let next = 0
    const text = mintKeyText(below => next++ % below)
    expect(text).toMatch(/^cf_live_0123456789ABCDEFGHIJKLMNOPQRSTUV[0-9A-Za-z]{6}$/)
    expect(isKeyText(text)).toBe(true)
    for (let at = 0; at < text.length; at++) {
      for (const letter of 'aZ9_') if (text[at] !== letter) expect(isKeyText(text.slice(0, at) + letter + text.slice(at + 1))).toBe(false)
    }
    expect(new Set(Array.from({ length: 1000 }, () => mintKeyText())).size).toBe(1000)
  })
})
