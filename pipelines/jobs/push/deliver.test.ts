// Pushes against a push service of our own that decrypts what it gets and checks who signed it.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { type Browser, type PushService, startPushService } from '#fixtures/push-service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { claimPushes, sweepPushes } from '#warehouse/people/push/outbox.ts'
import { enqueuePush, topicOf } from '#warehouse/people/push/send.ts'
import { findSubscriptions, saveSubscription } from '#warehouse/people/push/subscriptions.ts'
import { ensureVapid, findPushKey, publishVapid } from '#warehouse/people/push/vapid.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { deliverPushes, type PushSender, pushSubject } from './deliver.ts'

const { db, pool } = await testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'crossfile-push-'))
const vapid = await publishVapid(db, folder)
let service: PushService
beforeAll(async () => {
  service = await startPushService()
})
beforeEach(() => {
  service.answer(() => ({ status: 201 }))
  service.received.length = 0
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})
const now = new Date('2026-11-20T21:05:00Z')
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const sender = (at = now, more: Partial<PushSender> = {}): PushSender => ({
  db,
  vapid,
  subject: 'mailto:operator@example.org',
  hosts: [service.origin],
  now: () => at,
  random: () => 1,
  ...more,
})
const never = new AbortController().signal
const deliver = (at = now, more: Partial<PushSender> = {}) => deliverPushes(sender(at, more), never)

/** A user with a browser, told of something. */
async function subscribed(
  given: { browser?: Browser; tickers?: string[] | null; body?: string; topic?: string; symbol?: string; url?: string } = {},
): Promise<{ user_id: string; browser: Browser; key: string }> {
  const { user_id } = await signedInUser(db)
  const browser = given.browser ?? service.browser()
  await asUser(db, user_id, trx => saveSubscription(trx, user_id, { ...browser, tickers: given.tickers ?? null }, now))
  const key = `fired ${user_id}`
  await tell(user_id, key, given)
  return { user_id, browser, key }
}
async function tell(
  user_id: string,
  dedupe_key: string,
  given: { body?: string; topic?: string; symbol?: string; url?: string } = {},
): Promise<number> {
  const { body = 'AAPL closed above 200.00', ...more } = given
  return await db.transaction().execute(async trx => {
    const count = await enqueuePush(trx, { user_id, dedupe_key, title: 'AAPL above 200', body, ...more })
    await trx
      .updateTable('push_outbox')
      .set({ created_at: now.toISOString(), next_try_at: now.toISOString() })
      .where('dedupe_key', '=', dedupe_key)
      .execute()
    return count
  })
}
const rowOf = async (key: string) => (await pool.query('select * from push_outbox where dedupe_key = $1', [key])).rows[0]

describe('the key of pushes', () => {
  it('is made once, readable by its owner alone, and published; another one is refused', async () => {
    expect(ensureVapid(folder)).toEqual(vapid)
    expect(statSync(join(folder, 'vapid.pem')).mode & 0o777).toBe(0o600)
    expect(await findPushKey(db)).toBe(vapid.publicKey)
    expect(Buffer.from(vapid.publicKey, 'base64url')).toHaveLength(65)
    const other = mkdtempSync(join(tmpdir(), 'crossfile-push-'))
    await expect(publishVapid(db, other)).rejects.toThrow('browsers subscribed with another key')
    ensureVapid(other)
    await expect(publishVapid(db, other)).rejects.toThrow('not the key that browsers subscribed with')
    rmSync(other, { recursive: true })
    expect(pushSubject({ publicUrl: null, contact: 'Jane Roe jane@example.org', mailFrom: 'x' })).toBe('mailto:jane@example.org')
    expect(pushSubject({ publicUrl: 'https://crossfile.example.org', contact: null, mailFrom: 'x' })).toBe('https://crossfile.example.org')
  })
})

describe('a push', () => {
  it('arrives as it was written, signed by the key that is published, and once', async () => {
    const { user_id, key, browser } = await subscribed({ url: '/alerts/a_1', topic: 'alert-a_1' })
    expect(await tell(user_id, key)).toBe(0)
    expect(await deliver()).toEqual({ sent: 1, gone: 0, retry: 0, give_up: 0 })
    expect(await deliver(later(600))).toMatchObject({ sent: 0 })
    expect(service.faults).toEqual([])
    expect(service.received).toHaveLength(1)
    const [got] = service.received
    expect(got).toMatchObject({
      path: new URL(browser.endpoint).pathname,
      payload: { title: 'AAPL above 200', body: 'AAPL closed above 200.00', url: '/alerts/a_1', tag: 'alert-a_1' },
      headers: { ttl: '86400', urgency: 'normal', topic: 'alert-a_1' },
      claims: { sub: 'mailto:operator@example.org' },
      key: vapid.publicKey,
    })
    expect(await rowOf(key)).toMatchObject({ attempts: 1, error: null, given_up_at: null })
  })
  it('goes to the browsers that asked for its symbol, and to those that asked for all', async () => {
    const { user_id } = await subscribed({ tickers: ['AAPL'], symbol: 'AAPL' })
    expect(await tell(user_id, `other ${user_id}`, { symbol: 'SHOP.TO' })).toBe(0)
    expect(await tell(user_id, `none ${user_id}`)).toBe(1)
    expect(await deliver()).toMatchObject({ sent: 2 })
  })
  it('is cut by whole characters to what a push carries', async () => {
    await subscribed({ body: '🍁é'.repeat(4000) })
    expect(await deliver()).toMatchObject({ sent: 1 })
    const [got] = service.received
    expect(got?.bytes).toBeLessThanOrEqual(4096)
    expect(got?.bytes).toBeGreaterThan(4080)
    expect(got?.payload.body).toMatch(/^(🍁é)+🍁?…$/u)
    expect(service.faults).toEqual([])
  })
  it('has a topic that push services take', () => {
    expect(topicOf({ topic: 'alert-1', dedupe_key: 'x' })).toBe('alert-1')
    for (const topic of [null, 'with spaces', 'a'.repeat(33)]) expect(topicOf({ topic, dedupe_key: 'fired a b' })).toMatch(/^[\w-]{32}$/)
  })
})

describe('what a push service answers', () => {
  it.each([404, 410])('%i: the subscription goes, with all that waits for it', async status => {
    const { user_id, key } = await subscribed()
    await tell(user_id, `second ${key}`)
    service.answer(() => ({ status }))
    expect(await deliver()).toMatchObject({ gone: 1, sent: 0 })
    expect(await findSubscriptions(db, user_id)).toEqual([])
    expect(await rowOf(key)).toBeUndefined()
  })
  it.each([
    [413, 'too large'],
    [403, 'key that this was signed with'],
    [307, 'redirects are not followed'],
    [400, 'answered 400'],
  ])('%i: given up, with the reason', async (status, reason) => {
    const { key } = await subscribed()
    service.answer(() => ({ status, headers: { location: `${service.origin}/elsewhere` } }))
    expect(await deliver()).toMatchObject({ give_up: 1 })
    expect((await rowOf(key)).error).toContain(reason)
    expect(await deliver(later(86_000))).toMatchObject({ sent: 0 })
  })
  it('429: tried again when it says, and what waits for the same service meanwhile is not sent either', async () => {
    const { user_id, key } = await subscribed()
    await tell(user_id, `second ${key}`)
    let requested = 0
    service.answer(() => {
      requested += 1
      return { status: 429, headers: { 'retry-after': '120' } }
    })
    expect(await deliver()).toMatchObject({ retry: 2 })
    expect(requested).toBe(1)
    service.answer(() => ({ status: 201 }))
    expect(await deliver(later(119))).toMatchObject({ sent: 0 })
    expect(await deliver(later(120))).toMatchObject({ sent: 2 })
    expect([(await rowOf(key)).attempts, (await rowOf(`second ${key}`)).attempts]).toEqual([2, 1])
  })
  it('503, and a connection that is cut: tried again after growing waits, given up after the eighth', async () => {
    const { key } = await subscribed()
    let at = 0
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      service.answer(() => (attempt % 2 === 0 ? 'cut' : { status: 503 }))
      if (attempt > 1) expect(await deliver(later(at - 1))).toMatchObject({ retry: 0, give_up: 0 })
      expect(await deliver(later(at))).toMatchObject(attempt < 8 ? { retry: 1 } : { give_up: 1 })
      at += Math.min(3600, 30 * 2 ** (attempt - 1))
    }
    expect((await rowOf(key)).error).toContain('given up after 8 attempts')
  })
  it('nothing for a day: given up, for nobody keeps it longer', async () => {
    const { key } = await subscribed()
    expect(await deliver(later(86_400))).toMatchObject({ give_up: 1 })
    expect((await rowOf(key)).error).toContain('older')
    expect(await sweepPushes(db, later(31 * 86_400 + 86_400))).toBeGreaterThan(0)
    expect(await rowOf(key)).toBeUndefined()
  })
})

describe('where pushes go', () => {
  it('a name of the allow-list that leads to an address that is not public is not connected to', async () => {
    for (const address of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::ffff:192.168.0.1', 'fe80::1']) {
      const browser = { ...service.browser(), endpoint: 'https://fcm.googleapis.com/fcm/send/abcdefghijklmn' }
      const { key } = await subscribed({ browser })
      const family = address.includes(':') ? 6 : 4
      expect(await deliver(now, { resolve: async () => [{ address, family }] })).toMatchObject({ give_up: 1 })
      expect((await rowOf(key)).error).toContain('not public')
    }
  })
  it('a host that is no longer on the list is not asked', async () => {
    const { key } = await subscribed()
    expect(await deliver(now, { hosts: [] })).toMatchObject({ give_up: 1 })
    expect((await rowOf(key)).error).toContain('not https')
    expect(service.received).toEqual([])
  })
})

describe('workers', () => {
  it('that send at the same time send each push once', async () => {
    const browsers = await Promise.all(Array.from({ length: 20 }, () => subscribed()))
    for (const { user_id } of browsers) for (let n = 0; n < 5; n += 1) await tell(user_id, `n${n} ${user_id}`)
    const sent = await Promise.all(Array.from({ length: 6 }, () => deliver()))
    expect(sent.reduce((sum, each) => sum + each.sent, 0)).toBe(120)
    expect(service.received).toHaveLength(120)
    expect(new Set(service.received.map(each => each.payload.id)).size).toBe(120)
    expect(service.faults).toEqual([])
  })
  it('that die before sending lose nothing; that die after it send once more, under the same tag and topic', async () => {
    const { key } = await subscribed()
    await claimPushes(db, 50, now)
    expect(await deliver(later(119))).toMatchObject({ sent: 0 })
    const dies = (name: string): void => {
      if (name === 'sent') throw new Error('killed')
    }
    await expect(deliver(later(120), { crashPoint: dies })).rejects.toThrow('killed')
    expect(service.received).toHaveLength(1)
    expect(await deliver(later(240))).toMatchObject({ sent: 1 })
    expect(service.received).toHaveLength(2)
    expect(new Set(service.received.map(({ payload, headers }) => `${payload.id} ${payload.tag} ${headers['topic']}`)).size).toBe(1)
    expect(await rowOf(key)).toMatchObject({ attempts: 3 })
    expect(await deliver(later(4000))).toMatchObject({ sent: 0 })
  })
})
