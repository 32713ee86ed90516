// The watchlist over HTTP.
import { expect, it } from 'vitest'
import { send, worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { watchlistOperations } from '#schemas/operations/watchlist.ts'
import type { ItemOut } from '#schemas/watchlist.ts'

const { db, key, server } = await worldService({ worker: false })

const path = '/api/v1/watchlist'
type Query = { readonly method?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
const ask = async (token: string | null, at: string, { method = 'GET', body, headers = {} }: Query = {}) => {
  const response = await send(server.address + at, {
    method,
    body,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: (text === '' ? null : JSON.parse(text)) as Record<string, unknown> & ItemOut }
}
const post = (token: string, body: unknown, headers = {}) => ask(token, path, { method: 'POST', body, headers })

it('is made, read, moved and emptied; each answer fits its schema', async () => {
  const { token } = await signedInUser(db)
  const [list, add, , change] = watchlistOperations
  expect((await ask(token, path)).json).toEqual({ count: 0, items: [] })
  const made = await post(token, { ticker: 'tsx:glpr', tags: [' gold '], note: 'first' })
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, expect.stringContaining('no-store')])
  expect(add.answer?.safeParse(made.json).error).toBeUndefined()
  expect(made.json).toMatchObject({ ticker: 'GLPR.TO', tags: ['gold'], note: 'first', position: 0 })
  const second = await post(token, { ticker: 'glpr' })
  const moved = await ask(token, `${path}/${second.json.id}`, { method: 'PATCH', body: { position: 0, tags: ['us'], note: null } })
  expect(moved.json).toMatchObject({ position: 0, tags: ['us'], note: null })
  expect(change.answer?.safeParse(moved.json).error).toBeUndefined()
  const all = await ask(token, path)
  expect(list.answer?.safeParse(all.json).error).toBeUndefined()
  expect((all.json['items'] as ItemOut[]).map(item => [item.ticker, item.position])).toEqual([
    ['GLPR', 0],
    ['GLPR.TO', 1],
  ])
  const gone = await ask(token, `${path}/${second.json.id}`, { method: 'DELETE' })
  expect([gone.status, gone.json]).toEqual([204, null])
  expect((await ask(token, path)).json).toMatchObject({ count: 1, items: [{ id: made.json.id, position: 0 }] })
})

it('a listing that was renamed is kept under the symbol that it has today', async () => {
  const { token } = await signedInUser(db)
  const { json } = await post(token, { ticker: 'CPLM' })
  expect(json.ticker).toBe('VLTC')
  const again = await post(token, { ticker: 'VLTC' })
  expect([again.status, again.json]).toMatchObject([
    409,
    { code: 'conflict', detail: expect.stringContaining(json.id), hint: expect.stringContaining(json.id) },
  ])
})

it.each([
  ['no ticker', {}, 422, 'ticker'],
  ['a ticker of 17 characters', { ticker: 'A'.repeat(17) }, 422, 'ticker'],
  ['an unknown symbol', { ticker: 'GLPRX' }, 404, 'GLPR'],
  ['a note that is too long', { ticker: 'GLPR', note: 'x'.repeat(501) }, 422, 'note'],
  ['a note with a zero byte', { ticker: 'GLPR', note: 'a\u0000b' }, 422, 'note'],
  ['too many tags', { ticker: 'GLPR', tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, 422, 'tags'],
  ['a member that is not described', { ticker: 'GLPR', position: 3 }, 422, 'position'],
  ['broken JSON', '{"ticker":', 400, ''],
])('%s is refused with a hint', async (_name, body, status, hint) => {
  const { token } = await signedInUser(db)
  const answered = await post(token, body)
  expect([answered.status, answered.json['hint']]).toEqual([status, expect.stringContaining(hint)])
  expect((await ask(token, path)).json['count']).toBe(0)
})
it.each([{ position: -1 }, { position: 100_001 }, { position: 1.5 }, { ticker: 'GLPR' }])('the patch %j is refused', async body => {
  const { token } = await signedInUser(db)
  const { json } = await post(token, { ticker: 'GLPR' })
  expect((await ask(token, `${path}/${json.id}`, { method: 'PATCH', body })).status).toBe(422)
  expect((await ask(token, `${path}/${json.id}`, { method: 'PATCH', body: { position: 100_000 } })).json.position).toBe(0)
})

it('is of its user alone: another sees, changes and removes nothing, and learns nothing', async () => {
  const [a, b] = [await signedInUser(db), await signedInUser(db)]
  const { json } = await post(a.token, { ticker: 'GLPR', note: 'mine' })
  const foreign = await Promise.all(
    ['PATCH', 'DELETE'].map(method => ask(b.token, `${path}/${json.id}`, { method, ...(method === 'PATCH' ? { body: { note: 'x' } } : {}) })),
  )
  const nobodys = await Promise.all(
    ['PATCH', 'DELETE'].map(method => ask(b.token, `${path}/w_nobody`, { method, ...(method === 'PATCH' ? { body: { note: 'x' } } : {}) })),
  )
  const answered = (each: (typeof foreign)[number]) => [each.status, String(each.json['detail']).replace(/w_[\w-]+/, 'w_'), each.json['hint']]
  expect(foreign.map(answered)).toEqual(nobodys.map(answered))
  expect(foreign.map(each => each.status)).toEqual([404, 404])
  expect((await ask(b.token, path)).json['count']).toBe(0)
  expect((await ask(a.token, path)).json['items']).toMatchObject([{ note: 'mine' }])
})

it('needs a session: no credential and a key are refused; a page of another site changes nothing', async () => {
  const { cookie, token } = await signedInUser(db)
  expect((await ask(null, path)).status).toBe(401)
  expect((await ask(key, path)).status).toBe(403)
  const body = { ticker: 'GLPR' }
  const crossSite = await ask(null, path, {
    method: 'POST',
    body,
    headers: { ...cookie, origin: 'https://other.example.org', 'sec-fetch-site': 'cross-site' },
  })
  expect(crossSite.status).toBe(403)
  expect((await ask(token, path)).json['count']).toBe(0)
})

it('a repeated request has its effect once', async () => {
  const { token } = await signedInUser(db)
  const headers = { 'idempotency-key': 'add-1' }
  const answered = await Promise.all(Array.from({ length: 20 }, () => post(token, { ticker: 'GLPR' }, headers)))
  expect(new Set(answered.map(each => `${each.status} ${each.json.id}`)).size).toBe(1)
  expect(answered.filter(each => each.headers.get('idempotency-replayed') === 'true')).toHaveLength(19)
  expect((await post(token, { ticker: 'NGP' }, headers)).status).toBe(409)
  expect((await ask(token, path)).json['count']).toBe(1)
})

it('an import adds all of its listings in their order, or none with every fault', async () => {
  const { token } = await signedInUser(db)
  const load = (items: unknown, headers = {}) => ask(token, `${path}/import`, { method: 'POST', body: { items }, headers })
  await post(token, { ticker: 'BRLX' })
  const faulty = await load([{ ticker: 'GLPR' }, { ticker: 'NOSUCH' }, { ticker: 'tsx:glpr' }, { ticker: 'ALSONONE' }])
  expect([faulty.status, (faulty.json['detail'] as { loc: unknown[] }[]).map(each => each.loc)]).toEqual([
    422,
    [
      ['body', 'items', 1, 'ticker'],
      ['body', 'items', 3, 'ticker'],
    ],
  ])
  expect((await ask(token, path)).json['count']).toBe(1)
  const items = [{ ticker: 'tsx:glpr', tags: ['gold'] }, { ticker: 'brlx' }, { ticker: 'GLPR', note: 'the line in the US' }, { ticker: 'GLPR.TO' }]
  const made = await load(items, { 'idempotency-key': 'import' })
  const operation = watchlistOperations.find(each => each.id === 'import_watchlist')
  expect(operation?.answer?.safeParse(made.json).error).toBeUndefined()
  expect([made.status, made.json['added'], made.json['present']]).toEqual([201, 2, 2])
  expect((await load(items, { 'idempotency-key': 'import' })).headers.get('idempotency-replayed')).toBe('true')
  const listed = (await ask(token, path)).json['items'] as ItemOut[]
  expect(listed.map(item => [item.ticker, item.position])).toEqual([
    ['BRLX', 0],
    ['GLPR.TO', 1],
    ['GLPR', 2],
  ])
  for (const wrong of [[], 'GLPR', [{ tags: [] }], Array.from({ length: 501 }, () => ({ ticker: 'GLPR' }))])
    expect((await load(wrong)).status).toBe(422)
})
