// Messages that repeat an earlier one, over a real server: what is answered from memory, and what takes the regular path with its whole body.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { operationOf } from '#schemas/operations.ts'
import type { MessageAnswer } from './handler.ts'
import type { Credential } from './plugins/auth.ts'
import { createSockets } from './plugins/sockets.ts'
import { createRepeatedMessages } from './repeated-messages.ts'

const operation = operationOf('call_research_agent')
const held = { rows: 1 }
const stored = { key: 'GET /api/v1/data/form4 7', answer: held, cost: 2 }
const usual = { host: '127.0.0.1', authorization: 'Bearer good', 'content-type': 'application/json', accept: 'application/json' }
const allowance = { allowed: true, limit_class: 'agents', policy: 'agents', limit: 60, remaining: 9, reset_seconds: 1, retry_seconds: 0 } as const
const credential = {
  key_id: 'k1',
  tier: 'trader',
  scopes: ['mcp:research'],
  sent_as: 'bearer',
  caller: { partition: 'k1', tier: 'trader' },
} as unknown as Credential

let server: Server | undefined
afterEach(() => server?.close())

/** A server whose regular path answers every message from `stored` and remembers the bodies that it read. */
async function open() {
  const state = { release: 7, found: held as object | undefined, isAllowed: true, tier: 'trader', made_from: [stored] as MessageAnswer['made_from'] }
  const regular: string[] = []
  const taken: number[] = []
  const served: string[] = []
  const messages = createRepeatedMessages({
    answering: { find: key => (key === stored.key ? (state.found as never) : undefined) },
    keys: {
      recall: ({ text }) => {
        if (text === 'bad') throw new BadRequest('bad key')
        return text === 'good' ? { ...credential, tier: state.tier as 'trader' } : undefined
      },
    },
    limiter: {
      tryTake: (_caller, _limitClass, cost) => {
        taken.push(cost)
        return state.isAllowed ? allowance : null
      },
      policy: () => '"agents";q=60;w=60',
    },
    head: () => ({ release: state.release }),
    baseUrl: () => 'http://127.0.0.1:1',
    addressOf: () => '192.0.2.1',
    nextId: () => 'request-1',
    served: (of, status, keyId) => served.push(`${of.id} ${status} ${keyId}`),
  })
  const sockets = createSockets({
    answerFast: () => false,
    repeatedMessages: messages,
    docs: () => '',
    nextId: () => 'x',
    connectionsPerAddress: 9,
    manyClients: () => true,
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString('utf8')
    regular.push(text)
    const { id } = JSON.parse(text) as { id: unknown }
    const body = Buffer.from(JSON.stringify({ result: { content: [{ type: 'text', text: 'é' }] }, jsonrpc: '2.0', id }))
    const message = {
      kind: 'message',
      status: 200,
      media_type: 'application/json',
      body,
      headers: ['X-Test', '1'],
      ...made(state.made_from),
    } as const
    messages.learn(operation, request.headers, text, message, state.release)
    response.writeHead(200, { 'content-length': body.length })
    response.end(body)
  }
  server = sockets.serve((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const send = (body: string, headers: Record<string, string> = {}, raw: readonly string[] = []) => exchange(port, [head(body, headers, raw) + body])
  return { state, regular, taken, served, port, send }
}
const made = (made_from: MessageAnswer['made_from']) => (made_from === undefined ? {} : { made_from })

const head = (body: string, headers: Record<string, string> = {}, raw: readonly string[] = []): string => {
  const lines = Object.entries({ ...usual, ...headers, 'content-length': String(Buffer.byteLength(body)) }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `POST /mcp HTTP/1.1\r\n${[...lines, ...raw].join('\r\n')}\r\n\r\n`
}

/** Sends the parts, the second after the server has begun with the request of the first, and returns the responses. */
async function exchange(port: number, parts: readonly string[], responses = 1): Promise<string> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', part => {
    text += part.toString('utf8')
  })
  const [first = '', ...rest] = parts
  const begun = once(server as Server, 'request')
  socket.write(first)
  await begun
  for (const part of rest) socket.write(part)
  const isComplete = (): boolean => text.split('"jsonrpc":"2.0"').length > responses && text.endsWith('}')
  while (!isComplete() && !socket.destroyed) await Promise.race([once(socket, 'data'), once(socket, 'close')])
  socket.destroy()
  return text
}
const bodyOf = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4))
const call = (id: unknown, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'insiders', arguments: { ticker: 'BRLX' } }, ...more })

describe('a message that repeats an earlier one', () => {
  it('has its answer with its own id, counts the message and its calls, and is counted for its key', async () => {
    const { send, regular, taken, served } = await open()
    const first = await send(call(1))
    const second = await send(call(2))
    const third = await send(call('e'))
    expect([regular.length, taken, served]).toEqual([1, [3, 3], Array(2).fill('call_research_agent 200 k1')])
    expect(bodyOf(second)).toEqual({ ...(bodyOf(first) as object), id: 2 })
    expect(bodyOf(third)).toEqual({ ...(bodyOf(first) as object), id: 'e' })
    expect(second).toContain('\r\nX-Request-Id: request-1\r\nRateLimit: "agents";r=9;t=1\r\nRateLimit-Policy: "agents";q=60;w=60\r\n')
    expect(second).toMatch(/\r\nX-Test: 1\r\nContent-Type: application\/json\r\n/)
  })
  it('may arrive behind another one in the same packet', async () => {
    const { port, send, regular } = await open()
    await send(call(1))
    const both = await exchange(port, [head(call(2)) + call(2) + head(call(3)) + call(3)], 2)
    expect(both.match(/"id":\d/g)).toEqual(['"id":2', '"id":3'])
    expect(regular.length).toBe(1)
  })
})

describe('the regular path gets, with its whole body,', () => {
  it.each([
    ['another argument', call(2, { params: { name: 'insiders', arguments: { ticker: 'GLPR.TO' } } }), {}],
    ['another member', call(2, { more: true }), {}],
    ['another method', call(2, { method: 'ping' }), {}],
    ['another revision of the protocol', call(2), { 'mcp-protocol-version': '2025-11-25' }],
    ['another Accept', call(2), { accept: 'text/event-stream' }],
    ['another media type', call(2), { 'content-type': 'text/plain' }],
    ['a compressed body', call(2), { 'content-encoding': 'gzip' }],
    ['a name of the request', call(2), { 'x-request-id': 'mine' }],
    ['another host', call(2), { host: 'evil.example' }],
    ['the page of another site', call(2), { origin: 'https://evil.example' }],
    ['an unknown key', call(2), { authorization: 'Bearer other' }],
    ['a refused key', call(2), { authorization: 'Bearer bad' }],
    ['two keys that differ', call(2), { 'x-api-key': 'other' }],
    ['no id', call(undefined), {}],
    ['an id of null', call(null), {}],
    ['a fraction as id', call(1.5), {}],
    ['an id beyond the safe integers', call(2 ** 60), {}],
    ['a control character in the id', call('\u0000'), {}],
    ['a long id', call('x'.repeat(129)), {}],
    ['a list as id', call([2]), {}],
    ['a number beyond the doubles', call(2, { params: { name: 'insiders', arguments: { ticker: 'BRLX' }, limit: 9 } }).replace('9}', '1e999}'), {}],
  ])('%s', async (_name, body, headers) => {
    const { send, regular, served } = await open()
    await send(call(1))
    await send(body, headers)
    expect([regular.length, regular[1], served]).toEqual([2, body, []])
  })
  it('a header that is sent twice', async () => {
    const { send, regular } = await open()
    await send(call(1))
    await send(call(2), {}, ['Authorization: Bearer other'])
    expect(regular.length).toBe(2)
  })
  it('a body that arrives after its headers, or in parts', async () => {
    const { port, send, regular, served } = await open()
    await send(call(1))
    await exchange(port, [head(call(2)), call(2)])
    await exchange(port, [head(call(3)) + call(3).slice(0, 40), call(3).slice(40)])
    expect([regular, served]).toEqual([[call(1), call(2), call(3)], []])
  })
  it('a message whose tier, limit, answers or release no longer allow the stored answer', async () => {
    const { send, regular, state, served } = await open()
    await send(call(1))
    state.tier = 'free'
    await send(call(2))
    state.tier = 'trader'
    state.isAllowed = false
    await send(call(3))
    state.isAllowed = true
    state.found = { rows: 1 }
    await send(call(4))
    state.found = held
    await send(call(5))
    await send(call(6))
    expect(served.length).toBe(1)
    state.release = 8
    await send(call(7))
    state.release = 7
    await send(call(8))
    expect(regular).toEqual([1, 2, 3, 4, 5, 7, 8].map(id => call(id)))
  })
  it('a message whose answer was made from something that is not stored, or from nothing', async () => {
    for (const made_from of [undefined, []] as const) {
      const { send, regular, state } = await open()
      state.made_from = made_from
      await send(call(1))
      await send(call(2))
      expect(regular.length).toBe(2)
      server?.close()
    }
  })
})
