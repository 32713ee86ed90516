// Consent, policy, export and the queue of erasure through the whole service, as two people and a visitor see them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canaryUser, withCanary } from '#fixtures/canary.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { send } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { loadConfig } from '#schemas/config.ts'
import { privacyOperations } from '#schemas/operations/privacy.ts'
import { Policy } from '#schemas/privacy.ts'
import { createKey } from '#warehouse/people/accounts/keys.ts'
import { policyOf } from '#warehouse/people/privacy/policy.ts'
import { brokenAt } from '#warehouse/people/users/chain.ts'
import { inventory } from '#warehouse/people/users/inventory.ts'
import { beginSession } from '#warehouse/people/users/sessions.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { type Server, startServer } from '../server.ts'

const url = await createTestDatabase()
const { db, pool, close } = connect(url)
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const folder = mkdtempSync(join(tmpdir(), 'crossfile-privacy-'))
const env = { DATABASE_URL: url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'silent', PORT: '0', CROSSFILE_TRUSTED_PROXIES: '127.0.0.1' }
let server: Server
beforeAll(async () => {
  await installQueue(url)
  server = await startServer(loadConfig(env))
})
afterAll(async () => {
  await server.close()
  await close()
  rmSync(folder, { recursive: true, force: true })
})

type Statement = { readonly status: number; readonly body: Record<string, unknown>; readonly headers: Headers; readonly text: string }
let addresses = 0
/** Asks as a user or a visitor, each time from another network, so that no limit is met by accident. */
async function ask(user: Pick<TestUser, 'cookie'> | null, method: string, path: string, body?: unknown, headers = {}): Promise<Statement> {
  addresses += 1
  const response = await send(`${server.address}/api/v1${path}`, {
    method,
    body,
    headers: { 'x-forwarded-for': `2001:db8:${addresses.toString(16)}::1`, ...(user?.cookie ?? {}), ...headers },
  })
  const text = await response.text()
  const operation = privacyOperations.find(each => each.method === method && each.path === `/api/v1${path.split('?', 1)[0]}`)
  if (response.ok && operation?.answer) expect(operation.answer.safeParse(JSON.parse(text)).error).toBeUndefined()
  if (response.ok && operation) expect(response.status).toBe(operation.success)
  return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers, text }
}
const record = (user: TestUser | null, body: unknown, headers = {}): Promise<Statement> => ask(user, 'POST', '/consent/record', body, headers)
type Entry = { id: string; consent_type: string; consent_action: string; previous_id: string | null; address_prefix: string; agent: string }
const historyOf = async (user: TestUser, query = ''): Promise<Entry[]> =>
  (await ask(user, 'GET', `/consent/my-history${query}`)).body['entries'] as Entry[]

describe('consent', () => {
  it('is recorded under both names of its second field, and shown to whom it belongs', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const first = await record(a, { consent_type: 'analytics', consent_action: 'granted' })
    expect(first.body).toMatchObject({ consent_type: 'analytics', consent_action: 'granted', consent_version: '1.0' })
    expect(Object.keys(first.body).sort()).toEqual(['consent_action', 'consent_type', 'consent_version', 'created_at', 'id'])
    const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    expect((await record(a, { consent_type: 'analytics', action: 'withdrawn', language: 'fr-CA' }, agent)).status).toBe(201)
    expect((await record(b, { consent_type: 'marketing', action: 'denied', consent_action: 'denied', session_id: null })).status).toBe(201)
    expect((await historyOf(a)).map(each => [each.consent_action, each.previous_id])).toEqual([
      ['withdrawn', first.body['id']],
      ['granted', null],
    ])
    expect((await historyOf(a))[0]).toMatchObject({ agent: 'Firefox', language: 'fr-CA', privacy_policy_version: '2026.04' })
    expect((await historyOf(a))[0]?.address_prefix).toMatch(/^2001:db8:[0-9a-f]+::\/48$/)
    expect((await historyOf(b)).map(each => each.consent_type)).toEqual(['marketing'])
    expect((await ask(null, 'GET', '/consent/my-history')).status).toBe(401)
  })
  it('of a visitor is kept under a hash of the id that the page sent, each by itself', async () => {
    const answered = { consent_type: 'analytics', action: 'granted' }
    const [one, two] = ['visitor-one-7f3a', 'visitor-two-91bc']
    for (const session_id of [one, one, two, null]) expect((await record(null, { ...answered, session_id })).status).toBe(201)
    const { rows } = await pool.query<{ subject: string; previous_id: string | null; row: string }>(
      "select subject, previous_id, t::text as row from consent_entry t where subject !~ '^p_' order by seq",
    )
    expect(rows.map(each => each.previous_id !== null)).toEqual([false, true, false, false])
    expect(new Set(rows.map(each => each.subject)).size).toBe(3)
    expect(rows.filter(each => each.row.includes(one))).toEqual([])
  })
  it('of a signed-in user does not depend on the session_id in the request', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    for (const user of [a, b]) await record(user, { consent_type: 'x', action: 'granted', session_id: 'the same' })
    expect([(await historyOf(a)).length, (await historyOf(b)).length]).toEqual([1, 1])
  })
  const good = { consent_type: 'analytics', consent_action: 'granted' }
  it.each<[string, unknown, string]>([
    ['no action', { consent_type: 'analytics' }, 'consent_action'],
    ['no type', { action: 'granted' }, 'consent_type'],
    ['two actions that differ', { ...good, action: 'denied' }, 'action'],
    ['an empty type', { ...good, consent_type: '' }, 'consent_type'],
    ['a type of 65 characters', { ...good, consent_type: 'a'.repeat(65) }, 'consent_type'],
    ['an action of 33 characters', { ...good, consent_action: 'a'.repeat(33) }, 'consent_action'],
    ['markup', { ...good, consent_type: '<b>x</b>' }, 'consent_type'],
    ['NUL', { ...good, consent_version: 'a\0b' }, 'consent_version'],
    ['a language that is none', { ...good, language: 'not a language' }, 'language'],
    ['a long session_id', { ...good, session_id: 'a'.repeat(129) }, 'session_id'],
    ['a number', { ...good, consent_type: 7 }, 'consent_type'],
    ['an unknown member', { ...good, user_id: 'u_1' }, 'user_id'],
  ])('with %s is refused, and names the member', async (_name, body, member) => {
    const { status, text } = await record(null, body)
    expect([status, text.includes(member)]).toEqual([422, true])
  })
  it('of more than 8 KiB is not read', async () => {
    expect((await record(null, { ...good, session_id: 'a'.repeat(9000) })).status).toBe(413)
  })
  it('pages, newest first, without a gap and without what is of others, while more is recorded', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    for (let n = 0; n < 5; n += 1) for (const user of [a, b]) await record(user, { consent_type: `t${n}`, action: 'granted' })
    const seen: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { body, headers } = await ask(a, 'GET', `/consent/my-history${query}`)
      seen.push(...(body['entries'] as Entry[]).map(each => each.consent_type))
      await record(a, { consent_type: 'later', action: 'granted' })
      expect(headers.get('cache-control')).toBe('no-store')
      if (body['next_cursor'] === null) break
      query = `?limit=2&cursor=${encodeURIComponent(String(body['next_cursor']))}`
      expect((await ask(b, 'GET', `/consent/my-history${query}`)).text).not.toContain(String((await historyOf(a))[0]?.id))
    }
    expect(seen).toEqual(['t4', 't3', 't2', 't1', 't0'])
    expect((await ask(a, 'GET', '/consent/my-history?limit=2&cursor=nonsense')).status).toBe(400)
  })
  it('is a chain: many at once keep it whole, nothing can be changed, and a change behind its back shows', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => signedInUser(db)))
    const answered = await Promise.all(
      Array.from({ length: 200 }, (_, n) => record(n % 2 ? null : (users[(n / 2) % 10] as TestUser), { consent_type: `n${n}`, action: 'granted' })),
    )
    expect(answered.filter(each => each.status !== 201).map(each => each.text)).toEqual([])
    for (const user of users) expect((await historyOf(user)).length).toBe(10)
    expect(await brokenAt(db, 'consent_entry')).toBeNull()
    for (const statement of ["update consent_entry set consent_action = 'denied'", 'delete from consent_entry', 'truncate consent_entry'])
      await expect(pool.query(statement)).rejects.toThrow('append-only')
    await pool.query('alter table consent_entry disable trigger all')
    const change = (action: string) => pool.query('update consent_entry set consent_action = $1 where seq = 7', [action])
    const { rows } = await pool.query<{ consent_action: string }>('select consent_action from consent_entry where seq = 7')
    await change('denied')
    expect(await brokenAt(db, 'consent_entry')).toBe(7)
    await change(rows[0]?.consent_action ?? '')
    expect(await brokenAt(db, 'consent_entry')).toBeNull()
    await pool.query('alter table consent_entry enable trigger all')
  })
})

describe('the policy', () => {
  it('lists every table of the inventory, rights, retention and who answers; the same for all', async () => {
    const { body, headers } = await ask(null, 'GET', '/gdpr/policy')
    const policy = Policy.parse(body)
    expect(policy.data.map(each => each.table)).toEqual(inventory.map(each => each.table))
    expect(policy.rights.map(each => each.id)).toEqual(['access', 'rectification', 'erasure', 'withdrawal', 'objection'])
    expect(policy).toMatchObject({ ruleset: 'privacy@2026', controller: { name: 'the operator of this installation', contact: null } })
    expect((await ask(null, 'GET', '/gdpr/policy', undefined, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304)
  })
  it('names the configured providers, without their secrets', () => {
    const given = {
      ...env,
      CROSSFILE_SMTP_URL: 'smtps://canary-user:canary-word@mail.example.org',
      STRIPE_API_KEY: 'sk_test_canary',
      CROSSFILE_CONTROLLER: 'Jane Roe Research',
      CROSSFILE_CONTACT: 'Jane Roe jane@example.org',
    }
    const policy = policyOf(loadConfig(given))
    expect(policy.subprocessors.map(each => each.name)).toEqual(['mail.example.org', 'Stripe', 'the push service of your browser'])
    expect(policyOf(loadConfig(env)).subprocessors).toHaveLength(1)
    expect(policy.controller).toEqual({ name: 'Jane Roe Research', contact: 'Jane Roe jane@example.org' })
    expect(JSON.stringify(policy)).not.toContain('canary')
  })
})

describe('the export', () => {
  it('holds a row of every table, nothing that is withheld and nothing of others; the alias is the same', async () => {
    const now = clock.now()
    const [mine, other] = [await canaryUser(pool, now), await canaryUser(pool, now)]
    const { text: token } = await beginSession(db, mine.user_id, 'user', { address_prefix: '192.0.2.0/24', agent: 'Firefox' }, now)
    const user = { cookie: { cookie: `service_session=${token}` } }
    await ask(user, 'POST', '/consent/record', { consent_type: 'analytics', action: 'granted' })
    const { status, body, text, headers } = await ask(user, 'GET', '/user/export')
    expect([status, headers.get('content-disposition')]).toEqual([200, expect.stringContaining('crossfile-export.json')])
    expect([headers.get('cache-control'), headers.get('content-type')]).toEqual(['no-store', 'application/json; charset=utf-8'])
    const tables = body['tables'] as Record<string, { about: string; rows: Record<string, unknown>[] }>
    expect(Object.keys(tables)).toEqual(inventory.filter(each => each.withheld !== null).map(each => each.table))
    for (const { table, withheld, user: column } of inventory) {
      if (withheld === null) continue
      const rows = tables[table]?.rows ?? []
      expect([table, rows.length > 0, rows.every(row => row[column] === mine.user_id)]).toEqual([table, true, true])
      for (const row of rows) expect([table, withheld.filter(name => name in row)]).toEqual([table, []])
    }
    expect(withCanary([text], other)).toEqual([])
    // Bytes are secrets or hashes of them: there are none.
    expect(text).not.toContain('\\\\x')
    expect(body).toMatchObject({ format: 'crossfile-export@1', user_id: mine.user_id, consent: [{ consent_type: 'analytics' }] })
    const alias = await ask(user, 'GET', '/gdpr/export')
    expect({ ...alias.body, exported_at: null, tables: null }).toEqual({ ...body, exported_at: null, tables: null })
    expect((await ask(null, 'GET', '/user/export')).status).toBe(401)
  })
  it('is whole where a table has more rows than a page of it', async () => {
    const user = await signedInUser(db)
    await pool.query("insert into daily_use select $1, '2026-01-01'::date + n, 'assistant', n from generate_series(1, 1203) n", [user.user_id])
    const { body } = await ask(user, 'GET', '/user/export')
    const { rows } = (body['tables'] as Record<string, { rows: { used: number }[] }>)['daily_use'] ?? { rows: [] }
    expect(rows.map(each => each.used)).toEqual(Array.from({ length: 1203 }, (_, n) => n + 1))
  })
})

describe('leaving', () => {
  const countOf = async (text: string, user: Pick<TestUser, 'user_id'>): Promise<number> =>
    Number((await pool.query<{ n: string }>(`select count(*) as n from ${text}`, [user.user_id])).rows[0]?.n)
  /** Signs in again, as leaving allows. */
  async function again({ user_id }: TestUser): Promise<Pick<TestUser, 'cookie'>> {
    const { text } = await beginSession(db, user_id, 'user', { address_prefix: '192.0.2.0/24', agent: 'Firefox' }, clock.now())
    return { cookie: { cookie: `service_session=${text}` } }
  }
  it.each([
    undefined,
    {},
    { confirm: false },
    { confirm: 'true' },
    { confirm: 1 },
    { confirm: true, reason: 'a'.repeat(501) },
    { confirm: true, x: 1 },
  ])('needs confirm true and no unknown member: %j', async body => {
    const user = await signedInUser(db)
    expect([400, 415, 422]).toContain((await ask(user, 'POST', '/user/delete', body)).status)
    expect(await countOf('app_user where user_id = $1 and erasure_requested_at is null', user)).toBe(1)
  })
  it('ends sessions, keys, devices and pushes immediately, and sends one mail', async () => {
    const [user, other] = [await signedInUser(db), await signedInUser(db)]
    const { text: key, key: made } = await createKey(db, { name: 'mine' }, clock.now())
    await pool.query('update api_key set owner = $1 where key_id = $2', [user.user_id, made.key_id])
    const withKey = (): Promise<Statement> => ask(null, 'GET', '/data/catalog', undefined, { authorization: `Bearer ${key}` })
    expect((await withKey()).status).toBe(200)
    for (const each of [user, other])
      expect((await ask(each, 'POST', '/devices', { platform: 'ios', token: `token-of-${each.user_id}` })).status).toBe(201)
    const before = clock.now().getTime()
    const answered = await ask(user, 'POST', '/user/delete', { confirm: true, reason: 'none of your business' })
    expect(answered.body).toMatchObject({ status: 'queued', grace_days: 30 })
    expect(Date.parse(String(answered.body['erase_after'])) - Date.parse(String(answered.body['requested_at']))).toBe(30 * 86_400_000)
    // The clock of this test and that of the service are two readings of one clock.
    expect(Date.parse(String(answered.body['requested_at']))).toBeGreaterThanOrEqual(before - 1000)
    expect(answered.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await ask(user, 'GET', '/auth/me')).status).toBe(401)
    expect(await countOf('user_session where user_id = $1', user)).toBe(0)
    expect(await countOf('device where user_id = $1', user)).toBe(0)
    expect(await countOf('device where user_id = $1', other)).toBe(1)
    expect(await countOf('api_key where owner = $1 and revoked_at is null', user)).toBe(0)
    expect((await ask(other, 'GET', '/auth/me')).status).toBe(200)
    await expect.poll(async () => (await withKey()).status, { interval: 500 }).toBe(401)
    const repeated = await Promise.all(Array.from({ length: 10 }, async () => ask(await again(user), 'POST', '/user/delete', { confirm: true })))
    for (const each of repeated.filter(one => one.status === 202)) expect(each.body).toEqual(answered.body)
    expect(await countOf("mail_outbox where user_id = $1 and kind = 'erasure_queued'", user)).toBe(1)
    expect(await countOf("app_user where user_id = $1 and app_user::text ~ 'business'", user)).toBe(0)
  })
  it('opens the export, the history and cancelling, and nothing else; cancelling keeps the account', async () => {
    const user = await signedInUser(db)
    await ask(user, 'POST', '/user/delete', { confirm: true })
    const back = await again(user)
    for (const path of ['/user/export', '/gdpr/export', '/consent/my-history'])
      expect([path, (await ask(back, 'GET', path)).status]).toEqual([path, 200])
    for (const path of ['/devices', '/watchlist', '/push/subscriptions']) expect([path, (await ask(back, 'GET', path)).status]).toEqual([path, 403])
    expect((await ask(back, 'POST', '/devices', { platform: 'ios', token: 'a-token-of-mine' })).status).toBe(403)
    const refused = await ask(back, 'GET', '/watchlist')
    expect(refused.body['hint']).toContain('/user/delete/cancel')
    expect((await ask(back, 'POST', '/user/delete/cancel')).body).toEqual({ status: 'cancelled' })
    expect((await ask(back, 'GET', '/devices')).status).toBe(200)
    const none = await ask(back, 'POST', '/user/delete/cancel')
    expect([none.status, none.body['code']]).toEqual([409, 'conflict'])
  })
  it('and its cancelling are had once for an Idempotency-Key, and answered again', async () => {
    const mine = await signedInUser(db)
    const key = { 'idempotency-key': 'leave-1' }
    const first = await ask(mine, 'POST', '/user/delete', { confirm: true }, key)
    const back = await again(mine)
    const cancel = { 'idempotency-key': 'stay-1' }
    expect((await ask(back, 'POST', '/user/delete/cancel', undefined, cancel)).status).toBe(200)
    // The account is kept: a repeated request with the old key returns the same answer, and queues nothing.
    const repeated = await ask(back, 'POST', '/user/delete', { confirm: true }, key)
    expect([repeated.status, repeated.text, repeated.headers.get('idempotency-replayed')]).toEqual([202, first.text, 'true'])
    const row = await db.selectFrom('app_user').select('erasure_requested_at').where('user_id', '=', mine.user_id).executeTakeFirstOrThrow()
    expect(row.erasure_requested_at).toBeNull()
    const kept = await ask(await again(mine), 'POST', '/user/delete/cancel', undefined, cancel)
    expect([kept.status, kept.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  })
  it('is of the account alone that asks: another cannot cancel it, and a stranger can do nothing', async () => {
    const [user, other] = [await signedInUser(db), await signedInUser(db)]
    await ask(user, 'POST', '/user/delete', { confirm: true })
    expect((await ask(other, 'POST', '/user/delete/cancel')).status).toBe(409)
    expect((await ask(null, 'POST', '/user/delete', { confirm: true })).status).toBe(401)
    expect((await ask(other, 'POST', '/user/delete', { confirm: true }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(await countOf('app_user where user_id = $1 and erasure_requested_at is not null', user)).toBe(1)
    expect(await countOf('app_user where user_id = $1 and erasure_requested_at is null', other)).toBe(1)
  })
})
