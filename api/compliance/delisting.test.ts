// Delisting risk through the whole service: what is posted, what the bundled universe holds, and what the operator adds to it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDocument, worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { maxPressRelease } from '#schemas/compliance.ts'
import { addDays } from '#schemas/days.ts'
import { delistingOperations } from '#schemas/operations/delisting.ts'
import { sessionsOf } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { type Server, startServer } from '../server.ts'

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
const [operation] = delistingOperations
/** A penny stock of the operator's own files: 40 closes below $1.00 after a reverse split of 1 for 10. */
const sessions = sessionsOf('XNYS', '2026-06-01', '2026-11-19')
const low = sessions.slice(-40)
const split = sessions[10] as string
let server: Server
beforeAll(async () => {
  const closeOn = (day: string): string => (day >= (low[0] as string) ? '0.8200' : day < split ? '0.2050' : '2.0500')
  const bars = sessions.map(day => `PNNY,${day},${closeOn(day)},${closeOn(day)},${closeOn(day)},${closeOn(day)},10000,USD`)
  await addDocument(
    warehouse,
    'file:symbols-penny.csv',
    'symbol,exchange,mic,name,type,currency\nPNNY,US,XNAS,Pennyweight Mining Corp. Common Stock,common,USD\n',
  )
  await addDocument(warehouse, 'file:bars-penny.csv', ['symbol,date,open,high,low,close,volume,currency', ...bars].join('\n'))
  await addDocument(warehouse, 'file:actions-penny.csv', `symbol,ex_date,kind,numerator,denominator\nPNNY,${split},split,1,10\n`)
  server = await startServer(warehouse.config)
})
afterAll(() => server.close())

type Check = {
  readonly id: string
  readonly status: string
  readonly value: number | null
  readonly reason: string | null
  readonly from: string
  readonly documents: string[]
  readonly clock: Record<string, unknown> | null
}
type Answer = Readonly<Record<string, unknown>> & {
  readonly checks: readonly Check[]
  readonly coverage: string
  readonly release: number | null
  readonly sources: readonly { readonly name: string; readonly accession: string | null }[]
}
const post = (body: unknown, query = ''): Promise<Response> =>
  fetch(`${server.address}${operation.path}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
async function ask(body: unknown, query = ''): Promise<Answer> {
  const response = await post(body, query)
  const answer = (await response.json()) as Answer
  expect([response.status, operation.answer?.safeParse(answer).error]).toEqual([200, undefined])
  return answer
}
const checkOf = (answer: Answer, id: string): Check => answer.checks.find(check => check.id === id) as Check
const get = async <T>(path: string): Promise<T> =>
  (await (await fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })).json()) as T

describe('POST /api/v1/compliance/delisting-risk', () => {
  it('evaluates a ticker of the universe by its closes, split and filings', async () => {
    const answer = await ask({ ticker: 'nasdaq:hltb', total_shares: 4_150_000, insider_shares: 310_000 })
    const { bars } = await get<{ bars: { date: string; close: number }[] }>('/api/v1/market/eod/HLTB?from=2026-11-16')
    expect(answer['ticker']).toBe('HLTB')
    expect(checkOf(answer, 'minimum_bid')).toMatchObject({ status: 'pass', value: bars.at(-1)?.close, value_as_of: bars.at(-1)?.date, from: 'lake' })
    expect(checkOf(answer, 'reverse_split_one_year')).toMatchObject({
      status: 'pass',
      value: 1,
      reason: expect.stringContaining('1 for 20 on 2026-06-15'),
    })
    expect(checkOf(answer, 'capital_mvphs').value).toBeCloseTo((bars.at(-1)?.close ?? 0) * 3_840_000, 6)
    expect(answer).toMatchObject({ float: { public_float_shares: 3_840_000, band: 'low_float' }, not_advice: true, release: expect.any(Number) })
  })
  it('a price deficiency after a reverse split: no period, with the clock and what it was counted from', async () => {
    const answer = await ask({ ticker: 'PNNY', exchange: 'Nasdaq Capital Market', total_shares: 3_000_000, insider_shares: 1_000_000 })
    const since = low[29] as string
    expect(answer['failing']).toEqual(['minimum_bid', 'bid_deficiency', 'reverse_split_one_year'])
    expect(checkOf(answer, 'bid_deficiency')).toMatchObject({ value: 40, clock: { stage: 'period', from: since, until: addDays(since, 180) } })
    expect(checkOf(answer, 'reverse_split_one_year')).toMatchObject({ reason: `1 for 10 on ${split}` })
    expect(checkOf(answer, 'capital_mvphs')).toMatchObject({ status: 'pass', value: 1_640_000 })
    expect(checkOf(answer, 'mvls_minimum')).toMatchObject({ status: 'proposed', would_be: 'fail', value: 2_460_000 })
    const before = await ask({ ticker: 'PNNY', exchange: 'NASDAQCM' }, '?ruleset=delisting@2024-12')
    expect([before['ruleset'], before['failing']]).toEqual(['delisting@2024-12', ['minimum_bid', 'bid_deficiency']])
  })
  it('figures are those of the filings that it names', async () => {
    const answer = await ask({ ticker: 'LNTF', exchange: 'NASDAQGS' })
    const equity = checkOf(answer, 'global_equity_equity')
    // 14,240 of assets less 4,420 of liabilities, in millions, on 30 September 2026.
    expect(equity).toMatchObject({ status: 'pass', value: 9_820_000_000, value_as_of: '2026-09-30', from: 'lake' })
    expect(answer.sources.map(({ accession }) => accession)).toEqual(expect.arrayContaining(equity.documents))
    expect(equity.documents.length).toBeGreaterThan(0)
  })
  it('a notice under item 3.01 is found in the filings of a company that has left the exchange', async () => {
    const answer = await ask({ ticker: 'GULL' })
    expect(answer['watching']).toEqual(['exchange_notice'])
    expect(checkOf(answer, 'minimum_bid')).toMatchObject({ status: 'unknown', reason: expect.stringContaining('its last day was 2026-07-31') })
  })
  it('missing data is reported as unknown: an unknown ticker, closes in Canadian dollars', async () => {
    const unknown = await ask({ ticker: 'ZZZZ' })
    expect([unknown.coverage, unknown.release, unknown['as_of'], unknown.sources]).toEqual([
      expect.stringContaining('ZZZZ is in no directory'),
      null,
      '2026-11-20T00:00:00Z',
      [],
    ])
    expect(unknown.checks.filter(({ status }) => status === 'pass')).toEqual([])
    const toronto = await ask({ ticker: 'GLPR.TO' })
    expect(checkOf(toronto, 'minimum_bid')).toMatchObject({ status: 'unknown', reason: expect.stringContaining('CAD') })
    expect([toronto.coverage, toronto['listed_elsewhere']]).toEqual([expect.stringContaining('GLPR;'), expect.stringContaining('Toronto')])
    expect(toronto.checks.filter(({ status }) => status === 'fail')).toEqual([])
  })
  it('quotes the words of a press release by characters of the text as sent', async () => {
    const text = '\u{1F4C9} It received a deficiency letter.'
    const [cue] = (await ask({ ticker: 'ZZZZ', press_release_text: text }))['press_release'] as { evidence: { start: number; end: number }[] }[]
    const [{ start, end } = { start: 0, end: 0 }] = cue?.evidence ?? []
    expect([...text].slice(start, end).join('')).toBe('deficiency')
  })
  it('reads 256 KiB of text, and refuses more', async () => {
    const text = 'minimum bid '.repeat(maxPressRelease / 12).slice(0, maxPressRelease)
    expect((await ask({ ticker: 'ZZZZ', press_release_text: text }))['press_release']).toHaveLength(1)
    const more = await post({ ticker: 'ZZZZ', press_release_text: `${text}xxxxxxxxxxxxxxxxx` })
    expect([more.status, ((await more.json()) as { hint: string }).hint]).toEqual([422, expect.stringContaining(String(maxPressRelease))])
  })
  it('is not signed and not kept: the same bytes each time, without a receipt', async () => {
    const body = { ticker: 'HLTB', total_shares: 5, insider_shares: 1 }
    const [first, second] = [await post(body), await post(body)]
    expect([first.headers.get('x-receipt-id'), first.headers.get('cache-control')]).toEqual([null, expect.stringContaining('no-store')])
    expect(await first.text()).toBe(await second.text())
  })
  it.each([
    ['no ticker', {}, 422, 'ticker'],
    ['no symbol', { ticker: '!!!' }, 422, 'AAPL'],
    ['another exchange', { ticker: 'HLTB', exchange: 'LSE' }, 422, 'NYSE'],
    ['another country', { ticker: 'HLTB', operations_country: 'XX' }, 422, 'operations_country'],
    ['negative shares', { ticker: 'HLTB', total_shares: -1 }, 422, 'total_shares'],
    ['half a share', { ticker: 'HLTB', total_shares: 1.5 }, 422, 'total_shares'],
    ['a member that is not described', { ticker: 'HLTB', float: 1 }, 422, 'float'],
    ['a negative float', { ticker: 'HLTB', total_shares: 10, insider_shares: 11 }, 400, 'total_shares'],
    ['broken JSON', '{"ticker":', 400, ''],
  ])('%s is refused with a hint', async (_name, body, status, hint) => {
    const response = await post(body)
    const answered = (await response.json()) as { detail: unknown; hint: string }
    expect([response.status, answered.hint, Array.isArray(answered.detail)]).toEqual([status, expect.stringContaining(hint), status === 422])
  })
  it('an edition that is not there is refused with those that are', async () => {
    const response = await post({ ticker: 'HLTB' }, '?ruleset=delisting@1999-01')
    expect([response.status, ((await response.json()) as { hint: string }).hint]).toEqual([400, expect.stringContaining('delisting@2024-12')])
  })
})
