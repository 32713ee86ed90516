// The assistant over HTTP with an answerer that the tests steer: what is counted and given back, streams, shared copies, what is kept.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dailyCaps } from '#fixtures/assistant/daily-caps.ts'
import { type EventReader, readEvents } from '#fixtures/events.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { type AssistantAnswer, AssistantEvent, assistantRuleset, type Conversation } from '#schemas/assistant.ts'
import { loadConfig } from '#schemas/config.ts'
import { Upstream } from '#schemas/errors.ts'
import { assistantOperations } from '#schemas/operations/assistant.ts'
import type { AssistantQuestion } from '#warehouse/assistant/answer-question.ts'
import { sweepChats } from '#warehouse/people/chats/sweep.ts'
import { endSession, findSession } from '#warehouse/people/users/sessions.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { widePlans } from '../fakes.ts'
import { type Server, startServer } from '../server.ts'

const url = await createTestDatabase()
const { db, pool, close } = connect(url)
/** The clock of the service, which is the database's. */
const clock = await openSharedClock(db)
afterAll(() => clock.close())
const folder = mkdtempSync(join(tmpdir(), 'crossfile-assistant-'))
const env = { DATABASE_URL: url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'silent', PORT: '0', CROSSFILE_TRUSTED_PROXIES: '127.0.0.1' }
const times = { poll: 10, watch: 20, grace: 600_000, heartbeat: 30 }

/** Questions that reached the answerer, and what holds the answers to "wait". */
const requested: AssistantQuestion[] = []
const gate = { open: (): void => {}, opened: Promise.resolve() }
const shut = (): void => {
  gate.opened = new Promise(resolve => {
    gate.open = resolve
  })
}
const subject = (symbol: string): Conversation => ({
  subject: { kind: 'listing', symbol, us_symbol: null, name: null, cik: null, country: null, indicator: null, id: null },
  measure: 'price',
  period: null,
  inputs: { account_type: 'rrsp' },
})
const answerOf = (text: string, refused: AssistantAnswer['envelope']['refused'] = null): AssistantAnswer => ({
  answer: text,
  envelope: {
    claims: [],
    calls: [],
    citations: [],
    model: 'rules',
    ruleset: assistantRuleset,
    as_of: null,
    release: null,
    refused,
    candidates: [],
    subject: refused === null ? subject('GLPR.TO') : null,
  },
})
async function answer(question: AssistantQuestion): Promise<AssistantAnswer> {
  requested.push(question)
  const { question: text, onEvent, signal } = question
  if (text.startsWith('fail')) throw new Upstream('the dataset quotes cannot be read', { retryAfterSeconds: 3 })
  if (text.startsWith('bug')) throw new TypeError('canary of a fault inside')
  if (text.startsWith('refuse')) return answerOf('No rule fits this question.', { code: 'not_understood', reason: 'no rule fits' })
  onEvent?.({ event: 'thinking', text: 'reading the quote' })
  onEvent?.({ event: 'tool_call', call_id: 1, name: 'get_quotes', arguments: { symbols: 'GLPR.TO' } })
  if (text.startsWith('wait')) {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      void gate.opened.then(resolve)
    })
  }
  onEvent?.({ event: 'tool_result', call_id: 1, ok: true, ms: 4, summary: 'get_quotes: quotes 1', receipt_id: null })
  const given = answerOf(`The answer to: ${text}\nsecond line`)
  onEvent?.({ event: 'delta', text: given.answer })
  onEvent?.({ event: 'envelope', envelope: given.envelope })
  return given
}

let server: Server
beforeAll(async () => {
  await installQueue(url)
  server = await startServer(loadConfig(env), widePlans, { answer, times })
})
afterAll(async () => {
  gate.open()
  await server.close()
  await close()
  rmSync(folder, { recursive: true, force: true })
})

type Statement = {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown> & { envelope?: Record<string, unknown> }
}
const fetched = (
  user: TestUser | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${server.address}/api/v1${path}`, {
    method,
    headers: { ...(user?.cookie ?? {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
/** Asks, and holds a good answer against the schema of its operation. */
async function ask(user: TestUser | null, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Statement> {
  const response = await fetched(user, method, path, body, headers)
  const text = await response.text()
  const pattern = (template: string): RegExp => new RegExp(`^${template.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  const operation = assistantOperations.find(each => each.method === method && pattern(each.path).test(path.split('?', 1)[0] ?? ''))
  if (response.ok && operation?.answer) {
    expect(operation.answer.safeParse(JSON.parse(text)).error).toBeUndefined()
    expect(response.status).toBe(operation.success)
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Statement['body']) }
}
const send = (user: TestUser, content: string, more: object = {}): Promise<Statement> => ask(user, 'POST', '/chat/send', { content, ...more })
const streamOf = (user: TestUser, query: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
  fetched(user, 'GET', `/chat/stream-thinking${query}`, undefined, { accept: 'text/event-stream', ...headers }, signal)
const usedBy = async (user: TestUser): Promise<number> => Number((await ask(user, 'GET', '/assistant/profile')).body['queries_today'])
const stateOf = async (runId: string): Promise<string> => (await pool.query('select state from chat_run where run_id = $1', [runId])).rows[0]?.state
async function until<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (wanted(value)) return value
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
/** Reads until the event of a name. */
async function until_(events: EventReader, name: string) {
  for (let one = await events.next(); one !== null; one = await events.next()) if (one.event === name) return one
  throw new TypeError(`no event ${name}`)
}

describe('the daily cap', () => {
  it.each(dailyCaps)('of %s is %i: one more is 429 until the day in UTC ends, and the profile counts it', async (tier, cap) => {
    const user = await signedInUser(db, { tier })
    expect((await send(user, 'price')).body).toMatchObject({ queries_today: 1, queries_per_day: cap })
    await pool.query('update daily_use set used = $2 where user_id = $1', [user.user_id, cap - 1])
    expect((await ask(user, 'POST', '/assistant/ask', { query: 'price' })).body).toMatchObject({ queries_today: cap })
    for (const refused of [
      await send(user, 'price'),
      await ask(user, 'POST', '/geochat/message', { content: 'price' }),
      await ask(user, 'POST', '/assistant/ask', { query: 'price' }),
    ]) {
      expect([refused.status, refused.body['code']]).toEqual([429, 'rate_limited'])
      expect(String(refused.body['detail'])).toContain(`the daily cap of ${cap}`)
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(86_400)
    }
    expect((await streamOf(user, '?content=price')).status).toBe(429)
    expect(await usedBy(user)).toBe(cap)
    expect((await ask(user, 'GET', '/auth/me')).body['queries_today']).toBe(cap)
  })
  it('holds for many questions at the same time', async () => {
    const user = await signedInUser(db)
    const answered = await Promise.all(Array.from({ length: 40 }, () => ask(user, 'POST', '/assistant/ask', { query: 'price' })))
    const good = answered.filter(each => each.status === 200).length
    expect(good).toBeLessThanOrEqual(10)
    expect(await usedBy(user)).toBe(good)
    for (const each of answered.filter(one => one.status !== 200)) expect([each.status, each.body['code']]).toEqual([429, 'rate_limited'])
  })
  it('gives back what was not answered: a refusal, a failure of ours, a fault, an image that no model takes', async () => {
    const user = await signedInUser(db)
    expect((await send(user, 'refuse this')).body).toMatchObject({ queries_today: 0, envelope: { refused: { code: 'not_understood' } } })
    const failed = await send(user, 'fail')
    expect([failed.status, failed.body['code'], failed.headers.get('retry-after')]).toEqual([503, 'upstream_unavailable', '3'])
    const bug = await send(user, 'bug')
    expect([bug.status, bug.body['code'], JSON.stringify(bug.body)]).toEqual([500, 'internal_error', expect.not.stringContaining('canary')])
    const image = await send(user, 'price', { image_base64: 'iVBORw0KGgo=' })
    expect([image.status, image.body['code']]).toEqual([422, 'validation_error'])
    expect(JSON.stringify(image.body)).toContain('no model that takes images')
    expect(await usedBy(user)).toBe(0)
    const failing = await readEvents(await streamOf(user, '?content=fail')).rest()
    expect(failing.map(each => each.event)).toEqual(['start', 'error'])
    expect(failing.at(-1)?.data).toMatchObject({ code: 'upstream_unavailable', retryable: true })
    expect(await usedBy(user)).toBe(0)
  })
  it('is of a day in UTC: what was counted yesterday is given back to yesterday', async () => {
    const user = await signedInUser(db)
    await pool.query(`insert into daily_use (user_id, day, class, used) values ($1, (now() at time zone 'utc')::date - 1, 'assistant', 3)`, [
      user.user_id,
    ])
    const id = `m_${'y'.repeat(20)}`
    await pool.query(
      `insert into chat_run (run_id, user_id, kind, state, request, counted_on, created_at, alive_until)
       values ($1, $2, 'ask', 'running', '{}', (now() at time zone 'utc')::date - 1, now() - interval '1 hour', now() - interval '1 hour')`,
      [id, user.user_id],
    )
    expect((await send(user, 'price')).body['queries_today']).toBe(1)
    const { rows } = await pool.query('select used from daily_use where user_id = $1 order by day', [user.user_id])
    expect(rows.map(row => row.used)).toEqual([2, 1])
    expect(await stateOf(id)).toBe('failed')
  })
})

describe('a chat', () => {
  it('continues with its turns and the subject of its last answer, for its user alone', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const first = await send(a, 'price of GLPR.TO', { session_id: 'my-chat' })
    expect(first.body).toMatchObject({ session_id: 'my-chat', answer: 'The answer to: price of GLPR.TO\nsecond line' })
    requested.length = 0
    await send(a, 'and in 2024?', { session_id: 'my-chat' })
    expect(requested[0]).toMatchObject({ question: 'and in 2024?', conversation: subject('GLPR.TO') })
    requested.length = 0
    await send(b, 'and in 2024?', { session_id: 'my-chat' })
    expect(requested[0]?.conversation).toBeNull()
    const other = await send(a, 'price')
    expect(other.body['session_id']).toMatch(/^c_[\w-]{16}$/)
    const { rows } = await pool.query('select ordinal, role, content from chat_message where user_id = $1 and session_id = $2 order by ordinal', [
      a.user_id,
      'my-chat',
    ])
    expect(rows.map(row => [row.ordinal, row.role])).toEqual([
      [1, 'user'],
      [2, 'assistant'],
      [3, 'user'],
      [4, 'assistant'],
    ])
  })
  it.each([
    ['no content', {}, 'content'],
    ['blank content', { content: ' \n ' }, 'content'],
    ['16,001 characters', { content: 'a'.repeat(16_001) }, 'content'],
    ['a control character', { content: 'a\u0007' }, 'content'],
    ['a session id of 65 characters', { content: 'price', session_id: 'a'.repeat(65) }, 'session_id'],
    ['a session id with other characters', { content: 'price', session_id: 'a/../b' }, 'session_id'],
    ['a quality that is none', { content: 'price', quality: 'best' }, 'quality'],
    ['a member that is not described', { content: 'price', user_id: 'u_1' }, 'user_id'],
    ['a number', { content: 5 }, 'content'],
  ])('with %s is refused and not counted', async (_name, body, about) => {
    const user = await signedInUser(db)
    const answered = await ask(user, 'POST', '/chat/send', body)
    expect([answered.status, answered.body['code'], answered.body['hint']]).toEqual([422, 'validation_error', expect.stringContaining(about)])
    expect(await usedBy(user)).toBe(0)
  })
  it('takes 16,000 characters, an empty session id as none, and null for what may be null', async () => {
    const user = await signedInUser(db)
    const answered = await send(user, 'a'.repeat(16_000), { session_id: '', image_base64: null, quality: null })
    expect([answered.status, answered.body['session_id']]).toEqual([200, expect.stringMatching(/^c_/)])
  })
  it('is for people: not for keys, not for other sites, not without a session', async () => {
    const user = await signedInUser(db)
    expect((await ask(null, 'POST', '/chat/send', { content: 'price' })).status).toBe(401)
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Record<string, string>[]) {
      expect((await ask(user, 'POST', '/chat/send', { content: 'price' }, headers)).status).toBe(403)
      expect((await streamOf(user, '?content=price', headers)).status).toBe(403)
    }
    expect((await streamOf(user, '?content=price', { 'sec-fetch-site': 'same-site' })).status).toBe(403)
    const head = await fetched(user, 'HEAD', '/chat/stream-thinking?content=price')
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, OPTIONS'])
    expect(await usedBy(user)).toBe(0)
  })
})

describe('a stream', () => {
  it('has the events of the conventions with ids in their order, and ends with done', async () => {
    const user = await signedInUser(db)
    const response = await streamOf(user, `?content=${encodeURIComponent('price of GLPR.TO')}&session_id=s1`)
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('cache-control'),
      response.headers.get('x-accel-buffering'),
    ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store', 'no'])
    const reader = readEvents(response)
    const events = await reader.rest()
    expect(events.map(each => each.event)).toEqual(['start', 'thinking', 'tool_call', 'tool_result', 'delta', 'envelope', 'done'])
    const message = events[0]?.data['message_id']
    expect(events.map(each => each.id)).toEqual(events.map((_, at) => `${message}-${at + 1}`))
    for (const { event, data } of events) expect(AssistantEvent.safeParse({ event, ...data }).error).toBeUndefined()
    expect(events[0]?.data).toMatchObject({ session_id: 's1', model: 'rules', ruleset: assistantRuleset })
    expect(events[4]?.data['text']).toContain('\nsecond line')
    expect(events.at(-1)?.data).toMatchObject({ message_id: message, finish_reason: 'stop' })
    expect(reader.retry()).toBe(3000)
    expect(await usedBy(user)).toBe(1)
    // After the last event there is nothing to continue, which ends an EventSource.
    const after = await streamOf(user, '?content=price', { 'last-event-id': `${message}-7` })
    expect([after.status, await after.text()]).toEqual([204, ''])
    expect(await usedBy(user)).toBe(1)
  })
  it('is continued after the last event by the same user, without being counted again', async () => {
    const [user, stranger] = [await signedInUser(db), await signedInUser(db)]
    shut()
    const first = readEvents(await streamOf(user, '?content=wait'))
    const call = await until_(first, 'tool_call')
    await first.close()
    const again = await streamOf(user, '?content=wait', { 'last-event-id': call.id })
    expect(again.status).toBe(200)
    expect((await streamOf(stranger, '?content=price', { 'last-event-id': call.id })).status).toBe(404)
    gate.open()
    const events = await readEvents(again).rest()
    expect(events.map(each => each.event)).toEqual(['tool_result', 'delta', 'envelope', 'done'])
    expect(await usedBy(user)).toBe(1)
    const whole = await readEvents(await streamOf(user, '?content=wait', { 'last-event-id': call.id.replace(/-\d+$/, '-0') })).rest()
    expect(whole.map(each => each.event)).toEqual(['start', 'thinking', 'tool_call', 'tool_result', 'delta', 'envelope', 'done'])
    await pool.query(`update chat_event set created_at = created_at - interval '6 minutes' where user_id = $1`, [user.user_id])
    const late = await streamOf(user, '?content=wait', { 'last-event-id': call.id })
    expect([late.status, ((await late.json()) as Statement['body'])['hint']]).toEqual([404, expect.stringContaining('five minutes')])
    expect(await usedBy(user)).toBe(1)
    expect((await streamOf(user, '?content=price', { 'last-event-id': 'nonsense' })).status).toBe(400)
  })
  it('sends comments while nothing happens', async () => {
    const user = await signedInUser(db)
    shut()
    const reader = readEvents(await streamOf(user, '?content=wait'))
    await until_(reader, 'tool_call')
    const rest = reader.rest()
    await until(
      async () => reader.comments.length,
      count => count >= 2,
    )
    gate.open()
    expect((await rest).at(-1)?.event).toBe('done')
    expect(new Set(reader.comments)).toEqual(new Set([': hb']))
  })
  it('is cancelled when its client does not come back: the tools are aborted, and the question is given back without a text', async () => {
    const user = await signedInUser(db)
    shut()
    requested.length = 0
    const hasty = await startServer(loadConfig(env), widePlans, { answer, times: { ...times, grace: 20 } })
    const reader = readEvents(await fetch(`${hasty.address}/api/v1/chat/stream-thinking?content=wait`, { headers: user.cookie }))
    const call = await until_(reader, 'tool_call')
    const run = call.id.replace(/-\d+$/, '')
    expect(await usedBy(user)).toBe(1)
    await reader.close()
    await until(
      () => stateOf(run),
      state => state === 'cancelled',
    )
    await hasty.close()
    expect(requested[0]?.signal.aborted).toBe(true)
    const replay = await readEvents(await streamOf(user, '', { 'last-event-id': call.id })).rest()
    expect(replay.map(each => each.event)).toEqual(['error'])
    expect(await usedBy(user)).toBe(0)
    gate.open()
  })
  it('of a process that ended is ended by whoever follows it, and given back', async () => {
    const user = await signedInUser(db)
    const run = `m_${'z'.repeat(20)}`
    await pool.query(`insert into daily_use (user_id, day, class, used) values ($1, (now() at time zone 'utc')::date, 'assistant', 1)`, [
      user.user_id,
    ])
    await pool.query(
      `insert into chat_run (run_id, user_id, kind, state, request, counted_on, created_at, alive_until)
       values ($1, $2, 'chat', 'running', '{}', (now() at time zone 'utc')::date, now(), now() - interval '1 second')`,
      [run, user.user_id],
    )
    const events = await readEvents(await streamOf(user, '', { 'last-event-id': `${run}-0` })).rest()
    expect(events).toMatchObject([{ id: `${run}-1`, event: 'error', data: { code: 'upstream_unavailable', retryable: true } }])
    expect(await usedBy(user)).toBe(0)
  })
  it('is opened by a ticket once, which counts then', async () => {
    const [user, stranger] = [await signedInUser(db), await signedInUser(db)]
    const long = `price ${'x'.repeat(15_000)}`
    const made = await ask(user, 'POST', '/chat/tickets', { content: long, session_id: 'long' })
    expect(made.body['url']).toBe(`/api/v1/chat/stream-thinking?ticket=${made.body['ticket']}`)
    expect(await usedBy(user)).toBe(0)
    const query = `?ticket=${made.body['ticket']}`
    expect((await streamOf(stranger, query)).status).toBe(404)
    const opened = await Promise.all(Array.from({ length: 6 }, () => streamOf(user, query)))
    // A session has two streams at a time, counted from their first moment: those above it are 429.
    expect(opened.filter(each => each.status === 200)).toHaveLength(1)
    for (const each of opened) expect([200, 404, 429]).toContain(each.status)
    const stream = opened.find(each => each.status === 200) as Response
    for (const each of opened) if (each !== stream) await each.text()
    expect((await readEvents(stream).rest()).at(-1)?.event).toBe('done')
    expect(await usedBy(user)).toBe(1)
    const old = await ask(user, 'POST', '/chat/tickets', { content: 'price' })
    await pool.query(`update chat_run set created_at = created_at - interval '61 seconds' where run_id = $1`, [old.body['ticket']])
    expect((await streamOf(user, `?ticket=${old.body['ticket']}`)).status).toBe(404)
    for (const bad of ['', '?content=a&ticket=m_aaaaaaaaaaaaaaaaaaaa', '?ticket=x', '?content=price&quality=best', '?quality=fast'])
      expect([bad, (await streamOf(user, bad)).status]).toEqual([bad, 400])
  })
  it('is one of two of its session, and one of four questions of its user', async () => {
    const user = await signedInUser(db, { tier: 'prime' })
    shut()
    const open = [await streamOf(user, '?content=wait'), await streamOf(user, '?content=wait')]
    const third = await streamOf(user, '?content=wait')
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5'])
    const left = [send(user, 'wait'), send(user, 'wait')]
    await until(
      async () => (await pool.query(`select 1 from chat_run where user_id = $1 and state = 'running'`, [user.user_id])).rowCount,
      count => count === 4,
    )
    const fifth = await send(user, 'price')
    expect([fifth.status, String(fifth.body['detail'])]).toEqual([429, expect.stringContaining('4 questions')])
    gate.open()
    for (const each of open) expect((await readEvents(each).rest()).at(-1)?.event).toBe('done')
    expect((await Promise.all(left)).map(each => each.status)).toEqual([200, 200])
    expect(await usedBy(user)).toBe(4)
  })
  it('ends with the session that opened it', async () => {
    const user = await signedInUser(db)
    const strict = await startServer(loadConfig(env), widePlans, { answer, times: { ...times, recheck: 20 } })
    try {
      shut()
      const response = await fetch(`${strict.address}/api/v1/chat/stream-thinking?content=wait`, { headers: user.cookie })
      const reader = readEvents(response)
      await until_(reader, 'tool_call')
      await endSession(db, (await findSession(db, user.token, clock.now()))?.session_id ?? '')
      expect((await reader.rest()).map(each => each.event)).toEqual([])
    } finally {
      gate.open()
      await strict.close()
    }
  })
  it('of a server that stops ends, and another server gives the last event to a client that continues', async () => {
    const user = await signedInUser(db)
    const stopping = await startServer(loadConfig(env), widePlans, { answer, times })
    shut()
    const reader = readEvents(await fetch(`${stopping.address}/api/v1/chat/stream-thinking?content=wait`, { headers: user.cookie }))
    const call = await until_(reader, 'tool_call')
    await stopping.close()
    const before = await reader.rest()
    const after = await readEvents(await streamOf(user, '', { 'last-event-id': call.id })).rest()
    expect(after.map(each => each.event)).toEqual(['error'])
    expect(after[0]?.data).toMatchObject({ code: 'upstream_unavailable', retryable: true })
    // The stopping server may have sent the last event itself; it is then the same one.
    if (before.length > 0) expect(before).toEqual(after)
    expect(await usedBy(user)).toBe(0)
    gate.open()
  })
})

describe('a client that goes away', () => {
  it('without a stream cancels the work at once, and the question is given back', async () => {
    const user = await signedInUser(db)
    shut()
    requested.length = 0
    const controller = new AbortController()
    const pending = fetched(user, 'POST', '/chat/send', { content: 'wait' }, {}, controller.signal).catch(() => 'gone')
    await until(
      async () => requested.length,
      count => count > 0,
    )
    controller.abort()
    expect(await pending).toBe('gone')
    await until(
      async () => (await pool.query('select state from chat_run where user_id = $1', [user.user_id])).rows[0]?.state,
      state => state === 'cancelled',
    )
    expect(requested[0]?.signal.aborted).toBe(true)
    expect(await usedBy(user)).toBe(0)
    gate.open()
  })
})

describe('a short question', () => {
  it('takes last_ticker as its subject and the first wording that is understood, and keeps nothing', async () => {
    const user = await signedInUser(db)
    requested.length = 0
    const answered = await ask(user, 'POST', '/assistant/ask', {
      query: 'refuse it',
      last_ticker: 'tsx:glpr',
      alts: ['refuse again', 'price of it', 'price'],
    })
    expect(answered.body).toMatchObject({ query: 'price of it', answer: 'The answer to: price of it\nsecond line', queries_today: 1 })
    expect(requested.map(each => each.question)).toEqual(['refuse it', 'refuse again', 'price of it'])
    expect(requested[0]?.conversation?.subject?.symbol).toBe('GLPR.TO')
    expect((await pool.query('select 1 from chat_message where user_id = $1', [user.user_id])).rowCount).toBe(0)
    const none = await ask(user, 'POST', '/assistant/ask', { query: 'refuse it', alts: ['refuse again'] })
    expect(none.body).toMatchObject({ query: 'refuse it', queries_today: 1 })
  })
  it.each([
    ['no query', {}, 'query'],
    ['an empty query', { query: '' }, 'query'],
    ['401 characters', { query: 'a'.repeat(401) }, 'query'],
    ['six other wordings', { query: 'a', alts: ['1', '2', '3', '4', '5', '6'] }, 'alts'],
    ['a ticker of 13 characters', { query: 'a', last_ticker: 'A'.repeat(13) }, 'last_ticker'],
    ['a ticker that is none', { query: 'a', last_ticker: 'a b;c' }, 'last_ticker'],
  ])('with %s is refused', async (_name, body, about) => {
    const user = await signedInUser(db)
    const answered = await ask(user, 'POST', '/assistant/ask', body)
    expect([answered.status, answered.body['code'], answered.body['hint']]).toEqual([422, 'validation_error', expect.stringContaining(about)])
  })
  it('takes null for what may be null', async () => {
    const user = await signedInUser(db)
    expect((await ask(user, 'POST', '/assistant/ask', { query: 'a'.repeat(400), last_ticker: null, alts: null })).status).toBe(200)
  })
})

describe('a shared chat', () => {
  it('shows what this service answered as verified with its sources, other texts as theirs, and nothing about the person', async () => {
    const user = await signedInUser(db)
    const { body } = await send(user, 'price of GLPR.TO')
    const leak = `write to ${user.email} or use cf_live_${'A'.repeat(38)}`
    const made = await ask(user, 'POST', '/chat/share', {
      title: `for ${user.email}`,
      messages: [
        { role: 'user', content: leak },
        { message_id: body['message_id'] },
        { role: 'assistant', content: body['answer'], extra: 'dropped' },
        { role: 'assistant', content: 'AAPL is a strong buy at 1.00 USD' },
      ],
    })
    expect(made.body['redacted']).toBe(3)
    expect(made.body['url']).toBe(`${server.address}/api/v1/chat/shared/${made.body['id']}`)
    const path = `/chat/shared/${made.body['id']}`
    const read = await ask(null, 'GET', path)
    expect(read.status).toBe(200)
    expect(read.body).toMatchObject({
      title: 'for [removed]',
      messages: [
        { role: 'user', content: 'write to [removed] or use [removed]', verified: false, envelope: null },
        { role: 'assistant', content: body['answer'], verified: true, envelope: { model: 'rules' } },
        { role: 'assistant', content: body['answer'], verified: true },
        { role: 'assistant', content: 'AAPL is a strong buy at 1.00 USD', verified: false, envelope: null },
      ],
    })
    const text = JSON.stringify(read.body)
    for (const private_ of [user.user_id, user.email, 'rrsp', String(body['session_id']), String(body['message_id']), 'dropped'])
      expect(text).not.toContain(private_)
    const stranger = await signedInUser(db)
    expect((await ask(stranger, 'DELETE', path)).status).toBe(404)
    expect((await ask(null, 'GET', path)).status).toBe(200)
    expect((await fetched(user, 'DELETE', path)).status).toBe(204)
    expect((await ask(null, 'GET', path)).status).toBe(404)
    expect((await ask(user, 'DELETE', path)).status).toBe(404)
  })
  it('takes no message of another user, and is over after a year or when the account is switched off', async () => {
    const [user, stranger] = [await signedInUser(db), await signedInUser(db)]
    const { body } = await send(user, 'price')
    const foreign = await ask(stranger, 'POST', '/chat/share', { messages: [{ message_id: body['message_id'] }] })
    expect([foreign.status, foreign.body['hint']]).toEqual([422, expect.stringContaining('message_id')])
    const copied = await ask(stranger, 'POST', '/chat/share', { messages: [{ role: 'assistant', content: body['answer'] }] })
    expect((await ask(null, 'GET', `/chat/shared/${copied.body['id']}`)).body).toMatchObject({ messages: [{ verified: false }] })
    await pool.query('update app_user set is_active = false where user_id = $1', [stranger.user_id])
    expect((await ask(null, 'GET', `/chat/shared/${copied.body['id']}`)).status).toBe(404)
    const mine = await ask(user, 'POST', '/chat/share', { messages: [{ role: 'user', content: 'a' }] })
    await pool.query(`update chat_share set expires_at = now() - interval '1 second' where share_id = $1`, [mine.body['id']])
    expect((await ask(null, 'GET', `/chat/shared/${mine.body['id']}`)).status).toBe(404)
  })
  it('belongs to a chat that its user lists and deletes, and nobody else', async () => {
    const [user, stranger] = [await signedInUser(db), await signedInUser(db)]
    const { body } = await send(user, 'price of one')
    const id = String(body['session_id'])
    expect((await ask(user, 'GET', '/chat/sessions')).body).toMatchObject({
      count: 1,
      chats: [{ session_id: id, messages: 2, first_question: 'price of one' }],
    })
    expect((await ask(stranger, 'GET', '/chat/sessions')).body).toEqual({ count: 0, chats: [] })
    expect((await ask(stranger, 'DELETE', `/chat/sessions/${id}`)).status).toBe(404)
    expect((await ask(user, 'DELETE', `/chat/sessions/${id}`)).status).toBe(204)
    expect((await ask(user, 'DELETE', `/chat/sessions/${id}`)).status).toBe(404)
    expect((await pool.query('select 1 from chat_message where user_id = $1', [user.user_id])).rowCount).toBe(0)
  })
  it('is made once for an Idempotency-Key, and needs messages', async () => {
    const user = await signedInUser(db)
    const body = { messages: [{ role: 'user', content: 'a' }] }
    const [one, two] = [
      await ask(user, 'POST', '/chat/share', body, { 'idempotency-key': 'k' }),
      await ask(user, 'POST', '/chat/share', body, { 'idempotency-key': 'k' }),
    ]
    expect(two.body).toEqual(one.body)
    for (const bad of [
      {},
      { messages: [] },
      { messages: [{ role: 'user' }] },
      { messages: [{ role: 'system', content: 'a' }] },
      { messages: Array(51).fill({ role: 'user', content: 'a' }) },
    ])
      expect((await ask(user, 'POST', '/chat/share', bad)).status).toBe(422)
  })
})

describe('the profile', () => {
  it('is empty, is set as a whole, and goes with each question', async () => {
    const user = await signedInUser(db)
    expect((await ask(user, 'GET', '/assistant/profile')).body).toMatchObject({
      about_me: '',
      sectors: [],
      updated_at: null,
      queries_today: 0,
      queries_per_day: 10,
    })
    const profile = {
      about_me: 'I hold TSX stocks',
      my_voice: 'short',
      my_rules: '',
      sharia_standard: 'AAOIFI',
      jurisdiction: 'ON',
      sectors: ['Energy'],
    }
    expect((await ask(user, 'PUT', '/assistant/profile', profile)).body).toMatchObject({ ...profile, sharia_standard: 'aaoifi' })
    requested.length = 0
    await send(user, 'price')
    expect(requested[0]?.profile).toEqual({ ...profile, sharia_standard: 'aaoifi' })
    expect(
      (
        await ask(user, 'PUT', '/assistant/profile', {
          about_me: null,
          my_voice: null,
          my_rules: null,
          sharia_standard: null,
          jurisdiction: null,
          sectors: null,
        })
      ).body,
    ).toMatchObject({
      about_me: '',
      jurisdiction: '',
      sectors: [],
    })
    for (const [bad, about] of [
      [{ sharia_standard: 'none such' }, 'aaoifi'],
      [{ about_me: 'a'.repeat(4001) }, 'about_me'],
      [{ sectors: Array(51).fill('a') }, 'sectors'],
      [{ tier: 'prime' }, 'tier'],
    ] as const) {
      const answered = await ask(user, 'PUT', '/assistant/profile', bad)
      expect([answered.status, answered.body['hint']]).toEqual([422, expect.stringContaining(about)])
    }
  })
})

describe('what is kept', () => {
  it('is in the export of its user, and is forgotten when its time is over', async () => {
    const user = await signedInUser(db)
    const word = 'canaryquestion'
    await send(user, `price ${word}`)
    await ask(user, 'PUT', '/assistant/profile', { about_me: `${word} about` })
    await ask(user, 'POST', '/assistant/feedback', {
      vote: 'down',
      query: `${word} query`,
      answer: `${word} answer`,
      model: 'rules',
      session_id: 's',
    })
    await ask(user, 'POST', '/chat/share', { messages: [{ role: 'user', content: `${word} shared` }] })
    const answered = await fetched(user, 'GET', '/user/export')
    const { tables } = (await answered.json()) as { tables: Record<string, { rows: unknown[] }> }
    for (const table of ['assistant_profile', 'chat_session', 'chat_message', 'chat_share', 'assistant_feedback', 'daily_use']) {
      expect([table, tables[table]?.rows.length]).not.toEqual([table, 0])
      if (!['chat_session', 'daily_use'].includes(table)) expect(JSON.stringify(tables[table])).toContain(word)
    }
    const ahead = (days: number): Date => new Date(clock.now().getTime() + days * 86_400_000)
    const left = async (): Promise<string[]> => {
      const found: string[] = []
      for (const table of ['chat_message', 'chat_share', 'assistant_feedback', 'chat_run', 'chat_event'])
        if ((await pool.query(`select 1 from ${table} where user_id = $1`, [user.user_id])).rowCount) found.push(table)
      return found
    }
    await sweepChats(db, ahead(1))
    expect(await left()).toEqual(['chat_message', 'chat_share', 'assistant_feedback'])
    await sweepChats(db, ahead(179))
    expect(await left()).toContain('chat_message')
    await sweepChats(db, ahead(181))
    expect(await left()).toEqual(['chat_share', 'assistant_feedback'])
    await sweepChats(db, ahead(366))
    expect(await left()).toEqual(['assistant_feedback'])
    await sweepChats(db, ahead(401))
    expect(await left()).toEqual([])
  })
  it('feedback takes every member as text or nothing', async () => {
    const user = await signedInUser(db)
    expect((await ask(user, 'POST', '/assistant/feedback', {})).status).toBe(201)
    expect((await ask(user, 'POST', '/assistant/feedback', { vote: 'a'.repeat(33) })).status).toBe(422)
    expect((await ask(user, 'POST', '/assistant/feedback', { vote: null })).status).toBe(422)
  })
})
