// Documents, annotations and reports over the whole service: API, worker, Postgres and the bundled universe.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { drillRelease } from '#fixtures/pdf/drill-release.ts'
import { hostileFiles } from '#fixtures/pdf/hostile.ts'
import { worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { AnnotationAnswer } from '#schemas/annotations.ts'
import { addDays } from '#schemas/days.ts'
import { ParsedDocument, ReportTask } from '#schemas/documents.ts'
import { sweepReports } from '#warehouse/documents/reports.ts'
import { enrolNow } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey } from '#warehouse/people/admin/secret-key.ts'
import { exportOf } from '#warehouse/people/privacy/export.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { exampleForm } from '../fakes.ts'

const { db, key, server, warehouse } = await worldService()
const inbox = warehouse.config.inboxFolder
beforeAll(async () => {
  mkdirSync(join(inbox, '2026'), { recursive: true })
  writeFileSync(join(inbox, '2026', 'release.pdf'), drillRelease().bytes)
  writeFileSync(join(inbox, 'locked.pdf'), hostileFiles().find(each => each.name === 'encrypted')?.bytes ?? '')
  symlinkSync(join(inbox, 'locked.pdf'), join(inbox, 'link.pdf'))
})

type Json = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly body: Json; readonly text: string }
async function send(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(server.address + path, init)
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Json }
}
const parse = (bytes: Uint8Array): Promise<Answer> => {
  const { headers, payload } = exampleForm({ authorization: `Bearer ${key}` }, bytes)
  return send('/api/v1/documents/parse', { method: 'POST', headers, body: new Uint8Array(payload) })
}
const post = (path: string, headers: Record<string, string>, body: unknown): Promise<Answer> =>
  send(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
const annotate = (body: unknown): Promise<Answer> => post('/api/v1/annotations', { authorization: `Bearer ${key}` }, body)

describe('a drill release', () => {
  it('is read with its listing, and its tables are read by the drill calculator of the same service', async () => {
    const { status, body, text } = await parse(drillRelease().bytes)
    expect(status).toBe(200)
    const parsed = ParsedDocument.parse(body)
    expect(parsed.symbols).toMatchObject([{ printed: 'TSX-V: KCG', symbol: 'KCG.V', known: true }])
    expect(parsed.issuers[0]).toMatchObject({ printed: 'Kettle Creek Gold Inc.', symbol: 'KCG.V', basis: 'symbol', mentions: 4 })
    expect(text).toContain('3.20,11.0]')
    for (const request of [parsed.drill?.tables[0]?.request, parsed.drill?.document]) {
      const interpreted = await post('/api/v1/data/drill/interpret', { authorization: `Bearer ${key}` }, request)
      expect([interpreted.status, interpreted.body['count'], interpreted.body['unread']]).toEqual([200, 7, []])
    }
  })
  it('that is not sent is named, with how to send it', async () => {
    const headers = { authorization: `Bearer ${key}` }
    const { status, body } = await send('/api/v1/documents/parse', { method: 'POST', headers })
    expect([status, body['detail'], body['hint']]).toEqual([
      422,
      [{ loc: ['body'], msg: 'the request has no body', type: 'missing' }],
      'send a form: curl -F file=@report.pdf',
    ])
    const other = await send('/api/v1/annotations', { method: 'POST', headers })
    expect([other.status, other.body['hint']]).toEqual([422, 'send JSON with Content-Type: application/json'])
  })
  it('gives the same bytes to every caller', async () => {
    const [first, second] = await Promise.all([parse(drillRelease().bytes), parse(drillRelease().bytes)])
    expect(first.text).toBe(second.text)
  })
})

describe('while a hostile document is read', () => {
  it('other requests are answered, and the document gets its reason', async () => {
    let open = true
    const bomb = parse(hostileFiles().find(each => each.name === 'decompression-bomb')?.bytes ?? Buffer.alloc(0)).finally(() => {
      open = false
    })
    let answered = 0
    while (open) {
      expect((await fetch(`${server.address}/ping`)).status).toBe(200)
      answered += 1
    }
    const { status, body } = await bomb
    expect([status, body['code']]).toEqual([422, 'validation_error'])
    expect(JSON.stringify(body['detail'])).toMatch(/more memory than|took longer than/)
    expect(answered).toBeGreaterThan(10)
  })
})

describe('annotations', () => {
  it('of DEMO are those of a listing of the bundled universe, in words that state no cause', async () => {
    const { status, body, text } = await annotate({})
    expect(status).toBe(200)
    const answer = AnnotationAnswer.parse(body)
    expect([answer.demo, answer.symbol, answer.series.from]).toEqual([true, 'BRLX', 'lake'])
    expect(answer.count).toBeGreaterThan(0)
    expect(text).not.toMatch(/because|caus|due to|driv|trigger|spark|led to|result of|react|respon|explain|thanks to/i)
    for (const move of answer.annotations) {
      expect(Math.abs(Number(move.multiple))).toBeGreaterThanOrEqual(3)
      for (const item of move.known_before) expect(Date.parse(item.known_at)).toBeLessThanOrEqual(Date.parse(move.interval.after))
      for (const item of move.within_interval) {
        expect(Date.parse(item.known_at)).toBeGreaterThan(Date.parse(move.interval.after))
        expect(Date.parse(item.known_at)).toBeLessThanOrEqual(Date.parse(move.interval.until))
      }
    }
    expect(answer.annotations.flatMap(move => [...move.known_before, ...move.within_interval]).some(item => item.from === 'lake')).toBe(true)
  })
  it('sort the lists of the request by their instants, whatever their zones', async () => {
    const days = Array.from({ length: 40 }, (_, at) => addDays('2026-01-01', at))
    const price_series = days.map((date, at) => ({ date, close: at === 39 ? 150 : 100 + (at % 2) }))
    const headlines = [
      { title: 'two days before', published_at: '2026-02-07T12:00:00Z' },
      { title: 'after the close before', published_at: '2026-02-09T08:00:00-05:00' },
      { title: 'too late', published_at: '2026-02-12T00:00:00Z' },
      { title: 'long ago', published_at: '2026-01-02T00:00:00Z' },
    ]
    const filings = [{ form: '8-K', accepted_at: '2026-02-06T21:30:00Z' }]
    const { status, body } = await annotate({ ticker: 'ZZZQ', headlines, filings, price_series })
    expect(status).toBe(200)
    const answer = AnnotationAnswer.parse(body)
    expect([answer.symbol, answer.series.basis, answer.count]).toEqual([null, 'as_given', 1])
    const [move] = answer.annotations
    expect(move?.known_before.map(item => item.title ?? item.form)).toEqual(['two days before', '8-K'])
    expect(move?.within_interval.map(item => item.title)).toEqual(['after the close before'])
    expect(answer.notes.join(' ')).toContain('ZZZQ is no listing')
  })
  it.each([
    [{ ticker: 'NOPE.TO' }, 404, /NOPE\.TO/],
    [
      {
        price_series: [
          { date: '2026-01-02', close: 1 },
          { date: '2026-01-01', close: 1 },
        ],
      },
      422,
      /2026-01-01 is not after 2026-01-02/,
    ],
    [{ price_series: [{ date: '2026-01-02', close: 0 }] }, 422, /above 0/],
    [{ price_series: [{ date: '2026-01-02', close: -1 }] }, 422, /0 or more/],
    [{ price_series: [{ date: '2026-02-30', close: 1 }] }, 422, /date/],
    [{ price_series: [{ day: '2026-01-02', close: 1 }] }, 422, /date/],
    [{ price_series: 'x' }, 422, /expected a list, got text/],
    [{ headlines: [{ title: 'x' }] }, 422, /published_at/],
    [{ headlines: [{ title: 'x', published_at: 'yesterday' }] }, 422, /2026-12-31T00:00:00Z/],
    [{ headlines: [{ title: ' ', published_at: '2026-01-02T00:00:00Z' }] }, 422, /expected a title/],
    [{ headlines: [{ title: 'x', published_at: '2026-01-02T00:00:00Z', url: 'javascript:alert(1)' }] }, 422, /http/],
    [{ filings: [{ form: '<b>', accepted_at: '2026-01-02T00:00:00Z' }] }, 422, /8-K/],
    [{ ticker: '' }, 422, /ticker/],
    [{ tickers: 'X' }, 422, /tickers/],
  ])('refuse %j', async (requested, status, message) => {
    const answer = await annotate(requested)
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)])
  })
})

describe('a report of the inbox', () => {
  const ask = (cookie: Record<string, string>, body: unknown, more: Record<string, string> = {}): Promise<Answer> =>
    post('/api/v1/reports/process', { ...cookie, origin: server.address, ...more }, body)
  async function done(path: string, cookie: Record<string, string>): Promise<Answer> {
    for (;;) {
      const answer = await send(path, { headers: cookie })
      if (answer.status !== 200 || answer.body['status'] === 'succeeded' || answer.body['status'] === 'failed') return answer
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }
  it('is read by the worker, linked to its issuer, and seen by its user and administrators alone', async () => {
    const [user, other] = [await signedInUser(db), await signedInUser(db)]
    const { status, body } = await ask(user.cookie, { pdf_path: '2026/release.pdf', company_ticker: 'TSXV:KCG' })
    expect([status, body['status']]).toEqual([202, 'queued'])
    const path = `/api/v1/reports/${String(body['task_id'])}`
    const task = ReportTask.parse((await done(path, user.cookie)).body)
    expect(task).toMatchObject({ status: 'succeeded', company_ticker: 'KCG.V', progress: { pages_read: 2, page_count: 2 }, error: null })
    expect(task.issuer).toMatchObject({ symbol: 'KCG.V', basis: 'request' })
    expect(task.result?.drill?.tables[0]?.intervals).toBe(7)
    expect((await send(path, { headers: other.cookie })).status).toBe(404)
    expect((await send(path, { headers: { authorization: `Bearer ${key}` } })).status).toBe(403)
    const admin = await signedInUser(db, { kind: 'admin', is_admin: true })
    await enrolNow(db, openSealKey(keysFolderOf(warehouse.config.dataFolder)), admin, new Date())
    const seen = await send(`/api/v1/admin/reports/${String(body['task_id'])}`, { headers: admin.cookie })
    expect([seen.status, seen.body['status']]).toEqual([200, 'succeeded'])
    let exported = ''
    for await (const part of exportOf(db, user.user_id, new Date())) exported += part
    const { tables } = JSON.parse(exported) as { tables: Record<string, { rows: Json[] }> }
    expect(tables['report_task']?.rows).toMatchObject([{ pdf_path: '2026/release.pdf', status: 'succeeded' }])
    expect(await sweepReports(db, new Date(Date.now() + 31 * 86_400_000))).toBeGreaterThan(0)
    expect((await send(path, { headers: user.cookie })).status).toBe(404)
  })
  it('without a ticker is linked to the one issuer that it names', async () => {
    const { cookie } = await signedInUser(db)
    const { body } = await ask(cookie, { pdf_path: '2026/release.pdf' })
    expect((await done(`/api/v1/reports/${String(body['task_id'])}`, cookie)).body['issuer']).toMatchObject({ symbol: 'KCG.V', basis: 'document' })
  })
  it('that cannot be read fails with the reason, and is not tried again', async () => {
    const { cookie } = await signedInUser(db)
    const { body } = await ask(cookie, { pdf_path: 'locked.pdf' })
    const task = await done(`/api/v1/reports/${String(body['task_id'])}`, cookie)
    expect(task.body).toMatchObject({
      status: 'failed',
      result: null,
      error: { code: 'validation_error', detail: expect.stringContaining('encrypted') },
    })
  })
  it('whose job ended without its result is reported as failed, not as running for ever', async () => {
    const user = await signedInUser(db)
    const at = new Date().toISOString()
    const row = { task_id: 'rep_left', user_id: user.user_id, pdf_path: 'a.pdf', created_at: at, updated_at: at }
    await db
      .insertInto('report_task')
      .values({ ...row, job_id: '00000000-0000-4000-8000-00000000000a', status: 'running' })
      .execute()
    const { body } = await send('/api/v1/reports/rep_left', { headers: user.cookie })
    expect(body).toMatchObject({ status: 'failed', error: { detail: expect.stringContaining('the worker ended') } })
  })
  it('is requested once for each Idempotency-Key', async () => {
    const { cookie } = await signedInUser(db)
    const [first, again] = [
      await ask(cookie, { pdf_path: '2026/release.pdf' }, { 'idempotency-key': 'one' }),
      await ask(cookie, { pdf_path: '2026/release.pdf' }, { 'idempotency-key': 'one' }),
    ]
    expect(again.body).toEqual(first.body)
  })
  it.each([
    [{ pdf_path: 'none.pdf' }, 404, /the inbox has no file none\.pdf/],
    [{ pdf_path: 'link.pdf' }, 422, /it is a link/],
    [{ pdf_path: '../mode.pdf' }, 422, /below the inbox/],
    [{ pdf_path: '/etc/passwd.pdf' }, 422, /below the inbox/],
    [{ pdf_path: '2026/release.txt' }, 422, /ends with \.pdf/],
    [{ pdf_path: '2026/release.pdf', company_ticker: 'NOPE.TO' }, 404, /NOPE\.TO/],
    [{}, 422, /pdf_path/],
  ])('%j is refused', async (body, status, message) => {
    const { cookie } = await signedInUser(db)
    const answer = await ask(cookie, body)
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)])
  })
})
