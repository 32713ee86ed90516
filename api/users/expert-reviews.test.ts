// Reviews by experts over HTTP: who may write them, what a grave one does, who reads them, export and erasure.
import { beforeAll, expect, it } from 'vitest'
import { type Answer, answerOf, send, worldService } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { ExpertReviews } from '#schemas/expert-reviews.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { exportOf } from '#warehouse/people/privacy/export.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'

const { db, server, warehouse } = await worldService()
let admin: TestUser
let expert: TestUser
let other: TestUser
beforeAll(async () => {
  admin = await signedInUser(db, { is_admin: true, kind: 'admin' })
  await enrolNow(db, openSealKey(keysFolderOf(warehouse.config.dataFolder)), admin, new Date())
  expert = await signedInUser(db, { tier: 'trader' })
  other = await signedInUser(db, { tier: 'trader' })
})

const call = async (method: string, path: string, who: { cookie?: string } | null, body?: unknown, more = {}): Promise<Answer> =>
  answerOf(await send(server.address + path, { method, body, headers: { ...(who?.cookie ? { cookie: who.cookie } : {}), ...more } }))
const review = { expert_id: 'geologist-1', category: 'drill_results', verdict: 'wrong unit' }
const write = (who: TestUser, body: unknown, more = {}): Promise<Answer> => call('POST', '/api/v1/expert-reviews', who.cookie, body, more)

it('a review is taken from a reviewer whom an administrator named, and from no other account', async () => {
  expect((await write(expert, review)).status).toBe(403)
  expect((await call('POST', '/api/v1/expert-reviews', null, review)).status).toBe(401)
  const path = `/api/v1/admin/users/${expert.user_id}/reviewer`
  expect((await call('PATCH', path, expert.cookie, { is_reviewer: true })).status).toBe(401)
  expect((await call('PATCH', path, admin.cookie, { is_reviewer: true })).body).toEqual({
    id: expert.user_id,
    email: expert.email,
    is_reviewer: true,
  })
  expect((await call('PATCH', '/api/v1/admin/users/u_nobody/reviewer', admin.cookie, { is_reviewer: true })).status).toBe(404)
  const listed = (await call('GET', '/api/v1/admin/users', admin.cookie)).body['users'] as { id: string; is_reviewer: boolean }[]
  expect(listed.filter(each => each.is_reviewer).map(each => each.id)).toEqual([expert.user_id])
  const written = await write(expert, review)
  expect([written.status, written.body['status']]).toEqual([201, 'recorded'])
  expect((await write(other, review)).status).toBe(403)
  const acts = await db.selectFrom('audit_entry').select('act').where('act', '=', 'reviewer.toggle').execute()
  expect(acts).toHaveLength(1)
})

it('fields have the defaults of the specification, and others are refused with the field that is wrong', async () => {
  const { body } = await call('GET', '/api/v1/admin/expert-reviews?limit=1', admin.cookie)
  expect(ExpertReviews.parse(body).reviews[0]).toMatchObject({
    rating: 5,
    ai_prompt: '',
    corrected_output: '',
    severity: 'low',
    could_cause_investment_loss: false,
    incident_id: null,
    email: expert.email,
  })
  for (const [wrong, field] of [
    [{ category: 'x', verdict: 'y' }, 'expert_id'],
    [{ ...review, rating: 2.5 }, 'rating'],
    [{ ...review, rating: 'five' }, 'rating'],
    [{ ...review, verdict: '' }, 'verdict'],
    [{ ...review, ai_output: 'x'.repeat(32_001) }, 'ai_output'],
    [{ ...review, user_id: 'u_other' }, 'user_id'],
  ] as const) {
    const { status, text } = await write(expert, wrong)
    expect([status, text.includes(field)]).toEqual([422, true])
  }
})

it('a repeated request with one Idempotency-Key is one review', async () => {
  const key = { 'idempotency-key': 'review-of-today-1' }
  const [first, again] = [await write(expert, { ...review, category: 'once' }, key), await write(expert, { ...review, category: 'once' }, key)]
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await call('GET', '/api/v1/admin/expert-reviews?category=once', admin.cookie)).body['count']).toBe(1)
})

it('a critical review, or one of a possible loss, opens a draft that only administrators see until one publishes it', async () => {
  await write(expert, { ...review, category: 'grave', severity: 'CRITICAL', correction_notes: 'private words' })
  await write(expert, { ...review, category: 'grave', could_cause_investment_loss: true })
  await write(expert, { ...review, category: 'grave', severity: 'high' })
  const { reviews } = ExpertReviews.parse((await call('GET', '/api/v1/admin/expert-reviews?category=grave', admin.cookie)).body)
  expect(reviews.map(each => each.incident_id !== null)).toEqual([false, true, true])
  // Each request has a different limit, because a process repeats an answer for a moment.
  let limit = 100
  const shown = async (): Promise<string> => (await call('GET', `/api/v1/status/incidents?limit=${++limit}`, null)).text
  const id = reviews[2]?.incident_id ?? ''
  expect(await shown()).not.toContain(id)
  const drafts = (await call('GET', '/api/v1/admin/incidents', admin.cookie)).body as { incidents: { id: string; body: string; draft: boolean }[] }
  expect(drafts.incidents.map(each => each.id)).toContain(id)
  expect(JSON.stringify(drafts)).not.toContain('private words')
  expect((await call('GET', '/api/v1/admin/incidents', expert.cookie)).status).toBe(401)
  expect((await call('PATCH', `/api/v1/admin/incidents/${id}`, admin.cookie, { published: true })).status).toBe(200)
  expect(await shown()).toContain(id)
})

it('administrators export reviews as CSV without formulas and as JSON lines, page by page', async () => {
  await write(expert, { ...review, category: 'export', verdict: '=HYPERLINK("http://x")' })
  const csv = await call('GET', '/api/v1/admin/expert-reviews?format=csv&category=export', admin.cookie)
  expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
  expect(csv.text).toContain(`"'=HYPERLINK(""http://x"")"`)
  const lines = await call('GET', '/api/v1/admin/expert-reviews?format=ndjson', admin.cookie)
  expect(
    lines.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as object),
  ).toHaveLength(6)
  const ids: string[] = []
  let cursor: unknown = null
  do {
    const { body } = await call('GET', `/api/v1/admin/expert-reviews?limit=2${cursor === null ? '' : `&cursor=${String(cursor)}`}`, admin.cookie)
    ids.push(...ExpertReviews.parse(body).reviews.map(each => each.id))
    cursor = body['next_cursor']
  } while (cursor !== null)
  expect(new Set(ids).size).toBe(6)
  expect((await call('GET', '/api/v1/admin/expert-reviews', expert.cookie)).status).toBe(401)
})

it('reviews are in the export of their author and in no other, and go with the account', async () => {
  const exported = async (user: TestUser): Promise<string> => {
    let text = ''
    for await (const part of exportOf(db, user.user_id, new Date())) text += part
    return text
  }
  expect(await exported(expert)).toContain('private words')
  expect(await exported(other)).not.toContain('geologist-1')
  await db.deleteFrom('app_user').where('user_id', '=', expert.user_id).execute()
  expect(await db.selectFrom('expert_review').select('review_id').execute()).toEqual([])
})
