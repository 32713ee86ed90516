// Links that are mailed and failures of signing in through the whole service; sessions of two people against their model.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openAccounts } from './test-accounts.ts'

const { confirmed, db, lastToken, me, newAddress, newEmail, password, pool, post, signIn } = openAccounts(await createTestDatabase())

describe('a mailed link', () => {
  it('is good for one of a thousand uses, a hundred at the same time', async () => {
    const email = newEmail()
    await post('register', { email, password })
    const verify = await lastToken(email)
    const flood = async (path: string, body: object): Promise<Map<number, number>> => {
      const counts = new Map<number, number>()
      // A thousand at once would wait for a connection of the database for longer than requests do, on a slow machine.
      const tenOfThem = async (): Promise<void> => {
        for (let n = 0; n < 10; n += 1) {
          const { status } = await post(path, body)
          counts.set(status, (counts.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: 100 }, tenOfThem))
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
  })
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
  it('is delayed after failures, for a known and an unknown address alike, and never locks an account', async () => {
    const statuses = async (email: string): Promise<unknown[]> => {
      const from = { 'x-forwarded-for': newAddress() }
      const fail = () => post('login', { email, password: 'not the password' }, from)
      const first = await fail()
      // So many failures that the next pause is the longest: warehouse/people/users/throttle.ts has the delays.
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
          const requested = { current_password: secrets[person.secret], new_password: secrets[next] }
          const { status, body } = await post('change-password', requested, { authorization: `Bearer ${token}` })
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
})

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
