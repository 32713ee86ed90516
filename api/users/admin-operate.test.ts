// The running service for administrators, over HTTP and with a worker: overview, quarantine, cost of backfills, runs, upstreams, dead letters.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { answerOf, send, worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { AdminOverview, DecisionOut, QuarantineFinding, QuarantineList } from '#schemas/admin-operate.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'

const { db, server, warehouse } = await worldService()
const admin = await signedInUser(db, { is_admin: true, kind: 'admin' })
await enrolNow(db, openSealKey(keysFolderOf(warehouse.config.dataFolder)), admin, new Date())
const call = async (path: string, body?: unknown) =>
  answerOf(await send(`${server.address}/api/v1/admin/${path}`, { ...(body === undefined ? {} : { body }), headers: admin.cookie }))
const acts = async (): Promise<string[]> => (await db.selectFrom('audit_entry').select('act').orderBy('seq').execute()).map(row => row.act)

it('the overview counts what is stored', async () => {
  const { status, body } = await call('overview')
  expect([status, AdminOverview.safeParse(body).error]).toEqual([200, undefined])
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from raw_document`.execute(db)
  expect(body).toMatchObject({ raw: { documents: rows[0]?.count }, users: { administrators: 1 }, processes: { apis: 1 } })
})

it('a finding is shown with its document, and a decision reads it again, once, and is audited', async () => {
  const listed = QuarantineList.parse((await call('quarantine?limit=500')).body)
  expect(listed.groups.reduce((sum, each) => sum + each.count, 0)).toBe(listed.count)
  const action = listed.findings.find(each => each.reason === 'amount_exceeds_price')
  const truncated = listed.findings.find(each => each.reason === 'truncated')
  const shown = QuarantineFinding.parse((await call(`quarantine/${truncated?.id}`)).body)
  expect(shown.document?.text).toContain('<SEC-DOCUMENT>')
  const decided = await call(`quarantine/${action?.id}/decide`, { decision: 'rejected', note: 'a wrong amount' })
  expect([decided.status, DecisionOut.safeParse(decided.body).error]).toEqual([202, undefined])
  await expect.poll(async () => (await call(`quarantine/${action?.id}`)).body).toMatchObject({ state: 'rejected', note: 'operator: a wrong amount' })
  const again = await call(`quarantine/${action?.id}/decide`, { decision: 'rejected' })
  expect([again.status, again.body['code']]).toEqual([409, 'conflict'])
  expect((await acts()).filter(act => act === 'quarantine.reject')).toHaveLength(1)
  expect((await call('quarantine/999999')).status).toBe(404)
})

it('what the worker refuses is refused with its reason, and is not audited', async () => {
  // The worker of this test has other jobs than jobs.yaml; operator-requests.test.ts has those of jobs.yaml.
  const range = { from: '2024-01-01', to: '2024-12-31' }
  expect(await call('jobs/fx/backfill/cost', range)).toMatchObject({ status: 400, body: { detail: 'there is no job "fx"' } })
  expect(await call('jobs/fx/run', {})).toMatchObject({ status: 400, body: { detail: 'there is no job "fx"' } })
  expect((await acts()).includes('job.run')).toBe(false)
  expect((await db.selectFrom('backfill').select('backfill_id').execute()).length).toBe(0)
  expect((await call('jobs/symbols-us/backfill/cost', range)).status).toBe(400)
  expect((await call('jobs/nothing/backfill/cost', range)).status).toBe(404)
})

it('the stop of an upstream is lifted, and the chain keeps the reason', async () => {
  await sql`insert into upstream_limit (name, stopped_until, stop_reason) values ('example', clock_timestamp() + interval '1 hour', '429')`.execute(
    db,
  )
  expect((await call('upstreams')).body).toMatchObject({ count: 1, upstreams: [{ name: 'example', reason: '429' }] })
  expect((await call('upstreams/lift', { name: 'example' })).status).toBe(200)
  expect((await call('upstreams')).body['count']).toBe(0)
  expect((await call('upstreams/lift', { name: 'example' })).status).toBe(404)
  const [row] = await db.selectFrom('audit_entry').select(['act', 'subject', 'details']).orderBy('seq', 'desc').limit(1).execute()
  expect(row).toMatchObject({ act: 'upstream.lift', subject: 'example', details: { reason: '429' } })
})

it('dead letters are put back, and the chain counts them', async () => {
  expect(await call('dead-letters')).toMatchObject({ status: 200, body: { count: 0 } })
  expect(await call('dead-letters/redrive', {})).toMatchObject({ status: 200, body: { redriven: 0 } })
  expect((await acts()).at(-1)).toBe('dead_letters.redrive')
})
