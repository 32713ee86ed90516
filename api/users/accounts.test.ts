// Accounts and sessions through the whole service: no response reveals whether an address has an account, and a new password ends what the
// old one opened.
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { AuthResponse, Profile } from '#schemas/accounts.ts'
import { createPasswords, currentCost, parsePhc, pepperName } from '#warehouse/people/users/passwords.ts'
import { openSession } from '#warehouse/people/users/sign-in.ts'
import { keysFolderOf, readKeyFiles } from '#warehouse/store/key-files.ts'
import { type Answer, openAccounts } from './test-accounts.ts'

const { ask, confirmed, db, folder, lastToken, mailsTo, me, newEmail, password, pool, post, publicUrl, signIn } = openAccounts(
  await createTestDatabase(),
)

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
    const [cookie = '', device = ''] = headers.getSetCookie()
    expect(device).toMatch(/^service_device=[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; Secure; SameSite=Strict$/)
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
    const requested = { current_password: password, new_password: 'walnut harbour ninety' }
    const wrong = await post('change-password', { ...requested, current_password: 'not the password' }, { authorization: `Bearer ${one}` })
    expect([wrong.status, wrong.body['code']]).toEqual([403, 'forbidden'])
    const same = await post('change-password', { ...requested, new_password: password }, { authorization: `Bearer ${one}` })
    expect(same.status).toBe(422)
    const changed = await post('change-password', requested, { cookie: `service_session=${one}` })
    expect(changed.status).toBe(200)
    const fresh = AuthResponse.parse(changed.body).access_token
    expect(changed.headers.get('set-cookie')).toContain(fresh)
    expect([(await me(one)).status, (await me(other)).status, (await me(fresh)).status]).toEqual([401, 401, 200])
    expect((await post('login', { email, password })).status).toBe(401)
    await signIn(email, requested.new_password)
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
  it('with weaker parameters is replaced at the next sign-in, and the password stays valid', async () => {
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
    const { rows } = await pool.query<{ user_id: string; password_hash: string; subject_key: Buffer }>(
      'select user_id, password_hash, subject_key from app_user where email = $1',
      [email],
    )
    const [user] = rows
    if (!user) throw new TypeError('no such user')
    const visitor = { address_prefix: '192.0.2.0/24', agent: 'Firefox' }
    await post('password-reset', { email })
    await post('password-reset/confirm', { token: await lastToken(email), new_password: 'walnut harbour ninety' })
    await expect(
      openSession(db, user, 'user', { visitor, origin: { address: '192.0.2.1', devices: [] }, before: null }, new Date()),
    ).rejects.toMatchObject({ status: 401 })
    expect((await pool.query('select from user_session where user_id = $1', [user.user_id])).rowCount).toBe(0)
  })
})

describe('any client', () => {
  it('gets the same answer for an address with an account and without; only the mail differs', async () => {
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
  it('gets a hint, and its input is not repeated', async () => {
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
