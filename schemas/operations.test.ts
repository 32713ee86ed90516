import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { canonicalName } from './operations/canonical.ts'
import { factsOf } from './operations/parameters.ts'
import { areas, nameOf, operationOf, operations, publicOperations, tags } from './operations.ts'

const read = (id: Parameters<typeof operationOf>[0], requested: Record<string, string>) => operationOf(id).question.safeParse(requested)

describe('the table of operations', () => {
  it('names every operation and path once', () => {
    expect(new Set(operations.map(each => each.id)).size).toBe(operations.length)
    expect(new Set(operations.map(each => `${each.method} ${each.path}`)).size).toBe(operations.length)
  })
  it('tags with the nine of the specification and in snake_case', () => {
    for (const each of operations) {
      expect(each.curated ? tags : [...tags, ...areas]).toContain(each.tag)
      expect(each.id).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    }
  })
  it('has 24 keyless and 28 keyed public operations under all nine tags, as the specification counts them', () => {
    expect(publicOperations.filter(each => each.access === 'public').length).toBe(24)
    expect(publicOperations.filter(each => each.access !== 'public').length).toBe(28)
    expect(new Set(publicOperations.map(each => each.tag))).toEqual(new Set(tags))
  })
  it.each(operations.map(each => [each.id, each] as const))('%s: its example fits its own schemas', (_, each) => {
    const url = new URL(each.example.request, 'http://x')
    const pattern = new RegExp(`^${each.path.replace(`{${each.rest}}`, `(?<${each.rest}>.+)`).replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const requested = { ...pattern.exec(url.pathname)?.groups, ...Object.fromEntries(url.searchParams) }
    expect(pattern.test(url.pathname)).toBe(true)
    expect(each.question.safeParse(requested).error).toBeUndefined()
    const fault = each.answer?.safeParse(each.example.answer).error
    expect(fault, `${each.id}: write its answer with npm test -- api/examples.test.ts -u, or give it in the row`).toBeUndefined()
    const rows = each.rows === null ? [] : (each.example.answer as Record<string, unknown>)[each.rows]
    expect(Array.isArray(rows)).toBe(true)
  })
  it('describes every parameter and what it expects', () => {
    for (const each of operations)
      for (const [name, schema] of Object.entries(each.question.shape)) {
        const { description, expects, example } = factsOf(schema)
        expect([each.id, name, description, expects, example].every(text => text.length > 0)).toBe(true)
      }
  })
})

describe('a question', () => {
  it.each(textTable`
    ry.to  | RY.TO
    TSX:RY | RY.TO
    BRK.B  | BRK-B
    brk/b  | BRK-B
  `)('reads the symbol %s canonically, as %s', (requested, symbol) => {
    expect(read('get_eod', { symbol: requested }).data?.['symbol']).toBe(symbol)
  })
  it('takes 30 symbols and refuses 31', () => {
    const symbols = (n: number) => Array.from({ length: n }, (_, i) => `S${i}`).join(',')
    expect(read('get_quotes', { symbols: symbols(30) }).data?.['symbols']).toHaveLength(30)
    expect(read('get_quotes', { symbols: symbols(31) }).error?.issues[0]?.message).toBe('expected at most 30 symbols, got 31')
    expect(read('get_quotes', { symbols: 'A,,B' }).success).toBe(false)
  })
  it('knows the eleven time frames and no other', () => {
    for (const timeframe of ['1d', '5d', '1mo', '3mo', '6mo', '1y', '2y', '5y', '10y', '20y', 'max'])
      expect(read('get_chart', { symbol: 'A', timeframe }).success).toBe(true)
    for (const timeframe of ['7d', '1w', '30y', '']) expect(read('get_chart', { symbol: 'A', timeframe }).success).toBe(false)
  })
  it('refuses a day that the calendar has not', () => {
    for (const from of ['2024-02-30', '2023-02-29', '2024-1-1', 'yesterday', '20240101'])
      expect(read('get_eod', { symbol: 'A', from }).success).toBe(false)
    expect(read('get_eod', { symbol: 'A', from: '2024-02-29' }).success).toBe(true)
  })
  it('reads a moment with an offset, and a day as its last moment', () => {
    const as_of = (text: string) => read('get_eod', { symbol: 'A', as_of: text }).data?.['as_of']
    expect(as_of('2024-06-30T16:00:00-04:00')).toBe('2024-06-30T20:00:00Z')
    expect(as_of('2024-06-30T22:00:00 02:00')).toBe('2024-06-30T20:00:00Z')
    expect(as_of('2024-06-30T20:00:00.123456Z')).toBe('2024-06-30T20:00:00.123456Z')
    expect(as_of('2024-06-30')).toBe('2024-06-30T23:59:59.999999Z')
    expect(as_of('2024-06-31')).toBeUndefined()
    expect(as_of('2024-06-30T25:00:00Z')).toBeUndefined()
  })
  it('gives end-of-day no separate limit, and caps a list at 1000', () => {
    expect(read('get_eod', { symbol: 'A' }).data?.['limit']).toBeUndefined()
    expect(read('list_symbols', {}).data?.['limit']).toBe(100)
    expect(read('list_symbols', { limit: '5000' }).data?.['limit']).toBe(1000)
    for (const limit of ['0', '-1', 'abc', '1.5', '1e3', ' 5']) expect(read('list_symbols', { limit }).success).toBe(false)
  })
  it('has one name, whatever order and manner it was asked in', () => {
    const a = read('get_form4', { ticker: 'nrth', since: '2024-01-01', receipt: '1', release: '7' }).data!
    const b = read('get_form4', { since: '2024-01-01', ticker: 'NYSE:NRTH', limit: '100' }).data!
    expect(nameOf('get_form4', a as never)).toBe('GET /api/v1/data/form4?limit=100&since=2024-01-01&ticker=NRTH')
    expect(nameOf('get_form4', b as never)).toBe(nameOf('get_form4', a as never))
    expect(canonicalName('GET', '/a/{symbol}', { symbol: '$&/x' })).toBe('GET /a/%24%26%2Fx')
  })
})

describe('a cursor', () => {
  it('comes back with its release and place, for the same question only', () => {
    const cursor = encodeCursor('list_earnings_calendar', { exchange: 'TO' }, 12, ['NRTH.TO', null, 3])
    expect(decodeCursor(cursor, 'list_earnings_calendar', { exchange: 'TO', query: undefined })).toEqual({ release: 12, after: ['NRTH.TO', null, 3] })
    expect(() => decodeCursor(cursor, 'list_earnings_calendar', { exchange: 'V' })).toThrow('another question')
    expect(() => decodeCursor(cursor, 'search_filings', { exchange: 'TO' })).toThrow('another question')
  })
  it('is refused with a sort key that its operation does not make, even with a right check sum', () => {
    const at = '2026-11-20T21:00:00Z'
    for (const key of [
      ['x', 'a', 1],
      [at, 'a'],
      [at, 'a', -1],
      [at, 'a', 2 ** 31],
      [at, '\u0000', 1],
      [at, '\ud800', 1],
      ['0000-01-01T00:00:00Z', 'a', 1],
    ])
      expect(() => decodeCursor(encodeCursor('get_form4', {}, 1, key), 'get_form4', {})).toThrow('cursor is damaged')
    expect(decodeCursor(encodeCursor('get_form4', {}, 1, [at, 'a', 1]), 'get_form4', {}).after).toEqual([at, 'a', 1])
  })
  it('is refused when any character changes', () => {
    const cursor = encodeCursor('list_symbols', {}, 12, ['NRTH.TO'])
    for (let at = 0; at < cursor.length; at++) {
      const other = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
      const same = Buffer.from(other, 'base64url').equals(Buffer.from(cursor, 'base64url'))
      if (!same) expect(() => decodeCursor(other, 'list_symbols', {})).toThrow('cursor')
    }
    for (const text of ['', '!!!', 'x'.repeat(4000)]) expect(() => decodeCursor(text, 'list_symbols', {})).toThrow('cursor')
  })
})
