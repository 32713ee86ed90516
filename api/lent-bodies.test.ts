// Bodies in lent buffers, over real connections: a buffer is printed into again only when nobody reads the answer before it any more.
import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { lendBuffer, marginBytes, PrintedJson } from '#warehouse/context/print-json.ts'
import { buildApp } from './app.ts'
import { bytes, fakes } from './fakes.ts'

/** Those of `S` and `J` are more than the buffers of a connection hold, so that they wait in this process while a client does not read. */
const rows = (symbol: string): string => JSON.stringify([`${symbol} `.repeat(/^[SJ]/.test(symbol) ? 5_000_000 : 100_000)])
/** What is compared in place of 300 KB, which no reader of a failed test wants to see. */
const digestOf = (body: Buffer | string): string => `${body.length} bytes, ${createHash('sha256').update(body).digest('hex')}`
const textOf = (symbol: string): string => `{"symbol":"${symbol}","rows":${rows(symbol)},"release":1}`
const expected = (symbol: string): string => digestOf(textOf(symbol))
const buffers = new Set<ArrayBufferLike>()
/** Set, answers wait for it before they are built. */
let gate: Promise<void> | null = null
let app: FastifyInstance
let port = 0
beforeAll(async () => {
  app = await buildApp(
    fakes({
      // The memory of answers keeps none of these: each is built for its request.
      options: { cacheBytes: 500_000, connectionsPerAddress: 1_000 },
      handlers: {
        get_eod: async question => {
          await gate
          const symbol = String(question['symbol'])
          const text = rows(symbol)
          const lent = lendBuffer(text.length + 2 * marginBytes)
          const printed = new PrintedJson(lent, marginBytes, marginBytes + lent.write(text, marginBytes))
          const body = printed.within(`{"symbol":"${symbol}","rows":`, ',"release":1}') as Buffer
          buffers.add(body.buffer)
          return { ...bytes(''), body, etag: createHash('sha256').update(body).digest('hex') }
        },
      },
    }),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())
// Buffers of the tests before leave no room for those of this one.
beforeEach(() => {
  for (let taken = 0; taken < 64; taken += 1) lendBuffer(0)
})

const pathOf = (symbol: string): string => `/api/v1/market/eod/${symbol}`
function open(symbol: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest({ port, path: pathOf(symbol), headers, method, agent: false }, resolve)
      .on('error', reject)
      .end()
  })
}
async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
const read = async (response: IncomingMessage): Promise<string> => digestOf(await bytesOf(response))
const whole = async (symbol: string): Promise<string> => read(await open(symbol))

it('are used again by requests that follow each other', async () => {
  buffers.clear()
  for (let at = 0; at < 40; at += 1) expect(await whole(`A${at}`)).toBe(expected(`A${at}`))
  // The next request can come before the end of the one before is noticed.
  expect(buffers.size).toBeLessThanOrEqual(8)
})

it('stay as they are for clients that read slowly, share an answer, compress it, or leave', async () => {
  const [slow, gone] = [[] as [string, IncomingMessage][], [] as IncomingMessage[]]
  for (let at = 0; at < 3; at += 1) {
    // Nothing is read yet.
    slow.push([`S${at}`, await open(`S${at}`)])
    gone.push(await open(`S9${at}`))
  }
  gone.map(response => response.destroy())
  const quick = async (at: number): Promise<void> => {
    const symbol = `Q${at}`
    const kind = at % 4
    if (kind === 0) expect(await whole(symbol)).toBe(expected(symbol))
    else if (kind === 1) {
      const both = await Promise.all([whole(symbol), whole(symbol), whole(symbol)])
      expect(new Set([...both, expected(symbol)]).size).toBe(1)
    } else if (kind === 2) expect(digestOf(gunzipSync(await bytesOf(await open(symbol, { 'accept-encoding': 'gzip' }))))).toBe(expected(symbol))
    else expect((await bytesOf(await open(symbol, {}, 'HEAD'))).length).toBe(0)
  }
  for (let at = 0; at < 120; at += 12) await Promise.all(Array.from({ length: 12 }, (_, of) => quick(at + of)))
  for (const [symbol, response] of slow) expect(await read(response)).toBe(expected(symbol))
})

it('are right for requests that were sent before the answers of others on their connection', async () => {
  const symbols = Array.from({ length: 20 }, (_, at) => `P${at}`)
  const socket = connect(port, '127.0.0.1')
  socket.write(symbols.map((symbol, at) => `GET ${pathOf(symbol)} HTTP/1.1\r\nHost: a\r\n${at === 19 ? 'Connection: close\r\n' : ''}\r\n`).join(''))
  // Nothing of its answers is read before those of the others are.
  const others = await Promise.all(Array.from({ length: 20 }, (_, at) => whole(`O${at}`)))
  const text = (await socket.toArray()).map(String).join('')
  const at = symbols.map(symbol => text.indexOf(textOf(symbol)))
  expect(at.every((place, index) => place > (at[index - 1] ?? 0))).toBe(true)
  expect(others).toEqual(Array.from({ length: 20 }, (_, of) => expected(`O${of}`)))
})

it('are not given back by a request whose answer another one waits for', async () => {
  let go = (): void => {}
  gate = new Promise(resolve => {
    go = resolve
  })
  const arrived = Promise.withResolvers<void>()
  let requests = 0
  app.server.on('request', () => {
    requests += 1
    if (requests === 3) setImmediate(arrived.resolve)
  })
  const joined = Array.from({ length: 3 }, () => open('J0'))
  await arrived.promise
  go()
  gate = null
  const responses = await Promise.all(joined)
  const [first, ...others] = responses as [IncomingMessage, ...IncomingMessage[]]
  expect(await read(first)).toBe(expected('J0'))
  for (let at = 0; at < 3; at += 1) await whole(`J${at + 1}`)
  for (const response of others) expect(await read(response)).toBe(expected('J0'))
})

it('are used again by calls of agents and pages, and stay as they are for requests that wait for the same answer', async () => {
  const call = app.operationCalls({ credential: null, session: null, address: '127.0.0.1', request_id: 'test', opens: new Set(['get_eod']) })
  const called = async (symbol: string): Promise<string> => {
    const outcome = await call({ operation: 'get_eod', parameters: { symbol } }, { signal: new AbortController().signal, signed: false })
    return outcome.ok ? digestOf(outcome.text) : outcome.error.detail
  }
  buffers.clear()
  for (let at = 0; at < 20; at += 1) expect(await called(`C${at}`)).toBe(expected(`C${at}`))
  expect(buffers.size).toBe(1)
  for (let at = 0; at < 20; at += 1) {
    const symbol = `D${at}`
    const first = at % 2 === 0 ? called(symbol) : whole(symbol)
    const others = [whole(symbol), called(symbol), called(`E${at}`), whole(`F${at}`)]
    expect([await first, ...(await Promise.all(others))]).toEqual(['D', 'D', 'D', 'E', 'F'].map(letter => expected(`${letter}${at}`)))
  }
})
