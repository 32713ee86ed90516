import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeCursor } from '#schemas/cursor.ts'
import { AnswerCache, codingFor, type Finished } from './answer-cache.ts'
import { buildApp } from './app.ts'
import { aKey, bytes, fakes, keyList } from './fakes.ts'
import { readRange } from './send-file.ts'

const key = aKey()
const clock = { ms: 0 }
const head = { release: 10, as_of: '2026-11-20T21:04:11Z' }
const long = JSON.stringify({ symbol: 'LONG', count: 1, bars: [{ note: 'abc '.repeat(2000) }] })
const parquet = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256))
const folder = mkdtempSync(join(tmpdir(), 'crossfile-api-'))
writeFileSync(join(folder, 'f.parquet'), parquet)
let lookups = 0
let app: FastifyInstance
beforeAll(async () => {
  app = await buildApp(
    fakes({
      keys: keyList(key),
      clock,
      head,
      handlers: {
        get_eod: async (question, context) => {
          lookups += 1
          await Promise.resolve()
          return question['symbol'] === 'LONG'
            ? bytes(long)
            : bytes(`{"symbol":"${question['symbol']}","release":${context.release}}`, context.release)
        },
        get_quotes: () => {
          lookups += 1
          return bytes('{"quotes":[]}')
        },
        get_form4: () => ({ ...bytes('{"transactions":[]}'), receipt_id: `r1_${'a'.repeat(52)}`, next_cursor: 'abc' }),
        list_symbols: (question, context) =>
          bytes(JSON.stringify({ release: context.release, cursor: question['cursor'] !== undefined, symbols: [] })),
        get_bulk_file: question => ({
          kind: 'file',
          path: join(folder, 'f.parquet'),
          bytes: question['file'] === 'short.parquet' ? 999 : 1000,
          sha256: 'c'.repeat(64),
          media_type: 'application/vnd.apache.parquet',
        }),
      },
    }),
  )
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
const eod = '/api/v1/market/eod/NRTH.TO'

describe('an answer', () => {
  it('is asked for once per question and release, however it is spelled and by how many at once', async () => {
    lookups = 0
    const spellings = [`${eod}?order=asc`, '/api/v1/market/eod/nrth.to', '/api/v1/market/eod/TSX%3ANRTH?adjust=none', eod, `${eod}?format=json`]
    const responses = await Promise.all([...spellings, ...spellings].map(url => get(url)))
    expect(lookups).toBe(1)
    expect(new Set(responses.map(each => each.body)).size).toBe(1)
    head.release = 11
    expect((await get(eod)).json()).toEqual({ symbol: 'NRTH.TO', release: 11 })
    expect((await get(`${eod}?release=10`)).json()).toEqual({ symbol: 'NRTH.TO', release: 10 })
    expect(lookups).toBe(2)
  })
  it('is immutable only where its release was named', async () => {
    expect((await get(`${eod}?release=10`)).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await get(eod)).headers['cache-control']).toBe('public, max-age=300, stale-while-revalidate=86400')
    expect((await get(`${eod}?as_of=2026-01-01`)).headers['cache-control']).not.toContain('immutable')
    expect((await get('/api/v1/market/quotes?symbols=A')).headers['cache-control']).toBe('public, max-age=5, stale-while-revalidate=30')
    expect((await get('/health')).headers['cache-control']).toBe('no-store')
  })
  it('whose age counts is built again after a second', async () => {
    lookups = 0
    for (const ms of [0, 999, 1, 500]) {
      clock.ms += ms
      await get('/api/v1/market/quotes?symbols=B')
    }
    expect(lookups).toBe(2)
  })
  it('is 304 for a client that has it, in any coding; If-None-Match takes precedence over If-Modified-Since', async () => {
    const { headers } = await get(eod)
    const tag = String(headers['etag'])
    expect(headers['last-modified']).toBe('Fri, 20 Nov 2026 21:04:11 GMT')
    const status = async (sent: Record<string, string>) => (await get(eod, sent)).statusCode
    for (const same of [tag, `W/${tag}`, `"x", ${tag}`, '*', tag.replace(/"$/, '-br"')]) expect(await status({ 'if-none-match': same })).toBe(304)
    for (const other of ['"x"', tag.slice(1, -1), `${tag.slice(0, -1)}-csv"`, '""']) expect(await status({ 'if-none-match': other })).toBe(200)
    expect(await status({ 'if-modified-since': 'Fri, 20 Nov 2026 21:04:11 GMT' })).toBe(304)
    expect(await status({ 'if-modified-since': 'Fri, 20 Nov 2026 21:04:10 GMT' })).toBe(200)
    expect(await status({ 'if-modified-since': 'nonsense' })).toBe(200)
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': 'Fri, 20 Nov 2030 00:00:00 GMT' })).toBe(200)
    const held = await get(eod, { 'if-none-match': tag })
    expect([held.body, held.headers['content-length'], held.headers['etag'], held.headers['vary']]).toEqual([
      '',
      undefined,
      tag,
      'Accept, Accept-Encoding',
    ])
  })
  it('as a file has a tag of its own bytes, which name the data clock and the service, too', async () => {
    const state = { frozen_at: null as string | null }
    const files = await buildApp({
      ...fakes({ keys: keyList(key), options: { logLevel: false, cacheBytes: 0 }, handlers: { get_eod: () => bytes(long, 10) } }),
      dataClock: () => state,
    })
    const ask = async (format: string, tag = ''): Promise<{ status: number; tag: string; text: string }> => {
      const { statusCode, headers, rawPayload } = await files.inject({ url: `${eod}?format=${format}`, headers: { 'if-none-match': tag } })
      return { status: statusCode, tag: String(headers['etag']), text: rawPayload.toString('latin1') }
    }
    for (const format of ['parquet', 'xlsx', 'csv']) {
      state.frozen_at = null
      const before = await ask(format)
      expect([before.status, before.tag.endsWith(`-${format}"`), await ask(format)]).toEqual([200, true, before])
      expect((await ask(format, before.tag)).status).toBe(304)
      state.frozen_at = '2026-11-21T05:00:00.000Z'
      const after = await ask(format, before.tag)
      expect([after.status, after.tag === before.tag]).toEqual(format === 'csv' ? [304, true] : [200, false])
    }
    await files.close()
  })
  it('is compressed if it is large enough, with a separate tag', async () => {
    const url = '/api/v1/market/eod/LONG'
    const plain = await get(url)
    for (const [header, coding, unpack] of [
      ['gzip', 'gzip', gunzipSync],
      ['gzip, br', 'br', brotliDecompressSync],
      ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
      ['br;q=0.1, gzip;q=0.9', 'gzip', gunzipSync],
      ['*', 'zstd', zstdDecompressSync],
    ] as const) {
      for (let twice = 0; twice < 2; twice++) {
        const packed = await get(url, { 'accept-encoding': header })
        expect([packed.headers['content-encoding'], packed.headers['etag']]).toEqual([
          coding,
          String(plain.headers['etag']).replace(/"$/, `-${coding}"`),
        ])
        expect(unpack(packed.rawPayload).toString()).toBe(long)
        expect(Number(packed.headers['content-length'])).toBe(packed.rawPayload.length)
      }
    }
    expect((await get(url, { 'accept-encoding': 'deflate, identity' })).headers['content-encoding']).toBeUndefined()
    expect((await get(eod, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined()
    expect([codingFor('gzip;q=0, br;q=0', 5000), codingFor('', 5000), codingFor('br;q=nonsense', 5000)]).toEqual(['identity', 'identity', 'identity'])
  })
  it('names its receipt and its next page, without the key', async () => {
    const response = await get(`/api/v1/data/form4?ticker=NRTH&format=csv&apikey=${key.text}`)
    expect(response.headers['x-receipt-id']).toBe(`r1_${'a'.repeat(52)}`)
    expect(response.headers['link']).toBe('<http://api.test/api/v1/data/form4?cursor=abc&format=csv&limit=100&ticker=NRTH>; rel="next"')
    expect(response.headers['vary']).toBe('Accept, Accept-Encoding, Authorization, X-API-Key')
  })
  it('of a listing goes on in the release that it began in', async () => {
    const cursor = encodeCursor('list_symbols', {}, 9, ['A'])
    expect((await get(`/api/v1/market/symbols?cursor=${cursor}`)).json()).toMatchObject({ release: 9, cursor: true })
    // A stored first page of release 10 may be that of release 9; a cursor of a later release is not of this listing.
    expect((await get(`/api/v1/market/symbols?cursor=${cursor}&release=10`)).json()).toMatchObject({ release: 9, cursor: true })
    expect((await get(`/api/v1/market/symbols?cursor=${cursor}&release=8`)).statusCode).toBe(400)
    expect((await get(`/api/v1/market/symbols?cursor=${encodeCursor('list_symbols', {}, 99, [])}`)).statusCode).toBe(404)
  })
})

describe('a bulk file', () => {
  const file = (name = 'f.parquet', headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: `/api/v1/data/bulk/bars/${name}`, headers: { 'x-api-key': key.text, ...headers } })
  it('comes whole or by range, so that DuckDB can read it over HTTP', async () => {
    const whole = await file()
    expect([whole.statusCode, whole.headers['accept-ranges'], whole.headers['etag'], whole.rawPayload.equals(parquet)]).toEqual([
      200,
      'bytes',
      `"${'c'.repeat(64)}"`,
      true,
    ])
    const first = await file('f.parquet', { range: 'bytes=0-3' })
    expect([first.statusCode, first.headers['content-range'], [...first.rawPayload]]).toEqual([206, 'bytes 0-3/1000', [0, 1, 2, 3]])
    const tail = await file('f.parquet', { range: 'bytes=-8' })
    expect([tail.headers['content-range'], tail.rawPayload.equals(parquet.subarray(-8))]).toEqual(['bytes 992-999/1000', true])
    expect((await file('f.parquet', { range: 'bytes=990-5000' })).headers['content-range']).toBe('bytes 990-999/1000')
    const size = await file('f.parquet', {}, 'HEAD')
    expect([size.statusCode, size.headers['content-length'], size.body]).toEqual([200, '1000', ''])
    expect((await file('f.parquet', { 'if-none-match': `"${'c'.repeat(64)}"` })).statusCode).toBe(304)
    expect((await file('f.parquet', { range: 'bytes=0-3', 'if-range': '"other"' })).statusCode).toBe(200)
  })
  it('refuses a range after its end, and a file whose length differs from the catalogue', async () => {
    const behind = await file('f.parquet', { range: 'bytes=1000-' })
    expect([behind.statusCode, behind.headers['content-range'], behind.json().code]).toEqual([416, 'bytes */1000', 'bad_request'])
    expect((await file('short.parquet')).statusCode).toBe(503)
    expect([readRange('bytes=5-2', 10), readRange('bytes=0-1,3-4', 10), readRange('items=0-1', 10), readRange('bytes=-', 10)]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})

describe('the memory of answers', () => {
  const answer = (bytes: number, expires = Number.POSITIVE_INFINITY): Finished => ({
    status: 200,
    media_type: 'application/json',
    etag: 'x',
    last_modified: null,
    receipt_id: null,
    immutable: false,
    release: 1,
    headers: [],
    policy: null,
    bodies: new Map([['identity', Buffer.alloc(bytes)]]),
    lists: [],
    expires,
    isShared: false,
  })
  it('stays within its budget: entries without recent requests are removed first', () => {
    const cache = new AnswerCache(100_000)
    for (let n = 0; n < 50; n++) {
      cache.set(`k${n}`, answer(9_000))
      cache.get('k0', 0)
      expect(cache.bytes).toBeLessThanOrEqual(100_000)
    }
    expect([cache.get('k0', 0) !== undefined, cache.get('k1', 0), cache.size]).toEqual([true, undefined, 9])
    cache.set('huge', answer(50_000))
    expect(cache.get('huge', 0)).toBeUndefined()
  })
  it('keeps what others request when a client reads many large answers once', () => {
    const cache = new AnswerCache(1_000_000)
    for (let n = 0; n < 14; n++) cache.set(`first ${n}`, answer(70_000))
    const held = (): number => Array.from({ length: 14 }, (_, n) => cache.get(`first ${n}`, 0)).filter(Boolean).length
    expect(held()).toBe(14)
    for (let n = 0; n < 5_000; n++) cache.set(`scan ${n}`, answer(70_000))
    expect([held(), cache.size]).toEqual([14, 14])
    // The second request stores it; a key that was requested too long ago counts as new.
    cache.set('scan 4999', answer(70_000))
    cache.set('scan 100', answer(70_000))
    expect([cache.get('scan 4999', 0) !== undefined, cache.get('scan 100', 0)]).toEqual([true, undefined])
    // Small answers are stored always.
    cache.set('small', answer(2_000))
    expect(cache.get('small', 0)).toBeDefined()
  })
  it('counts codings that are added later, and forgets what has expired', () => {
    const cache = new AnswerCache(100_000)
    const one = answer(10_000, 5)
    cache.set('a', one)
    one.bodies.set('gzip', Buffer.alloc(3_000))
    cache.recount('a', one)
    expect(cache.bytes).toBe(10_000 + 3_000 + 1024)
    expect([cache.get('a', 4) === one, cache.get('a', 5), cache.bytes, cache.size]).toEqual([true, undefined, 0, 0])
  })
})
