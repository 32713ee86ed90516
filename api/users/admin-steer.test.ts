// What administrators steer besides jobs, over HTTP and with a worker: logs of runs, storage, receipts and their keys, accounts, API keys, mail.
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { answerOf, send, worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { AdminKeys, AdminMail, AdminReceipts, AdminStorage, AuditVerified, OperatorKey, Revoked, Rotated, RunLog } from '#schemas/admin-steer.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { enqueueMail } from '#warehouse/people/mail/enqueue.ts'
import { storeRunLines } from '#warehouse/store/jobs/run-log.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'

const { db, server, warehouse } = await worldService()
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const sealKey = openSealKey(keysFolderOf(warehouse.config.dataFolder))
const admin = await signedInUser(db, { is_admin: true, kind: 'admin' })
await enrolNow(db, sealKey, admin, clock.now())
/** Signed in half an hour ago: the code is no longer recent. */
const stale = await signedInUser(db, { is_admin: true, kind: 'admin' })
await enrolNow(db, sealKey, stale, clock.now())
await db
  .updateTable('user_session')
  .set({ proved_at: new Date(clock.now().getTime() - 30 * 60_000).toISOString() })
  .where('user_id', '=', stale.user_id)
  .execute()
type Sent = { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> }
const call = async (path: string, { headers = admin.cookie, ...sent }: Sent = {}) =>
  answerOf(await send(`${server.address}/api/v1/admin/${path}`, { ...sent, headers }))
const lastAct = () => db.selectFrom('audit_entry').select(['act', 'subject', 'details']).orderBy('seq', 'desc').limit(1).executeTakeFirstOrThrow()
const receipts = async (): Promise<AdminReceiptsOut> => AdminReceipts.parse((await call('receipts')).body)
type AdminReceiptsOut = ReturnType<typeof AdminReceipts.parse>

it('the log of a run is read in parts', async () => {
  const row = { job: 'fx', queue_job: null, attempt: 0, partition: 'p', backfill_id: null, worker: 'test', state: 'done' as const }
  const made = { ...row, finished_at: '2026-11-20T21:30:02Z', release: null, error: null }
  const { run_id } = await db.insertInto('job_run').values(made).returning('run_id').executeTakeFirstOrThrow()
  const at = '2026-11-20T21:30:00.000Z'
  await storeRunLines(
    db,
    run_id,
    [1, 2, 3].map(line => ({ line, at, level: 'info' as const, message: `line ${line}` })),
  )
  const first = RunLog.parse((await call(`runs/${run_id}?limit=2`)).body)
  expect([first.lines.map(each => each.line), first.next_after]).toEqual([[1, 2], 2])
  const rest = RunLog.parse((await call(`runs/${run_id}?limit=2&after=2`)).body)
  expect([rest.lines.map(each => each.message), rest.next_after]).toEqual([['line 3'], null])
  expect((await call('runs/999999999')).status).toBe(404)
})

it('storage is counted, and the worker counts what was never read', async () => {
  const { status, body } = await call('storage')
  expect([status, AdminStorage.safeParse(body).error]).toEqual([200, undefined])
  const stored = AdminStorage.parse(body)
  const { count } = await db
    .selectFrom('raw_document')
    .select(select => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(stored.raw.reduce((sum, each) => sum + each.documents, 0)).toBe(Number(count))
  expect(stored.unread).not.toBeNull()
  // No target is set for the worker of this test.
  expect(await call('backups')).toMatchObject({ status: 200, body: { place: null, backups: [] } })
})

it('a key is rotated by the worker, once, for the key that signs, and is audited', async () => {
  const before = await receipts()
  const old = before.keys.find(key => key.status === 'active')?.kid ?? ''
  expect(before.signing).toMatchObject({ fault: null, held: [old] })
  const refused = await call('signing-keys/rotate', { body: { active: 'another key' } })
  expect([refused.status, refused.body['code']]).toEqual([409, 'conflict'])
  const headers = { ...admin.cookie, 'idempotency-key': 'rotate-once' }
  const done = await call('signing-keys/rotate', { body: { active: old }, headers })
  expect([done.status, Rotated.safeParse(done.body).error]).toEqual([202, undefined])
  await expect.poll(async () => (await receipts()).keys.find(key => key.kid === old)?.status).toBe('retired')
  expect(await lastAct()).toMatchObject({ act: 'signing_key.rotate', details: { retired: old } })
  expect((await call('signing-keys/rotate', { body: { active: old }, headers })).status).toBe(202)
  expect((await receipts()).keys.length).toBe(before.keys.length + 1)
})

it('a key is revoked by its whole id only, and a new one signs', async () => {
  const active = (await receipts()).keys.find(key => key.status === 'active')?.kid ?? ''
  const path = `signing-keys/${active}/revoke`
  expect((await call(path, { body: { from: 'now', confirm: active.slice(1) } })).status).toBe(400)
  expect((await call(path, { body: { from: new Date(clock.now().getTime() + 86_400_000).toISOString(), confirm: active } })).status).toBe(400)
  const wrong = await call(path, { body: { from: 'soon' } })
  expect([wrong.status, (wrong.body['detail'] as unknown[]).length]).toEqual([422, 2])
  const unknown = 'A'.repeat(43)
  expect((await call(`signing-keys/${unknown}/revoke`, { body: { from: 'now', confirm: unknown } })).status).toBe(404)
  const done = await call(path, { body: { from: 'now', confirm: active } })
  expect([done.status, Revoked.safeParse(done.body).error]).toEqual([202, undefined])
  await expect
    .poll(async () => (await receipts()).keys.filter(key => key.status === 'active' || key.kid === active).map(key => key.status))
    .toEqual(['compromised', 'active'])
  const acts = await db.selectFrom('audit_entry').select('act').orderBy('seq', 'desc').limit(2).execute()
  expect(acts.map(each => each.act)).toEqual(['signing_key.rotate', 'signing_key.revoke'])
  // The log is signed, so there is nothing to continue, and nothing to audit.
  const continued = await call('receipt-log/continue', { method: 'POST' })
  expect(continued.status).toBe(202)
})

it('an account is disabled and enabled, and its second factor removed, with mail and audit', async () => {
  const user = await signedInUser(db, {})
  await enrolNow(db, sealKey, user, clock.now())
  expect(await call(`users/${user.user_id}/active`, { method: 'PATCH', body: { is_active: false } })).toMatchObject({
    status: 200,
    body: { is_active: false },
  })
  expect((await lastAct()).act).toBe('user.disable')
  expect(await db.selectFrom('user_session').select('session_id').where('user_id', '=', user.user_id).execute()).toEqual([])
  expect((await call(`users/${user.user_id}/active`, { method: 'PATCH', body: { is_active: true } })).body['is_active']).toBe(true)
  expect((await call(`users/${user.user_id}/second-factor`, { method: 'DELETE' })).status).toBe(204)
  expect((await lastAct()).act).toBe('account.second_factor_removed')
  expect((await call(`users/${user.user_id}/second-factor`, { method: 'DELETE' })).status).toBe(404)
  expect((await call(`users/${stale.user_id}/active`, { method: 'PATCH', body: { is_active: false } })).status).toBe(409)
  expect((await call(`users/${stale.user_id}/second-factor`, { method: 'DELETE' })).status).toBe(403)
  expect((await call('users/u_nobody/active', { method: 'PATCH', body: { is_active: false } })).status).toBe(404)
})

it('a key of the operator is shown once, and any key is revoked', async () => {
  const headers = { ...admin.cookie, 'idempotency-key': 'key-once' }
  const made = OperatorKey.parse((await call('api-keys', { body: { name: 'robot' }, headers })).body)
  expect(made.key).toMatch(/^cf_live_/)
  const again = await call('api-keys', { body: { name: 'robot' }, headers })
  expect([again.status, again.body['key'], again.body['key_id']]).toEqual([201, null, made.key_id])
  const kept = await db.selectFrom('idempotency_key').selectAll().where('key', '=', 'key-once').executeTakeFirstOrThrow()
  expect(JSON.stringify(kept)).not.toContain(made.key)
  const wrong = await call('api-keys', { body: { name: 'x'.repeat(101), tier: 'anonymous', scopes: ['root'], expires_in_days: -5 } })
  expect([wrong.status, (wrong.body['detail'] as { loc: string[] }[]).map(each => each.loc[1])]).toEqual([
    422,
    ['name', 'tier', 'scopes', 'expires_in_days'],
  ])
  const listed = AdminKeys.parse((await call('api-keys?owner=operator')).body)
  expect(listed.keys.filter(key => key.name === 'robot').map(key => key.state)).toEqual(['live'])
  expect((await call(`api-keys/${made.key_id}`, { method: 'DELETE' })).status).toBe(204)
  expect(await lastAct()).toMatchObject({ act: 'key.revoke', subject: 'operator', details: { key: made.key_id } })
  expect((await call(`api-keys/${made.key_id}`, { method: 'DELETE' })).status).toBe(204)
  expect(AdminKeys.parse((await call('api-keys?state=revoked')).body).keys.map(key => key.key_id)).toContain(made.key_id)
  expect((await call('api-keys/k_unknown', { method: 'DELETE' })).status).toBe(404)
  const all = AdminKeys.parse((await call('api-keys?state=all')).body).keys.map(key => key.key_id)
  const first = AdminKeys.parse((await call('api-keys?state=all&limit=1')).body)
  const second = AdminKeys.parse((await call(`api-keys?state=all&limit=1&cursor=${first.next_cursor}`)).body)
  expect([first.keys[0]?.key_id, second.keys[0]?.key_id]).toEqual(all.slice(0, 2))
})

it('mail is listed without its text, and sent again', async () => {
  const mail = { dedupe_key: 'a mail of this test', user_id: null, to_address: 'jane@example.org', kind: 'verify_email' as const }
  await db.transaction().execute(trx => enqueueMail(trx, { ...mail, subject: 'Confirm', body: 'https://example.org/secret-link' }))
  const { status, body } = await call('mail?state=waiting')
  expect([status, AdminMail.safeParse(body).error, JSON.stringify(body).includes('secret-link')]).toEqual([200, undefined, false])
  const id = AdminMail.parse(body).mails.find(each => each.subject === 'Confirm')?.mail_id ?? 0
  expect(await call(`mail/${id}/retry`, { method: 'POST' })).toMatchObject({ status: 200, body: { mail_id: id } })
  expect((await lastAct()).act).toBe('mail.retry')
  expect((await call('mail/999999/retry', { method: 'POST' })).status).toBe(404)
})

it.each([
  ['signing-keys/rotate', 'POST', { active: null }],
  [`signing-keys/${'A'.repeat(43)}/revoke`, 'POST', { from: 'now', confirm: 'A'.repeat(43) }],
  ['receipt-log/continue', 'POST', undefined],
  ['users/u_nobody/active', 'PATCH', { is_active: false }],
  ['users/u_nobody/second-factor', 'DELETE', undefined],
  ['api-keys', 'POST', { name: 'robot' }],
  ['api-keys/k_unknown', 'DELETE', undefined],
] as const)('%s needs a recent code', async (path, method, body) => {
  const refused = await call(path, { method, headers: stale.cookie, ...(body === undefined ? {} : { body }) })
  expect([refused.status, refused.body['detail']]).toEqual([403, 'this needs a sign-in of the last 15 minutes'])
})

it('the audit chain is checked, and a changed row is found', async () => {
  expect(AuditVerified.parse((await call('audit/verify')).body)).toMatchObject({ intact: true, broken_at: null })
  const { seq } = await db.selectFrom('audit_entry').select('seq').orderBy('seq').limit(1).executeTakeFirstOrThrow()
  // The owner of the table can switch the trigger off that keeps rows as they are.
  await sql`alter table audit_entry disable trigger audit_entry_append_only`.execute(db)
  await db.updateTable('audit_entry').set({ subject: 'somebody else' }).where('seq', '=', seq).execute()
  await sql`alter table audit_entry enable trigger audit_entry_append_only`.execute(db)
  expect(AuditVerified.parse((await call('audit/verify')).body)).toMatchObject({ intact: false, broken_at: seq })
})
