import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#schemas/operations.ts'
import { buildApp } from '../app.ts'
import { aKey, bytes, fakes, keyList } from '../fakes.ts'
import { rowLine } from '../tables/text.ts'
import { formatsOf } from './formats.ts'

const key = aKey()
const hostile = ['=1+1', '+SUM(A1)', '-2+3', '@cmd', '\t=1', '\r=1', '\n=1', ' =1', '＝1', '＋1', '－1', '＠x', '\u00a0=1']
const rows = hostile.map((name, at) => ({
  accession: `a${at}`,
  company: name,
  items: ['1.01', '=2'],
  size_bytes: at,
  nested: { deep: name, list: [{ a: 1 }] },
}))
const body = `{"count":${rows.length},"filings":${JSON.stringify(rows)},"next_cursor":null,"as_of":"2026-11-20T21:04:11Z","release":7,"sources":[]}`
const bars =
  '{"symbol":"NRTH.TO","currency":"CAD","count":3,"bars":[{"date":"2026-11-18","close":41.370,"volume":-0.0000001},{"date":"2026-11-19","close":1e400,"volume":12345678901234567890.12},{"date":"2026-11-20","close":-5.10,"volume":null}],"note":"café, \\"x\\"\\r\\nSet-Cookie: a=b","as_of":"2026-11-20T21:04:11Z","release":7,"sources":[]}'
let app: FastifyInstance
beforeAll(async () => {
  app = await buildApp(
    fakes({
      keys: keyList(key),
      handlers: {
        search_filings: () => bytes(body),
        get_eod: lookups =>
          bytes(
            lookups['symbol'] === 'EMPTY' ? '{"symbol":"EMPTY","count":0,"bars":[],"as_of":"2026-11-20T21:04:11Z","release":7,"sources":[]}' : bars,
          ),
      },
    }),
  )
})
afterAll(() => app.close())
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers: { 'x-api-key': key.text, ...headers } })

describe('excel', () => {
  it('is tab-separated text with a header row, digits as sent, null empty, scalars as headers', async () => {
    const response = await get('/api/v1/market/eod/NRTH.TO?format=excel')
    expect(response.headers['content-type']).toBe('text/tab-separated-values; charset=utf-8')
    expect(response.headers['content-disposition']).toBe('attachment; filename="get_eod_NRTH.TO.tsv"')
    expect(response.body).toBe(
      '\ufeffdate\tclose\tvolume\r\n2026-11-18\t41.370\t-0.0000001\r\n2026-11-19\t1e400\t12345678901234567890.12\r\n2026-11-20\t-5.10\t\r\n',
    )
    expect(response.headers).toMatchObject({
      'x-meta-symbol': 'NRTH.TO',
      'x-meta-count': '3',
      'x-meta-as-of': '2026-11-20T21:04:11Z',
      'x-meta-release': '7',
    })
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(response.headers['x-meta-note']).toBe('caf%C3%A9, "x"%0D%0ASet-Cookie: a=b')
  })
  it('keeps leading zeros and begins with a byte order mark', async () => {
    const text = (await get('/api/v1/data/filings/search?q=x&format=excel')).rawPayload
    expect(text.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    expect(rowLine('excel', ['0009990001', '007'])).toBe('0009990001\t007\r\n')
  })
  it('holds no text cell that a spreadsheet would run, and no broken row', async () => {
    const text = (await get('/api/v1/data/filings/search?q=x&format=excel')).body
    const lines = text.split('\r\n')
    expect(lines).toHaveLength(hostile.length + 2)
    expect(lines[0]).toBe('\ufeffaccession\tcompany\titems\tsize_bytes\tnested.deep\tnested.list')
    for (const line of lines.slice(1, -1)) {
      const cells = line.split('\t')
      expect(cells).toHaveLength(6)
      expect(cells[1]).toMatch(/^'/)
      for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/)
    }
  })
  it('keeps its columns when there is no row', async () => {
    expect((await get('/api/v1/market/eod/EMPTY?format=excel')).body).toBe('\ufeffdate\topen\thigh\tlow\tclose\tadjusted_close\tvolume\tbasis\r\n')
  })
})

describe('binary formats', () => {
  it.each([
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK\x03\x04'],
    ['parquet', 'application/vnd.apache.parquet', 'PAR1'],
    ['arrow', 'application/vnd.apache.arrow.file', 'ARROW1'],
  ])(
    '%s has its media type, by format= and by Accept, and scalars as headers that scripts of other origins can read',
    async (format, type, magic) => {
      for (const response of [await get(`/api/v1/market/eod/NRTH.TO?format=${format}`), await get('/api/v1/market/eod/NRTH.TO', { accept: type })]) {
        expect(response.headers['content-type']).toBe(type)
        expect(response.headers['content-disposition']).toBe(`attachment; filename="get_eod_NRTH.TO.${format}"`)
        expect(response.rawPayload.toString('latin1', 0, magic.length)).toBe(magic)
        expect(response.headers).toMatchObject({ 'x-meta-symbol': 'NRTH.TO', 'x-meta-release': '7', 'access-control-allow-origin': '*' })
        const exposed = String(response.headers['access-control-expose-headers']).split(', ')
        expect(exposed).toEqual(expect.arrayContaining(['ETag', 'X-Meta-Symbol', 'X-Meta-As-Of', 'X-Meta-Release', 'Content-Disposition']))
      }
    },
  )
  it('the JSON answer exposes no header that it does not have', async () => {
    expect((await get('/api/v1/market/eod/NRTH.TO')).headers['access-control-expose-headers']).not.toContain('X-Meta')
  })
})

describe('csv', () => {
  it('is RFC 4180, with the same guard for text', async () => {
    const response = await get('/api/v1/data/filings/search?q=x&format=csv')
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(response.body).toContain(`a0,'=1+1,1.01; =2,0,'=1+1,"[{""a"":1}]"\r\n`)
    expect((await get('/api/v1/market/eod/NRTH.TO', { accept: 'text/csv' })).body).toContain('2026-11-20,-5.10,\r\n')
  })
  it('never lets text begin a formula or leave its cell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => {
        const excel = rowLine('excel', [text, null])
        expect(excel.endsWith('\t\r\n')).toBe(true)
        expect(excel.slice(0, -3)).not.toMatch(/[\t\r\n]|^\s*[=+\-@＝＋－＠]/)
        const csv = rowLine('csv', [text, true])
        const cell = csv.slice(0, -',true\r\n'.length)
        const inner = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        expect(inner === text || inner === `'${text}`).toBe(true)
        expect(inner).not.toMatch(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('ndjson', () => {
  it('is one row a line, digits as sent', async () => {
    const lines = (await get('/api/v1/market/eod/NRTH.TO?format=ndjson')).body.split('\n')
    expect(lines[1]).toBe('{"date":"2026-11-19","close":1e400,"volume":12345678901234567890.12}')
    expect(lines).toHaveLength(4)
  })
})

describe('every GET of the Developer Data API', () => {
  it.each(operations.filter(each => each.method === 'GET' && each.tag === 'Developer Data API' && each.answer).map(each => [each.id, each] as const))(
    '%s answers in excel and csv',
    async (_, each) => {
      expect(formatsOf(each)).toEqual(['json', 'csv', 'excel', 'ndjson', 'xlsx', 'parquet', 'arrow'])
      for (const format of formatsOf(each).slice(1)) {
        const response = await get(`${each.example.request}${each.example.request.includes('?') ? '&' : '?'}format=${format}`)
        expect(response.statusCode).toBe(200)
        expect(response.headers['content-disposition']).toMatch(/^attachment; filename="[A-Za-z0-9._-]+\.(tsv|csv|ndjson|xlsx|parquet|arrow)"$/)
        // The example that compares a receipt with itself has no rows, and a list of none is an empty text.
        const rows =
          each.rows === null ? null : ((each.example.answer as Readonly<Record<string, readonly unknown[]>> | undefined)?.[each.rows] ?? null)
        if (rows?.length !== 0) expect(response.body.length).toBeGreaterThan(10)
      }
    },
  )
  it('has for each format its own tag', async () => {
    const tag = async (format: string) => (await get(`/api/v1/market/eod/NRTH.TO?format=${format}`)).headers['etag']
    expect(new Set(await Promise.all(['json', 'csv', 'excel', 'ndjson', 'xlsx', 'parquet', 'arrow'].map(tag))).size).toBe(7)
  })
})
