// Administration over HTTP: access, the proof required before an action, the audit chain, two administrators and users.
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, answerOf, send, worldService } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { AdminJobs, AdminSession, AdminUsers, AuditRows, JobRuns } from '#schemas/admin.ts'
import { adminOperations } from '#schemas/operations/admin.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { brokenAudit } from '#warehouse/people/users/audit.ts'
import { openPasswords } from '#warehouse/people/users/passwords.ts'
import { sweepFailures } from '#warehouse/people/users/throttle.ts'
import { readJobs } from '#warehouse/store/jobs/read-jobs.ts'
import { recordWorker } from '#warehouse/store/jobs/workers.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'

const { db, server, warehouse } = await worldService()
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const folder = keysFolderOf(warehouse.config.dataFolder)
const password = 'seven brown otters sing'
let hash = ''
beforeAll(async () => {
  hash = await openPasswords(folder).hash(password)
})

const call = async (method: string, path: string, who: { cookie?: string } | null, body?: unknown, more = {}): Promise<Answer> =>
  answerOf(await send(server.address + path, { method, body, headers: { ...(who?.cookie ? { cookie: who.cookie } : {}), ...more } }))
type Admin = TestUser & { readonly code: (shift?: number) => string; readonly recovery: readonly string[] }
async function anAdmin(): Promise<Admin> {
  const user = await signedInUser(db, { is_admin: true, kind: 'admin', password_hash: hash })
  const { secret, recovery_codes } = await enrolNow(db, openSealKey(folder), user, clock.now())
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return { ...user, code: (shift = 0) => totp.generate({ timestamp: clock.now().getTime() + shift * 30_000 }), recovery: recovery_codes }
}
const login = (body: object): Promise<Answer> => call('POST', '/api/v1/admin/login', null, body)
const forget = (): Promise<void> => sweepFailures(db, new Date(clock.now().getTime() + 86_400_000))

describe('signing in', () => {
  it('takes address, password and code, and sets a separate cookie', async () => {
    const admin = await anAdmin()
    const { status, body, headers } = await login({ email: admin.email.toUpperCase(), password, totp_code: admin.code() })
    expect([status, AdminSession.safeParse(body).error]).toEqual([200, undefined])
    expect(headers.getSetCookie()[0]).toMatch(
      /^service_admin=cf_sess_[\w-]{43}; Path=\/api\/v1\/admin; Max-Age=28800; HttpOnly; Secure; SameSite=Strict$/,
    )
    const cookie = { cookie: (headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
    expect((await call('GET', '/api/v1/admin/me', cookie)).body).toEqual({ id: admin.user_id, email: admin.email, tier: 'free', is_admin: true })
    // The session from before is over: one administrator, one session.
    expect((await call('GET', '/api/v1/admin/me', admin.cookie)).status).toBe(401)
    expect((await call('POST', '/api/v1/admin/logout', cookie)).status).toBe(204)
    expect((await call('GET', '/api/v1/admin/me', cookie)).status).toBe(401)
  })
  it('gives the same answer for a wrong address, password or code, a missing code, and an account that is not an administrator', async () => {
    const admin = await anAdmin()
    const user = await signedInUser(db, { password_hash: hash })
    const tries = [
      { email: 'nobody@example.org', password, totp_code: '123456' },
      { email: user.email, password, totp_code: null },
      { email: admin.email, password: `${password}!`, totp_code: admin.code() },
      { email: admin.email, password, totp_code: admin.code(40) },
      { email: admin.email, password },
      { email: admin.email, password, totp_code: 'ABCD-EFGH-IJKL-MNOP' },
    ]
    const answers: Answer[] = []
    for (const body of tries) {
      await forget()
      answers.push(await login(body))
    }
    expect(answers.map(each => each.status)).toEqual(Array(6).fill(401))
    expect(new Set(answers.map(each => JSON.stringify(each.body))).size).toBe(1)
    await forget()
    expect((await login({ email: admin.email, password, totp_code: admin.code() })).status).toBe(200)
  })
  it('takes a code once, a recovery code once, and slows down after failures', async () => {
    await forget()
    const admin = await anAdmin()
    const code = admin.code()
    expect((await login({ email: admin.email, password, totp_code: code })).status).toBe(200)
    expect((await login({ email: admin.email, password, totp_code: code })).status).toBe(401)
    await forget()
    const recovery = admin.recovery[0]?.toLowerCase()
    const again = await login({ email: admin.email, password, totp_code: recovery })
    expect([again.status, again.body['recovery_codes_left']]).toEqual([200, 9])
    expect((await login({ email: admin.email, password, totp_code: recovery })).status).toBe(401)
    await forget()
    // At once: a slow machine may not give tries back between them.
    const wrong = { email: admin.email, password: 'wrong wrong wrong', totp_code: '000000' }
    const statuses = new Set<number>()
    while (!statuses.has(429)) for (const { status } of await Promise.all(Array.from({ length: 12 }, () => login(wrong)))) statuses.add(status)
    statuses.delete(503) // waited more than 5 seconds for a busy machine: not a try
    expect(statuses).toEqual(new Set([401, 429]))
    await forget()
  })
  it.each([
    ['a member more', { email: 'a@example.org', password: 'x', is_admin: true }],
    ['no password', { email: 'a@example.org' }],
    ['a code that is a number', { email: 'a@example.org', password: 'x', totp_code: 123456 }],
  ])('%s is 422', async (_name, body) => {
    expect((await login(body)).status).toBe(422)
  })
})

describe('the second factor', () => {
  it('is enrolled before anything else is open, and its codes are given once', async () => {
    await forget()
    const user = await signedInUser(db, { is_admin: true, password_hash: hash })
    const first = await login({ email: user.email, password })
    expect([first.status, first.body['totp_enrolled']]).toEqual([200, false])
    const cookie = { cookie: (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
    const shut = await Promise.all(
      adminOperations
        .filter(each => each.access === 'admin' && each.method === 'GET' && each.id !== 'get_admin_me')
        .map(each => call('GET', each.path.replace('{name}', 'fx'), cookie)),
    )
    expect(shut.map(each => each.status)).toEqual(Array(shut.length).fill(403))
    expect((await call('PATCH', `/api/v1/admin/users/${user.user_id}/admin`, cookie, { is_admin: false })).status).toBe(403)
    const enrolment = await call('POST', '/api/v1/admin/totp/enrol', cookie)
    expect(enrolment.status).toBe(201)
    const totp = new TOTP({ secret: Secret.fromBase32(String(enrolment.body['secret'])) })
    expect(
      (await call('POST', '/api/v1/admin/totp/confirm', cookie, { totp_code: totp.generate({ timestamp: clock.now().getTime() + 900_000 }) })).status,
    ).toBe(401)
    const confirmed = await call('POST', '/api/v1/admin/totp/confirm', cookie, { totp_code: totp.generate({ timestamp: clock.now().getTime() }) })
    expect([confirmed.status, (confirmed.body['recovery_codes'] as string[]).length]).toEqual([200, 10])
    expect(
      (await call('POST', '/api/v1/admin/totp/confirm', cookie, { totp_code: totp.generate({ timestamp: clock.now().getTime() }) })).status,
    ).toBe(401)
    expect((await call('GET', '/api/v1/admin/users?limit=1', cookie)).status).toBe(200)
    // No secret and no recovery code is in the database, the mail or the kept answers.
    const tables = ['admin_totp', 'admin_recovery_code', 'idempotency_key', 'mail_outbox', 'audit_entry'] as const
    const rows = JSON.stringify(await Promise.all(tables.map(table => db.selectFrom(table).selectAll().execute())))
    for (const secret of [String(enrolment.body['secret']), ...(confirmed.body['recovery_codes'] as string[])]) expect(rows).not.toContain(secret)
  })
})

describe('accounts', () => {
  it('are listed newest first, page by page, and found by the beginning of the address', async () => {
    const admin = await anAdmin()
    await Promise.all(Array.from({ length: 5 }, () => signedInUser(db)))
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await call('GET', `/api/v1/admin/users?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`, admin.cookie)
      expect(AdminUsers.safeParse(body).error).toBeUndefined()
      seen.push(...(body['users'] as { id: string }[]).map(each => each.id))
      cursor = body['next_cursor'] as string | null
    }
    const all = await db.selectFrom('app_user').select('user_id').orderBy('created_at', 'desc').orderBy('user_id').execute()
    expect(seen).toEqual(all.map(each => each.user_id))
    const found = await call('GET', `/api/v1/admin/users?query=${admin.email.slice(0, 8).toUpperCase()}`, admin.cookie)
    expect((found.body['users'] as { id: string }[]).map(each => each.id)).toEqual([admin.user_id])
    expect((await call('GET', '/api/v1/admin/users?query=%25', admin.cookie)).body['count']).toBe(0)
    expect(JSON.stringify(found.body)).not.toContain('argon2')
  })
  it('are made administrators by another one, never by oneself; two who take it from each other leave one', async () => {
    const [one, other, user] = [await anAdmin(), await anAdmin(), await signedInUser(db)]
    const path = (id: string): string => `/api/v1/admin/users/${id}/admin`
    const made = await call('PATCH', path(user.user_id), one.cookie, { is_admin: true })
    expect([made.status, made.body['is_admin']]).toEqual([200, true])
    expect((await call('PATCH', path(one.user_id), one.cookie, { is_admin: false })).status).toBe(409)
    expect((await call('PATCH', path('u_nobody'), one.cookie, { is_admin: true })).status).toBe(404)
    const both = await Promise.all([
      call('PATCH', path(other.user_id), one.cookie, { is_admin: false }),
      call('PATCH', path(one.user_id), other.cookie, { is_admin: false }),
    ])
    expect(both.filter(each => each.status === 200)).toHaveLength(1)
    const left = await db
      .selectFrom('app_user')
      .select('user_id')
      .where('is_admin', '=', true)
      .where('user_id', 'in', [one.user_id, other.user_id])
      .execute()
    expect(left).toHaveLength(1)
    const lost = left[0]?.user_id === one.user_id ? other : one
    expect((await call('GET', '/api/v1/admin/users', lost.cookie)).status).toBe(401)
    // The second factor still guards the account.
    expect(await db.selectFrom('admin_totp').select('user_id').where('user_id', '=', lost.user_id).execute()).toHaveLength(1)
  })
  it('are changed with a proof of the last 15 minutes alone', async () => {
    const [admin, user] = [await anAdmin(), await signedInUser(db)]
    await db
      .updateTable('user_session')
      .set({ proved_at: new Date(clock.now().getTime() - 16 * 60_000).toISOString() })
      .where('user_id', '=', admin.user_id)
      .execute()
    const path = `/api/v1/admin/users/${user.user_id}/admin`
    const refused = await call('PATCH', path, admin.cookie, { is_admin: true })
    expect([refused.status, refused.body['hint']]).toEqual([403, expect.stringContaining('/api/v1/admin/login')])
    expect((await call('POST', '/api/v1/admin/totp/enrol', admin.cookie)).status).toBe(403)
    expect((await call('GET', '/api/v1/admin/users', admin.cookie)).status).toBe(200)
  })
  it('open nothing here to a session of a user, even of an administrator, or without a session', async () => {
    const [user, admin] = [await signedInUser(db), await signedInUser(db, { is_admin: true })]
    const requested = adminOperations.filter(each => each.access === 'admin')
    for (const { method, path } of requested) {
      const url = path.replace('{id}', '1').replace('{name}', 'fx')
      const body = method === 'GET' ? undefined : {}
      const statuses = await Promise.all([
        call(method, url, null, body),
        call(method, url, user.cookie, body),
        call(method, url, { cookie: `service_admin=${user.token}` }, body),
        call(method, url, { cookie: `service_admin=${admin.token}` }, body),
      ])
      expect([path, ...statuses.map(each => each.status)]).toEqual([path, 401, 401, 403, 403])
    }
  })
})

describe('jobs, backfills and incidents', () => {
  it('are listed; a backfill is requested once, and the worker reports its result', async () => {
    const admin = await anAdmin()
    const { body } = await call('GET', '/api/v1/admin/jobs', admin.cookie)
    expect((body['jobs'] as { name: string }[]).map(each => each.name)).toContain('fx')
    const range = { from: '2024-01-01', to: '2024-06-30' }
    const requested = await call('POST', '/api/v1/admin/jobs/fx/backfill', admin.cookie, range, { 'idempotency-key': 'one' })
    expect([requested.status, requested.body]).toEqual([
      202,
      expect.objectContaining({ job: 'fx', from_date: '2024-01-01', symbols: null, state: 'asked' }),
    ])
    const again = await call('POST', '/api/v1/admin/jobs/fx/backfill', admin.cookie, range, { 'idempotency-key': 'one' })
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([requested.body, 'true'])
    // The worker of this test has no such job, which it reports in a run.
    const shown = async () => (await call('GET', '/api/v1/admin/jobs/fx/runs', admin.cookie)).body
    await expect.poll(async () => (await shown())['count'], { interval: 200 }).toBe(1)
    const runs = JobRuns.parse(await shown())
    expect(runs.runs[0]).toMatchObject({ backfill_id: requested.body['backfill_id'], state: 'failed', error: expect.stringContaining('fx') })
    expect(runs.backfills[0]).toMatchObject({ backfill_id: requested.body['backfill_id'], total: 0 })
  })
  it('are on or off by the workers that are alive, each with its reason', async () => {
    const admin = await anAdmin()
    const shown = async (): Promise<unknown> =>
      AdminJobs.parse((await call('GET', '/api/v1/admin/jobs', admin.cookie)).body).jobs.find(each => each.name === 'bars-us')
    // The worker of this test has no such job.
    const without = { worker: expect.any(String), on: false, why_off: 'the jobs.yaml of this worker does not have it' }
    expect(await shown()).toMatchObject({ on: false, why_off: without.why_off, workers: [without], next_run: null })
    const session = connect(warehouse.config.databaseUrl?.reveal() ?? '', { applicationName: 'crossfile worker listener', max: 1, kept: 1 })
    const jobs = [...readJobs(warehouse.config).values()].map(job => ({ job, why_off: null }))
    const record = await recordWorker(db, { worker: 'with', host: 'a', process: 1, version: '0.1.0' }, jobs, error => {
      throw error
    })
    try {
      await session.pool.query('select 1')
      const workers = [without, { worker: 'with', on: true, why_off: null }]
      expect(await shown()).toMatchObject({ on: true, why_off: null, workers, next_run: expect.any(String) })
    } finally {
      await record.close()
      await session.close()
    }
  })
  it.each([
    ['a job that is not there', 'fxx', { from: '2024-01-01', to: '2024-02-01' }, 404],
    ['a range backwards', 'fx', { from: '2024-02-01', to: '2024-01-01' }, 400],
    ['the future', 'fx', { from: '2024-01-01', to: '2099-01-01' }, 400],
    ['symbols for all symbols', 'fx', { from: '2024-01-01', to: '2024-01-02', symbols: ['RY.TO'] }, 400],
    ['no day', 'fx', { from: '2024-13-01', to: '2024-12-01' }, 422],
    ['a member more', 'fx', { from: '2024-01-01', to: '2024-01-02', force: true }, 422],
  ])('%s is refused with a hint', async (_name, job, body, status) => {
    const answer = await call('POST', `/api/v1/admin/jobs/${job}/backfill`, (await anAdmin()).cookie, body)
    expect([answer.status, typeof answer.body['detail']]).toEqual([status, status === 422 ? 'object' : 'string'])
  })
  it('an incident is announced, extended and resolved, and the public sees it', async () => {
    const admin = await anAdmin()
    const opened = await call('POST', '/api/v1/admin/incidents', admin.cookie, { title: 'Quotes are late', body: 'The source answers slowly.' })
    expect([opened.status, opened.body['impact']]).toEqual([201, 'minor'])
    const id = String(opened.body['id'])
    const changed = await call('PATCH', `/api/v1/admin/incidents/${id}`, admin.cookie, { note: 'It is fixed.', resolved: true })
    expect(changed.body).toMatchObject({ id, body: 'The source answers slowly.\nIt is fixed.', resolved_at: expect.any(String) })
    expect((await call('PATCH', '/api/v1/admin/incidents/inc_none', admin.cookie, { resolved: true })).status).toBe(404)
    expect((await call('POST', '/api/v1/admin/incidents', admin.cookie, { title: '' })).status).toBe(422)
    const shown = await call('GET', '/api/v1/status/incidents?state=resolved', null)
    expect((shown.body['incidents'] as { id: string }[]).map(each => each.id)).toContain(id)
  })
})

describe('the audit chain', () => {
  it('holds every action, names only administrators, is found by account, and is complete', async () => {
    const [admin, user] = [await anAdmin(), await signedInUser(db)]
    await call('PATCH', `/api/v1/admin/users/${user.user_id}/admin`, admin.cookie, { is_admin: true })
    await call('PATCH', `/api/v1/admin/users/${user.user_id}/admin`, admin.cookie, { is_admin: false })
    await call('POST', '/api/v1/admin/incidents', admin.cookie, { title: 'Planned work', impact: 'maintenance' })
    const { body } = await call('GET', `/api/v1/admin/audit?user_id=${user.user_id}`, admin.cookie)
    expect(AuditRows.safeParse(body).error).toBeUndefined()
    expect(
      (body['entries'] as { act: string; details: object; actor_user_id: string }[]).map(({ act, details, actor_user_id }) => [
        act,
        details,
        actor_user_id,
      ]),
    ).toEqual([
      ['admin.toggle', { is_admin: false }, admin.user_id],
      ['admin.toggle', { is_admin: true }, admin.user_id],
    ])
    const acts: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await call('GET', `/api/v1/admin/audit?limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`, admin.cookie)
      acts.push(...(page.body['entries'] as { act: string }[]).map(each => each.act))
      cursor = page.body['next_cursor'] as string | null
    }
    expect(acts).toHaveLength(
      Number(
        (
          await db
            .selectFrom('audit_entry')
            .select(({ fn }) => fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      ),
    )
    for (const act of ['admin.sign_in', 'admin.sign_out', 'admin.second_factor', 'admin.toggle', 'job.backfill', 'incident.open', 'incident.change'])
      expect(acts).toContain(act)
    expect(await brokenAudit(db)).toBeNull()
    expect(JSON.stringify(await db.selectFrom('audit_entry').selectAll().execute())).not.toContain(user.user_id)
    expect((await call('GET', '/api/v1/admin/audit?cursor=abc', admin.cookie)).status).toBe(400)
  })
})
