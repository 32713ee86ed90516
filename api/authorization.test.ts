// Who may ask what: every operation times every kind of credential, with real sessions and keys in Postgres. The cases follow from the row
// of each operation. authorization.table.json states a second time what each area of the API opens, so that no row opens more by mistake.
// The handlers are fakes: the tests cover the access check before them.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { type Access, accesses } from '#schemas/operations/operation.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import { createKey, keyStore, revokeKey } from '#warehouse/people/accounts/keys.ts'
import { mintSessionText } from '#warehouse/people/users/session-text.ts'
import { endSession, findSession, type Session } from '#warehouse/people/users/sessions.ts'
import { buildApp } from './app.ts'
import { exampleRequest, fakes, theNow } from './fakes.ts'

/** By area (tag): its usual access, the operations with another one, and those that are open to an account that is leaving. */
const Areas = z.record(
  z.string(),
  z.strictObject({
    access: z.enum(accesses),
    except: z.partialRecord(z.enum(accesses), z.array(z.string())).optional(),
    while_leaving: z.array(z.string()).optional(),
  }),
)
type Row = { readonly access: Access; readonly while_leaving: boolean }
const areas = Areas.parse(JSON.parse(readFileSync(new URL('./authorization.table.json', import.meta.url), 'utf8')))
const table = new Map<string, Row>(operations.map(({ id, tag }) => [id, rowOf(id, tag)]))
/** What the table gives an operation: the access that names it, else the usual one of its area. */
function rowOf(id: string, tag: string): Row {
  const area = areas[tag]
  if (!area) throw new TypeError(`api/authorization.table.json has no area "${tag}", which ${id} is in`)
  const named = Object.entries(area.except ?? {}).find(([, ids]) => ids.includes(id))?.[0] as Access | undefined
  return { access: named ?? area.access, while_leaving: area.while_leaving?.includes(id) ?? false }
}

type Sent = { readonly headers?: Record<string, string>; readonly apikey?: string; readonly admin?: true }
type Verdicts = Readonly<Record<Access, 'in' | 401 | 403>>
const open: Verdicts = { public: 'in', session: 'in', key: 'in', user: 'in', admin: 'in', agent: 'in' }
/** What the classes of operations say to each kind of credential. */
const verdicts: Readonly<Record<string, Verdicts>> = {
  nobody: { ...open, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  'the session of a user of tier free': { ...open, key: 401, admin: 401, agent: 401 },
  'the session of a user of tier core': { ...open, key: 401, admin: 401, agent: 401 },
  'the session of a user of tier trader': { ...open, key: 401, admin: 401, agent: 401 },
  'the session of a user of tier alpha': { ...open, key: 401, admin: 401, agent: 401 },
  'the session of a user of tier apex': { ...open, key: 401, admin: 401, agent: 401 },
  'the session of a user of tier prime': { ...open, key: 401, admin: 401, agent: 401 },
  'the token of a session': { ...open, key: 401, admin: 403, agent: 401 },
  'a session that is over by age': { ...open, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  'a session that was signed out': { ...open, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  'the session of an account that was switched off': { ...open, session: 403, key: 403, user: 403, admin: 401, agent: 401 },
  'the session of an account that is leaving': { ...open, session: 403, key: 401, user: 403, admin: 401, agent: 401 },
  'the session of an account that was erased': { ...open, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  'a key in Authorization': { ...open, user: 403, admin: 403 },
  'a key in X-API-Key': { ...open, user: 403, admin: 403 },
  'a key in the query': { ...open, user: 403, admin: 403, agent: 401 },
  'a key that was revoked': { public: 401, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  'a key without data:read': { ...open, key: 403, user: 403, admin: 403, agent: 403 },
  "a session's text as X-API-Key": { public: 401, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  "a key's text as cookie": { ...open, session: 401, key: 401, user: 401, admin: 401, agent: 401 },
  "a user's session in the administrator's cookie": { ...open, session: 401, key: 401, user: 401, admin: 403, agent: 401 },
  'the session of an administrator': { ...open, session: 401, key: 401, user: 401, agent: 401 },
  "an administrator's token": { ...open, session: 403, key: 401, user: 403, agent: 401 },
  'the session of a former administrator': { ...open, session: 401, key: 401, user: 401, admin: 403, agent: 401 },
}

const { db, pool } = await testDatabase()
const sent: Record<string, Sent> = { nobody: {} }
const cookie = (text: string): Record<string, string> => ({ cookie: `service_session=${text}` })
const adminCookie = (text: string): Record<string, string> => ({ cookie: `service_admin=${text}` })

beforeAll(async () => {
  for (const tier of ['free', 'core', 'trader', 'alpha', 'apex', 'prime'] as const)
    sent[`the session of a user of tier ${tier}`] = { headers: cookie((await signedInUser(db, { tier, now: theNow })).token) }
  sent['the token of a session'] = { headers: { authorization: `Bearer ${(await signedInUser(db, { now: theNow })).token}` } }
  const old = await signedInUser(db, { now: new Date(theNow.getTime() - 15 * 86_400_000) })
  sent['a session that is over by age'] = { headers: cookie(old.token) }
  const out = await signedInUser(db, { now: theNow })
  await endSession(db, (await findSession(db, out.token, theNow))?.session_id ?? '')
  sent['a session that was signed out'] = { headers: cookie(out.token) }
  const off = await signedInUser(db, { now: theNow })
  await pool.query('update app_user set is_active = false where user_id = $1', [off.user_id])
  sent['the session of an account that was switched off'] = { headers: cookie(off.token) }
  const leaving = await signedInUser(db, { now: theNow })
  await pool.query('update app_user set erasure_requested_at = now() where user_id = $1', [leaving.user_id])
  sent['the session of an account that is leaving'] = { headers: cookie(leaving.token) }
  const gone = await signedInUser(db, { now: theNow })
  await pool.query('delete from app_user where user_id = $1', [gone.user_id])
  sent['the session of an account that was erased'] = { headers: cookie(gone.token) }
  const key = (await createKey(db, { name: 'good', tier: 'trader' }, theNow)).text
  sent['a key in Authorization'] = { headers: { authorization: `Bearer ${key}` } }
  sent['a key in X-API-Key'] = { headers: { 'x-api-key': key } }
  sent['a key in the query'] = { apikey: key }
  const revoked = await createKey(db, { name: 'revoked' }, theNow)
  await revokeKey(db, revoked.key.key_id, theNow)
  sent['a key that was revoked'] = { headers: { authorization: `Bearer ${revoked.text}` } }
  sent['a key without data:read'] = { headers: { 'x-api-key': (await createKey(db, { name: 'market', scopes: ['market:read'] }, theNow)).text } }
  const user = await signedInUser(db, { now: theNow })
  sent["a session's text as X-API-Key"] = { headers: { 'x-api-key': user.token } }
  sent["a key's text as cookie"] = { headers: cookie(key) }
  sent["a user's session in the administrator's cookie"] = { headers: adminCookie(user.token) }
  const admin = await signedInUser(db, { now: theNow, kind: 'admin', is_admin: true })
  sent['the session of an administrator'] = { headers: adminCookie(admin.token) }
  sent["an administrator's token"] = { headers: { authorization: `Bearer ${admin.token}` } }
  const former = await signedInUser(db, { now: theNow, kind: 'admin', is_admin: false })
  sent['the session of a former administrator'] = { headers: adminCookie(former.token) }
})

const opened: FastifyInstance[] = []
/** The API over real keys and sessions; `changed`: with other doors than the table's. */
async function appWith(changed: (operation: Operation) => Operation = each => each): Promise<FastifyInstance> {
  const dependencies = { ...fakes({ keys: keyStore(db) }), sessions: { find: (text: string) => findSession(db, text, theNow) } }
  const app = await buildApp(dependencies, operations.map(changed))
  opened.push(app)
  return app
}
afterAll(async () => {
  for (const app of opened) await app.close()
})

async function ask(app: FastifyInstance, operation: Operation, { headers = {}, apikey }: Sent): Promise<number> {
  const request = exampleRequest({ ...operation, access: 'public' }, '')
  const url = apikey === undefined ? request.url : `${request.url}${request.url.includes('?') ? '&' : '?'}apikey=${apikey}`
  return (await app.inject({ ...request, url, headers: { ...request.headers, ...headers } })).statusCode
}
/** The status in the table for an operation and a kind. */
function expected(operation: Operation, kind: string): number {
  const row = table.get(operation.id)
  const verdict = (verdicts[kind] as Verdicts)[row?.access ?? 'admin']
  if (kind === 'the session of an account that is leaving' && row?.while_leaving && row.access === 'user') return operation.success
  return verdict === 'in' ? operation.success : verdict
}

it('gives each operation the access of its row; one that differs from its area is named in api/authorization.table.json', () => {
  for (const { id, access, while_leaving } of operations) expect([id, table.get(id)]).toEqual([id, { access, while_leaving }])
})

it('names only operations of its area', () => {
  for (const [tag, { except = {}, while_leaving = [] }] of Object.entries(areas)) {
    const ids = operations.filter(each => each.tag === tag).map(each => each.id)
    expect([tag, [...Object.values(except).flat(), ...while_leaving].filter(id => !ids.includes(id))]).toEqual([tag, []])
  }
})

describe.each(Object.keys(verdicts))('%s', kind => {
  it('opens what the table lists, and nothing else', async () => {
    const app = await appWith()
    const found: [string, number][] = []
    for (const operation of operations) found.push([operation.id, await ask(app, operation, sent[kind] as Sent)])
    expect(found).toEqual(operations.map(operation => [operation.id, expected(operation, kind)]))
  })
})

describe('a door that was left open', () => {
  const classes = ['session', 'key', 'user', 'admin'] as const
  const weaker: Readonly<Record<(typeof classes)[number], readonly Access[]>> = {
    session: ['public'],
    key: ['public', 'session'],
    user: ['public', 'session'],
    admin: ['public', 'session', 'user'],
  }
  it.each(classes.flatMap(access => weaker[access].map(instead => [access, instead] as const)))(
    'of class %s as %s is seen on every operation of the class',
    async (access, instead) => {
      const app = await appWith(operation => (operation.access === access ? { ...operation, access: instead } : operation))
      for (const operation of operations.filter(each => each.access === access)) {
        const differs: boolean[] = []
        for (const kind of Object.keys(verdicts))
          differs.push((await ask(app, { ...operation, access: instead }, sent[kind] as Sent)) !== expected(operation, kind))
        expect([operation.id, differs.some(Boolean)]).toEqual([operation.id, true])
      }
    },
  )
  it.each([
    ['an account that is switched off', 'the session of an account that was switched off', (each: Session) => ({ ...each, is_active: true })],
    ['an account that is leaving', 'the session of an account that is leaving', (each: Session) => ({ ...each, leaving: false })],
    ['who is an administrator', 'the session of a former administrator', (each: Session) => ({ ...each, is_admin: true })],
    [
      'what a session is for',
      "a user's session in the administrator's cookie",
      (each: Session) => ({ ...each, kind: 'admin' as const, is_admin: true }),
    ],
  ])('by a guard that does not ask for %s is seen', async (_what, kind, blind) => {
    const find = async (text: string): Promise<Session | null> => {
      const found = await findSession(db, text, theNow)
      return found && blind(found)
    }
    const app = await buildApp({ ...fakes({ keys: keyStore(db) }), sessions: { find } }, operations)
    opened.push(app)
    const differs: boolean[] = []
    for (const operation of operations) differs.push((await ask(app, operation, sent[kind] as Sent)) !== expected(operation, kind))
    expect(differs.filter(Boolean).length).toBeGreaterThan(0)
  })
  it('by sessions that are never asked for is seen', async () => {
    const dependencies = { ...fakes({ keys: keyStore(db) }), sessions: { find: async () => null } }
    const app = await buildApp(dependencies, operations)
    opened.push(app)
    const users = operations.filter(each => each.access === 'user')
    for (const operation of users) expect(await ask(app, operation, sent['the session of a user of tier free'] as Sent)).not.toBe(operation.success)
  })
})

it('a text that was never given out is no session', async () => {
  const app = await appWith()
  for (const text of [mintSessionText(), randomBytes(40).toString('hex'), "' or 1=1 --", ''])
    expect(await ask(app, operations.find(each => each.access === 'user') as Operation, { headers: cookie(text) })).toBe(401)
})
