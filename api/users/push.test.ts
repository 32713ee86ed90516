// Devices and web push through the whole service, as browsers of two users see it.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, type PushService, startPushService } from '#fixtures/push-service.ts'
import { send } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { deliverPushes } from '#pipelines/jobs/push/deliver.ts'
import { pushOperations } from '#schemas/operations/push.ts'
import { publishVapid } from '#warehouse/people/push/vapid.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { type Server, startServer } from '../server.ts'

const { config, runtime } = await worldWarehouse()
const { db } = runtime.postgres
let service: PushService
let server: Server
beforeAll(async () => {
  service = await startPushService()
  server = await startServer({ ...config, pushHosts: [service.origin, '*.push.example.org'] })
})
afterAll(async () => {
  await server.close()
  await service.close()
})

type Statement = { readonly status: number; readonly body: Record<string, unknown>; readonly headers: Headers }
async function ask(user: TestUser | null, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Statement> {
  const response = await send(`${server.address}/api/v1${path}`, { method, body, headers: { ...(user === null ? {} : user.cookie), ...headers } })
  const text = await response.text()
  const operation = pushOperations.find(each => each.method === method && each.path === `/api/v1${path}`)
  if (response.ok && text !== '') expect(operation?.answer?.safeParse(JSON.parse(text)).error).toBeUndefined()
  if (response.ok) expect(response.status).toBe(operation?.success)
  return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers }
}
const nested = ({ endpoint, keys }: Browser) => ({ endpoint, keys })
const flat = ({ endpoint, p256dh, auth }: Browser) => ({ endpoint, p256dh, auth })

describe('the key to subscribe with', () => {
  it('is 503 until a worker made it, and open to all then', async () => {
    expect(await ask(null, 'GET', '/push/key')).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } })
    const { publicKey } = await publishVapid(db, runtime.tools.keysFolder)
    expect(await ask(null, 'GET', '/push/key')).toMatchObject({ status: 200, body: { public_key: publicKey, algorithm: 'ES256' } })
  })
})

describe('a subscription', () => {
  it('is accepted in both shapes, and returned without its secrets', async () => {
    const user = await signedInUser(db)
    const [one, two] = [service.browser(), service.browser()]
    const first = await ask(user, 'POST', '/push/subscribe', { ...nested(one), expirationTime: null })
    expect(first).toMatchObject({ status: 201, body: { host: new URL(service.origin).host, tickers: null } })
    const second = await ask(user, 'POST', '/push/subscribe', { ...flat(two), tickers: ['tsx:shop', 'AAPL', 'SHOP.TO'] })
    expect(second).toMatchObject({ status: 201, body: { tickers: ['AAPL', 'SHOP.TO'] } })
    const { body } = await ask(user, 'GET', '/push/subscriptions')
    expect(body).toMatchObject({ count: 2, subscriptions: [first.body, second.body] })
    expect(JSON.stringify(body)).not.toContain(one.auth)
    expect(JSON.stringify(body)).not.toContain('wpush')
    const again = await ask(user, 'POST', '/push/subscribe', { ...flat(one), tickers: [] })
    expect(again.body).toMatchObject({ id: (first.body as { id: string }).id, tickers: [] })
  })
  it('needs a signed-in user, from a page of this service', async () => {
    const user = await signedInUser(db)
    expect((await ask(null, 'POST', '/push/subscribe', nested(service.browser()))).status).toBe(401)
    expect((await ask(user, 'POST', '/push/subscribe', nested(service.browser()), { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await ask(user, 'GET', '/push/subscriptions')).body).toMatchObject({ count: 0 })
  })
  const key = () => service.browser()
  it.each<[string, (browser: Browser) => unknown, string]>([
    ['no keys', ({ endpoint }) => ({ endpoint }), 'keys'],
    ['both shapes at once', browser => ({ ...browser }), 'keys'],
    ['half of the flat shape', ({ endpoint, auth }) => ({ endpoint, auth }), 'keys'],
    ['an unknown member', browser => ({ ...nested(browser), user_id: 'u_1' }), ''],
    ['a key that is no point', browser => ({ ...flat(browser), p256dh: Buffer.alloc(65, 4).toString('base64url') }), 'p256dh'],
    ['a secret of 15 bytes', browser => ({ ...flat(browser), auth: Buffer.alloc(15).toString('base64url') }), 'auth'],
    ['a short endpoint', browser => ({ ...nested(browser), endpoint: 'https://a.b/c' }), 'endpoint'],
    ['a long endpoint', browser => ({ ...nested(browser), endpoint: `https://fcm.googleapis.com/${'a'.repeat(1990)}` }), 'endpoint'],
    ['a ticker that is none', browser => ({ ...nested(browser), tickers: ['not a symbol!'] }), 'tickers'],
    ['101 tickers', browser => ({ ...nested(browser), tickers: Array.from({ length: 101 }, () => 'AAPL') }), 'tickers'],
  ])('with %s is refused, and names the member', async (_name, body, member) => {
    const user = await signedInUser(db)
    const { status, body: answered } = await ask(user, 'POST', '/push/subscribe', body(key()))
    const items = (answered as { detail?: { loc: string[] }[] }).detail ?? []
    expect([status, items[0]?.loc.includes(member) || member === '']).toEqual([422, true])
  })
  it.each([
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/fcm/send/abc',
    'https://user:pass@fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com.evil.example/fcm/send',
    'https://evilfcm.googleapis.com/fcm/send/abc',
    'https://push.services.mozilla.com/wpush/v2/abc',
    'https://127.0.0.1/wpush/v2/abcdefgh',
    'https://2130706433/wpush/v2/abcdefgh',
    'https://[::ffff:127.0.0.1]/wpush/v2/abc',
    'https://169.254.169.254/latest/meta-data',
    'file:///etc/passwd-of-this-machine',
    'https://fcm.googleapis.com/fcm/send/abc#x',
    'https://fcm.googleapis.com\0.evil.example/x',
    'javascript:fetch("https://fcm.googleapis.com")',
  ])('at %s is refused without being connected to, and is not echoed', async endpoint => {
    const user = await signedInUser(db)
    const answered = await ask(user, 'POST', '/push/subscribe', { ...nested(key()), endpoint })
    expect([answered.status, JSON.stringify(answered.body).includes(endpoint.slice(8, 40))]).toEqual([422, false])
  })
  it.each([
    'https://updates.push.services.mozilla.com/wpush/v2/a',
    'https://web.push.apple.com/QOabc',
    'https://par02p.notify.windows.com/w/?token=abc',
    'https://a.push.example.org/x',
  ])('at %s is taken', async endpoint =>
    expect((await ask(await signedInUser(db), 'POST', '/push/subscribe', { ...nested(key()), endpoint })).status).toBe(201),
  )
  it('is one of sixteen: the one that was renewed longest ago goes, also where many come at once', async () => {
    const user = await signedInUser(db)
    const first = service.browser()
    expect((await ask(user, 'POST', '/push/subscribe', nested(first))).status).toBe(201)
    await Promise.all(Array.from({ length: 40 }, () => ask(user, 'POST', '/push/subscribe', nested(service.browser()))))
    expect((await ask(user, 'GET', '/push/subscriptions')).body).toMatchObject({ count: 16 })
    expect((await ask(user, 'POST', '/push/unsubscribe', { endpoint: first.endpoint })).status).toBe(404)
  })
  it('moves to the user who signs in at the same browser; the endpoint alone moves nothing', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const browser = service.browser()
    await ask(a, 'POST', '/push/subscribe', nested(browser))
    await ask(b, 'POST', '/push/subscribe', { ...nested(service.browser()), endpoint: browser.endpoint })
    expect((await ask(a, 'GET', '/push/subscriptions')).body).toMatchObject({ count: 1 })
    await ask(b, 'POST', '/push/subscribe', nested(browser))
    expect((await ask(a, 'GET', '/push/subscriptions')).body).toMatchObject({ count: 0 })
    expect((await ask(b, 'GET', '/push/subscriptions')).body).toMatchObject({ count: 1 })
  })
  it('is made once for an Idempotency-Key', async () => {
    const user = await signedInUser(db)
    const browser = service.browser()
    const headers = { 'idempotency-key': 'one' }
    const first = await ask(user, 'POST', '/push/subscribe', nested(browser), headers)
    await ask(user, 'POST', '/push/unsubscribe', { endpoint: browser.endpoint })
    const again = await ask(user, 'POST', '/push/subscribe', nested(browser), headers)
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
    expect((await ask(user, 'GET', '/push/subscriptions')).body).toMatchObject({ count: 0 })
    expect((await ask(user, 'POST', '/push/subscribe', nested(service.browser()), headers)).status).toBe(409)
  })
})

describe('a notice to try', () => {
  it('reaches only the browsers of the requesting user; twenty an hour', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    expect(await ask(a, 'POST', '/push/test')).toMatchObject({ status: 404, body: { hint: expect.stringContaining('/push/subscribe') } })
    const browser = service.browser()
    await ask(a, 'POST', '/push/subscribe', nested(browser))
    await ask(b, 'POST', '/push/subscribe', nested(service.browser()))
    const requested = await Promise.all(Array.from({ length: 30 }, () => ask(a, 'POST', '/push/test')))
    expect(requested.filter(each => each.status === 202)).toHaveLength(20)
    expect(requested.filter(each => each.status === 429)).toHaveLength(10)
    const vapid = await publishVapid(db, runtime.tools.keysFolder)
    const clock = await openSharedClock(db)
    const sender = { db, vapid, subject: 'mailto:x@example.org', hosts: [service.origin], now: clock.now, random: Math.random }
    expect(await deliverPushes(sender, new AbortController().signal)).toMatchObject({ sent: 20 })
    expect(new Set(service.received.map(each => each.path))).toEqual(new Set([new URL(browser.endpoint).pathname]))
    expect(service.faults).toEqual([])
  })
})

describe('a device', () => {
  it('is registered, renewed, listed and removed; its token is not shown again', async () => {
    const user = await signedInUser(db)
    const token = 'b6c1d0e4a87245f39c02ab5e7d189f31'
    const first = await ask(user, 'POST', '/devices', { platform: 'ios', token })
    expect(first).toMatchObject({ status: 201, body: { platform: 'ios', token_end: '9f31' } })
    const again = await ask(user, 'POST', '/devices', { platform: 'ipados', token })
    expect(again.body).toMatchObject({ id: (first.body as { id: string }).id, platform: 'ipados' })
    const listed = await ask(user, 'GET', '/devices')
    expect(listed.body).toMatchObject({ count: 1, devices: [again.body] })
    expect(JSON.stringify(listed.body)).not.toContain(token)
    expect((await ask(user, 'DELETE', '/devices', { token })).status).toBe(204)
    expect((await ask(user, 'DELETE', '/devices', { platform: 'ios', token })).status).toBe(404)
  })
  it.each([
    { platform: 'ios', token: 'a'.repeat(7) },
    { platform: 'ios', token: 'a'.repeat(4097) },
    { platform: 'a'.repeat(17), token: 'a'.repeat(8) },
    { platform: 'ios' },
    { token: 'a'.repeat(8) },
    { platform: 'ios', token: 'a\0aaaaaaa' },
    { platform: 'ios', token: 'a'.repeat(8), user_id: 'u_1' },
    [],
  ])('of other bounds is refused: %j', async body => {
    expect((await ask(await signedInUser(db), 'POST', '/devices', body)).status).toBe(422)
  })
  it('of the longest bounds is taken', async () => {
    expect((await ask(await signedInUser(db), 'POST', '/devices', { platform: 'a'.repeat(16), token: 'é'.repeat(4096) })).status).toBe(201)
  })
})

describe('two users', () => {
  it('who register and remove in any order have what their lists show, and never the other’s', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const browsers = Array.from({ length: 4 }, () => service.browser())
    const users = { a, b }
    const step = fc.record({
      who: fc.constantFrom<'a' | 'b'>('a', 'b'),
      what: fc.constantFrom('add', 'remove', 'look'),
      which: fc.nat(3),
      push: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
        const model = { push: new Map<number, 'a' | 'b'>(), devices: new Map<number, 'a' | 'b'>() }
        for (const { who, what, which, push } of steps) {
          const owners = push ? model.push : model.devices
          const browser = browsers[which] as Browser
          const token = `token-of-device-${which}`
          if (what === 'add') {
            const answered = push
              ? await ask(users[who], 'POST', '/push/subscribe', nested(browser))
              : await ask(users[who], 'POST', '/devices', { platform: 'web', token })
            expect(answered.status).toBe(201)
            owners.set(which, who)
          } else if (what === 'remove') {
            const answered = push
              ? await ask(users[who], 'POST', '/push/unsubscribe', { endpoint: browser.endpoint })
              : await ask(users[who], 'DELETE', '/devices', { token })
            expect(answered.status).toBe(owners.get(which) === who ? 204 : 404)
            if (owners.get(which) === who) owners.delete(which)
          }
          for (const each of ['a', 'b'] as const) {
            const { body } = await ask(users[each], 'GET', push ? '/push/subscriptions' : '/devices')
            expect(body).toMatchObject({ count: [...owners.values()].filter(owner => owner === each).length })
          }
        }
        for (const each of ['a', 'b'] as const) {
          for (const browser of browsers) await ask(users[each], 'POST', '/push/unsubscribe', { endpoint: browser.endpoint })
          for (let n = 0; n < 4; n += 1) await ask(users[each], 'DELETE', '/devices', { token: `token-of-device-${n}` })
        }
      }),
      { numRuns: 15 },
    )
  })
})
