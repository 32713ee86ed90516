// The page of the assistant over the bundled universe: an answer with its figures, a follow-up, sharing, and what it refuses.
import { expect, test } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'

const { server, db } = await worldService()
const cookie = `service_session=${(await signedInUser(db)).token}`

const get = async (path: string, headers: Record<string, string> = { cookie }) => {
  const response = await fetch(server.address + path, { headers: { accept: 'text/html', ...headers } })
  return { status: response.status, body: await response.text() }
}
const hidden = (page: string, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
const post = async (path: string, fields: Record<string, string>) => {
  const token = hidden((await get('/assistant')).body, 'token')
  const response = await fetch(server.address + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token, ...fields }),
  })
  return { status: response.status, to: response.headers.get('location') ?? '', body: await response.text() }
}

test('a question is answered with figures that lead to their receipts, and goes on as a chat', async () => {
  const first = await post('/assistant/ask', { content: 'What is the price of GLPR.TO?', session_id: '' })
  expect([first.status, /role="alert">(.*)<\/div>/.exec(first.body)?.[1]]).toEqual([200, undefined])
  expect(first.body).toContain('Figures and where they are from')
  expect(first.body).toMatch(/<a href="\/r\/r1_[a-z2-7]{52}"/)
  expect(first.body).toContain('get_quotes')
  const session = hidden(first.body.slice(first.body.indexOf('id="next"')), 'session_id')
  expect(session).not.toBe('')
  const next = await post('/assistant/ask', { content: 'and a month ago?', session_id: session })
  expect(next.body).toContain('2026-10-20')
})

test('the answer of a stream is shown as the answer of the form', async () => {
  const content = 'What is the price of GLPR.TO?'
  const sent = await fetch(`${server.address}/api/v1/chat/send`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ content }),
  })
  const { answer, envelope, session_id, message_id } = (await sent.json()) as Record<string, string>
  const fields = { content, answer: answer ?? '', envelope: JSON.stringify(envelope), session_id: session_id ?? '', message_id: message_id ?? '' }
  const shown = await post('/assistant/answered', fields)
  expect(shown.status).toBe(200)
  expect(shown.body).toContain('Figures and where they are from')
  expect(hidden(shown.body, 'message_id')).toBe(message_id)
  const marked = await post('/assistant/answered', { ...fields, answer: 'x <img src=x> [a](javascript:alert)' })
  expect(marked.body).not.toMatch(/<img|href="javascript:/)
  for (const broken of ['', '{}', 'null']) expect((await post('/assistant/answered', { ...fields, envelope: broken })).status).toBe(422)
})

test('an answer is shared, and the copy is for everybody', async () => {
  const answered = await post('/assistant/ask', { content: 'What is the price of GLPR.TO?', session_id: '' })
  const fields = Object.fromEntries(['question', 'message_id', 'key'].map(name => [name, hidden(answered.body, name)]))
  const shared = await post('/assistant/share', fields)
  expect(shared).toMatchObject({ status: 303, to: expect.stringMatching(/^\/assistant\/shared\/[\w-]{24}$/) })
  expect((await post('/assistant/share', fields)).to).toBe(shared.to)
  const copy = await get(shared.to, {})
  expect(copy.status).toBe(200)
  expect(copy.body).toContain('What is the price of GLPR.TO?')
  expect(copy.body).toContain('given by this service')
})

test('what cannot be answered is stated, and what was typed is never markup', async () => {
  const refused = await post('/assistant/ask', { content: 'Should I buy <b>GLPR.TO</b>?', session_id: '' })
  expect(refused.status).toBe(200)
  expect(refused.body).toContain('This question is not answered.')
  expect(refused.body).toContain('Should I buy &lt;b&gt;GLPR.TO&lt;/b&gt;?')
  expect(refused.body).not.toContain('<b>GLPR.TO')
  const empty = await post('/assistant/ask', { content: '  ', session_id: '' })
  expect([empty.status, empty.body.includes('id="ask-content-fault"')]).toEqual([422, true])
})

test('it belongs to a signed-in user', async () => {
  expect((await get('/assistant', {})).status).toBe(401)
  expect((await get('/assistant/shared/mYw1k6Zq0aTJ4u8RrXvB2cDe', {})).status).toBe(404)
})
