// Accounts and sessions through the whole service: nobody learns whether an address has an account, links are good for one use, and
// a new password ends what the old one opened.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { AuthResponse, Profile } from '#schemas/accounts.ts'
import { loadConfig } from '#schemas/config.ts'
import { connect } from '#warehouse/postgres.ts'
import { installQueue } from '#warehouse/queue.ts'
import { keysFolderOf, readKeyFiles } from '#warehouse/users/key-files.ts'
import { createPasswords, currentCost, parsePhc, pepperName } from '#warehouse/users/passwords.ts'
import { openSession } from '#warehouse/users/sign-in.ts'
import { type Server, startServer } from '../server.ts'

const url = await createTestDatabase()
const { db, pool, close } = connect(url)
const folder = mkdtempSync(join(tmpdir(), 'crossfile-accounts-'))
const publicUrl = 'https://crossfile.example.org'
let server: Server
beforeAll(async () => {
  await installQueue(url)
  const env = {
    DATABASE_URL: url,
    CROSSFILE_DATA: folder,
    CROSSFILE_LOG: 'silent',
    PORT: '0',
    CROSSFILE_PUBLIC_URL: publicUrl,
    CROSSFILE_TRUSTED_PROXIES: '127.0.0.1',
  }
  server = await startServer(loadConfig(env))
})
afterAll(async () => {
  await server.close()
  await close()
  rmSync(folder, { recursive: true, force: true })
})

type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown>; readonly text: string }
let addresses = 0
/** An address of its own for each test that fails on purpose: failures are counted by it. */
const newAddress = (): string => {
  addresses += 1
  return `2001:db8:${addresses.toString(16)}::1`
}
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${server.address}/api/v1/auth/${path}`, {
    method,
    headers: { 'x-forwarded-for': newAddress(), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), text }
}
const post = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => ask('POST', path, body, headers)
const me = (token: string): Promise<Answer> => ask('GET', 'me', undefined, { authorization: `Bearer ${token}` })

let people = 0
const newEmail = (): string => {
  people += 1
  return `person.${people}@example.org`
}
const password = 'tulip-kettle-brisk'
type Mailed = { kind: string; subject: string; body: string; to_address: string }
async function mailsTo(email: string): Promise<Mailed[]> {
  return (await pool.query<Mailed>('select kind, subject, body, to_address from mail_outbox where to_address = $1 order by mail_id', [email])).rows
}
async function lastToken(email: string): Promise<string> {
  const token = /[?]token=([A-Za-z0-9_-]+)/.exec((await mailsTo(email)).at(-1)?.body ?? '')?.[1]
  if (token === undefined) throw new TypeError(`no link was mailed to ${email}`)
  return token
}
async function confirmed(email = newEmail(), full_name: string | null = null): Promise<string> {
  expect((await post('register', { email, password, full_name })).status).toBe(202)
  expect((await post('verify-email', { token: await lastToken(email) })).status).toBe(200)
  return email
}
async function signIn(email: string, secret = password, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await post('login', { email, password: secret }, headers)
  expect(status).toBe(200)
  return String(body['access_token'])
}

describe('an account', () => {
  it('is registered, confirmed by mail, and signed in to: cookie and token are one session', async () => {
    const email = newEmail()
    const registered = await post('register', { email, password, full_name: ' Jane Roe ' })
    expect([registered.status, registered.body['status']]).toEqual([202, 'accepted'])
    const [mail] = await mailsTo(email)
    expect(mail?.body).toContain(`${publicUrl}/account/verify-email?token=`)
    const early = await post('login', { email, password })
    expect([early.status, early.headers.get('www-authenticate')]).toEqual([401, 'Session realm="api"'])
    expect((await post('verify-email', { token: await lastToken(email) })).body['status']).toBe('verified')
    const { status, body, headers } = await post('login', { email: email.toUpperCase(), password })
    expect(status).toBe(200)
    const answer = AuthResponse.parse(body)
    expect(answer.user).toMatchObject({ email, full_name: 'Jane Roe', display_name: null, tier: 'free', email_verified: true })
    const cookie = headers.get('set-cookie') ?? ''
    expect(cookie).toBe(`service_session=${answer.access_token}; Path=/; Max-Age=1209600; HttpOnly; Secure; SameSite=Lax`)
    expect(headers.get('cache-control')).toBe('no-store')
    const byToken = await me(answer.access_token)
    const byCookie = await ask('GET', 'me', undefined, { cookie: `service_session=${answer.access_token}` })
    expect(byToken.text).toBe(byCookie.text)
    expect(Profile.parse(byToken.body)).toMatchObject({ id: answer.user.id, email, queries_today: 0, billing_status: 'none', is_active: true })
    expect(Object.keys(byToken.body).sort()).toEqual(Object.keys(Profile.shape).sort())
    const { rows } = await pool.query<{ password_hash: string }>('select password_hash from app_user where email = $1', [email])
    expect(parsePhc(rows[0]?.password_hash ?? '')).toMatchObject({ cost: { memory: 65_536, passes: 3, parallelism: 1 }, pepper: 1 })
  })
  it('ends a session at sign-out: cookie and token are worth nothing, others go on', async () => {
    const email = await confirmed()
    const [one, other] = [await signIn(email), await signIn(email)]
    const out = await post('logout', undefined, { cookie: `service_session=${one}` })
    expect([out.status, out.text, out.headers.get('set-cookie')]).toEqual([
      204,
      '',
      'service_session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
    ])
    expect((await me(one)).status).toBe(401)
    expect((await ask('GET', 'me', undefined, { cookie: `service_session=${one}` })).status).toBe(401)
    expect((await me(other)).status).toBe(200)
    expect((await post('logout')).status).toBe(401)
  })
  it('gets a new session at each sign-in, and the browser’s earlier one ends', async () => {
    const email = await confirmed()
    const planted = await signIn(email)
    const again = await signIn(email, password, { cookie: `service_session=${planted}` })
    expect(again).not.toBe(planted)
    expect([(await me(planted)).status, (await me(again)).status]).toEqual([401, 200])
  })
  it('changes its password: every session ends but the new one that is answered', async () => {
    const email = await confirmed()
    const [one, other] = [await signIn(email), await signIn(email)]
    const asked = { current_password: password, new_password: 'walnut harbour ninety' }
    const wrong = await post('change-password', { ...asked, current_password: 'not the password' }, { authorization: `Bearer ${one}` })
    expect([wrong.status, wrong.body['code']]).toEqual([403, 'forbidden'])
    const same = await post('change-password', { ...asked, new_password: password }, { authorization: `Bearer ${one}` })
    expect(same.status).toBe(422)
    const changed = await post('change-password', asked, { cookie: `service_session=${one}` })
    expect(changed.status).toBe(200)
    const fresh = AuthResponse.parse(changed.body).access_token
    expect(changed.headers.get('set-cookie')).toContain(fresh)
    expect([(await me(one)).status, (await me(other)).status, (await me(fresh)).status]).toEqual([401, 401, 200])
    expect((await post('login', { email, password })).status).toBe(401)
    await signIn(email, asked.new_password)
    expect((await mailsTo(email)).at(-1)?.kind).toBe('password_changed')
  })
  it('is rectified, once for each Idempotency-Key, by its holder alone', async () => {
    const [a, b] = [await confirmed(newEmail(), 'Ann'), await confirmed(newEmail(), 'Bob')]
    const [tokenA, tokenB] = [await signIn(a), await signIn(b)]
    const patch = (body: object, key: string) => ask('PATCH', 'me', body, { authorization: `Bearer ${tokenA}`, 'idempotency-key': key })
    const first = await patch({ display_name: 'A' }, 'k1')
    expect([first.status, first.body['display_name'], first.body['full_name']]).toEqual([200, 'A', 'Ann'])
    await patch({ full_name: null }, 'k2')
    const again = await patch({ display_name: 'A' }, 'k1')
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
    expect((await patch({ display_name: 'B' }, 'k1')).status).toBe(409)
    for (const body of [{ tier: 'prime' }, { is_admin: true }, { display_name: 'x'.repeat(101) }, { full_name: 'a\nb' }, { display_name: ' ' }])
      expect((await patch(body, 'k3')).status).toBe(422)
    expect((await me(tokenB)).body).toMatchObject({ email: b, full_name: 'Bob', display_name: null })
    expect((await me(tokenA)).body).toMatchObject({ email: a, full_name: null, display_name: 'A', tier: 'free' })
  })
})

describe('a stored password', () => {
  it('that was made with less is made anew at the next sign-in, and goes on being the password', async () => {
    const email = await confirmed()
    const before = createPasswords(() => readKeyFiles(keysFolderOf(folder), pepperName), { memory: 1024, passes: 1, parallelism: 1 })
    await pool.query('update app_user set password_hash = $1 where email = $2', [await before.hash(password), email])
    await signIn(email)
    const { rows } = await pool.query<{ password_hash: string }>('select password_hash from app_user where email = $1', [email])
    expect(parsePhc(rows[0]?.password_hash ?? '').cost).toEqual(currentCost)
    await signIn(email)
  })
  it('that was changed while it was checked opens no session any more', async () => {
    const email = await confirmed()
    const { rows } = await pool.query<{ user_id: string; password_hash: string }>('select user_id, password_hash from app_user where email = $1', [
      email,
    ])
    const [user] = rows
    if (!user) throw new TypeError('no such user')
    const visitor = { address_prefix: '192.0.2.0/24', agent: 'Firefox' }
    await post('password-reset', { email })
    await post('password-reset/confirm', { token: await lastToken(email), new_password: 'walnut harbour ninety' })
    await expect(openSession(db, user, 'user', visitor, null, new Date())).rejects.toMatchObject({ status: 401 })
    expect((await pool.query('select from user_session where user_id = $1', [user.user_id])).rowCount).toBe(0)
  })
})

describe('whoever asks', () => {
  it('is answered the same of an address with an account and of one without; the mail tells the truth', async () => {
    const known = await confirmed()
    const unconfirmed = newEmail()
    await post('register', { email: unconfirmed, password })
    const same = (answers: Answer[]): void => {
      const seen = answers.map(({ status, text, headers }) => {
        const names = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name))
        return JSON.stringify([status, text.replaceAll(/"X-Request-Id"/g, ''), names])
      })
      expect(new Set(seen).size).toBe(1)
    }
    const others = { known, unconfirmed, unknown: newEmail() }
    same(await Promise.all(Object.values(others).map(email => post('password-reset', { email }))))
    same(await Promise.all(Object.values(others).map(email => post('login', { email, password: 'not the password' }))))
    same([await post('login', { email: unconfirmed, password }), await post('login', { email: newEmail(), password })])
    same(await Promise.all([known, unconfirmed, newEmail()].map(email => post('register', { email, password }))))
    expect((await mailsTo(known)).map(mail => mail.kind)).toEqual(['verify_email', 'reset_password', 'already_registered'])
    expect((await mailsTo(unconfirmed)).map(mail => mail.kind)).toEqual(['verify_email', 'reset_password', 'register_again'])
    expect(await mailsTo(others.unknown)).toEqual([])
  })
  it('cannot plant a password in an account that another registers later', async () => {
    const email = newEmail()
    await post('register', { email, password: 'a stranger’s own choice' })
    await post('register', { email, password })
    const token = await lastToken(email)
    expect((await post('password-reset/confirm', { token, new_password: 'walnut harbour ninety' })).status).toBe(200)
    expect((await post('login', { email, password: 'a stranger’s own choice' })).status).toBe(401)
    await signIn(email, 'walnut harbour ninety')
  })
  it('floods no mailbox', async () => {
    const email = await confirmed()
    for (let n = 0; n < 6; n += 1) {
      await post('password-reset', { email })
      await post('register', { email, password })
    }
    expect((await mailsTo(email)).map(mail => mail.kind).sort()).toEqual([
      'already_registered',
      'reset_password',
      'reset_password',
      'reset_password',
      'verify_email',
    ])
  })
  it('is told what to change, and hears nothing again of what was sent', async () => {
    const canary = 'canary-Zq81!xx'
    const wrong: readonly (readonly [string, unknown, number])[] = [
      ['register', { email: 'no address', password: canary }, 422],
      ['register', { email: newEmail(), password: 'short' }, 422],
      ['register', { email: newEmail(), password: 'Password2026!' }, 422],
      ['register', { email: 'jonathan.quill@example.org', password: 'jonathanquill' }, 422],
      ['register', { email: newEmail(), password: `${canary.repeat(19)}` }, 422],
      ['register', { email: newEmail(), password, tier: 'prime' }, 422],
      ['login', { email: newEmail() }, 422],
      ['login', `{"email": "${newEmail()}", "password": "${canary}"`, 400],
      ['verify-email', { token: canary }, 400],
      ['password-reset/confirm', { token: canary, new_password: `${canary}${canary}` }, 400],
    ]
    for (const [path, body, status] of wrong) {
      const answer = await post(path, body)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.body['hint']).toEqual(expect.any(String))
      expect(answer.text).not.toContain(canary)
    }
    const { rows } = await pool.query<{ all: string }>('select count(*)::text as all from app_user where email like $1', ['%quill%'])
    expect(rows[0]?.all).toBe('0')
  })
  it('of another site’s page is refused, whatever it posts', async () => {
    const email = await confirmed()
    const token = await signIn(email)
    const foreign: Record<string, string>[] = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]
    for (const headers of foreign)
      for (const path of ['login', 'register', 'logout', 'change-password', 'password-reset'])
        expect((await post(path, { email, password }, { ...headers, cookie: `service_session=${token}` })).status).toBe(403)
    expect((await me(token)).status).toBe(200)
    expect((await post('login', JSON.stringify({ email, password }), { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('a mailed link', () => {
  it('is good for one of a thousand uses at the same time', async () => {
    const email = newEmail()
    await post('register', { email, password })
    const verify = await lastToken(email)
    const flood = async (path: string, body: object): Promise<Map<number, number>> => {
      const counts = new Map<number, number>()
      const answers = await Promise.all(Array.from({ length: 1000 }, () => post(path, body)))
      for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
      return counts
    }
    const verified = await flood('verify-email', { token: verify })
    expect([verified.get(200), verified.get(400)]).toEqual([1, 999])
    const session = await signIn(email)
    await post('password-reset', { email })
    const counts = await flood('password-reset/confirm', { token: await lastToken(email), new_password: 'walnut harbour ninety' })
    expect([counts.get(200), counts.get(400)]).toEqual([1, 999])
    expect((await me(session)).status).toBe(401)
    await signIn(email, 'walnut harbour ninety')
  }, 60_000)
  it('ends with its time, with the next password, and is of one purpose', async () => {
    const email = await confirmed()
    await post('password-reset', { email })
    const first = await lastToken(email)
    await post('password-reset', { email })
    const second = await lastToken(email)
    expect((await post('verify-email', { token: first })).status).toBe(400)
    const refused = await post('password-reset/confirm', { token: second, new_password: 'Password2026!' })
    expect(refused.status).toBe(422)
    expect((await post('password-reset/confirm', { token: second, new_password: 'walnut harbour ninety' })).status).toBe(200)
    expect((await post('password-reset/confirm', { token: first, new_password: 'another good one 7' })).status).toBe(400)
    await post('password-reset', { email })
    const late = await lastToken(email)
    await pool.query("update one_time_token set expires_at = now() - interval '1 second' where used_at is null")
    expect((await post('password-reset/confirm', { token: late, new_password: 'another good one 7' })).status).toBe(400)
  })
})

describe('signing in', () => {
  it('is followed by pauses after failures, for a known and an unknown address alike, and is locked for nobody', async () => {
    const statuses = async (email: string): Promise<unknown[]> => {
      const from = { 'x-forwarded-for': newAddress() }
      const fail = () => post('login', { email, password: 'not the password' }, from)
      const first = await fail()
      // So many failures that the next pause is the longest: what the pauses are is told by warehouse/users/throttle.test.ts.
      await pool.query("update sign_in_failure set failures = 30 where bucket like 'pair %' and failures > 0")
      const [second, third] = [await fail(), await fail()]
      const elsewhere = await post('login', { email, password: 'not the password' })
      const wait = Number(third.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(200)
      expect(wait).toBeLessThanOrEqual(300)
      expect(third.body['code']).toBe('rate_limited')
      return [first.status, second.status, third.status, elsewhere.status]
    }
    const known = await confirmed()
    const [a, b] = [await statuses(known), await statuses(newEmail())]
    expect(a).toEqual([401, 401, 429, 401])
    expect(b).toEqual(a)
    await signIn(known)
  })
  it('refuses an account that the operator disabled, with the right password only', async () => {
    const email = await confirmed()
    const token = await signIn(email)
    await pool.query('update app_user set is_active = false where email = $1', [email])
    expect((await post('login', { email, password })).status).toBe(403)
    expect((await post('login', { email, password: 'not the password' })).status).toBe(401)
    expect((await me(token)).status).toBe(403)
  })
})

it('sessions of two people follow their model through any sequence of signing in, out and changing passwords', async () => {
  const secrets = ['tulip-kettle-brisk', 'walnut harbour ninety', 'copper swift lantern']
  type Person = { email: string; secret: number; live: string[]; ended: string[] }
  const step = fc.record({ who: fc.nat(1), act: fc.constantFrom('in', 'in', 'out', 'change', 'wrong'), pick: fc.nat(9) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async steps => {
      const persons: Person[] = [0, 1].map(() => ({ email: '', secret: 0, live: [], ended: [] }))
      for (const person of persons) person.email = await confirmed()
      for (const { who, act, pick } of steps) {
        const person = persons[who] as Person
        const token = person.live[pick % Math.max(person.live.length, 1)]
        if (act === 'in') person.live.push(await signIn(person.email, secrets[person.secret]))
        if (act === 'wrong') expect((await post('login', { email: person.email, password: secrets[(person.secret + 1) % 3] })).status).toBe(401)
        if (token === undefined) continue
        if (act === 'out') {
          expect((await post('logout', undefined, { authorization: `Bearer ${token}` })).status).toBe(204)
          person.live.splice(person.live.indexOf(token), 1)
          person.ended.push(token)
        }
        if (act === 'change') {
          const next = (person.secret + 1) % 3
          const asked = { current_password: secrets[person.secret], new_password: secrets[next] }
          const { status, body } = await post('change-password', asked, { authorization: `Bearer ${token}` })
          expect(status).toBe(200)
          person.ended.push(...person.live)
          Object.assign(person, { secret: next, live: [String(body['access_token'])] })
        }
      }
      for (const { email, live, ended } of persons) {
        for (const token of live) expect((await me(token)).body['email']).toBe(email)
        for (const token of ended) expect((await me(token)).status).toBe(401)
      }
    }),
    { numRuns: 6 },
  )
}, 120_000)

it('passwords, tokens and texts of sessions are nowhere in the database but in mail that waits', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  await post('password-reset', { email })
  const reset = await lastToken(email)
  const { rows } = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema in ('public', 'pgboss')",
  )
  for (const { name } of rows.filter(row => row.name !== 'mail_outbox')) {
    const schema = (await pool.query("select from information_schema.tables where table_schema = 'public' and table_name = $1", [name])).rowCount
      ? 'public'
      : 'pgboss'
    const all = JSON.stringify((await pool.query(`select * from ${schema}."${name}"`)).rows)
    for (const secret of [password, token, token.slice(8), reset]) expect([name, all.includes(secret)]).toEqual([name, false])
  }
  expect(await db.selectFrom('app_user').select('user_id').where('email', '=', email).execute()).toHaveLength(1)
})
