// A person's own sessions, and the password given again for the export and the erasure: JSON and page alike.
import { Secret, TOTP } from 'otpauth'
import { expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openAccounts } from './accounts-ground.ts'

const { ask, confirmed, mailsTo, me, password, pool, post, signIn, site } = openAccounts(await createTestDatabase())
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const user = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${site()}/api/v1/user/${path}`, { ...init, headers: { ...bearer(token), ...init.headers } })
const erase = (token: string): Promise<Response> =>
  user('delete', token, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ confirm: true }) })
const age = (email: string): Promise<unknown> =>
  pool.query("update user_session set proved_at = now() - interval '16 minutes' where user_id = (select user_id from app_user where email = $1)", [
    email,
  ])

type Listed = { id: string; current: boolean; agent: string; address_prefix: string }
const sessionsOf = async (token: string): Promise<Listed[]> => (await ask('GET', 'sessions', undefined, bearer(token))).body['sessions'] as Listed[]

it('a person lists the own sessions and ends one, or all others; another account’s are 404', async () => {
  const [mine, other] = [await confirmed(), await confirmed()]
  const [one, two, three] = [await signIn(mine), await signIn(mine, password, { 'user-agent': 'curl/8' }), await signIn(mine)]
  const theirs = await sessionsOf(await signIn(other))
  const listed = await sessionsOf(two)
  expect([listed.length, listed.filter(each => each.current).length]).toEqual([3, 1])
  expect(listed.find(each => each.current)).toMatchObject({ agent: 'curl', address_prefix: expect.stringMatching(/^2001:db8:[0-9a-f]+::\/48$/) })
  expect(JSON.stringify(listed)).not.toContain('cf_sess')
  expect((await ask('DELETE', `sessions/${theirs[0]?.id}`, undefined, bearer(two))).status).toBe(404)
  const first = (await sessionsOf(one)).find(each => each.current)?.id
  expect((await ask('DELETE', `sessions/${first}`, undefined, bearer(two))).status).toBe(204)
  expect((await ask('DELETE', `sessions/${first}`, undefined, bearer(two))).status).toBe(404)
  expect([(await me(one)).status, (await me(three)).status]).toEqual([401, 200])
  expect((await ask('DELETE', 'sessions', undefined, bearer(two))).status).toBe(204)
  expect([(await me(three)).status, (await me(two)).status]).toEqual([401, 200])
}, 60_000)

it('export and erasure need the password of the last 15 minutes; giving it again replaces the session', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  expect((await user('export', token)).status).toBe(200)
  await age(email)
  for (const refused of [await user('export', token), await erase(token)]) {
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ hint: expect.stringContaining('/api/v1/auth/prove') })
  }
  expect((await post('prove', { password: 'not the password' }, bearer(token))).status).toBe(403)
  expect((await me(token)).status).toBe(200)
  const proved = await post('prove', { password }, bearer(token))
  expect(proved.status).toBe(200)
  expect((await me(token)).status).toBe(401)
  const renewed = String(proved.body['access_token'])
  expect((await user('export', renewed)).status).toBe(200)
  const queued = await erase(renewed)
  expect(queued.status).toBe(202)
  expect(await queued.json()).toMatchObject({ ends: expect.arrayContaining(['all API keys']), cancelling: expect.stringContaining('not API keys') })
  expect((await mailsTo(email)).at(-1)?.body).toContain('not API keys')
}, 60_000)

it('the page of sessions and data works without script, asks for the password, and says what it ends', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  const cookie = { cookie: `service_session=${token}` }
  const open = async (): Promise<string> => await (await fetch(`${site()}/account/security`, { headers: cookie })).text()
  const html = await open()
  const form = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
  expect(html).toContain('This ends at once: all sessions, all API keys')
  expect(html).not.toContain('<script')
  const submit = (path: string, fields: Record<string, string>): Promise<Response> =>
    fetch(`${site()}/account/security/${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields),
    })
  for (const path of ['export', 'erase']) {
    const wrong = await submit(path, { token: form, password: 'not the password' })
    expect([wrong.status, (await wrong.text()).includes('The password is not right.')]).toEqual([200, true])
    expect((await submit(path, { token: 'another', password })).headers.get('location')).toBe('/account/security?said=stale')
  }
  const file = await submit('export', { token: form, password })
  expect(file.headers.get('content-disposition')).toContain('crossfile-export.json')
  expect(await file.text()).toContain(email)
  await signIn(email)
  expect((await submit('sessions/end-others', { token: form })).headers.get('location')).toBe('/account/security?said=ended_others')
  const erased = await submit('erase', { token: form, password })
  expect(await erased.text()).toContain('Keep my account')
  expect((await me(token)).status).toBe(401)
  expect((await fetch(`${site()}/account/security`)).status).toBe(200)
}, 60_000)

it('a second factor is set up by its first code, asked for at every sign-in from then on, and replaced by a recovery code once', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  const begun = await post('totp/enrol', undefined, bearer(token))
  expect(begun.status).toBe(201)
  expect(begun.body['qr_svg']).toMatch(/^<svg .*<path fill="#000" d="M\d+ \d+h1v1h-1z/)
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun.body['secret'])) })
  const codeAt = (steps: number): string => totp.generate({ timestamp: Date.now() + steps * 30_000 })
  const wrong = String((Number(codeAt(0)) + 500_001) % 1_000_000).padStart(6, '0')
  expect((await post('totp/confirm', { totp_code: wrong }, bearer(token))).status).toBe(403)
  const done = await post('totp/confirm', { totp_code: codeAt(-1) }, bearer(token))
  const recovery = done.body['recovery_codes'] as string[]
  expect([done.status, recovery.length]).toEqual([200, 10])
  expect((await ask('GET', 'totp', undefined, bearer(token))).body).toEqual({ totp_enrolled: true, recovery_codes_left: 10 })
  expect((await post('login', { email, password })).status).toBe(401)
  expect((await post('login', { email, password: 'not the password', totp_code: recovery[0] })).status).toBe(401)
  expect((await post('login', { email, password, totp_code: recovery[0] })).status).toBe(200)
  expect((await post('login', { email, password, totp_code: recovery[0] })).status).toBe(401)
  expect((await post('prove', { password }, bearer(token))).status).toBe(403)
  const proved = await post('prove', { password, totp_code: codeAt(1) }, bearer(token))
  expect(proved.status).toBe(200)
  expect((await ask('DELETE', 'totp', undefined, bearer(String(proved.body['access_token'])))).status).toBe(204)
  expect((await post('login', { email, password })).status).toBe(200)
}, 60_000)
