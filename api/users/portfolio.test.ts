// The portfolio over HTTP: digits as sent, imports of all or nothing, and a summary of the bundled universe reckoned by hand.
import { describe, expect, it } from 'vitest'
import { send, worldService } from '#fixtures/service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { portfolioOperations } from '#schemas/operations/portfolio.ts'

const { server, warehouse } = await worldService({ worker: false })
const { db, pool } = warehouse.runtime.postgres

const positions = '/api/v1/portfolio/positions'
const imports = `${positions}/import`
const summary = '/api/v1/portfolio/summary'
type Json = Readonly<Record<string, unknown>> & { readonly id: string; readonly positions: readonly Json[]; readonly unvalued: readonly Json[] }
const textOfNumbers = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? context?.source : value
/** Every number of the answer as it is printed. */
const ask = async (token: string, path: string, method = 'GET', body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await send(server.address + path, { method, body, headers: { authorization: `Bearer ${token}`, ...headers } })
  const text = await response.text()
  const read = (reviver?: typeof textOfNumbers) => (text === '' ? null : JSON.parse(text, reviver)) as Json
  return { status: response.status, headers: response.headers, json: read(textOfNumbers), plain: read() }
}
const row = (json: string) => `{"ticker":"GLPR.TO","currency":"CAD",${json}}`
const answerOf = (id: string) => portfolioOperations.find(each => each.id === id)?.answer

describe('positions', () => {
  it('come back with the digits that were sent, when a request is repeated too', async () => {
    const { token } = await signedInUser(db)
    const sent = row('"quantity":-12345678901234567890.1230,"acb_per_share":0.10,"account_type":"margin"')
    const headers = { 'idempotency-key': 'p1' }
    const [made, again] = [await ask(token, positions, 'POST', sent, headers), await ask(token, positions, 'POST', sent, headers)]
    expect(made).toMatchObject({
      status: 201,
      json: { ticker: 'GLPR.TO', known: true, quantity: '-12345678901234567890.1230', acb_per_share: '0.10' },
    })
    expect(again.json).toEqual(made.json)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await ask(token, positions)).json).toMatchObject({
      count: '1',
      positions: [{ quantity: '-12345678901234567890.1230', note: null }],
      next_cursor: null,
    })
    const put = await ask(token, `${positions}/${made.json.id}`, 'PUT', row('"quantity":1.50'))
    expect(put).toMatchObject({ status: 200, json: { id: made.json.id, quantity: '1.50', acb_per_share: null, account_type: 'unspecified' } })
    expect(answerOf('replace_position')?.safeParse(put.plain).error).toBeUndefined()
    expect((await ask(token, `${positions}/${made.json.id}`, 'DELETE')).status).toBe(204)
    expect((await ask(token, `${positions}/${made.json.id}`, 'DELETE')).status).toBe(404)
  })
  it('are paged in the order in which they were made', async () => {
    const { token } = await signedInUser(db)
    const rows = Array.from({ length: 5 }, (_, at) => ({ ticker: 'GLPR', currency: 'USD', quantity: at, account_type: `a${at}` }))
    expect((await ask(token, imports, 'POST', { positions: rows })).status).toBe(201)
    const seen: unknown[] = []
    for (let next: unknown = '', pages = 0; next !== null && pages < 4; pages += 1) {
      const { json, plain } = await ask(token, `${positions}?limit=2${next === '' ? '' : `&cursor=${String(next)}`}`)
      expect(answerOf('list_positions')?.safeParse(plain).error).toBeUndefined()
      seen.push(...json.positions.map(each => each['account_type']))
      next = json['next_cursor']
    }
    expect(seen).toEqual(['a0', 'a1', 'a2', 'a3', 'a4'])
    expect((await ask(token, `${positions}?cursor=zzz`)).status).toBe(400)
  })
  it('of one security in one account and currency are one: a second is refused by name', async () => {
    const { token } = await signedInUser(db)
    const { json } = await ask(token, positions, 'POST', row('"quantity":5'))
    const again = await ask(token, positions, 'POST', { ticker: 'tsx:glpr', currency: 'CAD', quantity: -5 })
    expect(again).toMatchObject({ status: 409, json: { code: 'conflict', detail: expect.stringContaining(json.id) } })
    expect((await ask(token, positions, 'POST', row('"quantity":5,"account_type":"tfsa"'))).status).toBe(201)
  })
  it('of another user are not there', async () => {
    const [a, b] = [await signedInUser(db), await signedInUser(db)]
    const { json } = await ask(a.token, positions, 'POST', row('"quantity":5'))
    const path = `${positions}/${json.id}`
    const answered = [await ask(b.token, path, 'PUT', row('"quantity":9')), await ask(b.token, path, 'DELETE')]
    const nobodys = [await ask(b.token, `${positions}/pos_none`, 'PUT', row('"quantity":9')), await ask(b.token, `${positions}/pos_none`, 'DELETE')]
    const jsonAnswer = (each: (typeof answered)[number]) => [
      each.status,
      String(each.json['detail']).replace(/pos_[\w-]+/, 'pos_'),
      each.json['hint'],
    ]
    expect(answered.map(jsonAnswer)).toEqual(nobodys.map(jsonAnswer))
    expect((await ask(b.token, positions)).json['count']).toBe('0')
    expect((await ask(b.token, summary)).json).toMatchObject({ total: { positions: '0', market_value: '0' }, positions: [] })
    expect((await ask(a.token, positions)).json.positions).toMatchObject([{ quantity: '5' }])
  })
  it.each([
    ['no quantity', '{"ticker":"GLPR","currency":"USD"}', 'quantity'],
    ['a quantity that is text', row('"quantity":"5"'), 'quantity'],
    ['a quantity with too many digits', row('"quantity":0.1234567890123'), 'quantity'],
    ['a quantity beyond all bounds', row('"quantity":1e400'), 'quantity'],
    ['a cost below 0', row('"quantity":1,"acb_per_share":-0.01'), 'acb_per_share'],
    ['a currency in small letters', '{"ticker":"GLPR","currency":"usd","quantity":1}', 'currency'],
    ['a currency of four letters', '{"ticker":"GLPR","currency":"USDT","quantity":1}', 'currency'],
    ['an account type of 33 characters', row(`"quantity":1,"account_type":"${'x'.repeat(33)}"`), 'account_type'],
    ['a ticker that is no symbol', '{"ticker":"no such thing?","currency":"USD","quantity":1}', 'ticker'],
    ['a member that is not described', row('"quantity":1,"price":3'), 'price'],
  ])('%s is refused with a hint', async (_name, body, hint) => {
    const { token } = await signedInUser(db)
    const answered = await ask(token, positions, 'POST', body)
    expect([answered.status, answered.json['code'], answered.json['hint']]).toEqual([422, 'validation_error', expect.stringContaining(hint)])
    expect((await ask(token, positions)).json['count']).toBe('0')
  })
})

describe('an import', () => {
  const csv = 'Symbol,Shares,Average Cost,Currency,Account,Remark\nGLPR.TO,150.50,12.25,CAD,tfsa,a\nNGP,-30,,USD,margin,b\n'
  it('takes CSV as text/csv or in JSON, with its digits and signs', async () => {
    for (const [body, type] of [
      [csv, 'text/csv'],
      [csv, 'text/csv; charset=utf-8'],
      [JSON.stringify({ csv }), 'application/json'],
    ] as const) {
      const { token } = await signedInUser(db)
      const answered = await ask(token, imports, 'POST', body, { 'content-type': type })
      expect(answered).toMatchObject({ status: 201, json: { imported: '2', total: '2', ignored_columns: ['Remark'] } })
      expect(answerOf('import_positions')?.safeParse(answered.plain).error).toBeUndefined()
      const { json } = await ask(token, positions)
      expect(json.positions).toMatchObject([
        { ticker: 'GLPR.TO', quantity: '150.50', acb_per_share: '12.25', account_type: 'tfsa' },
        { ticker: 'NGP', quantity: '-30', acb_per_share: null, account_type: 'margin' },
      ])
      expect(json.positions.map(each => each.id)).toEqual(answered.json['ids'])
    }
  })
  it.each([
    ['a number of two readings', `${csv}QT,"1,000",1,USD,tfsa,\n`, 'line 4'],
    ['a row that is there twice', `${csv}glpr.to,1,1,CAD,tfsa,\n`, 'line 2'],
    ['a row that is too short', `${csv}QT,1\n`, 'line 4'],
  ])('with %s makes nothing, and names the line', async (_name, body, answered) => {
    const { token } = await signedInUser(db)
    const refused = await ask(token, imports, 'POST', body, { 'content-type': 'text/csv' })
    expect(refused).toMatchObject({ status: 422, json: { code: 'validation_error', hint: expect.stringContaining(answered) } })
    expect(refused.json['detail']).toEqual([expect.objectContaining({ loc: expect.arrayContaining(['body', 'csv', 'line 4']) })])
    expect((await ask(token, positions)).json['count']).toBe('0')
  })
  it.each([
    ['neither', {}, 422],
    ['both', { csv, positions: [] }, 422],
    ['no rows', { positions: [] }, 422],
    [
      'a faulty row',
      {
        positions: [
          { ticker: 'GLPR', quantity: 1, currency: 'USD' },
          { ticker: 'NGP', quantity: null, currency: 'USD' },
        ],
      },
      422,
    ],
  ])('of %s is refused', async (_name, body, status) => {
    const { token } = await signedInUser(db)
    expect((await ask(token, imports, 'POST', body)).status).toBe(status)
    expect((await ask(token, positions)).json['count']).toBe('0')
  })
  it('of another media type is 415, and one of 5,000 rows is taken', async () => {
    const { token } = await signedInUser(db)
    expect((await ask(token, imports, 'POST', csv, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await ask(token, positions, 'POST', csv, { 'content-type': 'text/csv' })).status).toBe(415)
    const rows = Array.from({ length: 5000 }, (_, at) => `GLPR,${at},${at}.5,USD,a${at},`)
    const long = await ask(token, imports, 'POST', [csv.split('\n', 1)[0], ...rows].join('\n'), { 'content-type': 'text/csv' })
    expect(long).toMatchObject({ status: 201, json: { imported: '5000' } })
    expect((await ask(token, summary)).json['total']).toMatchObject({ positions: '5000', priced: '5000' })
    expect((await ask(token, positions, 'POST', row('"quantity":1'))).status).toBe(409)
  })
})

describe('the summary', () => {
  it('is the sum of its positions to the last digit, in either currency', async () => {
    const { token } = await signedInUser(db)
    const rows = [
      { ticker: 'GLPR', quantity: 150.5, acb_per_share: 12.25, currency: 'USD', account_type: 'rrsp' },
      { ticker: 'NGP', quantity: -30, acb_per_share: 50, currency: 'CAD', account_type: 'margin' },
      { ticker: 'MPLS', quantity: 2, currency: 'USD', account_type: 'rrsp' },
      { ticker: 'GULL', quantity: 7, acb_per_share: 3, currency: 'USD', account_type: 'rrsp' },
      { ticker: 'MYFUND', quantity: 10, acb_per_share: 1, currency: 'ZZZ', account_type: 'rrsp' },
    ]
    expect((await ask(token, imports, 'POST', { positions: rows })).status).toBe(201)
    const { json, plain } = await ask(token, `${summary}?currency=CAD`)
    expect(answerOf('get_portfolio_summary')?.safeParse(plain).error).toBeUndefined()
    // Of the bundled universe: GLPR 82.42, NGP 49.57, MPLS 72.96 US dollars on 2026-11-19, at 1.3626 Canadian dollars of that day.
    expect(json).toMatchObject({
      currency: 'CAD',
      rates_on: '2026-11-19',
      rates: [{ from: 'USD', to: 'CAD', rate: '1.3626', date: '2026-11-19', carried_days: '0', basis: 'published', series: ['FXUSDCAD'] }],
      rates_missing: ['ZZZ'],
      positions: [
        {
          ticker: 'GLPR',
          price: { price: '82.42', currency: 'USD', date: '2026-11-19', basis: 'quote' },
          price_rate: '1.3626',
          market_value: '16901.9765460',
          cost: '2512.1234250',
          gain: '14389.8531210',
        },
        { ticker: 'NGP', quantity: '-30', cost_rate: '1', market_value: '-2026.322460', cost: '-1500', gain: '-526.322460' },
        { ticker: 'MPLS', acb_per_share: null, market_value: '198.830592', cost: null, gain: null },
      ],
      unvalued: [
        { ticker: 'GULL', reason: 'delisted', market_value: null, gain: null, cost: '28.6146', price: { currency: 'USD' } },
        { ticker: 'MYFUND', reason: 'unknown_symbol', price: null, market_value: null, cost: null, cost_rate: null },
      ],
      total: { positions: '5', priced: '3', market_value: '15074.4846780', costed: '3', cost: '1040.7380250', gained: '2', gain: '13863.5306610' },
      by_account_type: [
        { account_type: 'margin', positions: '1', market_value: '-2026.322460' },
        { account_type: 'rrsp', positions: '4', priced: '2', market_value: '17100.8071380', cost: '2540.7380250', gain: '14389.8531210' },
      ],
      by_currency: [
        { position_currency: 'CAD' },
        { position_currency: 'USD', positions: '3' },
        { position_currency: 'ZZZ', positions: '1', market_value: null, cost: null },
      ],
    })
    const usd = (await ask(token, `${summary}?currency=USD`)).json
    expect(usd).toMatchObject({
      currency: 'USD',
      rates: [{ from: 'CAD', to: 'USD', rate: '0.733891090562', basis: 'inverse' }],
      positions: [
        { market_value: '12404.210', price_rate: '1' },
        { market_value: '-1487.10', cost: '-1100.836635843000' },
        { market_value: '145.92' },
      ],
    })
    expect((await ask(token, `${summary}?currency=EUR`)).status).toBe(400)
  })
  it('lists splits since a position was stated, and applies none', async () => {
    const { token, user_id } = await signedInUser(db)
    await ask(token, imports, 'POST', { positions: ['GLPR', 'GLPR.TO', 'MPT.V'].map(ticker => ({ ticker, quantity: 10, currency: 'CAD' })) })
    expect((await ask(token, summary)).json.positions.map(each => each['splits_since'])).toEqual([[], [], []])
    await pool.query(
      `update portfolio_position set stated_at = case symbol when 'GLPR' then '2026-05-18T15:00:00Z'::timestamptz else '2026-05-19T15:00:00Z' end where user_id = $1`,
      [user_id],
    )
    const { json } = await ask(token, summary)
    expect(json.positions.map(each => [each['ticker'], each['quantity'], each['splits_since']])).toEqual([
      ['GLPR', '10', [{ ex_date: '2026-05-19', numerator: '2', denominator: '1' }]],
      ['GLPR.TO', '10', []],
      ['MPT.V', '10', [{ ex_date: '2026-09-21', numerator: '3', denominator: '1' }]],
    ])
    expect(json['notes']).toEqual(expect.arrayContaining([expect.stringContaining('have not been applied')]))
  })
  it('never values a listing by the company that wears its symbol now', async () => {
    const { token, user_id } = await signedInUser(db)
    await ask(token, positions, 'POST', { ticker: 'MPT.V', quantity: 10, currency: 'CAD' })
    expect((await ask(token, summary)).json).toMatchObject({ total: { priced: '1' } })
    await pool.query(`update portfolio_position set instrument_id = 'i_430f1fa4eaf1414f' where user_id = $1`, [user_id])
    expect((await ask(token, summary)).json).toMatchObject({
      total: { priced: '0', market_value: null },
      unvalued: [{ ticker: 'MPT.V', reason: 'delisted', price: null }],
    })
  })
})
