// Addresses that visitors leave: one answer for all, one mail a day, nothing before they are confirmed, and nothing left when withdrawn.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { captureEmail, strippedContext, sweepCaptures } from '#warehouse/people/telemetry/email-capture.ts'
import { type Server, startServer } from '../server.ts'

const { config, runtime } = await worldWarehouse()
const { db, pool } = runtime.postgres
let server: Server
beforeAll(async () => {
  server = await startServer({ ...config, trustedProxies: ['127.0.0.1'] })
})
afterAll(() => server.close())

let serial = 0
const leave = (body: unknown, address = `198.51.100.${(serial++ % 250) + 1}`): Promise<Response> =>
  send(`${server.address}/api/v1/email-capture`, { body, headers: { 'x-forwarded-for': address } })
const mailsTo = async (email: string): Promise<{ subject: string; body: string; user_id: string | null }[]> =>
  (await pool.query('select subject, body, user_id from mail_outbox where to_address = $1 order by mail_id', [email])).rows
const rowOf = async (email: string) => (await pool.query('select * from email_capture where email = $1', [email])).rows[0]
const linkIn = (body: string): string => /http\S+/.exec(body)?.[0] ?? ''
const press = async (token: string, act: string): Promise<string> => {
  const response = await fetch(`${server.address}/account/email-capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token, act }),
  })
  expect(response.status).toBe(200)
  return await response.text()
}

describe('an address that was left', () => {
  it('is answered like any other, known or not, and mailed one question a day', async () => {
    const user = await signedInUser(db)
    const answers = await Promise.all(
      [
        { email: user.email },
        { email: 'jane.roe@example.org' },
        { email: 'Jane.Roe@Example.org' },
        { email: 'jane.roe@example.org', source: 'footer' },
      ].map(async body => {
        const response = await leave(body)
        return `${response.status} ${await response.text()}`
      }),
    )
    expect(new Set(answers)).toEqual(new Set(['200 {"status":"received"}']))
    expect((await pool.query("select from email_capture where email_key = 'jane.roe@example.org'")).rowCount).toBe(1)
    const mails = (await pool.query("select to_address from mail_outbox where kind = 'email_capture' and lower(to_address) = 'jane.roe@example.org'"))
      .rows
    expect(mails).toHaveLength(1)
    expect(await rowOf(user.email)).toMatchObject({ user_id: user.user_id, confirmed_at: null })
  })
  it('is kept when its holder confirms, and deleted when they withdraw', async () => {
    await leave({ email: 'kim@example.org', context: 'saw https://crossfile.example.org/pricing?token=CANARY#x' })
    const [mail] = await mailsTo('kim@example.org')
    const link = linkIn(mail?.body ?? '')
    expect(mail?.subject).not.toContain('token')
    const token = new URL(link).searchParams.get('token') ?? ''
    expect(JSON.stringify(await rowOf('kim@example.org'))).not.toMatch(new RegExp(`CANARY|${token}`))
    const opened = await fetch(link)
    expect([opened.status, opened.headers.get('content-type'), (await opened.text()).includes('Yes, write to me')]).toEqual([
      200,
      'text/html; charset=utf-8',
      true,
    ])
    expect(await rowOf('kim@example.org')).toMatchObject({ confirmed_at: null })
    expect(await press(token, 'confirm')).toContain('confirmed')
    const kept = await rowOf('kim@example.org')
    expect(kept).toMatchObject({ consent_text: expect.stringContaining('withdrawn at any time'), confirmed_from: '127.0.0.0/24' })
    expect(await press(token, 'confirm')).toContain('confirmed')
    expect(await rowOf('kim@example.org')).toEqual(kept)
    expect(await press('nobody', 'confirm')).toContain('not valid')
    expect(await press(token, 'withdraw')).toContain('forgotten')
    expect(await rowOf('kim@example.org')).toBeUndefined()
    expect(await press(token, 'confirm')).toContain('not valid')
  })
  it.each([
    {},
    { email: 'nobody' },
    { email: `${'a'.repeat(250)}@example.org` },
    { email: 'a@example.org', list: 'all' },
    { email: 'a@example.org', source: null },
  ])('has the form of one, or is refused: %j', async body => expect((await leave(body)).status).toBe(422))
  it('with more than 2 KiB around it is refused', async () => {
    expect((await leave({ email: 'a@example.org', context: 'x'.repeat(2048) })).status).toBe(413)
  })
  it('is one of thirty a minute from one address; more are answered alike and not kept', async () => {
    const answered = await Promise.all(Array.from({ length: 60 }, (_, n) => leave({ email: `flood${n}@example.org` }, '203.0.113.77')))
    expect(new Set(answered.map(each => each.status))).toEqual(new Set([200]))
    const { rowCount } = await pool.query("select from email_capture where email like 'flood%'")
    expect(rowCount).toBeGreaterThanOrEqual(30)
    expect(rowCount).toBeLessThanOrEqual(40)
  })
  it('is mailed again after a day, and deleted after thirty days without confirmation', async () => {
    const at = new Date('2026-11-20T21:05:00Z')
    const later = (hours: number): Date => new Date(at.getTime() + hours * 3_600_000)
    const given = { email: 'lee@example.org', source: 'landing', context: null }
    expect(await captureEmail(db, given, 'https://x.example', at)).toBe(true)
    expect(await captureEmail(db, given, 'https://x.example', later(23))).toBe(false)
    expect(await captureEmail(db, given, 'https://x.example', later(24))).toBe(true)
    await sweepCaptures(db, later(24 + 30 * 24 - 1))
    expect(await rowOf('lee@example.org')).toBeDefined()
    await sweepCaptures(db, later(24 + 30 * 24 + 1))
    expect(await rowOf('lee@example.org')).toBeUndefined()
  })
  it("becomes the account's when the account verifies it, and goes with the account", async () => {
    const user = await signedInUser(db, { verified: false })
    await leave({ email: user.email })
    expect(await rowOf(user.email)).toMatchObject({ user_id: null })
    await pool.query('update app_user set email_verified_at = now() where user_id = $1', [user.user_id])
    expect(await rowOf(user.email)).toMatchObject({ user_id: user.user_id })
    await pool.query('delete from app_user where user_id = $1', [user.user_id])
    expect(await rowOf(user.email)).toBeUndefined()
  })
})

it('its context loses the query of a URL', () => {
  expect(strippedContext('from https://a.example/b?c=d#e and http://a.example/x/8Zr1uX0cMbqe8Zr1uX0cMbqe')).toBe(
    'from a.example/b and a.example/x/:id',
  )
  expect(strippedContext(null)).toBeNull()
})
