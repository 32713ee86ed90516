// What an attacker gains and the owner loses by failed sign-ins: attempts per day under the strategy that allows most of them.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { signedInUser } from '#fixtures/users.ts'
import { findOrigin, forgetOrigins, type Origin, rememberOrigin, sweepOrigins } from './origins.ts'
import { asUser } from './own-rows.ts'
import { type Attempt, bucketsOf, bucketsOfSession, charge, forgive, forgiveReset } from './throttle.ts'

const { db, pool } = await testDatabase()
const now = new Date('2026-11-20T21:05:00Z')
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const days = 86_400
const stranger: Origin = { address: '203.0.113.9', devices: [] }

async function anOwner(email: string) {
  const { user_id } = await signedInUser(db, { now })
  const subject_key = (await pool.query<{ subject_key: Buffer }>('select subject_key from app_user where user_id = $1', [user_id])).rows[0]
    ?.subject_key
  const owner = { user_id, subject_key: subject_key as Buffer }
  const remember = (origin: Origin, at = now) => asUser(db, user_id, trx => rememberOrigin(trx, owner, origin, at))
  const attempt = async (origin: Origin, at: Date): Promise<Attempt> => bucketsOf(email, origin.address, await findOrigin(db, owner, origin, at))
  return { owner, remember, attempt }
}
const passes = async (attempt: Attempt, at: Date): Promise<boolean> =>
  charge(db, attempt, at).then(
    () => true,
    () => false,
  )

describe('the owner of an account', () => {
  it('signs in from a known device, a known address and after a reset while 1,000 attempts from 100 addresses fail', async () => {
    const email = 'owner@example.org'
    const { owner, remember, attempt } = await anOwner(email)
    const home: Origin = { address: '192.0.2.1', devices: [] }
    const token = await remember(home)
    const phone: Origin = { address: '198.51.100.77', devices: [String(token)] }
    let taken = 0
    for (let n = 0; n < 1000; n += 1) if (await passes(bucketsOf(email, `10.0.${n % 100}.1`), later(n / 100))) taken += 1
    expect(taken).toBeLessThan(25)
    // A stranger is refused, the right password or not; the owner's device and address are not.
    expect(await passes(await attempt(stranger, later(10)), later(10))).toBe(false)
    expect(await passes(await attempt(home, later(10)), later(10))).toBe(true)
    expect(await passes(await attempt(phone, later(10)), later(10))).toBe(true)
    // Another account, or none, gains nothing by the same cookie.
    expect(await findOrigin(db, null, phone, now)).toBeNull()
    await asUser(db, owner.user_id, trx => forgetOrigins(trx, owner.user_id))
    expect(await passes(await attempt(home, later(11)), later(11))).toBe(false)
    await forgiveReset(db, email, later(12))
    const anywhere = await Promise.all(Array.from({ length: 9 }, (_, n) => passes(bucketsOf(email, `172.16.${n}.1`), later(12))))
    expect(anywhere.filter(Boolean)).toHaveLength(5)
  })
  it('gives a password within a session while strangers fail, and is paused for failures there only', async () => {
    const session = bucketsOfSession('s_1')
    for (let n = 0; n < 5; n += 1) expect(await passes(session, now)).toBe(true)
    expect(await passes(session, now)).toBe(false)
    await forgive(db, session)
    expect(await passes(session, later(2))).toBe(true)
    expect(await passes(bucketsOfSession('s_2'), now)).toBe(true)
  })
})

describe('an attacker', () => {
  /** The attempts within a day of a client that tries as soon as possible, or waits `rest` seconds after each `burst`. */
  async function triesOfADay(name: string, burst: number, rest: number): Promise<number> {
    let tries = 0
    for (let at = 0, run = 0; at < days; ) {
      const attempt = bucketsOf(`${name}@example.org`, `10.${tries >> 8}.${tries & 255}.1`)
      const refusal = await charge(db, attempt, later(at)).then(
        () => null,
        (error: { retryAfterSeconds: number }) => error,
      )
      if (refusal === null) {
        tries += 1
        run += 1
      } else at += refusal.retryAfterSeconds
      if (run >= burst) {
        at += rest
        run = 0
      }
    }
    return tries
  }
  it('with any number of addresses gets at most 29 tries and one per five minutes, however they are spaced: 320 a day (2,880 before)', async () => {
    const strategies: [number, number][] = [
      [Number.POSITIVE_INFINITY, 0],
      [20, 900],
      [29, 900],
      [1, 60],
      [5, 300],
    ]
    const tries: number[] = []
    for (const [n, [burst, rest]] of strategies.entries()) tries.push(await triesOfADay(`victim${n}`, burst, rest))
    expect(Math.max(...tries)).toBeLessThanOrEqual(320)
    expect(tries[0]).toBeGreaterThan(290)
  })
  it('gains no account by a device cookie that was planted, guessed or made for another account', async () => {
    const { owner: mallory, remember } = await anOwner('mallory@example.org')
    const planted = String(await remember(stranger))
    const victim = await anOwner('victim@example.org')
    const origin: Origin = { address: '192.0.2.50', devices: [planted] }
    // The victim signs in with the planted cookie: a new token is made, the planted one stays worthless for this account.
    const made = await victim.remember(origin)
    expect(made).not.toBeNull()
    expect(await findOrigin(db, victim.owner, { address: '203.0.113.200', devices: [planted] }, now)).toBeNull()
    expect(await findOrigin(db, victim.owner, { address: '203.0.113.200', devices: [String(made)] }, now)).toMatchObject({ kind: 'device' })
    expect(await findOrigin(db, mallory, { address: '203.0.113.200', devices: [String(made)] }, now)).toBeNull()
    expect(await findOrigin(db, victim.owner, { address: '203.0.113.200', devices: [randomBytes(32).toString('base64url'), 'x'] }, now)).toBeNull()
  })
  it('with a stolen device cookie is paused after five failures, as an address with the account was before', async () => {
    const { remember, attempt } = await anOwner('stolen@example.org')
    const thief: Origin = { address: '203.0.113.99', devices: [String(await remember(stranger))] }
    const tried = []
    for (let n = 0; n < 7; n += 1) tried.push(await passes(await attempt(thief, now), now))
    expect(tried).toEqual([true, true, true, true, true, false, false])
  })
})

describe('known origins', () => {
  it('are ten of a kind for an account, hold no address in clear, and end by their time', async () => {
    const { owner, remember } = await anOwner('many@example.org')
    const tokens: (string | null)[] = []
    for (let n = 0; n < 12; n += 1) tokens.push(await remember({ address: `192.0.2.${n}`, devices: [] }, later(n)))
    const held = await db.selectFrom('sign_in_origin').selectAll().where('user_id', '=', owner.user_id).execute()
    expect(held.map(row => row.kind).sort()).toEqual([...Array(10).fill('address'), ...Array(10).fill('device')])
    expect(JSON.stringify(held)).not.toContain('192.0.2')
    const at = (n: number, when: Date) => findOrigin(db, owner, { address: 'none', devices: [String(tokens[n])] }, when)
    expect([await at(1, later(20)), (await at(2, later(20)))?.kind]).toEqual([null, 'device'])
    expect(await remember({ address: '192.0.2.11', devices: [String(tokens[11])] }, later(30))).toBeNull()
    expect(await findOrigin(db, owner, { address: '192.0.2.11', devices: [] }, later(31 * days))).toBeNull()
    expect(await at(11, later(179 * days))).not.toBeNull()
    expect(await at(11, later(181 * days))).toBeNull()
    await sweepOrigins(db, later(181 * days))
    expect(await db.selectFrom('sign_in_origin').selectAll().where('user_id', '=', owner.user_id).execute()).toEqual([])
  })
})
