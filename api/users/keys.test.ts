import { afterAll, describe, expect, it } from 'vitest'
import { emptyService, send } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { KeyList, KeyMade, KeyRecord, KeyUsage } from '#schemas/keys.ts'
import { operationOf } from '#schemas/operations.ts'
import { sweepUsage } from '#warehouse/people/accounts/key-usage.ts'
import { createKey, keyStore } from '#warehouse/people/accounts/keys.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { buildApp } from '../app.ts'
import { fakes } from '../fakes.ts'
import { createKeys } from '../plugins/auth.ts'

const { db, pool, server } = await emptyService()
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())

type Json = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly body: Json; readonly headers: Headers }
async function ask(user: TestUser | null, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await send(server.address + path, {
    method,
    body,
    headers: { ...(user === null ? {} : { authorization: `Bearer ${user.token}` }), ...headers },
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Json, headers: response.headers }
}
const make = (user: TestUser, body: unknown = { name: 'a program' }, headers = {}) => ask(user, 'POST', '/api/v1/keys', body, headers)
const health = async (key: unknown): Promise<Answer> => await ask(null, 'GET', '/api/v1/data/health', undefined, { 'x-api-key': String(key) })
const listed = async (user: TestUser): Promise<Json[]> => (await ask(user, 'GET', '/api/v1/keys')).body['keys'] as Json[]

describe('a key that its owner makes', () => {
  it('is shown once, works at once, at the tier of its owner, and is listed without its text', async () => {
    const user = await signedInUser(db, { tier: 'trader' })
    const made = await make(user, { name: ' notebook ', scopes: ['market:read', 'data:read'], allowed_addresses: ['127.0.0.0/8', '::1'] })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { key, ...record } = KeyMade.parse(made.body)
    expect(record).toMatchObject({ name: 'notebook', state: 'live', scopes: ['data:read', 'market:read'], tier: 'trader', last4: key?.slice(-4) })
    expect(Date.parse(record.expires_at ?? '') - Date.parse(record.created_at)).toBe(365 * 86_400_000)
    expect(await health(key)).toMatchObject({ status: 200, body: { key: { id: record.id, tier: 'trader' } } })
    const { body } = await ask(user, 'GET', '/api/v1/keys')
    expect(KeyList.parse(body)).toEqual({ count: 1, keys: [record], limit: 10 })
    const dump = JSON.stringify([await rowsOf('api_key'), await rowsOf('idempotency_key'), await rowsOf('mail_outbox'), await rowsOf('audit_entry')])
    expect(dump).not.toContain(String(key).slice(8, 40))
    expect(dump).toContain(`ending in ${record.last4}`)
    expect(dump).toContain('key.create')
  })
  it('is one, however often the request with its Idempotency-Key is repeated', async () => {
    const user = await signedInUser(db)
    const answers = await Promise.all(Array.from({ length: 20 }, () => make(user, { name: 'once' }, { 'idempotency-key': 'k-1' })))
    expect(answers.map(each => each.status)).toEqual(Array.from({ length: 20 }, () => 201))
    const texts = answers.map(each => each.body['key']).filter(text => text !== null)
    expect([texts.length, (await listed(user)).length]).toEqual([1, 1])
    expect(answers.filter(each => each.headers.get('idempotency-replayed') === 'true')).toHaveLength(19)
    expect(new Set(answers.map(each => each.body['id'])).size).toBe(1)
    expect((await make(user, { name: 'another' }, { 'idempotency-key': 'k-1' })).status).toBe(409)
  })
  it('is one of at most ten, also where 200 are asked for at the same time', async () => {
    const user = await signedInUser(db, { tier: 'prime' })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => make(user, { name: `key ${n}` })))
    expect(answers.filter(each => each.status === 201)).toHaveLength(10)
    const refused = answers.filter(each => each.status !== 201)
    expect(new Set(refused.map(each => `${each.status} ${each.body['code']}`))).toEqual(new Set(['409 conflict']))
    const keys = await listed(user)
    expect(keys).toHaveLength(10)
    expect((await ask(user, 'DELETE', `/api/v1/keys/${keys[0]?.['id']}`)).status).toBe(204)
    expect((await make(user)).status).toBe(201)
  })
  it('needs a verified address, a session, and no key', async () => {
    const user = await signedInUser(db, { verified: false })
    expect(await make(user)).toMatchObject({ status: 403, body: { code: 'forbidden', hint: expect.stringContaining('mail') } })
    expect((await ask(null, 'GET', '/api/v1/keys')).status).toBe(401)
    const { text } = await createKey(db, { name: 'operator' }, clock.now())
    for (const method of ['GET', 'POST'])
      expect(
        (await ask(null, method, '/api/v1/keys', method === 'POST' ? { name: 'x' } : undefined, { authorization: `Bearer ${text}` })).status,
      ).toBe(403)
  })
  it.each<readonly [object, string]>([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['admin'] }, 'scopes'],
    [{ name: 'x', expires_in_days: 0 }, 'expires_in_days'],
    [{ name: 'x', expires_in_days: 3651 }, 'expires_in_days'],
    [{ name: 'x', owner: 'u_other' }, 'body'],
    [{ name: 'x', tier: 'prime' }, 'body'],
    ...['10.0.0.256', '1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', 'fe80::1%eth0', '::ffff:10.0.0.1', 'example.org', ''].map(
      each => [{ name: 'x', allowed_addresses: [each] }, 'allowed_addresses'] as const,
    ),
    [{ name: 'x', allowed_addresses: Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`) }, 'allowed_addresses'],
  ])('is refused for %j', async (body, field) => {
    const { status, body: answered } = await make(await signedInUser(db), body)
    expect(status).toBe(422)
    expect(JSON.stringify(answered['detail'])).toContain(`"${field}"`)
  })
})

describe('a key that its owner changes', () => {
  it('is renamed, narrowed, ended sooner, and never widened', async () => {
    const user = await signedInUser(db)
    const { body } = await make(user, { name: 'first', scopes: ['data:read', 'mcp:research'] })
    const patch = (change: unknown) => ask(user, 'PATCH', `/api/v1/keys/${body['id']}`, change)
    const sooner = new Date(clock.now().getTime() + 86_400_000).toISOString()
    const changed = await patch({ name: 'second', scopes: ['mcp:research'], allowed_addresses: ['192.0.2.7'], expires_at: sooner })
    expect(KeyRecord.parse(changed.body)).toMatchObject({
      name: 'second',
      scopes: ['mcp:research'],
      allowed_addresses: ['192.0.2.7'],
      expires_at: sooner,
    })
    expect(await health(body['key'])).toMatchObject({ status: 403 })
    expect((await patch({ allowed_addresses: [] })).body['allowed_addresses']).toEqual([])
    expect(await patch({ scopes: ['mcp:research', 'data:read'] })).toMatchObject({ status: 400, body: { hint: expect.stringContaining('new key') } })
    expect((await patch({ expires_at: new Date(clock.now().getTime() + 2 * 86_400_000).toISOString() })).status).toBe(400)
    expect((await patch({ expires_at: '2020-01-01T00:00:00Z' })).status).toBe(400)
    expect((await patch({})).status).toBe(422)
    expect((await patch({ tier: 'prime' })).status).toBe(422)
    expect((await listed(user))[0]).toMatchObject({ name: 'second', scopes: ['mcp:research'] })
  })
  it('is gone once it was revoked: from the list, for changes, and for a second revocation', async () => {
    const user = await signedInUser(db)
    const { body } = await make(user)
    const path = `/api/v1/keys/${body['id']}`
    expect((await ask(user, 'DELETE', path)).status).toBe(204)
    expect(await listed(user)).toEqual([])
    for (const [method, change] of [['PATCH', { name: 'x' }], ['DELETE']] as const) expect((await ask(user, method, path, change)).status).toBe(404)
    expect(await health(body['key'])).toMatchObject({ status: 401, body: { hint: expect.stringContaining('/developer') } })
  })
  it('is nobody else’s: theirs and unknown ones are the same 404', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const mine = await make(a)
    const { key } = await createKey(db, { name: 'operator' }, clock.now())
    for (const id of [mine.body['id'], key.key_id, 'k_nobody']) {
      const path = `/api/v1/keys/${id}`
      const answers = [await ask(b, 'PATCH', path, { name: 'taken' }), await ask(b, 'DELETE', path)]
      for (const { status, body } of answers) expect([status, body['detail']]).toEqual([404, 'you have no such key'])
    }
    expect(await listed(b)).toEqual([])
    expect((await listed(a))[0]).toMatchObject({ name: 'a program' })
    expect(await health(mine.body['key'])).toMatchObject({ status: 200 })
    const seen = await asUser(db, b.user_id, trx => trx.selectFrom('api_key').select('key_id').execute())
    expect(seen).toEqual([])
    const owner = await asUser(db, b.user_id, trx => trx.updateTable('api_key').set({ name: 'x' }).returning('key_id').execute())
    expect(owner).toEqual([])
  })
})

describe('a key in use', () => {
  it('is refused by every process within 5 seconds of being revoked, of its account being closed, of its erasure being queued', async () => {
    const clock = { ms: 0 }
    const now = new Date('2026-11-20T21:05:00Z')
    const store = keyStore(db)
    const processes = await Promise.all([0, 1].map(() => buildApp(fakes({ keys: store, clock }))))
    const statuses = async (key: unknown): Promise<number[]> =>
      await Promise.all(
        processes.map(async app => (await app.inject({ url: '/api/v1/data/health', headers: { 'x-api-key': String(key) } })).statusCode),
      )
    const halts: readonly ((user: TestUser, id: string) => Promise<unknown>)[] = [
      (user, id) => ask(user, 'DELETE', `/api/v1/keys/${id}`),
      user => db.updateTable('app_user').set({ is_active: false }).where('user_id', '=', user.user_id).execute(),
      user => db.updateTable('app_user').set({ erasure_requested_at: now.toISOString() }).where('user_id', '=', user.user_id).execute(),
      user => db.deleteFrom('app_user').where('user_id', '=', user.user_id).execute(),
    ]
    for (const halt of halts) {
      const user = await signedInUser(db)
      const { body } = await make(user)
      expect(await statuses(body['key'])).toEqual([200, 200])
      await halt(user, String(body['id']))
      clock.ms += 4001
      expect(await statuses(body['key'])).toEqual([401, 401])
    }
    for (const app of processes) await app.close()
  })
  it('has the tier that its owner has now', async () => {
    const clock = { ms: 0 }
    const app = await buildApp(fakes({ keys: keyStore(db), clock }))
    const user = await signedInUser(db)
    const { body } = await make(user)
    const tier = async () => (await app.inject({ url: '/api/v1/data/health', headers: { 'x-api-key': String(body['key']) } })).json().key.tier
    expect(await tier()).toBe('free')
    await db.updateTable('app_user').set({ tier: 'apex' }).where('user_id', '=', user.user_id).execute()
    clock.ms += 4001
    expect(await tier()).toBe('apex')
    await app.close()
  })
  it('warns its owner that it was sent in an address, also where a header came after', async () => {
    const clock = { ms: 0 }
    const app = await buildApp(fakes({ keys: keyStore(db), clock }))
    const user = await signedInUser(db)
    const { body } = await make(user)
    await app.inject({ url: `/api/v1/data/health?apikey=${body['key']}` })
    await app.inject({ url: '/api/v1/data/health', headers: { 'x-api-key': String(body['key']) } })
    await app.close()
    expect((await listed(user))[0]).toMatchObject({ last_used_as: 'x-api-key', last_in_query_at: expect.any(String) })
  })
})

describe('the use of keys', () => {
  const usageOf = async (user: TestUser): Promise<KeyUsage> => KeyUsage.parse((await ask(user, 'GET', '/api/v1/keys/usage')).body)
  const callAll = async (texts: readonly unknown[], paths: readonly string[]): Promise<void> => {
    const app = await buildApp({ ...fakes({ keys: keyStore(db) }), now: clock.now })
    for (const text of texts) for (const url of paths) await app.inject({ url, headers: { 'x-api-key': String(text) } })
    await app.close()
  }
  it('is counted by key, class and day over 30 days, by two processes together', async () => {
    const user = await signedInUser(db, { tier: 'trader' })
    const [one, two] = [await make(user, { name: 'one' }), await make(user, { name: 'two' })]
    // 200 twice (the second from memory), 400 for a parameter that does not exist, 404 is counted for no operation.
    const eod = '/api/v1/market/eod/RY.TO'
    await callAll([one.body['key'], two.body['key']], [eod, eod, `${eod}?nothing=1`, '/api/v1/nothing'])
    await callAll([one.body['key']], [eod])
    const { usage, from, to, count } = await usageOf(user)
    expect(count).toBe(2)
    expect(usage.map(({ name, class: of, requests, refused, limited, failed }) => [name, of, requests, refused, limited, failed])).toEqual([
      ['two', operationOf('get_eod').limit_class, 3, 1, 0, 0],
      ['one', operationOf('get_eod').limit_class, 4, 1, 0, 0],
    ])
    const { cost } = operationOf('get_eod')
    expect(usage.map(({ units }) => units)).toEqual([2 * cost, 3 * cost])
    for (const each of usage) {
      expect([each.days.length, each.days[0]?.day, each.days.at(-1)?.day]).toEqual([30, from, to])
      expect(each.days.reduce((sum, day) => sum + day.requests, 0)).toBe(each.requests)
    }
  })
  it('is shown to nobody else, stays after the key is revoked, and ends with its account', async () => {
    const [user, other] = [await signedInUser(db), await signedInUser(db)]
    const { body } = await make(user)
    await callAll([body['key']], ['/api/v1/market/eod/RY.TO'])
    await ask(user, 'DELETE', `/api/v1/keys/${body['id']}`)
    expect((await usageOf(user)).usage.map(({ key_id }) => key_id)).toEqual([body['id']])
    expect((await usageOf(other)).usage).toEqual([])
    await db.deleteFrom('app_user').where('user_id', '=', user.user_id).execute()
    expect((await pool.query('select from key_usage where key_id = $1', [body['id']])).rowCount).toBe(0)
  })
  it('is listed for 30 days and deleted after 90', async () => {
    const user = await signedInUser(db)
    const { body } = await make(user)
    const add = (ago: number) =>
      pool.query(
        "insert into key_usage select key_id, owner, (now() at time zone 'utc')::date - $2::int, 'reads', 1, 1, 0, 0, 0 from api_key where key_id = $1",
        [body['id'], ago],
      )
    for (const ago of [0, 29, 30, 90, 91]) await add(ago)
    expect((await usageOf(user)).usage[0]?.requests).toBe(2)
    const { rows } = await pool.query<{ now: Date }>('select now() as now')
    await sweepUsage(db, new Date(rows[0]?.now ?? 0))
    expect((await pool.query('select from key_usage where key_id = $1', [body['id']])).rowCount).toBe(4)
  })
  it('is kept in memory while the database is away', async () => {
    const store = keyStore(db)
    let down = true
    const user = await signedInUser(db)
    const { body } = await make(user)
    const addUsage: typeof store.addUsage = async counts => {
      if (down) throw new Error('connection refused')
      await store.addUsage(counts)
    }
    const keys = createKeys({ ...store, addUsage }, clock.now, () => 0)
    const operation = operationOf('get_eod')
    keys.count(String(body['id']), operation, 200)
    await expect(keys.flush()).rejects.toThrow('connection refused')
    keys.count(String(body['id']), operation, 429)
    keys.count(String(body['id']), operation, 503)
    down = false
    await keys.flush()
    await keys.flush()
    expect((await usageOf(user)).usage[0]).toMatchObject({ requests: 3, units: operation.cost, limited: 1, failed: 1, refused: 0 })
  })
})

it('the examples of the description are what is answered, but for ids, texts and instants', async () => {
  const user = await signedInUser(db)
  const made = await ask(user, 'POST', operationOf('create_key').example.request, operationOf('create_key').example.body)
  const id = String(made.body['id'])
  const answered = (answer: unknown): unknown =>
    JSON.parse(
      JSON.stringify(answer)
        .replaceAll(id, 'k_7Qm2xYb81LqA')
        .replaceAll(String(made.body['key']), 'cf_live_…')
        .replaceAll(String(made.body['last4']), 'x9Za')
        .replaceAll(/"(created|last_used|last_in_query)_at":"[^"]+"/g, '"$1_at":"then"')
        .replaceAll(String(made.body['expires_at']), '2027-11-01T09:00:00.000Z'),
    )
  expect(answered(made.body)).toEqual(answered(operationOf('create_key').example.answer))
  await keyStore(db).noteUses(new Map([[id, { at: clock.now(), as: 'query', in_query: true }]]))
  expect(answered((await ask(user, 'GET', operationOf('list_keys').example.request)).body)).toEqual(answered(operationOf('list_keys').example.answer))
  const unused = { last_used_at: null, last_used_as: null, last_in_query_at: null }
  const changed = await ask(
    user,
    'PATCH',
    operationOf('update_key').example.request.replace('k_7Qm2xYb81LqA', id),
    operationOf('update_key').example.body,
  )
  expect(answered({ ...changed.body, ...unused })).toEqual(answered(operationOf('update_key').example.answer))
  expect((await ask(user, 'DELETE', operationOf('revoke_key').example.request.replace('k_7Qm2xYb81LqA', id))).status).toBe(204)
})

async function rowsOf(table: string): Promise<unknown> {
  return (await pool.query(`select * from ${table}`)).rows
}
