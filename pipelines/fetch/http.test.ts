import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { clockedDependencies } from '#fixtures/replay/client.ts'
import { textTable } from '#fixtures/text-table.ts'
import { BadRequest, NotFound, Upstream as UpstreamError } from '#schemas/errors.ts'
import { createHttpClient, type HttpClient, type HttpDependencies } from './http.ts'
import { edgar, submissionsUrl, submissionTextUrl } from './sources/edgar/index.ts'
import { bulkBarsUrl, eodhd } from './sources/eodhd.ts'
import { nasdaqListedUrl, nasdaqtrader } from './sources/nasdaqtrader.ts'
import { postAddress } from './sources/question.ts'
import { tiingo, tiingoPricesUrl } from './sources/tiingo.ts'
import type { SourceSettings } from './sources/upstream.ts'
import { yahoo, yahooChartUrl } from './sources/yahoo.ts'

type Answerer = (request: IncomingMessage, response: ServerResponse) => void

const blockPage = '<!DOCTYPE html><html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head><body>Slow down</body></html>'
const submissions = '{"cik":"1","filings":{"recent":{},"files":[]}}'
const canary = 'canary-5d1c0ffee'

let server: Server
let base: string
let answers: Answerer[]
let requested: { url: string; headers: IncomingMessage['headers'] }[]

beforeAll(async () => {
  server = createServer((request, response) => {
    requested.push({ url: request.url ?? '', headers: request.headers })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const clients: HttpClient[] = []
afterEach(async () => {
  server.closeAllConnections()
  await Promise.all(clients.splice(0).map(client => client.close()))
})

const reply =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answerer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

/** A client on a clock that only its own sleeps move, towards a server that gives `script` in order, the last for ever. */
function aClient(script: Answerer[], more: Partial<HttpDependencies> = {}, settings: Partial<SourceSettings> = {}) {
  answers = script
  requested = []
  const { dependencies, kept, advance } = clockedDependencies('2026-11-20T15:00:00Z')
  const everywhere = Object.fromEntries(['edgar', 'eodhd', 'tiingo', 'nasdaqtrader', 'yahoo'].map(name => [name, base]))
  const client = createHttpClient({
    settings: {
      version: '0.1.0',
      contact: 'Jane Roe jane@roe-research.ca',
      keys: { EODHD_API_TOKEN: canary, TIINGO_API_KEY: canary },
      optIn: [],
      base: everywhere,
      simulatorPerSecond: null,
      ...settings,
    },
    ...dependencies,
    ...more,
  })
  clients.push(client)
  return { client, ...kept, advance }
}

const apple = submissionsUrl('320193')
const failure = async (promise: Promise<unknown>): Promise<UpstreamError> => {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(UpstreamError)
  return error as UpstreamError
}

describe('a good answer', () => {
  test('is a raw document under its real address, asked for with a contact', async () => {
    const { client, refused } = aClient([reply(200, submissions, { etag: '"a1"', 'set-cookie': 'session=1' })])
    const document = await client.fetchRaw(edgar, { url: apple })
    expect(document.url).toBe('https://data.sec.gov/submissions/CIK0000320193.json')
    expect(Buffer.from(document.body).toString()).toBe(submissions)
    expect(document.source).toBe('edgar')
    expect(document.retrieved_at).toBe('2026-11-20T15:00:00.000Z')
    expect(document.headers['etag']).toBe('"a1"')
    expect(document.headers).not.toHaveProperty('set-cookie')
    expect(document.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(requested[0]?.url).toBe('/data.sec.gov/submissions/CIK0000320193.json')
    expect(requested[0]?.headers['user-agent']).toBe('Crossfile/0.1.0 Jane Roe jane@roe-research.ca')
    expect(refused).toEqual([])
  })

  test('compressed on the way is decoded', async () => {
    const { client } = aClient([reply(200, gzipSync(submissions), { 'content-encoding': 'gzip' })])
    expect(Buffer.from((await client.fetchRaw(edgar, { url: apple })).body).toString()).toBe(submissions)
  })

  test('that has not changed since is told apart from a document', async () => {
    const { client } = aClient([reply(304, '', { etag: '"a1"' })])
    const held = { headers: { etag: '"a1"', 'last-modified': 'Thu, 19 Nov 2026 20:00:00 GMT' } }
    expect(await client.fetchChanged(edgar, { url: apple }, held)).toEqual({ kind: 'unchanged', retrieved_at: '2026-11-20T15:00:00.000Z' })
    expect(requested[0]?.headers['if-none-match']).toBe('"a1"')
    expect(requested[0]?.headers['if-modified-since']).toBe('Thu, 19 Nov 2026 20:00:00 GMT')
  })

  test('after a redirect on the same host keeps the address that was asked', async () => {
    const { client } = aClient([reply(301, '', { location: '/submissions/CIK0000320193.json?v=2' }), reply(200, submissions)])
    const document = await client.fetchRaw(edgar, { url: apple })
    expect(document.url).toBe(apple)
    expect(requested[1]?.url).toBe('/data.sec.gov/submissions/CIK0000320193.json?v=2')
  })
})

describe('a refusal', () => {
  test('404 is "does not exist", and asked once', async () => {
    const { client, events } = aClient([reply(404, '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>')])
    await expect(client.fetchRaw(edgar, { url: apple })).rejects.toThrow(NotFound)
    // The source answered, so the log of sources does not count it as a failure.
    expect(events).toMatchObject([{ status: 404, answered: true, reason: expect.stringContaining('does not exist') }])
    expect(requested).toHaveLength(1)
  })

  test('500 is retried with full jitter, and is "could not ask" in the end', async () => {
    const { client, slept, events } = aClient([reply(500, 'oops')])
    const error = await failure(client.fetchRaw(nasdaqtrader, { url: nasdaqListedUrl }))
    expect(error.message).toBe('nasdaqtrader: https://www.nasdaqtrader.com/dynamic/symdir/nasdaqlisted.txt: status 500: "oops"')
    expect(events.map(event => event.waitSeconds)).toEqual([1, 2, 4, 8, null])
    expect(slept.filter(ms => ms >= 1000)).toEqual([1000, 2000, 4000, 8000])
  })

  test('after five failures in a row nobody asks until a probe 30 s later, and its success closes the breaker', async () => {
    const { client, advance } = aClient([...Array.from({ length: 5 }, () => reply(503, '')), reply(200, submissions)])
    await failure(client.fetchRaw(edgar, { url: apple }))
    const error = await failure(client.fetchRaw(edgar, { url: apple }))
    expect(error.message).toMatch(/not requested: 5 requests in a row failed/)
    expect(error.retryAfterSeconds).toBe(30)
    expect(requested).toHaveLength(5)
    advance(30_000)
    await client.fetchRaw(edgar, { url: apple })
    await client.fetchRaw(edgar, { url: apple })
    expect(requested).toHaveLength(7)
  })

  test.each([
    ['seconds', '7', 7],
    ['an HTTP date', 'Fri, 20 Nov 2026 15:00:09 GMT', 9],
  ])('429 with Retry-After as %s is waited for', async (_form, header, seconds) => {
    const { client, slept } = aClient([reply(429, '{}', { 'retry-after': header }), reply(200, '[]')])
    await client.fetchRaw(eodhd, { url: bulkBarsUrl('TO', '2026-11-19') })
    expect(slept[0]).toBe(seconds * 1000)
    expect(requested).toHaveLength(2)
  })

  test('an absurd Retry-After counts as an hour, and puts the job off instead of holding it', async () => {
    const { client } = aClient([reply(429, '{}', { 'retry-after': '99999999999' })])
    const error = await failure(client.fetchRaw(eodhd, { url: bulkBarsUrl('TO', '2026-11-19') }))
    expect(error.retryAfterSeconds).toBe(3600)
    expect(requested).toHaveLength(1)
  })

  test.each([
    ['403', reply(403, blockPage, { 'content-type': 'text/html' })],
    ['429', reply(429, blockPage, { 'content-type': 'text/html' })],
    ['200', reply(200, blockPage, { 'content-type': 'text/html' })],
  ])('the SEC block page with status %s stops everyone for ten minutes, and its bytes are kept', async (_status, answer) => {
    const { client, refused, advance } = aClient([answer, reply(200, submissions)])
    const error = await failure(client.fetchRaw(edgar, { url: apple }))
    expect(error.retryAfterSeconds).toBe(600)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.reason).toBe('sec_block_page')
    expect(refused[0]?.document.url).toBe(`refused:sec_block_page:${apple}`)
    expect(Buffer.from(refused[0]?.document.body ?? []).toString()).toBe(blockPage)
    advance(590_000)
    expect((await failure(client.fetchRaw(edgar, { url: submissionTextUrl('1', '0000000001-26-000001') }))).message).toMatch(
      /stopped for another 10 s/,
    )
    expect(requested).toHaveLength(1)
    advance(11_000)
    await client.fetchRaw(edgar, { url: apple })
  })

  test('402 from EODHD stops it until the next UTC day', async () => {
    const { client } = aClient([reply(402, 'You exceeded your daily API requests limit.', { 'content-type': 'text/html' })])
    const error = await failure(client.fetchRaw(eodhd, { url: bulkBarsUrl('US', '2026-11-19') }))
    expect(error.retryAfterSeconds).toBe(9 * 3600)
  })
})

describe('a damaged answer is retried, and never taken', () => {
  const big = JSON.stringify({ cik: '1', blanks: ' '.repeat(200_000) })
  const cut =
    (headers: Record<string, string>, part: string): Answerer =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.write(part, () => response.destroy())
    }
  test.each<[string, Answerer, string]>([
    ['shorter than its content-length', cut({ 'content-length': String(big.length) }, big.slice(0, 1000)), 'truncated'],
    ['cut between two chunks', cut({ 'transfer-encoding': 'chunked' }, big.slice(0, 1000)), 'truncated'],
    ['gzip that ends early', reply(200, gzipSync(big).subarray(0, 100), { 'content-encoding': 'gzip' }), 'truncated'],
    ['gzip that is none', reply(200, 'plain text', { 'content-encoding': 'gzip' }), 'garbled_encoding'],
    ['empty', reply(200, ''), 'empty_answer'],
    ['a picture', reply(200, '\x89PNG\r\n', { 'content-type': 'image/png' }), 'wrong_type'],
    ['a web page', reply(200, '<html><body>Maintenance</body></html>', { 'content-type': 'text/html' }), 'html_instead'],
    ['garbage', reply(200, '\x00\x01\x02{{{'), 'binary_instead'],
    ['text', reply(200, 'please try later'), 'not_json'],
    ['JSON without its end', reply(200, '{"cik":"1","filings":{"recent"'), 'cut_json'],
    ['no HTTP at all', (_request, response) => response.socket?.end('garbage\r\n\r\n'), 'broken_connection'],
  ])('%s', async (_what, answer, reason) => {
    const { client, events, refused } = aClient([answer, answer, reply(200, submissions)])
    await client.fetchRaw(edgar, { url: apple })
    expect(events.map(event => event.outcome)).toEqual([reason, reason, 'document'])
    for (const each of refused) expect(each.document.url).toBe(`refused:${reason}:${apple}`)
  })

  test('the bytes that did arrive are kept, marked as incomplete', async () => {
    const { client, refused } = aClient([cut({ 'content-length': '1000' }, '{"cik":"1"'), reply(200, submissions)])
    await client.fetchRaw(edgar, { url: apple })
    expect(refused.map(({ reason, complete, document }) => [reason, complete, Buffer.from(document.body).toString()])).toEqual([
      ['truncated', false, '{"cik":"1"'],
    ])
  })

  test('a raw store that fails is not mistaken for the upstream failing', async () => {
    const keepRaw = async () => {
      throw new Error('disk full')
    }
    const { client } = aClient([reply(500, 'oops')], { keepRaw })
    await expect(client.fetchRaw(edgar, { url: apple })).rejects.toThrow('disk full')
  })
})

describe('limits', () => {
  test('a body of blanks that unpacks a thousandfold is refused at the ratio, not read', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000, ' '))
    const { client, events, refused } = aClient([reply(200, bomb, { 'content-encoding': 'gzip' })])
    const error = await failure(client.fetchRaw(edgar, { url: apple }))
    expect(error.message).toMatch(/unpack to more than 100 times as much/)
    expect(events.map(event => event.outcome)).toEqual(['decompression_bomb'])
    expect(refused[0]?.document.body.length).toBe(65_536)
  })

  test.each([
    ['declared', (body: Buffer) => ({ 'content-length': String(body.length) })],
    ['sent', () => ({ 'transfer-encoding': 'chunked' })],
  ])('a body that is %s larger than the cap is refused', async (_how, headers) => {
    const body = Buffer.from(JSON.stringify('x'.repeat(5000)))
    const { client, events } = aClient([reply(200, body, headers(body))], { limits: { bodyBytes: 4096 } })
    await failure(client.fetchRaw(eodhd, { url: bulkBarsUrl('V', '2026-11-19') }))
    expect(events.map(event => event.outcome)).toEqual(['too_large'])
  })

  test('a server that never answers, stalls or drips is left', async () => {
    // Each limit is short where it is meant only: a busy machine delays the headers of an answer too.
    const patient = { headersMs: 600_000, bodyIdleMs: 600_000, totalMs: 600_000 }
    const silent = aClient([() => {}], { limits: { ...patient, headersMs: 150 }, attempts: 1 })
    await failure(silent.client.fetchRaw(edgar, { url: apple }))
    expect(silent.events[0]?.outcome).toBe('headers_timeout')
    const stall: Answerer = (_request, response) => void response.writeHead(200, { 'content-length': '100' }).write('{')
    const stalling = aClient([stall], { limits: { ...patient, bodyIdleMs: 150 }, attempts: 1 })
    await failure(stalling.client.fetchRaw(edgar, { url: apple }))
    expect(stalling.events[0]?.outcome).toBe('body_stalled')
    const drip: Answerer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    }
    const dripping = aClient([drip], { limits: { ...patient, totalMs: 400 }, attempts: 1 })
    await failure(dripping.client.fetchRaw(edgar, { url: apple }))
    expect(dripping.events[0]?.outcome).toBe('too_slow')
  })

  test('whoever asked may stop waiting, and gets his own reason', async () => {
    const { client, events } = aClient([() => {}])
    const stop = new AbortController()
    const waiting = client.fetchRaw(edgar, { url: apple }, stop.signal)
    setTimeout(() => stop.abort(new Error('the job was cancelled')), 20)
    await expect(waiting).rejects.toThrow('the job was cancelled')
    expect(events).toEqual([])
  })

  test('no more requests of an upstream are under way at once than it allows', async () => {
    const under: ServerResponse[] = []
    let most = 0
    const held: Answerer = (_request, response) => {
      most = Math.max(most, under.push(response))
      // Answered when four wait, and a fifth had the time to come.
      if (under.length === 4)
        setTimeout(() => {
          for (const each of under.splice(0)) each.writeHead(200, { 'content-type': 'application/json' }).end(submissions)
        }, 5)
    }
    const { client } = aClient([held])
    await Promise.all(Array.from({ length: 12 }, () => client.fetchRaw(edgar, { url: apple })))
    expect(most).toBe(4)
  })
})

describe('where it goes', () => {
  test.each(['https://169.254.169.254/latest/meta-data/', 'https://evil.example/x', '//evil.example/x', 'http://10.0.0.1/'])(
    'a redirect to %s is not followed',
    async location => {
      const { client, events } = aClient([reply(302, 'moved', { location })])
      await failure(client.fetchRaw(edgar, { url: apple }))
      expect(events.map(event => event.outcome)).toEqual(['foreign_redirect'])
      expect(requested).toHaveLength(1)
    },
  )

  test('a redirect to itself ends', async () => {
    const { client, events } = aClient([reply(302, '', { location: apple })])
    await failure(client.fetchRaw(edgar, { url: apple }))
    expect(events[0]?.outcome).toBe('redirect_loop')
    expect(requested).toHaveLength(4)
  })

  test.each([
    'http://www.sec.gov/Archives/x.txt',
    'https://www.sec.gov:8443/x',
    'https://user:pw@www.sec.gov/x',
    'https://www.sec.gov.evil.example/x',
    'https://evil.example/www.sec.gov',
    'https://127.0.0.1/x',
    'file:///etc/passwd',
    'not an address',
  ])('%s is refused before anything is sent', async url => {
    const { client } = aClient([reply(200, submissions)])
    await expect(client.fetchRaw(edgar, { url })).rejects.toThrow(BadRequest)
    expect(requested).toHaveLength(0)
  })

  test.each(textTable`
    a private address        | 10.1.2.3
    this machine             | 127.0.0.1
    the cloud’s metadata     | 169.254.169.254
    a mapped private address | ::ffff:192.168.0.1
  `)('a name that leads to %s is not connected to', async (_what, address) => {
    const resolve = async () => [{ address, family: address.includes(':') ? 6 : 4 }]
    const { client, events } = aClient([reply(200, submissions)], { resolve }, { base: {} })
    const error = await failure(client.fetchRaw(edgar, { url: apple }))
    expect(error.message).toMatch(/not a public address/)
    expect(events.map(event => event.outcome)).toEqual(['refused_address'])
  })
})

describe('credentials', () => {
  test('are sent, and are in no document, error, event or kept answer', async () => {
    const echo = `Forbidden. Your key ${canary} has no access`
    const { client, refused, events } = aClient([reply(403, echo, { 'content-type': 'text/plain', 'x-echo': canary })])
    const error = await failure(client.fetchRaw(eodhd, { url: `${bulkBarsUrl('US', '2026-11-19')}&api_token=${canary}` }))
    expect(requested[0]?.url).toContain(`api_token=${canary}`)
    expect(error.hint).toMatch(/EODHD_API_TOKEN/)
    expect(refused).toHaveLength(1)
    const shown = JSON.stringify([
      error.message,
      error.hint,
      error.stack,
      error.cause ?? null,
      events,
      refused.map(each => [each, Buffer.from(each.document.body).toString()]),
    ])
    expect(shown).not.toContain(canary)
    expect(shown).toContain('eod-bulk-last-day')
  })

  test('in a header reach the upstream', async () => {
    const { client } = aClient([reply(200, '[]')])
    const document = await client.fetchRaw(tiingo, { url: tiingoPricesUrl('BRK-B', '2026-11-01') })
    expect(requested[0]?.headers['authorization']).toBe(`Token ${canary}`)
    expect(document.url).toBe('https://api.tiingo.com/tiingo/daily/brk-b/prices?startDate=2026-11-01&format=json&resampleFreq=daily')
  })

  test('that are missing, and sources that are off, are said before anything is sent', async () => {
    const { client } = aClient([reply(200, '{}')], {}, { base: {}, keys: {}, contact: 'name@example.com' })
    await expect(client.fetchRaw(edgar, { url: apple })).rejects.toThrow(/placeholder/)
    await expect(client.fetchRaw(eodhd, { url: bulkBarsUrl('US', '2026-11-19') })).rejects.toThrow(/no key is set/)
    await expect(client.fetchRaw(yahoo, { url: yahooChartUrl('RY.TO', 0, 86_400) })).rejects.toThrow(/this source is off/)
    expect(requested).toHaveLength(0)
  })
})

describe('a posted question', () => {
  test('sends its body as JSON, and its answer is kept behind the whole question', async () => {
    const seen: { method: string | undefined; type: string | undefined; body: string }[] = []
    const { client } = aClient([
      (request, response) => {
        let body = ''
        request.on('data', part => {
          body += String(part)
        })
        request.on('end', () => {
          seen.push({ method: request.method, type: request.headers['content-type'], body })
          response.writeHead(200, { 'content-type': 'application/json' }).end(submissions)
        })
      },
    ])
    const url = postAddress('https://data.sec.gov/submissions/CIK0000000001.json', { vectorId: 1 })
    const document = await client.fetchRaw(edgar, { url })
    expect(seen).toEqual([{ method: 'POST', type: 'application/json', body: '{"vectorId":1}' }])
    expect(document.url).toBe(url)
  })
})
