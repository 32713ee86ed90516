// The operator's pages over HTTP: who gets them, what their forms do and refuse. Operations return their examples.
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { exampleAnswers } from '#schemas/operations/examples.ts'
import { buildApp } from '../../app.ts'
import { fakeSessions, fakes, observed } from '../../fakes.ts'
import { jsonAnswer } from '../../users/tools.ts'
import { pages } from '../register.ts'

const accept = 'text/html'
const admin = { cookie: `service_admin=${fakeSessions.admin}` }
const user = { cookie: `service_session=${fakeSessions.user}` }
const calls: { readonly id: string; readonly body: unknown; readonly parameters: unknown }[] = []
/** The error with which operations answer; null: their examples. */
let failure: Error | null = null
let app: FastifyInstance
beforeAll(async () => {
  const given = fakes()
  const handlers = observed(given.handlers, (id, _question, { body, parameters }: { readonly body: unknown; readonly parameters: unknown }) => {
    if (body === undefined) return
    calls.push({ id, body, parameters })
    if (failure !== null) throw failure
  })
  app = await buildApp({ ...given, formTokens: async () => 'the-token', handlers })
})
afterAll(() => app.close())

const get = (url: string, headers: Record<string, string>) => app.inject({ url, headers: { accept, ...headers } })
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  calls.length = 0
  return app.inject({
    method: 'POST',
    url,
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...admin, ...headers },
    payload: new URLSearchParams({ token: 'the-token', ...fields }).toString(),
  })
}
const own = pages.filter(({ path, access }) => path.startsWith('/operator') && access === 'admin')

describe.each(own.map(page => [page.path, page] as const))('%s', (_path, page) => {
  it('is for administrators only', async () => {
    const [nobody, aUser, anAdmin] = [await get(page.sample, {}), await get(page.sample, user), await get(page.sample, admin)]
    expect([nobody.statusCode, aUser.statusCode, anAdmin.statusCode]).toEqual([401, 401, 200])
    expect(nobody.body).toContain('href="/operator/sign-in"')
    const disguised = await get(page.sample, { cookie: `service_admin=${fakeSessions.user}` })
    expect(disguised.statusCode).toBe(403)
  })
  it('is never kept, and its forms are refused without the token or from another site', async () => {
    expect((await get(page.sample, admin)).headers['cache-control']).toBe('no-store')
    for (const name of Object.keys(page.forms)) {
      const path = `${page.sample}/${name}`
      const stale = await post(path, { token: 'other', id: '1', name: 'sec', from: '2024-01-01', to: '2024-02-01' })
      expect([path, stale.statusCode, calls.length]).toEqual([path, 422, 0])
      const foreign = await post(path, {}, { 'sec-fetch-site': 'cross-site' })
      expect([path, foreign.statusCode, calls.length]).toEqual([path, 403, 0])
      const aUser = await post(path, {}, { cookie: user.cookie })
      expect([path, aUser.statusCode, calls.length]).toEqual([path, 401, 0])
    }
  })
})

describe('signing in', () => {
  it('runs no script, calls the operation, and passes its cookies on', async () => {
    const page = await get('/operator/sign-in', {})
    expect(page.headers['content-security-policy']).not.toContain('script-src')
    expect(page.body).not.toContain('<script')
    const given = fakes()
    const cookie = ['Set-Cookie', 'service_admin=cf_sess_x; Path=/operator; HttpOnly']
    const handlers = {
      ...given.handlers,
      admin_login: () => ({
        kind: 'bytes',
        body: Buffer.from(JSON.stringify({ totp_enrolled: true })),
        etag: 'x',
        release: null,
        last_modified: null,
        receipt_id: null,
        immutable: false,
        headers: cookie,
      }),
    } as unknown as typeof given.handlers
    const other = await buildApp({ ...given, formTokens: async () => 'the-token', handlers })
    const entered = await other.inject({
      method: 'POST',
      url: '/operator/sign-in/enter',
      headers: { accept, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      payload: new URLSearchParams({ email: ' op@example.org ', password: 'seven brown otters sing', totp_code: '' }).toString(),
    })
    await other.close()
    expect([entered.statusCode, entered.headers.location, entered.headers['set-cookie']]).toEqual([303, '/operator', cookie[1]])
  })
  it('shows every fault, and never the password', async () => {
    const wrong = await post('/operator/sign-in/enter', { email: '', password: '' }, { cookie: '' })
    expect(wrong.statusCode).toBe(422)
    expect([wrong.body.match(/aria-invalid="true"/g)?.length, calls.length]).toEqual([2, 0])
    failure = new BadRequest('address, password or code is wrong')
    const refused = await post('/operator/sign-in/enter', { email: 'op@example.org', password: 'my secret words' }, { cookie: '' })
    failure = null
    expect(refused.body).toContain('Address, password or code is wrong.')
    expect(refused.body).not.toContain('my secret words')
  })
})

const theKey = 'Q2xpZW50cyBrZWVwIHRoZWlyIG93biBjb3BpZXM_exa'

describe('an action that cannot be undone', () => {
  it.each([
    ['/operator/receipts/rotate', { active: theKey }, 1],
    ['/operator/receipts/revoke', { kid: 'short', from: '', confirm: '' }, 3],
    ['/operator/receipts/revoke', { kid: theKey, from: 'now', confirm: theKey.slice(0, -1) }, 1],
    ['/operator/storage/run', { job: 'fx' }, 0],
  ] as const)('%s with %o needs its confirmation, and shows every fault', async (path, fields, faults) => {
    const refused = await post(path, fields)
    expect([refused.statusCode, refused.body.match(/aria-invalid="true"/g)?.length ?? 0, calls.length]).toEqual([422, faults, 0])
  })
  it('shows the text of a key once: the same form again shows none', async () => {
    const made = await post('/operator/keys/make', { name: ' robot ', tier: 'core', scopes: 'data:read', expires: 'never', once: 'x' })
    expect([made.statusCode, calls.map(call => call.body)]).toEqual([
      200,
      [{ name: 'robot', tier: 'core', scopes: ['data:read'], expires_in_days: null }],
    ])
    expect(made.body).toContain('cf_live_shown_once_x7Qp')
  })
  it('shows the log of a run with its levels, and follows it only while the run is at work', async () => {
    const shown = await get('/operator/runs/41', admin)
    expect(shown.body).toContain('release 14: 1 document, 2 rows, 0 held back')
    expect(shown.body).not.toContain('data-log="')
  })
})

describe('a correction', () => {
  const place = { filing: '0001902104-26-000012', dataset: 'insider_transactions', line: '2' }
  const query = new URLSearchParams(place).toString()
  const fields = { ...place, field: 'price', value: ' 12.50 ', reason: 'decimal point', evidence: 'https://www.example.com/statement.pdf' }
  const body = { ...fields, value: '12.50' }
  it('shows the values of one row with the form, and the list of corrections', async () => {
    const shown = await get(`/operator/corrections?${query}`, admin)
    expect([shown.statusCode, shown.body]).toEqual([200, expect.stringContaining('<option value="price">price</option>')])
    expect(shown.body).toContain('href="https://www.example.com/statement.pdf"')
  })
  it('is previewed first, and the preview has the form that applies it once', async () => {
    const shown = await post(`/operator/corrections/preview?${query}`, fields)
    expect([shown.statusCode, calls.map(call => [call.id, call.body])]).toEqual([200, [['correct_filing_value', { ...body, dry_run: true }]]])
    expect(shown.body).toContain('<input type="hidden" name="value" value=" 12.50 ">')
    const applied = await post(`/operator/corrections/apply?${query}`, { ...fields, once: 'x' })
    // The example that the operation answers with here is not applied.
    expect([applied.statusCode, applied.headers.location, calls.map(call => call.body)]).toEqual([
      303,
      `/operator/corrections?${query}&done=requested`,
      [{ ...body, dry_run: false }],
    ])
  })
  it('is withdrawn without a value and without evidence', async () => {
    await post(`/operator/corrections/apply?${query}`, { ...fields, value: '', evidence: '', undo: 'yes' })
    expect(calls.map(call => call.body)).toEqual([{ ...body, value: null, evidence: null, dry_run: false }])
  })
  it('shows all faults at the same time, next to their fields, with what was typed', async () => {
    const wrong = await post(`/operator/corrections/preview?${query}`, { ...place, field: 'price', reason: '', value: '', evidence: '' })
    expect([wrong.statusCode, wrong.body.match(/aria-invalid="true"/g)?.length, calls.length]).toEqual([422, 3, 0])
  })
})

describe('an action', () => {
  it('shows the cost of a backfill before it starts, with the range in the form that starts it', async () => {
    const shown = await post('/operator/jobs/fx/estimate', { from: '2024-01-01', to: '2024-12-31', symbols: '' })
    expect(shown.statusCode).toBe(200)
    expect(calls.map(call => [call.id, call.body])).toEqual([['estimate_backfill', { from: '2024-01-01', to: '2024-12-31' }]])
    expect(shown.body).toContain('fx from 2024-01-01 to 2024-12-31: 4 windows.')
    expect(shown.body).toContain('<input type="hidden" name="from" value="2024-01-01">')
    const started = await post('/operator/jobs/fx/backfill', { from: '2024-01-01', to: '2024-12-31' })
    expect([started.statusCode, started.headers.location]).toEqual([303, '/operator/jobs/fx?done=backfill#backfills'])
  })
  it('reports all faults of a form at the same time', async () => {
    const wrong = await post('/operator/jobs/fx/estimate', { from: 'soon', to: '' })
    expect([wrong.statusCode, wrong.body.match(/aria-invalid="true"/g)?.length]).toEqual([422, 2])
  })
  it.each([
    ['/operator/quarantine/1/release', { note: 'checked' }, 'decide_quarantine_finding', { decision: 'released', note: 'checked' }],
    ['/operator/quarantine/1/reject', { note: '' }, 'decide_quarantine_finding', { decision: 'rejected', note: null }],
    ['/operator/upstreams/lift', { name: 'sec' }, 'lift_upstream_stop', { name: 'sec' }],
    ['/operator/jobs/redrive', {}, 'redrive_dead_letters', { ids: null }],
    ['/operator/jobs/fx/run', { date: '2026-11-19', symbols: '' }, 'run_job', { date: '2026-11-19' }],
    ['/operator/users/role', { id: 'u_1', is_admin: 'yes' }, 'set_admin', { is_admin: true }],
    ['/operator/users/active', { id: 'u_1', is_active: 'no' }, 'set_user_active', { is_active: false }],
    ['/operator/users/reviewer', { id: 'u_1', is_reviewer: 'yes' }, 'set_reviewer', { is_reviewer: true }],
    ['/operator/storage/run', { job: 'repair' }, 'run_job', {}],
    ['/operator/storage/run', { job: 'backup-verify' }, 'run_job', {}],
    ['/operator/erasures/run', {}, 'run_job', {}],
    ['/operator/receipts/sample', {}, 'run_job', {}],
    ['/operator/receipts/rotate', { active: theKey, sure: 'yes' }, 'rotate_signing_key', { active: theKey }],
    ['/operator/receipts/revoke', { kid: theKey, from: ' now ', confirm: theKey }, 'revoke_signing_key', { from: 'now', confirm: theKey }],
    [
      '/operator/incidents/change',
      { id: 'inc_1', note: 'fixed', impact: 'minor', action: 'resolve' },
      'change_incident',
      { note: 'fixed', impact: 'minor', resolved: true },
    ],
  ] as const)('%s calls its operation with the fields', async (path, fields, id, body) => {
    const response = await post(path, fields)
    expect([response.statusCode, calls.map(call => [call.id, call.body])]).toEqual([303, [[id, body]]])
  })
})

describe('the page of a job', () => {
  const shownWith = async (job: object): Promise<string> => {
    const listed = exampleAnswers['list_admin_jobs'] as { jobs: { name: string }[] }
    const answer = { ...listed, jobs: listed.jobs.map(each => (each.name === 'fx' ? { ...each, ...job } : each)) }
    const given = fakes({ handlers: { list_admin_jobs: () => jsonAnswer(answer) } })
    const other = await buildApp({ ...given, formTokens: async () => 'the-token' })
    try {
      return (await other.inject({ url: '/operator/jobs/fx', headers: { accept, ...admin } })).body
    } finally {
      await other.close()
    }
  }
  it('states why no worker runs it, and then offers no run', async () => {
    const body = await shownWith({ on: false, why_off: 'fx: no key is set', workers: [] })
    expect(body).toContain('off: fx: no key is set')
    expect(body).not.toContain('Run fx</button>')
  })
  it('names the worker that does not run it next to one that does', async () => {
    const workers = [
      { worker: 'a:1:x', on: true, why_off: null },
      { worker: 'b:2:y', on: false, why_off: 'fx: no key is set' },
    ]
    const body = await shownWith({ on: true, why_off: null, workers })
    expect(body).toContain('on for 1 worker; off for b:2:y (fx: no key is set)')
    expect(body).toContain('Run fx</button>')
  })
})
