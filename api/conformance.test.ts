// Every operation of the table, asked of the whole service (API, worker, Postgres, lake) over the bundled universe: what it
// answers, in which headers and formats, what it refuses and how, and which SQL that takes.
import { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { drillRelease } from '#fixtures/pdf/drill-release.ts'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { ErrorAnswer } from '#schemas/answer.ts'
import { timeframes } from '#schemas/operations/market.ts'
import { isOfUsers, type Operation, type OperationId, operations } from '#schemas/operations.ts'
import { exampleForm } from './fakes.ts'
import { type Server, startServer } from './server.ts'

/** The text of each statement that DuckDB holds prepared. */
const preparedText = new WeakMap<DuckDBPreparedStatement, string>()
const { prepare } = DuckDBConnection.prototype
vi.spyOn(DuckDBConnection.prototype, 'prepare').mockImplementation(async function (this: DuckDBConnection, sql: string) {
  const statement = await prepare.call(this, sql)
  preparedText.set(statement, sql)
  return statement
})

const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
let server: Server
/** Receipt ids of two answers, for the operations about receipts. */
let receipts: readonly [string, string] = ['', '']
/** The path of the receipt log: `receipts/2026`. */
let logName = ''
/** Paths of two bulk files. */
let files: readonly [string, string] = ['', '']

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.address + path, { headers: { authorization: `Bearer ${key}`, ...headers } })
type Json = Readonly<Record<string, unknown>>
const json = async (path: string, headers?: Record<string, string>): Promise<Json> => (await (await ask(path, headers)).json()) as Json

beforeAll(async () => {
  server = await startServer(warehouse.config)
  const signed = await Promise.all(['GLPR.TO', 'CFB'].map(symbol => json(`/api/v1/market/corporate-actions/${symbol}`)))
  receipts = signed.map(body => String(body['receipt_id'])) as unknown as typeof receipts
  // The worker gives a receipt its place in the log within seconds.
  for (const id of receipts)
    while ((await ask(`/api/v1/data/receipts/proof/${id}`)).status === 404) await new Promise(resolve => setTimeout(resolve, 100))
  logName = /receipts\/\d{4}/.exec(await (await ask('/api/v1/data/receipts/checkpoint')).text())?.[0] ?? ''
  const { files: listed } = await json('/api/v1/data/bulk')
  files = (listed as { url: string }[]).slice(0, 2).map(file => file.url) as unknown as typeof files
})
afterAll(() => server.close())

/** Two questions of every operation that takes any: the same parameters, other values. */
const questions: { readonly [Id in OperationId]?: () => readonly [string, string] } = {
  list_symbols: () => ['/api/v1/market/symbols?exchange=TO&limit=3&query=a', '/api/v1/market/symbols?exchange=V&limit=2&query=n'],
  get_symbol: () => ['/api/v1/market/symbols/TSX:GLPR', '/api/v1/market/symbols/BXH.A'],
  list_exchanges: () => ['/api/v1/market/exchanges?year=2026', '/api/v1/market/exchanges?year=2024'],
  get_quotes: () => ['/api/v1/market/quotes?symbols=GLPR.TO,GLPR,NOPE', '/api/v1/market/quotes?symbols=QT,QT.TO,NADA'],
  get_quote: () => ['/api/v1/market/quote/GLPR', '/api/v1/market/quote/CFB'],
  get_eod: () => ['/api/v1/market/eod/GLPR.TO?from=2026-01-01&adjust=all', '/api/v1/market/eod/CBC.TO?from=2026-11-01&adjust=split'],
  list_eod_revisions: () => ['/api/v1/market/eod/GLPR.TO/revisions?limit=5', '/api/v1/market/eod/HLTB/revisions?limit=7'],
  list_corporate_actions: () => ['/api/v1/market/corporate-actions/GLPR.TO?type=split', '/api/v1/market/corporate-actions/CFB?type=dividend'],
  get_chart: () => ['/api/v1/chart/GLPR.TO?timeframe=5d', '/api/v1/chart/CFB?timeframe=max'],
  search_filings: () => [
    '/api/v1/data/filings/search?ticker=BRLX&limit=2&form=4&q=statement',
    '/api/v1/data/filings/search?ticker=TRUE&limit=3&form=4&q=insider',
  ],
  get_filing: () => ['/api/v1/data/filings/0009990001-26-000034', '/api/v1/data/filings/000999000126000031'],
  get_form4: () => ['/api/v1/data/form4?ticker=BRLX&limit=2', '/api/v1/data/form4?ticker=TRUE&limit=3'],
  list_bulk_files: () => ['/api/v1/data/bulk?dataset=bars', '/api/v1/data/bulk?dataset=filings'],
  get_bulk_file: () => files,
  get_receipt: () => receipts.map(id => `/api/v1/data/receipts/${id}`) as unknown as [string, string],
  get_receipt_bundle: () => receipts.map(id => `/api/v1/data/receipts/${id}/bundle`) as unknown as [string, string],
  get_receipt_jws: () => receipts.map(id => `/api/v1/data/receipts/${id}/jws?detached=0`) as unknown as [string, string],
  get_receipt_diff: () => receipts.map(id => `/api/v1/data/receipts/${id}/diff/${id}`) as unknown as [string, string],
  get_receipt_history: () => receipts.map(id => `/api/v1/data/receipts/${id}/history?path=count`) as unknown as [string, string],
  get_receipt_proof: () => receipts.map(id => `/api/v1/data/receipts/proof/${id}`) as unknown as [string, string],
  get_receipt_log_checkpoint: () => [`/${logName}/checkpoint`, `/${logName}/checkpoint`],
  get_receipt_log_tile: () => [`/${logName}/tile/0/000.p/1`, `/${logName}/tile/entries/000.p/1`],
  verify_receipt: () => receipts.map(id => `/api/v1/data/receipts/${id}/verify`) as unknown as [string, string],
  verify_lineage: () => receipts.map(id => `/api/v1/lineage/verify/${id}`) as unknown as [string, string],
}
/** A question of the operation, with the example's body where it takes one. */
const askAs = (operation: Operation, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  operation.body_media.includes('multipart/form-data')
    ? sendForm(path, headers)
    : operation.method === 'POST'
      ? fetch(server.address + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
          // Only a receipt of this installation is known to it.
          body: JSON.stringify(operation.example.body).replaceAll(/r1_[a-z2-7]{51}[aq]/g, receipts[0]),
        })
      : ask(path, headers)
/** The drill release of the bundled universe as a form. */
function sendForm(path: string, headers: Record<string, string>): Promise<Response> {
  const form = exampleForm({ authorization: `Bearer ${key}`, ...headers }, drillRelease().bytes)
  return fetch(server.address + path, { method: 'POST', headers: form.headers, body: new Uint8Array(form.payload) })
}
const questionsOf = (operation: Operation): readonly string[] => questions[operation.id as OperationId]?.() ?? [operation.example.request]
const each = operations.filter(operation => !isOfUsers(operation) && operation.tag !== 'Agents').map(operation => [operation.id, operation] as const)
const dataEach = each.filter(([, operation]) => operation.data)
const withFormat = (path: string, format: string): string => `${path}${path.includes('?') ? '&' : '?'}format=${format}`

/** The body holds what the operation's schema describes, and no other member. */
function expectDescribed(operation: Operation, body: unknown): void {
  const parsed = operation.answer?.safeParse(body)
  expect(parsed?.error?.issues).toBeUndefined()
  expect(parsed?.data).toEqual(body)
}

describe('every operation', () => {
  it.each(each)('%s answers 200 with the body that its schema describes, and nothing else', async (_id, operation) => {
    for (const path of questionsOf(operation)) {
      const response = await askAs(operation, path)
      expect([path, response.status]).toEqual([path, 200])
      if (operation.answer) expectDescribed(operation, await response.json())
      else expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(3)
      expect(response.headers.get('content-type')).toBe(operation.id === 'get_bulk_file' ? 'application/vnd.apache.parquet' : operation.media_type)
      expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/)
      expect(response.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
      // A static file of everybody is not private, whoever asks.
      const isShared = operation.cache === 'file' && operation.access === 'public'
      expect(response.headers.get('cache-control')).toMatch(isShared ? /^public, max-age=\d+, immutable$/ : /^(no-store|private, (max-age=\d+.*))$/)
      if (operation.cost > 0) {
        expect(response.headers.get('ratelimit')).toMatch(/^"\w+";r=\d+;t=\d+$/)
        expect(response.headers.get('ratelimit-policy')).toMatch(/^"\w+";q=\d+;w=\d+/)
        expect(response.headers.get('x-cost')).toBe(String(operation.cost))
      }
    }
  })
  it.each(dataEach)('%s states its sources and their time', async (_id, operation) => {
    if (operation.answer === null) return
    const response = await askAs(operation, questionsOf(operation)[0] ?? '')
    const body = (await response.json()) as Json
    expect(typeof body['as_of']).toBe('string')
    expect(Number.isInteger(body['release'])).toBe(true)
    expect(Array.isArray(body['sources'])).toBe(true)
    expect(response.headers.get('x-receipt-id')).toBe(body['receipt_id'] ?? null)
    const modified = response.headers.get('last-modified')
    if (modified !== null) expect(Date.parse(modified)).toBe(Math.floor(Date.parse(String(body['as_of'])) / 1000) * 1000)
    // What a process knows of itself has no day of change.
    expect(modified !== null).toBe(!['list_plans', 'get_catalog', 'get_data_health'].includes(operation.id))
  })
  it.each(each.filter(([, operation]) => operation.cache !== 'live'))('%s is 304 to a client that has it', async (_id, operation) => {
    const path = questionsOf(operation)[0] ?? ''
    const first = await askAs(operation, path)
    await first.arrayBuffer()
    if (operation.cache === 'quotes') return // counted from the second of asking
    const etag = first.headers.get('etag') ?? ''
    const again = await askAs(operation, path, { 'if-none-match': `"other", ${etag}` })
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
    expect(again.headers.get('etag')).toBe(etag)
    expect((await askAs(operation, path, { 'if-none-match': '"other"' })).status).toBe(200)
  })
  it.each(dataEach.filter(([, operation]) => operation.answer !== null))('%s answers as workbook, Parquet and Arrow', async (_id, operation) => {
    const path = questionsOf(operation)[0] ?? ''
    for (const [format, type, magic] of [
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
      ['parquet', 'application/vnd.apache.parquet', 'PAR1'],
      ['arrow', 'application/vnd.apache.arrow.file', 'ARROW1'],
    ] as const) {
      const response = await askAs(operation, withFormat(path, format))
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
      expect(response.headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename="[\\w.-]+\\.${format}"$`))
      expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, magic.length)).toBe(magic)
    }
  })
  it.each(dataEach)('%s answers in csv and excel with the rows of its JSON', async (_id, operation) => {
    const path = questionsOf(operation)[0] ?? ''
    const rows =
      operation.answer === null
        ? null
        : operation.rows === null
          ? 1
          : (((await (await askAs(operation, path)).json()) as Json)[operation.rows] as unknown[]).length
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8; header=present'],
      ['excel', 'text/tab-separated-values; charset=utf-8'],
    ] as const) {
      const response = await askAs(operation, withFormat(path, format))
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.(csv|tsv)"$/)
      const text = await response.text()
      expect(text.endsWith('\r\n')).toBe(true)
      if (rows !== null && format === 'excel') expect(text.split('\r\n')).toHaveLength(rows + 2)
      if (format === 'excel') for (const cell of text.split(/[\t\r\n]+/)) expect(cell).not.toMatch(/^[=+@]|^-(?![\d.])/)
    }
  })
  it('keeps the digits of its source in every format', async () => {
    const path = '/api/v1/market/corporate-actions/HSTI.TO?type=dividend'
    const [body, csv] = [await (await ask(path)).text(), await (await ask(withFormat(path, 'csv'))).text()]
    const amounts = [...body.matchAll(/"amount":([\d.]+)/g)].map(match => match[1])
    expect(amounts.length).toBeGreaterThan(3)
    for (const amount of amounts) expect(csv).toContain(`,${amount},`)
  })
})

describe('a question that cannot be answered', () => {
  async function refused(path: string, status: number, code: string, about: RegExp, init: RequestInit = {}): Promise<string> {
    const response = await fetch(server.address + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    })
    expect([path.slice(0, 80), response.status]).toEqual([path.slice(0, 80), status])
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const body = ErrorAnswer.parse(await response.json())
    expect(body.code).toBe(code)
    expect(`${String(body.detail)} | ${body.hint}`).toMatch(about)
    expect(body.hint?.length).toBeGreaterThan(5)
    expect(body.docs).toMatch(/^http/)
    return String(body.hint)
  }
  it('about an unknown symbol is 404 with the nearest ones, and 200 with count 0 on end-of-day', async () => {
    for (const path of [
      '/api/v1/market/symbols/GLRP.TO',
      '/api/v1/market/corporate-actions/GLRP.TO',
      '/api/v1/market/eod/GLRP.TO/revisions',
      '/api/v1/market/quote/GLRP.TO',
      '/api/v1/chart/GLRP.TO',
      '/api/v1/data/form4?ticker=GLRP.TO',
      '/api/v1/data/filings/search?ticker=GLRP.TO',
    ])
      expect(await refused(path, 404, 'not_found', /GLRP\.TO/)).toContain('GLPR.TO')
    expect(await json('/api/v1/market/eod/GLRP.TO')).toMatchObject({ symbol: 'GLRP.TO', count: 0, bars: [], currency: null })
    expect(await json('/api/v1/market/quotes?symbols=GLRP.TO')).toMatchObject({ count: 0, quotes: [], unknown: ['GLRP.TO'] })
  })
  it('names the parameter, what it got and what it expects', async () => {
    const bad = (path: string, about: RegExp) => refused(path, 400, 'bad_request', about)
    await bad('/api/v1/market/eod/GLPR.TO?from=2026-02-30', /from.*"2026-02-30".*YYYY-MM-DD/s)
    await bad('/api/v1/market/eod/GLPR.TO?limit=ten', /limit.*"ten".*integer/s)
    await bad('/api/v1/market/eod/GLPR.TO?limit=0', /limit/)
    await bad('/api/v1/market/eod/GLPR.TO?form=2026-01-01', /unknown parameter "form".*from/s)
    await bad('/api/v1/market/eod/GLPR.TO?from=2026-01-01&from=2026-01-02', /given twice/)
    await bad('/api/v1/market/eod/GLPR.TO?as_of=2199-01-01', /as_of.*future/)
    await bad('/api/v1/market/eod/%00', /symbol/)
    for (const path of ['market/eod/GLPR.TO', 'market/intraday/GLPR.TO', 'macro/CA/policy_rate'])
      await bad(`/api/v1/${path}?from=2026-02-02&to=2026-02-01`, /from 2026-02-02 is after to 2026-02-01/)
    await bad('/api/v1/market/eod/GLPR.TO?from=%ZZ', /encode/)
    await bad(`/api/v1/market/quotes?symbols=${Array.from({ length: 31 }, (_, at) => `S${at}`).join(',')}`, /at most 30 symbols, got 31/)
    await bad('/api/v1/market/quotes', /symbols is missing/)
    await bad('/api/v1/market/symbols?exchange=LSE', /exchange.*US, TO, V/s)
    await bad('/api/v1/market/symbols?cursor=xyz', /cursor/)
    for (const timeframe of ['7d', '1w', '30y', '1m']) await bad(`/api/v1/chart/GLPR.TO?timeframe=${timeframe}`, /timeframe/)
    await bad('/api/v1/data/form4', /ticker, cik, owner or since/)
    await bad('/api/v1/data/form4?ticker=BRLX&since=last-week', /since/)
    await bad('/api/v1/data/filings/12345', /accession number/)
    await bad('/api/v1/data/receipts/r1_short', /receipt id/)
  })
  it('of the eleven time frames each answers', async () => {
    const counts = await Promise.all(timeframes.map(async timeframe => Number((await json(`/api/v1/chart/GLPR.TO?timeframe=${timeframe}`))['count'])))
    // A day in bars of five minutes, five days in bars of fifteen.
    expect(counts.slice(0, 2)).toEqual([78, 130])
    expect(Math.min(...counts)).toBeGreaterThan(0)
  })
  it('about what does not exist is 404', async () => {
    await refused('/api/v1/data/filings/0009990001-26-999999', 404, 'not_found', /0009990001-26-999999/)
    await refused('/api/v1/market/eod/GLPR.TO?release=999999', 404, 'not_found', /999999/)
    await refused(`/api/v1/data/receipts/r1_${'a'.repeat(52)}`, 404, 'not_found', /never issued/)
    await refused(`/api/v1/lineage/verify/r1_${'a'.repeat(52)}`, 404, 'not_found', /never issued/)
    await refused('/api/v1/data/bulk?dataset=nothing', 404, 'not_found', /datasets: symbols/)
    await refused(`/api/v1/data/bulk/bars/${'0'.repeat(64)}.parquet`, 404, 'not_found', /bulk lists the files/)
    await refused('/api/v1/status/history?component=apj', 404, 'not_found', /no component apj.*did you mean api/s)
    await refused('/api/v1/market/eods/GLPR.TO', 404, 'not_found', /eod/)
    await refused('/nothing/here', 404, 'not_found', /./)
  })
  it('is refused by method, length and form', async () => {
    await refused('/api/v1/market/eod/GLPR.TO', 405, 'method_not_allowed', /GET/, {
      method: 'POST',
      body: '{"broken',
      headers: { 'content-type': 'application/json' },
    })
    await refused(`/api/v1/market/symbols?query=${'a'.repeat(9000)}`, 414, 'uri_too_long', /characters/)
    await refused('/api/v1/market/eod/GLPR.TO?format=xml', 406, 'not_acceptable', /format is one of/)
  })
  it('without a key is 401, and with a wrong one too', async () => {
    const bare = await fetch(`${server.address}/api/v1/data/form4?ticker=BRLX`)
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer realm=/)])
    expect((await fetch(`${server.address}/api/v1/data/form4?ticker=BRLX`, { headers: { 'x-api-key': 'cf_live_wrong' } })).status).toBe(401)
    expect((await fetch(`${server.address}/api/v1/market/eod/GLPR.TO?limit=1`)).status).toBe(200)
  })
})

describe('SQL', () => {
  it('that reaches DuckDB has a fixed set of texts: a question changes its parameters only', async () => {
    const texts: string[] = []
    const values: unknown[] = []
    // The analyst's file is written by the worker, from the catalogue.
    const record = (sql: string): void => {
      if (!/^(create|comment on|checkpoint|set TimeZone)/.test(sql)) texts.push(sql)
    }
    for (const method of ['run', 'runAndReadAll', 'stream'] as const) {
      const original = DuckDBConnection.prototype[method] as (this: DuckDBConnection, sql: string, ...rest: unknown[]) => unknown
      vi.spyOn(DuckDBConnection.prototype, method).mockImplementation(function (this: DuckDBConnection, sql: string, ...rest: unknown[]) {
        record(sql)
        return original.call(this, sql, ...rest) as never
      } as never)
    }
    const { bind } = DuckDBPreparedStatement.prototype
    vi.spyOn(DuckDBPreparedStatement.prototype, 'bind').mockImplementation(function (this: DuckDBPreparedStatement, ...given) {
      const text = preparedText.get(this)
      if (text !== undefined) record(text)
      values.push(...Object.values(given[0] as Record<string, unknown>))
      bind.apply(this, given)
    })
    const requested = async (at: number): Promise<Set<string>> => {
      texts.length = 0
      for (const [, operation] of dataEach) {
        const path = questionsOf(operation)[at]
        if (path === undefined) continue
        for (const more of operation.answer === null ? ['format=csv'] : ['as_of=2026-11-18T09:11:23Z', `receipt=${at === 0 ? '1' : 'true'}`])
          await (await ask(`${path}${path.includes('?') ? '&' : '?'}${more}`)).arrayBuffer()
      }
      return new Set(texts)
    }
    const [first, second] = [await requested(0), await requested(1)]
    expect([...second].filter(text => !first.has(text))).toEqual([])
    texts.length = 0
    const hostiles = ["';drop table x;--", '$1', '%27 or 1=1', 'annual"']
    for (const hostile of hostiles) await (await ask(`/api/v1/data/filings/search?ticker=BRLX&q=${encodeURIComponent(hostile)}`)).arrayBuffer()
    // One to find, one to read what was found.
    expect(new Set(texts).size).toBe(2)
    // A search binds the words of the text, none of its marks.
    const bound = JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    for (const word of ['drop', 'table', '27', 'annual']) expect(bound).toContain(`"${word}"`)
    expect(bound).not.toContain('drop table')
    expect(first.size).toBeGreaterThan(8)
    expect(first.size).toBeLessThan(400)
    for (const text of [...first, ...second, ...texts])
      expect(text).not.toMatch(/GLPR|BRLX|CFB|2026-|drop table|0009990001|annual'|or 1=1|\.parquet'/)
  })
})
