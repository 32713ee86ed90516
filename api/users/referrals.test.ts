// Referral through the whole service: once for each account, by its own session, whatever comes at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { referralOperations } from '#schemas/operations/referrals.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { setTier } from '#warehouse/people/billing/tier.ts'
import { convertReferral } from '#warehouse/people/referrals/referrals.ts'
import { brokenAudit } from '#warehouse/people/users/audit.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { type Server, startServer } from '../server.ts'

const { config, runtime } = await worldWarehouse()
const { db, pool } = runtime.postgres
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
let server: Server
beforeAll(async () => {
  server = await startServer(config)
})
afterAll(() => server.close())

type Statement = { readonly status: number; readonly body: Record<string, unknown> }
async function ask(user: TestUser, path: 'code' | 'attribute' | 'convert', body?: unknown, headers: Record<string, string> = {}): Promise<Statement> {
  const method = body === undefined ? 'GET' : 'POST'
  const response = await send(`${server.address}/api/v1/referrals/${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${user.token}`, ...headers },
  })
  const answered = (await response.json()) as Record<string, unknown>
  const operation = referralOperations.find(each => each.path.endsWith(path))
  if (response.ok) expect(operation?.answer?.safeParse(answered).error).toBeUndefined()
  return { status: response.status, body: answered }
}
const codeOf = async (user: TestUser): Promise<string> => String((await ask(user, 'code')).body['code'])

describe('a code', () => {
  it('is made once, also where it is first asked for many times at once', async () => {
    const user = await signedInUser(db)
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(user)))
    expect(new Set(codes).size).toBe(1)
    expect(codes[0]).toMatch(/^[A-HJKMNP-Z2-9]{10}$/)
  })
})

describe('an attribution', () => {
  it('is of the account that is signed in, and once', async () => {
    const [a, b, c] = [await signedInUser(db), await signedInUser(db), await signedInUser(db)]
    const [code, other] = [await codeOf(a), await codeOf(c)]
    expect((await ask(b, 'attribute', { code, new_user_id: c.user_id })).status).toBe(403)
    const first = await ask(b, 'attribute', { code: ` ${code.toLowerCase()} `, new_user_id: b.user_id })
    expect(first).toMatchObject({ status: 200, body: { status: 'attributed', code } })
    expect((await ask(b, 'attribute', { code, new_user_id: b.user_id })).body).toEqual(first.body)
    expect((await ask(b, 'attribute', { code: other, new_user_id: b.user_id })).status).toBe(409)
    expect((await ask(a, 'code')).body).toEqual({ code, referred: 1, converted: 0 })
    expect((await ask(c, 'code')).body).toMatchObject({ referred: 0 })
  })
  it('is refused for an unknown code, for the account’s own code, for an old account, and without its fields', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db, { now: new Date(clock.now().getTime() - 31 * 86_400_000) })]
    const code = await codeOf(a)
    const fresh = await signedInUser(db)
    await pool.query('update user_session set idle_until = $1, expires_at = $1 where user_id = $2', [
      new Date(clock.now().getTime() + 3_600_000),
      b.user_id,
    ])
    for (const [user, body, status] of [
      [fresh, { code: 'AAAAAAAAAA', new_user_id: fresh.user_id }, 404],
      [fresh, { code: "' or 1=1", new_user_id: fresh.user_id }, 404],
      [a, { code, new_user_id: a.user_id }, 400],
      [b, { code, new_user_id: b.user_id }, 409],
      [fresh, { code }, 422],
      [fresh, { code: 1, new_user_id: fresh.user_id }, 422],
      [fresh, { code, new_user_id: fresh.user_id, is_admin: true }, 422],
    ] as const)
      expect([body, (await ask(user, 'attribute', body)).status]).toEqual([body, status])
  })
  it('happens once where many codes come at once', async () => {
    const referrers = await Promise.all(Array.from({ length: 10 }, () => signedInUser(db)))
    const codes = await Promise.all(referrers.map(codeOf))
    const user = await signedInUser(db)
    const answered = await Promise.all(
      codes.flatMap(code => Array.from({ length: 10 }, () => ask(user, 'attribute', { code, new_user_id: user.user_id }))),
    )
    expect(new Set(answered.filter(each => each.status === 200).map(each => each.body['code'])).size).toBe(1)
    expect(answered.filter(each => each.status === 200)).toHaveLength(10)
    expect(answered.filter(each => each.status === 409)).toHaveLength(90)
  })
})

describe('a conversion', () => {
  it('needs an administrator, takes effect once, and is in the audit chain once', async () => {
    const [a, b, admin] = [await signedInUser(db), await signedInUser(db), await signedInUser(db, { kind: 'admin', is_admin: true })]
    await ask(b, 'attribute', { code: await codeOf(a), new_user_id: b.user_id })
    const body = { referred_user_id: b.user_id, tier: 'trader' }
    expect(await ask(admin, 'convert', body)).toMatchObject({ status: 403, body: { hint: expect.stringContaining('/admin/totp/enrol') } })
    await enrolNow(db, openSealKey(keysFolderOf(config.dataFolder)), admin, clock.now())
    expect((await ask(b, 'convert', body)).status).toBe(403)
    expect((await ask(admin, 'convert', { ...body, tier: 'gold' })).status).toBe(422)
    expect((await ask(admin, 'convert', { ...body, referred_user_id: a.user_id })).status).toBe(404)
    const answered = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ask(admin, 'convert', { ...body, tier: n % 2 === 0 ? 'trader' : 'apex' })),
    )
    expect(new Set(answered.map(each => `${each.status} ${each.body['tier']} ${each.body['converted_at']}`)).size).toBe(1)
    expect(answered.filter(each => each.body['first'])).toHaveLength(1)
    expect((await ask(a, 'code')).body).toMatchObject({ referred: 1, converted: 1 })
    expect((await pool.query("select from audit_entry where act = 'referral.convert'")).rowCount).toBe(1)
    expect(await brokenAudit(db)).toBeNull()
  })
  it('by billing is undone with its transaction, and done once by the next', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    expect(await convertReferral(db, b.user_id, 'alpha', clock.now())).toBe(false)
    await ask(b, 'attribute', { code: await codeOf(a), new_user_id: b.user_id })
    const crash = db.transaction().execute(async trx => {
      await convertReferral(trx, b.user_id, 'alpha', clock.now())
      throw new Error('killed')
    })
    await expect(crash).rejects.toThrow('killed')
    expect((await ask(a, 'code')).body).toMatchObject({ converted: 0 })
    expect(await setTier(db, b.user_id, 'core', clock.now())).toBe(true)
    expect((await ask(a, 'code')).body).toMatchObject({ converted: 0 })
    for (const tier of ['alpha', 'prime'] as const) expect(await setTier(db, b.user_id, tier, clock.now())).toBe(true)
    expect((await pool.query('select converted_tier from referral where user_id = $1', [b.user_id])).rows).toEqual([{ converted_tier: 'alpha' }])
    expect((await ask(a, 'code')).body).toMatchObject({ converted: 1 })
  })
})
