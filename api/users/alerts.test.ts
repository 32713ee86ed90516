// Alerts through the whole service: made over HTTP, evaluated in the round after a release, fired once, with every input of it.
import { beforeAll, describe, expect, it } from 'vitest'
import { send, worldService } from '#fixtures/service.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { alertOperations } from '#schemas/operations/alerts.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { type Evaluated, evaluateAlerts } from '#warehouse/people/alerts/evaluate.ts'
import { evaluateIpoAlerts } from '#warehouse/people/alerts/ipo-alerts.ts'

const { db, server, warehouse } = await worldService({ worker: false })
let ada: TestUser
let bea: TestUser
beforeAll(async () => {
  ada = await signedInUser(db)
  bea = await signedInUser(db)
})

type Json = Record<string, unknown>
type Given = { readonly body?: unknown; readonly key?: string }
async function ask(user: TestUser | null, method: string, path: string, { body, key }: Given = {}) {
  const response = await send(`${server.address}/api/v1${path}`, {
    method,
    body,
    headers: { ...(user ? { authorization: `Bearer ${user.token}` } : {}), ...(key ? { 'idempotency-key': key } : {}) },
  })
  const text = await response.text()
  return { status: response.status, text, body: (text === '' ? null : JSON.parse(text)) as Json, headers: response.headers }
}
const made = async (user: TestUser, body: object): Promise<string> => {
  const answer = await ask(user, 'POST', '/alerts', { body })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body['id'] as string
}
const tools = async (now: string) => ({
  db,
  context: await contextOf(await warehouse.lake(), null),
  now,
  baseUrl: 'https://example.org',
  crashPoint: () => {},
})
const evaluate = async (now: string): Promise<Evaluated> => await evaluateAlerts(await tools(now))
const fits = (id: string, body: unknown): void => expect(alertOperations.find(each => each.id === id)?.answer?.safeParse(body).error).toBeUndefined()
const thursday = '2026-11-19T23:30:00Z'
const friday = '2026-11-20T23:30:00Z'
let documents = 0
/** Each document of Friday evening came a second after the one before. */
const seenAt = (): string => new Date(Date.parse('2026-11-20T22:30:00Z') + documents * 1000).toISOString()
/** A bar of Friday; returns the release. */
const addBar = async (symbol: string, close: string, currency: string): Promise<number> =>
  await addDocument(
    warehouse,
    `file:bars-alert-${++documents}.csv`,
    `symbol,date,open,high,low,close,volume,currency\n${symbol},2026-11-20,${close},${close},${close},${close},1000,${currency}\n`,
    'csv',
    seenAt(),
  )
const firingsOf = async (user: TestUser, id: string): Promise<Json[]> => {
  const answer = await ask(user, 'GET', `/alerts/${id}/firings`)
  fits('list_alert_firings', answer.body)
  return answer.body['firings'] as Json[]
}

describe('an alert on a bundled symbol', () => {
  it('fires on the release that makes it true, once, with the reason', async () => {
    const body = { ticker: 'tsx:glpr', condition: 'above', threshold: '900.50', note: 'nine hundred' }
    const answer = await ask(ada, 'POST', '/alerts', { body })
    expect(answer).toMatchObject({
      status: 201,
      body: { ticker: 'GLPR.TO', status: 'active', triggered_at: null, scope: 'ticker', note: 'nine hundred' },
    })
    expect(answer.text).toContain('"threshold":900.50,"baseline_price":112.03')
    fits('create_alert', answer.body)
    const id = answer.body['id'] as string
    expect(await evaluate(thursday)).toMatchObject({ alerts: 1, fired: 0 })
    const release = await addBar('GLPR.TO', '955.25', 'CAD')
    expect(await evaluate(friday)).toMatchObject({ release, alerts: 1, fired: 1 })
    expect(await evaluate(friday)).toMatchObject({ fired: 0 })
    const [firing, ...more] = await firingsOf(ada, id)
    expect(more).toEqual([])
    expect(firing).toMatchObject({
      symbol: 'GLPR.TO',
      fired_at: friday,
      release,
      price: 955.25,
      rule: 'price above 900.50',
      ruleset: 'indicators@1',
      inputs: { threshold: 900.5, price_basis: 'last_bar', session_date: '2026-11-20', source: 'csv', conditions: [{ holds: true, value: 955.25 }] },
      bars: { count: 1, closes: [{ date: '2026-11-20', close: 955.25 }] },
      deliveries: [{ channel: 'api' }, { channel: 'mail', skipped: null }, { channel: 'push' }],
    })
    const after = await ask(ada, 'GET', `/alerts/${id}`)
    expect(after.body).toMatchObject({ status: 'triggered', triggered_at: friday, triggered_price: 955.25, triggered_symbol: 'GLPR.TO' })
    fits('get_alert', after.body)
    const mails = await db.selectFrom('mail_outbox').select(['to_address', 'subject', 'body']).where('user_id', '=', ada.user_id).execute()
    expect(mails).toMatchObject([
      {
        to_address: ada.email,
        subject: 'Your alert on GLPR.TO fired',
        body: expect.stringMatching(/The last price is 955\.25\.\n\nThe values it was evaluated on: https:\/\/example\.org\/api\/v1\/alerts\/a_/),
      },
    ])
  })
  it('is armed again by hand alone, and then waits until it has been false', async () => {
    const { body } = await ask(ada, 'GET', '/alerts?status=triggered')
    const [{ id }] = body['alerts'] as [{ id: string }]
    const armed = await ask(ada, 'PATCH', `/alerts/${id}`, { body: { status: 'active' } })
    expect(armed).toMatchObject({ status: 200, body: { status: 'active', triggered_at: friday } })
    await addBar('GLPR.TO', '960.25', 'CAD')
    expect(await evaluate(friday)).toMatchObject({ fired: 0 })
    await addBar('GLPR.TO', '890.25', 'CAD')
    expect(await evaluate(friday)).toMatchObject({ fired: 0 })
    await addBar('GLPR.TO', '961.25', 'CAD')
    expect(await evaluate(friday)).toMatchObject({ fired: 1 })
    expect((await firingsOf(ada, id)).map(each => each['price'])).toEqual(expect.arrayContaining([955.25, 961.25]))
  })
  it('that was armed during a round is evaluated by the next one of the same release', async () => {
    const id = await made(bea, { ticker: 'GLPR.TO', condition: 'below', threshold: 960 })
    await db.updateTable('alert_symbol').set({ holds: null }).where('alert_id', '=', id).execute()
    expect(await evaluate(friday)).toMatchObject({ alerts: 1, fired: 0 })
    expect(await db.selectFrom('alert_symbol').select('holds').where('alert_id', '=', id).execute()).toEqual([{ holds: false }])
  })
  it('reads indicators over the closes that it names, and both of its conditions on the same snapshot', async () => {
    const id = await made(ada, { ticker: 'CBC.TO', condition: 'rsi_above', threshold: 70, condition2: 'px_above_sma200', logic: 'AND' })
    await evaluate(thursday)
    await db.updateTable('alert_symbol').set({ holds: false }).where('alert_id', '=', id).execute()
    const release = await addBar('CBC.TO', '500', 'CAD')
    expect(await evaluate(friday)).toMatchObject({ release, fired: 1 })
    const [firing] = await firingsOf(ada, id)
    expect(firing).toMatchObject({
      rule: 'RSI(14) above 70 and price above the average of its last 200 closes',
      inputs: { logic: 'AND', conditions: [{ condition: 'rsi_above', warmed_up: true }, { condition: 'px_above_sma200' }] },
      bars: { count: 250, to: '2026-11-20' },
    })
  })
  it('is rescaled by a split, which by itself does not fire it, and keeps what was sent', async () => {
    const id = await made(ada, { ticker: 'QT', condition: 'below', threshold: '10.00', condition2: 'pct_down', threshold2: '40' })
    await evaluate(thursday)
    const before = (await ask(ada, 'GET', `/alerts/${id}`)).body as { baseline_price: number }
    await addDocument(warehouse, 'file:actions-alert.csv', 'symbol,ex_date,kind,numerator,denominator\nQT,2026-11-20,split,2,1\n', 'csv', seenAt())
    await addBar('QT', String(before.baseline_price / 2), 'USD')
    expect(await evaluate(friday)).toMatchObject({ fired: 0 })
    const after = await ask(ada, 'GET', `/alerts/${id}`)
    expect(after.body).toMatchObject({
      status: 'active',
      threshold: 5,
      threshold2: 40,
      baseline_price: before.baseline_price / 2,
      original: { threshold: 10, baseline_price: before.baseline_price },
    })
  })
})

describe('an alert on the watchlist', () => {
  it('is evaluated for each of its listings, and names the one that fired', async () => {
    const user = await signedInUser(db)
    for (const ticker of ['ASG.TO', 'NA.TO']) expect((await ask(user, 'POST', '/watchlist', { body: { ticker } })).status).toBe(201)
    const answer = await ask(user, 'POST', '/alerts', { body: { ticker: 'whatever', condition: 'pct_up', threshold: 50, scope: 'watchlist' } })
    expect(answer).toMatchObject({ status: 201, body: { ticker: 'whatever', scope: 'watchlist', baseline_price: null } })
    await db.deleteFrom('alert_round').execute()
    await evaluate(thursday)
    await addBar('NA.TO', '5000', 'CAD')
    expect(await evaluate(friday)).toMatchObject({ fired: 1 })
    expect(await firingsOf(user, answer.body['id'] as string)).toMatchObject([{ symbol: 'NA.TO', price: 5000 }])
    expect((await ask(user, 'GET', '/alerts')).body).toMatchObject({ alerts: [{ status: 'triggered', triggered_symbol: 'NA.TO' }] })
  })
})

describe('new conditions', () => {
  it('replace the old ones as a whole, arm the alert, and keep its symbol, note and firings', async () => {
    const user = await signedInUser(db)
    const id = await made(user, { ticker: 'CBC.TO', condition: 'above', threshold: '10.50', condition2: 'rsi_above', threshold2: 70, note: 'mine' })
    await ask(user, 'PATCH', `/alerts/${id}`, { body: { status: 'dismissed' } })
    const changed = await ask(user, 'PATCH', `/alerts/${id}`, { body: '{"condition":"below","threshold":9.50}' })
    expect(changed).toMatchObject({
      status: 200,
      body: { ticker: 'CBC.TO', condition: 'below', condition2: null, threshold2: null, logic: null, status: 'active', note: 'mine', original: null },
    })
    expect(changed.text).toContain('"threshold":9.50')
    fits('update_alert', changed.body)
    const states = await db.selectFrom('alert_symbol').select(['symbol', 'holds']).where('alert_id', '=', id).execute()
    expect(states).toEqual([{ symbol: 'CBC.TO', holds: false }])
    const average = await ask(user, 'PATCH', `/alerts/${id}`, { body: { condition: 'px_above_sma50', status: 'dismissed' } })
    expect(average.body).toMatchObject({ condition: 'px_above_sma50', threshold: null, status: 'dismissed' })
    expect((await ask(bea, 'PATCH', `/alerts/${id}`, { body: { condition: 'px_above_sma50' } })).status).toBe(404)
  })
  it('are refused with every fault: without a condition, and without its threshold', async () => {
    const id = await made(bea, { ticker: 'CBC.TO', condition: 'px_below_sma200' })
    const without = await ask(bea, 'PATCH', `/alerts/${id}`, { body: { threshold: 5, logic: 'OR' } })
    expect([without.status, (without.body['detail'] as { loc: string[] }[]).map(each => each.loc[1])]).toEqual([422, ['threshold', 'logic']])
    const both = await ask(bea, 'PATCH', `/alerts/${id}`, { body: { condition: 'above', condition2: 'rsi_below' } })
    expect([both.status, (both.body['detail'] as { loc: string[] }[]).map(each => each.loc[1])]).toEqual([422, ['threshold', 'threshold2']])
  })
})

describe('a dry run', () => {
  it('has each session with what the conditions read', async () => {
    const body = { ticker: 'CBC.TO', condition: 'px_above_sma50', condition2: 'rsi_above', threshold2: 60, days: 60 }
    const { body: run } = await ask(bea, 'POST', '/alerts/dry-run', { body })
    fits('dry_run_alert', run)
    const history = run['history'] as { date: string; close: number; readings: { value: number; against: number }[] }[]
    expect(history).toHaveLength((run['symbols'] as { sessions: number }[])[0]?.sessions ?? 0)
    for (const { close, readings } of history) expect([readings[0]?.value, readings[1]?.against]).toEqual([close, 60])
  })
  it('returns when the alert would have fired in the past, and saves nothing', async () => {
    const before = (await ask(bea, 'GET', '/alerts')).body['count']
    const answer = await ask(bea, 'POST', '/alerts/dry-run', { body: { ticker: 'MPLS', condition: 'rsi_below', threshold: 35, days: 300 } })
    expect(answer).toMatchObject({
      status: 200,
      body: { rule: 'RSI(14) below 35', series: 'split_adjusted', symbols: [{ symbol: 'MPLS', unknown_sessions: 0 }] },
    })
    fits('dry_run_alert', answer.body)
    const firings = answer.body['firings'] as { conditions: { value: number }[] }[]
    expect(firings).toHaveLength(answer.body['count'] as number)
    for (const { conditions } of firings) expect(conditions[0]?.value).toBeLessThan(35)
    expect((await ask(bea, 'GET', '/alerts')).body['count']).toBe(before)
  })
})

describe('what is asked', () => {
  const alert = { ticker: 'GLPR.TO', condition: 'above', threshold: 10 }
  it.each([
    ['no threshold', { ticker: 'GLPR.TO', condition: 'above' }, 422, 'threshold'],
    ['a threshold of zero', { ...alert, threshold: 0 }, 422, 'above 0'],
    ['a threshold that is no number', { ...alert, threshold: 'ten' }, 422, 'decimal'],
    ['a threshold with an exponent', { ...alert, threshold: '1e3' }, 422, 'decimal'],
    ['another condition', { ...alert, condition: 'crosses' }, 422, 'px_above_sma50'],
    ['a note of 257 characters', { ...alert, note: 'x'.repeat(257) }, 422, 'note'],
    ['a ticker of 17 characters', { ...alert, ticker: 'A'.repeat(17) }, 422, 'ticker'],
    ['a member that is not described', { ...alert, user_id: 'u_other' }, 422, 'user_id'],
    ['a second condition without its threshold', { ...alert, condition2: 'below' }, 422, 'threshold2'],
    ['a note with a NUL', { ...alert, note: 'a\0b' }, 422, 'note'],
    ['a ticker with half a character', { ...alert, ticker: '\ud800', scope: 'watchlist' }, 422, 'ticker'],
    ['an unknown symbol', { ...alert, ticker: 'GLPX.TO' }, 404, 'GLPR'],
    ['broken JSON', '{"ticker":', 400, ''],
  ])('%s is refused with a hint', async (_name, body, status, hint) => {
    const answer = await ask(bea, 'POST', '/alerts', { body })
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(hint)])
    expect(answer.body['hint']).toEqual(expect.any(String))
  })
  it('takes numeric strings, nulls and defaults as the interface has them', async () => {
    for (const threshold of ['+12.5', '.5', '007', 1e-9])
      expect(
        (
          await ask(bea, 'POST', '/alerts', {
            body: { ...alert, threshold, baseline_price: null, note: null, condition2: null, threshold2: null, logic: null },
          })
        ).status,
      ).toBe(201)
    const exact = await ask(bea, 'POST', '/alerts', { body: '{"ticker":"GLPR.TO","condition":"above","threshold":10.50,"baseline_price":12.30}' })
    expect([exact.status, exact.text]).toEqual([201, expect.stringContaining('"threshold":10.50,"baseline_price":12.30')])
    expect((await ask(bea, 'POST', '/alerts', { body: { ...alert, threshold: 1e15 } })).status).toBe(422)
    expect((await ask(bea, 'POST', '/ipo-alerts', { body: { ticker: 'newc', event: 'lockup_soon', lead_days: null } })).body).toMatchObject({
      ticker: 'NEWC',
      lead_days: 7,
    })
    expect((await ask(bea, 'POST', '/ipo-alerts', { body: { ticker: 'NEWC', event: 'lockup_soon', lead_days: 91 } })).status).toBe(422)
    expect((await ask(bea, 'POST', '/ipo-alerts', { body: { ticker: 'NEWC', event: 'delisted' } })).status).toBe(422)
    // What is stored has no spaces around it and is in upper case, which makes of one letter two: it must still fit.
    for (const ticker of [' ', '\t', 'ß'.repeat(9)])
      expect((await ask(bea, 'POST', '/ipo-alerts', { body: { ticker, event: 'priced' } })).status, JSON.stringify(ticker)).toBe(422)
  })
  it('is done once for each Idempotency-Key, and answered with the same bytes', async () => {
    const body = { ...alert, threshold: '10.50' }
    const tried = await Promise.all(Array.from({ length: 20 }, () => ask(bea, 'POST', '/alerts', { body, key: 'alert-1' })))
    expect(new Set(tried.map(each => each.text)).size).toBe(1)
    expect(tried.filter(each => each.headers.get('idempotency-replayed') === null)).toHaveLength(1)
    expect(await ask(bea, 'POST', '/alerts', { body: alert, key: 'alert-1' })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    const id = tried[0]?.body['id'] as string
    const patch = { body: { note: 'once' }, key: 'alert-2' }
    const first = await ask(bea, 'PATCH', `/alerts/${id}`, patch)
    expect((await ask(bea, 'DELETE', `/alerts/${id}`)).status).toBe(204)
    expect(await ask(bea, 'PATCH', `/alerts/${id}`, patch)).toMatchObject({ status: 200, text: first.text })
    expect((await ask(bea, 'PATCH', `/alerts/${id}`, { body: { note: 'twice' } })).status).toBe(404)
  })
  it('comes in pages that hold each alert once', async () => {
    const user = await signedInUser(db)
    const ids: string[] = []
    for (let n = 1; n <= 7; n += 1) ids.push(await made(user, { ...alert, threshold: n }))
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Json = (await ask(user, 'GET', `/alerts?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)).body
      seen.push(...(page['alerts'] as { id: string }[]).map(({ id }) => id))
      cursor = page['next_cursor'] as string | null
    }
    expect(seen).toEqual(ids.toReversed())
    expect((await ask(user, 'GET', '/alerts?limit=3&cursor=abc')).status).toBe(400)
  })
  it('of another user or an unknown one is the same 404, and without a session 401', async () => {
    const [id, ipo] = [
      await made(ada, alert),
      (await ask(ada, 'POST', '/ipo-alerts', { body: { ticker: 'BRKW', event: 'priced' } })).body['id'] as string,
    ]
    const requested = [
      ['GET', '/alerts/ID', undefined, id],
      ['PATCH', '/alerts/ID', { note: 'mine' }, id],
      ['PATCH', '/alerts/ID', { status: 'active' }, id],
      ['DELETE', '/alerts/ID', undefined, id],
      ['GET', '/alerts/ID/firings', undefined, id],
      ['GET', '/ipo-alerts/ID', undefined, ipo],
      ['PATCH', '/ipo-alerts/ID', { status: 'dismissed' }, ipo],
      ['DELETE', '/ipo-alerts/ID', undefined, ipo],
    ] as const
    for (const [method, path, body, own] of requested) {
      const answers = await Promise.all([own, 'a_nobodys'].map(each => ask(bea, method, path.replace('ID', each), { body })))
      expect(answers.map(each => each.status)).toEqual([404, 404])
      expect(answers[0]?.body).toEqual(answers[1]?.body)
      expect((await ask(null, method, path.replace('ID', own), { body })).status).toBe(401)
    }
    expect((await ask(ada, 'GET', `/alerts/${id}`)).body).toMatchObject({ note: null, status: 'active' })
  })
})

describe('an alert on an offering', () => {
  it('fires once for what is news: not for what had happened, and for a lock-up once its end is near', async () => {
    const post = async (body: object): Promise<string> => (await ask(ada, 'POST', '/ipo-alerts', { body })).body['id'] as string
    const [priced, amended] = [await post({ ticker: 'SLTK', event: 'priced' }), await post({ ticker: 'SLTK', event: 'range_amended' })]
    const soon = await post({ ticker: 'SLTK', event: 'lockup_soon', lead_days: 10 })
    expect(await evaluateIpoAlerts(await tools(friday))).toMatchObject({ fired: 0 })
    // As if the deal had been priced after the alert was made.
    await db.updateTable('ipo_alert').set({ seen: '[]' }).where('ipo_alert_id', '=', priced).execute()
    await db.deleteFrom('alert_round').where('kind', '=', 'ipo').execute()
    expect(await evaluateIpoAlerts(await tools(friday))).toMatchObject({ fired: 1 })
    expect(await evaluateIpoAlerts(await tools(friday))).toMatchObject({ fired: 0 })
    const jsonAnswer = (await ask(ada, 'GET', `/ipo-alerts/${priced}`)).body
    fits('get_ipo_alert', jsonAnswer)
    expect(jsonAnswer).toMatchObject({
      status: 'triggered',
      triggered_at: friday,
      fired: { rule: expect.stringContaining('priced on 2026-11-18'), date: '2026-11-18' },
    })
    await ask(ada, 'PATCH', `/ipo-alerts/${priced}`, { body: { status: 'active' } })
    expect(await evaluateIpoAlerts(await tools('2027-05-07T12:00:00Z'))).toMatchObject({ fired: 1 })
    expect((await ask(ada, 'GET', `/ipo-alerts/${soon}`)).body).toMatchObject({ status: 'triggered', fired: { date: '2027-05-17' } })
    const list = await ask(ada, 'GET', '/ipo-alerts')
    fits('list_ipo_alerts', list.body)
    const status = new Map((list.body['ipo_alerts'] as { id: string; status: string }[]).map(each => [each.id, each.status]))
    expect([priced, amended].map(id => status.get(id))).toEqual(['active', 'active'])
    expect((await ask(ada, 'DELETE', `/ipo-alerts/${amended}`)).status).toBe(204)
  })
})
