// Places for bodies while they are read: who takes one, for how long, and whom it keeps from one.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { aKey, fakeSessions, fakes, keyList } from '../fakes.ts'

const key = aKey()
let app: Awaited<ReturnType<typeof buildApp>>
let impatient: typeof app
let port = 0
async function listen(server: typeof app): Promise<number> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  return (server.server.address() as { port: number }).port
}
/** Handlers that are under way; they end when the test says so. */
const underWay: (() => void)[] = []
let onBegin: (() => void) | null = null
const open: Socket[] = []
beforeAll(async () => {
  const given = fakes({ keys: keyList(key) })
  const hold = async () => {
    onBegin?.()
    await new Promise<void>(resolve => void underWay.push(resolve))
    return { kind: 'empty', status: 204 } as const
  }
  const handlers = { ...given.handlers, send_chat: hold }
  app = await buildApp({ ...given, stalledMs: 600_000, handlers })
  impatient = await buildApp({ ...given, stalledMs: 1, handlers })
  port = await listen(app)
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await Promise.all([app.close(), impatient.close()])
})

const chat = '/api/v1/chat/send'
const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${fakeSessions.user}`, ...headers },
    body,
  })
const question = JSON.stringify({ content: 'price of GLPR.TO' })
const begun = (n: number): Promise<void> =>
  new Promise(resolve => {
    let seen = 0
    onBegin = () => {
      seen += 1
      if (seen === n) resolve()
    }
  })
const endAll = (): void => {
  for (const end of underWay.splice(0)) end()
}
/** A request that announces a body, sends part of it and stops. */
async function idle(path: string, announced: number, sent: number, to = port): Promise<Socket> {
  const socket = connect(to, '127.0.0.1')
  open.push(socket)
  await once(socket, 'connect')
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${fakeSessions.user}\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`
  await new Promise<void>(resolve => void socket.write(head + ' '.repeat(sent), () => resolve()))
  return socket
}

describe('a place for a long body', () => {
  it('is taken by no short one: 20 questions at the same moment are all answered', async () => {
    const all = begun(20)
    const answers = Array.from({ length: 20 }, () => post(chat, question))
    await all
    endAll()
    expect((await Promise.all(answers)).map(each => each.status)).toEqual(Array(20).fill(204))
  })
  it('is held by no connection that announces much and sends little', async () => {
    for (let n = 0; n < 8; n += 1) await idle(chat, 20 * 1024 * 1024, 16)
    const one = begun(1)
    const answer = post(chat, JSON.stringify({ content: 'price', image_base64: 'A'.repeat(200_000) }))
    await one
    endAll()
    expect((await answer).status).toBe(204)
  })
  it('is free as soon as the body is there, and not when the answer is', async () => {
    const long = JSON.stringify({ content: 'price', image_base64: 'A'.repeat(200_000) })
    const answers: Promise<Response>[] = []
    for (let n = 0; n < 8; n += 1) {
      const one = begun(1)
      answers.push(post(chat, long))
      // It is in its handler, so its body was read; the answers of all before it are still to come.
      await one
    }
    endAll()
    expect((await Promise.all(answers)).map(each => each.status)).toEqual(Array(8).fill(204))
  })
  it('is lost by a client that stops within its body: 408, and the next one has it', async () => {
    const to = await listen(impatient)
    for (let n = 0; n < 4; n += 1) {
      const socket = await idle(chat, 20 * 1024 * 1024, 100_000, to)
      const [part] = (await once(socket, 'data')) as [Buffer]
      expect(part.toString('latin1', 0, 12)).toBe('HTTP/1.1 408')
    }
  })
  it('is one for an account at a time: with five waiting, a sixth body is 429 with Retry-After', async () => {
    await idle(chat, 20 * 1024 * 1024, 100_000)
    const waiting = await Promise.all(Array.from({ length: 5 }, () => idle(chat, 1024 * 1024, 100_000)))
    const refused = await Promise.any(waiting.map(async socket => String((await once(socket, 'data'))[0])))
    expect(refused).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 5/i)
  })
})

it('a PDF that is sent as it is gets the form of the request as a hint', async () => {
  const answer = await post('/api/v1/documents/parse', '%PDF-1.7', { 'content-type': 'application/pdf', authorization: `Bearer ${key.text}` })
  expect([answer.status, ((await answer.json()) as { hint: string }).hint]).toEqual([415, expect.stringContaining('curl -F file=@')])
})
