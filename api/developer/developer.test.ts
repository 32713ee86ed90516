import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { emptyService, send } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { type Server, startServer } from '../server.ts'

const { config, db, pool, server } = await emptyService()

type Page = { readonly status: number; readonly html: string; readonly headers: Headers; readonly path: string }
type Sent = Readonly<Record<string, string | readonly string[]>>

/** An account whose address is confirmed. */
async function accountOf(email: string): Promise<{ email: string; password: string }> {
  const password = 'plum harbour sixteen kites'
  const post = (path: string, body: object): Promise<Response> => send(`${server.address}/api/v1/auth/${path}`, { body })
  expect((await post('register', { email, password })).status).toBe(202)
  const mailed = await pool.query<{ body: string }>("select body from mail_outbox where to_address = $1 and kind = 'verify_email'", [email])
  const token = /token=([\w-]+)/.exec(mailed.rows[0]?.body ?? '')?.[1]
  expect((await post('verify-email', { token })).status).toBe(200)
  return { email, password }
}

/** A browser: one cookie jar, and the page that it shows. `keeps`: false for one that drops every cookie. */
function browser(cookie = '', { keeps = true } = {}) {
  const jar = new Map(cookie === '' ? [] : [cookie.split('=', 2) as [string, string]])
  let shown: Page
  async function ask(path: string, init: RequestInit = {}): Promise<Page> {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(server.address + path, { ...init, redirect: 'manual', headers: { ...init.headers, cookie: cookies } })
    // A quick machine asks for more pages than one address may within a second.
    if (response.status === 429) {
      await sleep(1000 * Number(response.headers.get('retry-after')))
      return await ask(path, init)
    }
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split('=', 2) ?? []
      if (value === '') jar.delete(name)
      else if (keeps) jar.set(name, value)
    }
    const to = response.headers.get('location')
    if (response.status === 303 && to !== null) return await ask(to)
    shown = { status: response.status, html: await response.text(), headers: response.headers, path }
    return shown
  }
  return {
    jar,
    go: (path = '/developer') => ask(path),
    /** Posts the form whose action ends so, with its hidden fields and what is typed. */
    async submit(action: string, typed: Sent = {}, headers: Record<string, string> = {}): Promise<Page> {
      const form = [...shown.html.matchAll(/<form[^>]* action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].find(each => each[1]?.endsWith(action))
      if (!form) throw new Error(`no form ${action}`)
      const fields = new URLSearchParams()
      for (const [, name = '', value = ''] of (form[2] ?? '').matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)) fields.set(name, value)
      for (const [name, value] of Object.entries(typed)) {
        fields.delete(name)
        for (const each of [value].flat()) fields.append(name, each)
      }
      const own = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', origin: server.address }
      return await ask(form[1] as string, { method: 'POST', headers: { ...own, ...headers }, body: fields.toString() })
    },
  }
}
const key = { name: 'a program', scopes: ['data:read'], expires_in_days: '90', allowed_addresses: '' }
const shownKey = (page: Page): string => /id="new-key"[^>]* value="(cf_live_[^"]+)"/.exec(page.html)?.[1] ?? ''
const health = async (text: string): Promise<number> =>
  (await fetch(`${server.address}/api/v1/data/health`, { headers: { 'x-api-key': text } })).status
const liveKeys = async (userId: string): Promise<number> =>
  (await pool.query('select from api_key where owner = $1 and revoked_at is null', [userId])).rowCount ?? 0

describe('the developer page', () => {
  it('runs nothing, loads nothing but its style, and is never kept', async () => {
    const { html, headers } = await browser().go()
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:/i)
    expect(html).toContain('<html lang="en">')
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(html) ?? []
    const sheet = await fetch(server.address + style)
    expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(await sheet.text()).not.toMatch(/url\(|@import/)
  })
  it('labels every input field', async () => {
    const { token } = await signedInUser(db)
    for (const page of [await browser().go(), await browser(`service_session=${token}`).go()])
      for (const [, id] of page.html.matchAll(/<(?:input|select|textarea) id="([^"]+)"/g)) expect(page.html).toContain(`for="${id}"`)
  })
  it('leads from registering to a key that works, and to its end', async () => {
    const visitor = browser()
    await visitor.go()
    const password = 'plum harbour sixteen kites'
    const email = 'jane.roe@example.org'
    const registered = await visitor.submit('/sign-up', { email, password, full_name: ' ' })
    expect([registered.status, registered.path]).toEqual([200, '/developer?notice=registered'])
    const early = await visitor.submit('/sign-in', { email, password })
    expect(early.html).toMatch(/role="alert"><p>Address or password is not right, or the address was not confirmed yet\.<\/p>/)
    const link = await pool.query<{ body: string }>("select body from mail_outbox where to_address = $1 and kind = 'verify_email'", [email])
    const token = /token=([\w-]+)/.exec(link.rows[0]?.body ?? '')?.[1]
    const verified = await fetch(`${server.address}/api/v1/auth/verify-email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    expect(verified.status).toBe(200)
    const inside = await visitor.submit('/sign-in', { email, password })
    expect(inside.html).toContain('You have no keys yet.')
    expect(inside.html).toContain(email)
    const made = await visitor.submit('/keys', { ...key, name: '<b>"x"</b>' })
    const text = shownKey(made)
    expect(await health(text)).toBe(200)
    expect(made.html).toContain('&lt;b&gt;&quot;x&quot;&lt;/b&gt;')
    expect(made.html).not.toContain('<b>"x"')
    const again = await visitor.go()
    expect(again.html).not.toContain(text)
    expect((await visitor.go('/developer/keys')).path).toBe('/developer')
    expect(again.html).toContain(`cf_live_…${text.slice(-4)}`)
    expect((await visitor.submit('/revoke')).path).toBe('/developer?notice=revoked')
    expect((await visitor.go()).html).toContain('You have no keys yet.')
    expect((await visitor.submit('/sign-out')).html).toContain('You are signed out.')
    expect([...visitor.jar.keys()]).toEqual(['service_device'])
  })
  it('shows the error next to its field, with the value but never a password', async () => {
    const visitor = browser()
    await visitor.go()
    const refused = await visitor.submit('/sign-up', { email: 'nobody', password: 'short secret', full_name: 'x'.repeat(300) })
    expect(refused.status).toBe(200)
    expect(refused.html).toMatch(/id="sign-up-email-fault">Expected an e-mail address/)
    expect(refused.html).toMatch(/<input id="sign-up-email"[^>]* value="nobody"[^>]* aria-describedby="sign-up-email-fault" aria-invalid="true"/)
    expect(refused.html).toContain('<a href="#sign-up-full_name">')
    expect(refused.html).not.toContain('short secret')
    const weak = await visitor.submit('/sign-up', { email: 'b@example.org', password: 'password1234' })
    expect(weak.html).toMatch(/id="sign-up-password-fault">/)
    const { token } = await signedInUser(db)
    const owner = browser(`service_session=${token}`)
    await owner.go()
    const page = await owner.submit('/keys', { ...key, name: ' ', scopes: [], allowed_addresses: '10.0.0.1\nnonsense', expires_in_days: '7' })
    for (const field of ['name', 'scopes', 'allowed_addresses']) expect(page.html).toContain(`id="key-${field}-fault"`)
    expect(page.html).toContain('10.0.0.1\nnonsense</textarea>')
    expect(page.html).toMatch(/<form class="card" id="key"/)
  })
  it('reports a lost sign-in if the cookie does not come back', async () => {
    const account = await accountOf('keeps.none@example.org')
    const visitor = browser()
    await visitor.go()
    expect((await visitor.submit('/sign-in', account)).html).toContain('You are signed in.')
    const forgetful = browser('', { keeps: false })
    await forgetful.go()
    const lost = await forgetful.submit('/sign-in', account)
    expect(lost.html).toMatch(/class="notice bad"[^>]*>Your password was right, but your browser did not keep the sign-in/)
    expect(lost.html).not.toContain('You are signed in.')
  })
  it('warns before the password is typed where the page came over plain HTTP, which browsers tell by sending no Sec-Fetch-Site', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const warns = async (to: Server, headers: Record<string, string>): Promise<boolean> => {
      const { body } = await to.app.inject({ url: '/developer', headers: { 'user-agent': agent, ...headers } })
      return body.includes('This page came over plain HTTP')
    }
    for (const host of ['nas.lan:8080', '192.0.2.7', '[2001:db8::7]:8080']) {
      expect(await warns(server, { host })).toBe(true)
      expect(await warns(server, { host, 'sec-fetch-site': 'none' })).toBe(false)
      expect(await warns(server, { host, 'user-agent': 'curl/8.5.0' })).toBe(false)
      expect(await warns(server, { host, 'x-forwarded-proto': 'https' })).toBe(false)
    }
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'crossfile.localhost']) expect(await warns(server, { host })).toBe(false)
    const allowed = await startServer({ ...config, cookies: { prefixed: false, secure: false } })
    try {
      expect(await warns(allowed, { host: 'nas.lan:8080' })).toBe(false)
    } finally {
      await allowed.close()
    }
  })
  it('shows the delay after too many failed sign-ins', async () => {
    const visitor = browser()
    await visitor.go()
    let page = await visitor.submit('/sign-in', { email: 'guessed@example.org', password: 'wrong wrong wrong' })
    const refused = /Too many attempts failed\. Try again in \d+ seconds\./
    // The delay doubles with each failure, and passes unseen while it is shorter than a request of a busy machine.
    for (let n = 0; n < 12 && !refused.test(page.html); n += 1)
      page = await visitor.submit('/sign-in', { email: 'guessed@example.org', password: 'wrong wrong wrong' })
    expect(page.html).toMatch(refused)
  })
  it('shows the same for a forgotten password whether the address has an account or not', async () => {
    const { email } = await signedInUser(db)
    const pages = []
    for (const requested of [email, 'nobody@example.org']) {
      const visitor = browser()
      await visitor.go()
      pages.push((await visitor.submit('/forgotten', { email: requested })).html)
    }
    expect(pages[0]).toBe(pages[1])
    expect((await pool.query("select from mail_outbox where to_address = $1 and kind = 'reset_password'", [email])).rowCount).toBe(1)
  })
})

describe('a form of the developer page', () => {
  it('makes one key however often it is sent', async () => {
    const { token, user_id } = await signedInUser(db)
    const owner = browser(`service_session=${token}`)
    const { html } = await owner.go()
    const once = /name="once" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const pages = await Promise.all(Array.from({ length: 10 }, () => owner.submit('/keys', { ...key, once })))
    expect(pages.filter(page => shownKey(page) !== '')).toHaveLength(1)
    expect(pages.filter(page => page.html.includes('The form was sent twice'))).toHaveLength(9)
    expect(await liveKeys(user_id)).toBe(1)
  })
  it('does nothing without the token of its session', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const [mine, theirs] = [browser(`service_session=${a.token}`), browser(`service_session=${b.token}`)]
    const stolen = /name="token" value="([^"]+)"/.exec((await theirs.go()).html)?.[1] ?? ''
    await mine.go()
    for (const token of [stolen, '', 'x', `${stolen}x`]) expect((await mine.submit('/keys', { ...key, token })).path).toBe('/developer?notice=stale')
    expect((await mine.submit('/sign-out', { token: stolen })).path).toBe('/developer?notice=stale')
    expect(mine.jar.size).toBe(1)
    expect(await liveKeys(a.user_id)).toBe(0)
  })
  it('does nothing where another site’s page sent it', async () => {
    const { token, user_id } = await signedInUser(db)
    const owner = browser(`service_session=${token}`)
    const others: readonly Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of others) {
      await owner.go()
      expect((await owner.submit('/keys', key, headers)).status).toBe(403)
    }
    const visitor = browser()
    await visitor.go()
    expect((await visitor.submit('/sign-in', { email: 'a@example.org', password: 'x' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect(await liveKeys(user_id)).toBe(0)
  })
  it('leads to signing in where the session is over, the account closed, or the session an administrator’s', async () => {
    const over = await signedInUser(db)
    const owner = browser(`service_session=${over.token}`)
    await owner.go()
    await db.deleteFrom('user_session').where('user_id', '=', over.user_id).execute()
    const page = await owner.submit('/keys', key)
    expect([page.path, page.html.includes('action="/developer/sign-in"')]).toEqual(['/developer?notice=session_over', true])
    const closed = await signedInUser(db)
    const holder = browser(`service_session=${closed.token}`)
    await holder.go()
    await db.updateTable('app_user').set({ is_active: false }).where('user_id', '=', closed.user_id).execute()
    expect((await holder.submit('/keys', key)).path).toBe('/developer?notice=session_over')
    expect((await holder.go()).html).not.toContain(closed.email)
    const admin = await signedInUser(db, { kind: 'admin', is_admin: true })
    expect((await browser(`service_session=${admin.token}`).go()).html).not.toContain(admin.email)
  })
  it('makes no key before the address is verified, nor where erasure is queued, and revokes no key of another', async () => {
    const unverified = await signedInUser(db, { verified: false })
    const { html } = await browser(`service_session=${unverified.token}`).go()
    expect(html).not.toContain('action="/developer/keys"')
    expect(html).toContain('once your address is confirmed')
    const leaving = await signedInUser(db)
    const going = browser(`service_session=${leaving.token}`)
    await going.go()
    await db.updateTable('app_user').set({ erasure_requested_at: new Date().toISOString() }).where('user_id', '=', leaving.user_id).execute()
    expect((await going.submit('/keys', key)).html).toContain('erasure of this account is queued')
    expect(await liveKeys(leaving.user_id)).toBe(0)
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const [mine, theirs] = [browser(`service_session=${a.token}`), browser(`service_session=${b.token}`)]
    await mine.go()
    const text = shownKey(await mine.submit('/keys', key))
    const id = /\/developer\/keys\/(k_[\w-]+)\/revoke/.exec((await mine.go()).html)?.[1] ?? ''
    await theirs.go()
    await theirs.submit('/keys', key)
    const foreign = /name="token" value="([^"]+)"/.exec((await theirs.go()).html)?.[1] ?? ''
    await fetch(`${server.address}/developer/keys/${id}/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: `service_session=${b.token}` },
      body: new URLSearchParams({ token: foreign }).toString(),
    })
    expect([await liveKeys(a.user_id), await health(text)]).toEqual([1, 200])
  })
  it('shows an eleventh key as refused, and warns of a key that went through an address', async () => {
    const { token, user_id } = await signedInUser(db)
    const owner = browser(`service_session=${token}`)
    await owner.go()
    for (let n = 0; n < 10; n += 1) await owner.submit('/keys', key)
    const page = await owner.go()
    expect(page.html).not.toContain('action="/developer/keys"')
    expect(page.html).toContain('10 active keys, which is the maximum')
    await db.updateTable('api_key').set({ last_in_query_at: '2026-11-20T21:05:00Z' }).where('owner', '=', user_id).execute()
    expect((await owner.go()).html).toContain('Used in an address')
  })
})
