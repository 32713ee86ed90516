// Erasures and reports of browsers as administrators read them: who is waiting, who was erased, and the figures of a day.
import { hash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { answerOf, send, worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { AdminErasures, AdminTelemetry } from '#schemas/admin-privacy.ts'
import { dayMs, utcDay } from '#schemas/days.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { eraseDue, queueErasure, replayErasures } from '#warehouse/people/privacy/erasure.ts'
import { aggregateVitals, countViolations, keepVitals } from '#warehouse/people/telemetry/store.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'

const { db, server, warehouse } = await worldService()
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const admin = await signedInUser(db, { is_admin: true, kind: 'admin' })
await enrolNow(db, openSealKey(keysFolderOf(warehouse.config.dataFolder)), admin, clock.now())
const call = async (path: string, headers: Record<string, string> = admin.cookie) =>
  answerOf(await send(`${server.address}/api/v1/admin/${path}`, { headers }))
const daysAgo = (days: number): Date => new Date(clock.now().getTime() - days * dayMs)
const digest = (userId: string): string => hash('sha256', userId)

it('accounts wait for their erasure in the order of their day, and the proofs of erased ones have no name', async () => {
  const [gone, due, later] = [await signedInUser(db), await signedInUser(db), await signedInUser(db)]
  const queue = (user: { readonly user_id: string }, at: Date) =>
    db.transaction().execute(trx => queueErasure(trx, user.user_id, at, async () => undefined))
  await queue(gone, daysAgo(40))
  await eraseDue(db, clock.now())
  await queue(later, daysAgo(2))
  await queue(due, daysAgo(31))
  // A proof from the list of another database: this one never had the account.
  const foreign = { subject_sha256: digest('u_of_another_database'), requested_at: '2020-01-01T00:00:00Z', erased_at: '2020-02-01T00:00:00Z' }
  await replayErasures(db, [foreign], clock.now())
  const { status, body } = await call('erasures')
  expect([status, AdminErasures.safeParse(body).error]).toEqual([200, undefined])
  const { waiting, waiting_count, erasures, of, next_cursor } = AdminErasures.parse(body)
  const own = waiting.filter(each => [due.user_id, later.user_id, gone.user_id].includes(each.user_id))
  expect(own.map(each => [each.user_id, each.email, each.is_due])).toEqual([
    [due.user_id, due.email, true],
    [later.user_id, later.email, false],
  ])
  for (const { requested_at, erase_after } of own) expect(Date.parse(erase_after) - Date.parse(requested_at)).toBe(30 * dayMs)
  expect([waiting_count, of, next_cursor]).toEqual([waiting.length, erasures.length, null])
  const proof = erasures.find(each => each.subject_sha256 === digest(gone.user_id))
  expect(proof?.rows).toBeGreaterThan(0)
  expect(erasures.find(each => each.subject_sha256 === foreign.subject_sha256)).toEqual({ ...foreign, rows: null })
  expect(JSON.stringify(erasures)).not.toContain(gone.email)
  const instants = erasures.map(each => Date.parse(each.erased_at))
  expect(instants).toEqual(instants.toSorted((a, b) => b - a))
})

it('the pages of erased accounts follow each other without a gap', async () => {
  const all = AdminErasures.parse((await call('erasures?limit=500')).body)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: AdminErasuresOut = AdminErasures.parse((await call(`erasures?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`)).body)
    if (cursor !== null) expect(page.waiting).toEqual([])
    seen.push(...page.erasures.map(each => each.subject_sha256))
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(seen).toEqual(all.erasures.map(each => each.subject_sha256))
  expect(seen.length).toBeGreaterThan(1)
})
type AdminErasuresOut = ReturnType<typeof AdminErasures.parse>

it('page speed and blocked hosts are listed by day, within the range', async () => {
  const reported = (page: string, value: number) => ({ page, metric: 'LCP' as const, value })
  await keepVitals(
    db,
    [1000, 2000, 3000, 4100].map(value => reported('/admin-privacy', value)),
    clock.now(),
  )
  await countViolations(db, [{ directive: 'script-src-elem', blocked: 'cdn.example.net' }], clock.now())
  await countViolations(db, [{ directive: 'script-src-elem', blocked: 'old.example.net' }], daysAgo(20))
  await aggregateVitals(db)
  const { status, body } = await call('telemetry?days=7')
  expect([status, AdminTelemetry.safeParse(body).error]).toEqual([200, undefined])
  const { vitals, violations, kept_days } = AdminTelemetry.parse(body)
  // Three of four visits were at 3000 ms or below, which is above the 2500 ms of "good" and not above the 4000 ms of "poor".
  expect(vitals.filter(each => each.page === '/admin-privacy')).toEqual([
    { day: utcDay(clock.now()), page: '/admin-privacy', metric: 'LCP', unit: 'ms', p75: 3000, grade: 'needs improvement', visits: 4 },
  ])
  expect(violations.map(each => each.blocked)).toContain('cdn.example.net')
  expect(violations.map(each => each.blocked)).not.toContain('old.example.net')
  expect(kept_days).toEqual({ measurements: 14, figures: 400, violations: 30 })
  const wide = AdminTelemetry.parse((await call('telemetry?days=30')).body)
  expect(wide.violations.map(each => each.blocked)).toContain('old.example.net')
})

it.each(['erasures', 'telemetry'])('%s is for administrators with a second factor', async path => {
  const withoutFactor = await signedInUser(db, { is_admin: true, kind: 'admin' })
  const user = await signedInUser(db)
  expect((await call(path, withoutFactor.cookie)).status).toBe(403)
  expect((await call(path, user.cookie)).status).toBe(401)
  expect((await call(path, {})).status).toBe(401)
})
