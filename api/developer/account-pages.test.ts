// The pages of mailed links, as a browser without script uses them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { pepperName } from '#warehouse/people/users/passwords.ts'
import { ensureKeyFiles, keysFolderOf } from '#warehouse/store/key-files.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { type Server, startServer } from '../server.ts'

const url = await createTestDatabase()
const { pool, close } = connect(url)
const folder = mkdtempSync(join(tmpdir(), 'crossfile-pages-'))
// As the first worker does.
ensureKeyFiles(keysFolderOf(folder), pepperName)
let server: Server
beforeAll(async () => {
  await installQueue(url)
  server = await startServer(loadConfig({ DATABASE_URL: url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'silent', PORT: '0' }))
})
afterAll(async () => {
  await server.close()
  await close()
  rmSync(folder, { recursive: true, force: true })
})

const email = 'jane.roe@example.org'
const json = (path: string, body: object) =>
  fetch(`${server.address}/api/v1/auth/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
/** The newest link that was mailed. */
async function link(): Promise<string> {
  const { rows } = await pool.query<{ body: string }>('select body from mail_outbox order by mail_id desc limit 1')
  return /https?:\S+token=\S+/.exec(rows[0]?.body ?? '')?.[0] ?? ''
}
/** Sends the form of a page as a browser does, with the fields that a person fills in. */
async function submit(page: string, typed: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const action = /<form[^>]* method="post" action="([^"]+)"/.exec(page)?.[1] ?? ''
  const token = /name="token" value="([^"]*)"/.exec(page)?.[1] ?? ''
  const response = await fetch(server.address + action, {
    method: 'POST',
    headers: { origin: server.address, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, ...typed }).toString(),
  })
  return { status: response.status, text: await response.text() }
}

it('confirm an address and set a password, by links that opening does not use up', async () => {
  expect((await json('register', { email, password: 'tulip-kettle-brisk' })).status).toBe(202)
  const verify = await link()
  expect(verify.startsWith(server.address)).toBe(true)
  for (let n = 0; n < 3; n += 1) expect((await fetch(verify)).status).toBe(200)
  const opened = await fetch(verify)
  expect(opened.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(opened.headers.get('cache-control')).toBe('no-store')
  const page = await opened.text()
  expect(page).not.toContain('<script')
  expect((await submit(page)).text).toContain('Your address is confirmed')
  expect((await submit(page)).text).toContain('This link is not valid')
  expect((await json('login', { email, password: 'tulip-kettle-brisk' })).status).toBe(200)

  await json('password-reset', { email })
  const form = await (await fetch(await link())).text()
  const short = await submit(form, { new_password: 'short' })
  expect([short.status, short.text]).toEqual([200, expect.stringContaining('12 to 256 characters')])
  expect(short.text).toContain('aria-invalid="true"')
  expect(short.text).not.toContain('value="short"')
  expect((await submit(short.text, { new_password: 'walnut harbour ninety' })).text).toContain('Your password is set')
  expect((await submit(form, { new_password: 'another good one 7' })).text).toContain('This link is not valid')
  expect((await json('login', { email, password: 'walnut harbour ninety' })).status).toBe(200)
})
it('show what is in an address as text, and take nothing from another site', async () => {
  const page = await (await fetch(`${server.address}/account/verify-email?token=${encodeURIComponent('"><script>x</script>')}`)).text()
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;')
  expect((await submit(await (await fetch(`${server.address}/account/reset-password`)).text(), { new_password: 'walnut harbour' })).text).toContain(
    'not valid',
  )
  const foreign = await fetch(`${server.address}/account/verify-email`, {
    method: 'POST',
    headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'token=x',
  })
  expect(foreign.status).toBe(403)
})
