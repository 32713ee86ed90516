// A person's own sessions, and the password given again for the export and the erasure: JSON and page alike.
import { Secret, TOTP, URI } from 'otpauth'
import { expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openAccounts } from './test-accounts.ts'

const { ask, confirmed, mailsTo, me, password, pool, post, signIn, site } = openAccounts(await createTestDatabase())
/** Milliseconds by which the service's clock, which is the database's, is ahead of this process's. */
const skewMs = Number((await pool.query('select extract(epoch from clock_timestamp()) * 1000 as now')).rows[0].now) - Date.now()
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
})

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
})

it('the page of sessions and data works without script, asks for the password, and shows what it ends', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  const cookie = { cookie: `service_session=${token}` }
  const open = async (): Promise<string> => await (await fetch(`${site()}/account/security`, { headers: cookie })).text()
  const html = await open()
  const form = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
  expect(html).toContain('This ends immediately: all sessions, all API keys')
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
    expect((await submit(path, { token: 'another', password })).headers.get('location')).toBe('/account/security?notice=stale')
  }
  const file = await submit('export', { token: form, password })
  expect(file.headers.get('content-disposition')).toContain('crossfile-export.json')
  expect(await file.text()).toContain(email)
  await signIn(email)
  expect((await submit('sessions/end-others', { token: form })).headers.get('location')).toBe('/account/security?notice=ended_others')
  const erased = await submit('erase', { token: form, password })
  expect(await erased.text()).toContain('Keep my account')
  expect((await me(token)).status).toBe(401)
  expect((await fetch(`${site()}/account/security`)).status).toBe(200)
})

it('a second factor is set up by its first code, asked for at every sign-in from then on, and replaced by a recovery code once', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  const begun = await post('totp/enrol', undefined, bearer(token))
  expect(begun.status).toBe(201)
  expect(begun.body['qr_svg']).toMatch(/^<svg .*<path fill="#000" d="M\d+ \d+h1v1h-1z/)
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun.body['secret'])) })
  const codeAt = (steps: number): string => totp.generate({ timestamp: Date.now() + skewMs + steps * 30_000 })
  const wrong = String((Number(codeAt(0)) + 500_001) % 1_000_000).padStart(6, '0')
  expect((await post('totp/confirm', { totp_code: wrong }, bearer(token))).status).toBe(403)
  const done = await post('totp/confirm', { totp_code: codeAt(0) }, bearer(token))
  const recovery = done.body['recovery_codes'] as string[]
  expect([done.status, recovery.length]).toEqual([200, 10])
  expect((await ask('GET', 'totp', undefined, bearer(token))).body).toEqual({ totp_enrolled: true, recovery_codes_left: 10 })
  expect((await post('login', { email, password })).status).toBe(401)
  expect((await post('login', { email, password: 'not the password', totp_code: recovery[0] })).status).toBe(401)
  expect((await post('login', { email, password, totp_code: recovery[0] })).status).toBe(200)
  expect((await post('login', { email, password, totp_code: recovery[0] })).status).toBe(401)
  expect((await post('prove', { password }, bearer(token))).status).toBe(403)
  // Another person with the password uses up the attempts: the owner's session and devices have separate ones.
  for (let at = 0; at < 6; at += 1) expect((await post('login', { email, password, totp_code: wrong })).status).toBe(401)
  const proved = await post('prove', { password, totp_code: codeAt(1) }, bearer(token))
  expect(proved.status).toBe(200)
  expect((await ask('DELETE', 'totp', undefined, bearer(String(proved.body['access_token'])))).status).toBe(204)
  expect((await post('login', { email, password })).status).toBe(200)
  expect((await mailsTo(email)).slice(-2).map(each => each.kind)).toEqual(['second_factor_on', 'second_factor_off'])
})

it('the page sets the second factor up by its QR code’s key, takes another try after a wrong code, and removes it; each is mailed', async () => {
  const email = await confirmed()
  const cookie = { cookie: `service_session=${await signIn(email)}` }
  const open = async (path: string): Promise<string> => await (await fetch(site() + path, { headers: cookie })).text()
  const form = /name="token" value="([^"]+)"/.exec(await open('/account/security'))?.[1] ?? ''
  const send = (path: string, fields: Record<string, string>, signedIn = cookie): Promise<Response> =>
    fetch(`${site()}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...signedIn, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields),
    })
  const submit = (path: string, fields: Record<string, string>): Promise<Response> => send(path, { token: form, ...fields })
  const [enrol, confirm, remove] = ['enrol', 'confirm', 'remove'].map(each => `/account/security/totp/${each}`) as [string, string, string]
  expect((await submit(confirm, { totp_code: '123456' })).headers.get('location')).toBe('/account/security?notice=factor_expired')
  expect(await (await submit(enrol, { password: 'not the password' })).text()).toMatch(/id="totp-password-fault">The password is not right\./)
  expect((await submit(enrol, { password, token: 'another' })).headers.get('location')).toBe('/account/security?notice=stale')
  const shown = await (await submit(enrol, { password })).text()
  const link = /<a href="(otpauth:[^"]+)"/.exec(shown)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const totp = URI.parse(link) as TOTP
  expect(shown).toContain(`<code>${totp.secret.base32.match(/.{4}/g)?.join(' ')}</code>`)
  expect(shown).toContain('<svg ')
  const codeAt = (steps: number): string => totp.generate({ timestamp: Date.now() + skewMs + steps * 30_000 })
  const wrong = String((Number(codeAt(0)) + 500_001) % 1_000_000).padStart(6, '0')
  const again = await (await submit(confirm, { totp_code: wrong })).text()
  expect(again).toContain('id="confirm-totp_code-fault"')
  expect(again).toContain(`action="${confirm}"`)
  expect(again).not.toContain(totp.secret.base32.slice(0, 4))
  const done = await (await submit(confirm, { totp_code: codeAt(0) })).text()
  const codes = /<pre[^>]*><code>([^<]+)</.exec(done)?.[1]?.split('\n') ?? []
  expect(codes).toHaveLength(10)
  expect((await submit(confirm, { totp_code: codeAt(0) })).headers.get('location')).toBe('/account/security?notice=factor_on')
  expect(await open('/account/security')).toContain('Recovery codes left: 10 of 10')
  const signInByForm = (fields: Record<string, string>): Promise<Response> =>
    send('/developer/sign-in', { email, password, ...fields }, { cookie: '' })
  const requested = await (await signInByForm({})).text()
  expect(requested).toMatch(/id="sign-in-totp_code-fault">This account also requires a code from its authenticator; type the password again too\./)
  expect((await signInByForm({ totp_code: codes[0] ?? '' })).headers.get('location')).toBe('/developer?notice=signed_in')
  expect(await (await signInByForm({ totp_code: codes[0] ?? '' })).text()).toContain('id="sign-in-totp_code-fault"')
  expect(await (await submit(remove, { password })).text()).toContain('id="totp-totp_code-fault"')
  expect((await submit(remove, { password, totp_code: codes[1] ?? '' })).headers.get('location')).toBe('/account/security?notice=factor_removed')
  expect((await signInByForm({})).headers.get('location')).toBe('/developer?notice=signed_in')
  const [on, off] = (await mailsTo(email)).slice(-2)
  expect([on?.kind, off?.kind]).toEqual(['second_factor_on', 'second_factor_off'])
  for (const secret of [...codes, totp.secret.base32]) expect(`${on?.body}${off?.body}`).not.toContain(secret)
})

it('a queued erasure is shown with its day on the page that keeps the account', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  expect((await erase(token)).status).toBe(202)
  const requested = await pool.query<{ at: Date }>('select erasure_requested_at as at from app_user where email = $1', [email])
  const day = new Date(Number(new Date(requested.rows[0]?.at ?? 0)) + 30 * 86_400_000).toISOString().slice(0, 10)
  const html = await (await fetch(`${site()}/account/security`, { headers: { cookie: `service_session=${await signIn(email)}` } })).text()
  expect(html).toMatch(new RegExp(`After <time[^>]*>${day} \\d\\d:\\d\\d UTC</time> all data stored about you is deleted`))
  expect(html).toContain('action="/account/security/keep"')
  expect(html).toContain('action="/developer/sign-out"')
})
