// Operations called inside the process give the bytes of HTTP, with the same checks; over the bundled universe.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { type CallOperation, isCallable, type OperationCall } from '#schemas/operation-calls.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import { type OperationId, operationOf, operations, publicOperations } from '#schemas/operations.ts'
import { createKey } from '#warehouse/people/accounts/keys.ts'
import { plans } from '#warehouse/rulesets/plans/plans.ts'
import { buildApp } from './app.ts'
import { fakes } from './fakes.ts'
import type { CallingFor } from './operation-calls.ts'
import type { Credential } from './plugins/auth.ts'
import { type Server, startServer } from './server.ts'

const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
let server: Server
let call: CallOperation
let receiptId = ''

/** The caller of a key, as a request with it would be. */
async function callingFor(text: string, given: Partial<CallingFor> = {}): Promise<CallingFor> {
  const body = (await (await fetch(`${server.address}/api/v1/data/health`, { headers: { authorization: `Bearer ${text}` } })).json()) as {
    key: Omit<Credential, 'key_id' | 'caller'> & { id: string }
  }
  const { id, ...rest } = body.key
  const credential: Credential = { ...rest, key_id: id, caller: { partition: id, tier: rest.tier } }
  return { credential, session: null, address: '127.0.0.1', request_id: 'test', ...given }
}
const nobody: CallingFor = { credential: null, session: null, address: '127.0.0.1', request_id: 'test' }
const plainly = { signal: new AbortController().signal, signed: false }

beforeAll(async () => {
  server = await startServer(warehouse.config)
  call = server.app.operationCalls(await callingFor(key))
  const answer = (await (await ask('/api/v1/market/corporate-actions/GLPR.TO')).json()) as { receipt_id: string }
  receiptId = answer.receipt_id
})
afterAll(() => server.close())

const ask = (path: string): Promise<Response> => fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })
/** The example's address as a call. */
function callOf(id: string, request: string): OperationCall {
  const [path = '', query = ''] = request.split('?', 2)
  const found = requestedOperation([operationOf(id as OperationId)], `GET ${path}`)
  return { operation: id as OperationId, parameters: { ...found?.parameters, ...Object.fromEntries(new URLSearchParams(query)) } }
}
/** Values that differ between answers that are built for every request: seconds of life, units left, latencies. */
const ofTheMoment = (text: string): string =>
  text.replaceAll(/"(uptime_seconds|remaining|latency_ms)":\d+/g, '"$1":0').replaceAll(/"(as_of|checked_at|verified_at)":"[^"]*"/g, '"$1":""')

const curated = publicOperations
  .filter(each => each.method === 'GET' && isCallable(each))
  .map(each => [each.id, each.example.request.replace(/r1_[a-z2-7]{52}/, '{receipt}')] as const)

describe('a call', () => {
  it('can be made of every curated operation that answers JSON', () => {
    const without = publicOperations.filter(each => !isCallable(each)).map(each => each.id)
    expect(without).toEqual(['get_bulk_file'])
  })
  it.each(curated)('of %s gives the bytes of HTTP', async (id, example) => {
    const request = example.replace('{receipt}', receiptId)
    const outcome = await call(callOf(id, request), plainly)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome))
    const response = await ask(request)
    const text = await response.text()
    if (operationOf(id as OperationId).cache === 'live') expect(ofTheMoment(outcome.text)).toBe(ofTheMoment(text))
    else expect(outcome.text).toBe(text)
    const body = JSON.parse(text) as { release?: number; receipt_id?: string }
    expect(outcome.receipt_id).toBe(response.headers.get('x-receipt-id'))
    if (operationOf(id as OperationId).data) expect(outcome.release).toBe(body.release)
    // The address that an outcome names gives the same.
    const again = await (await ask(outcome.url)).text()
    if (operationOf(id as OperationId).cache !== 'live') expect(again).toBe(text)
  })
  it('that is signed names a receipt, and its address gives the same bytes', async () => {
    const outcome = await call(
      { operation: 'get_eod', parameters: { symbol: 'glpr.to', from: '2026-11-01', limit: 3 } },
      { ...plainly, signed: true },
    )
    if (!outcome.ok) throw new Error(JSON.stringify(outcome))
    expect(outcome.receipt_id).toMatch(/^r1_[a-z2-7]{52}$/)
    expect(outcome.url).toBe('/api/v1/market/eod/GLPR.TO?adjust=none&from=2026-11-01&limit=3&order=asc&receipt=1')
    expect(await (await ask(outcome.url)).text()).toBe(outcome.text)
  })
  it('of a calculator gives the bytes of its POST', async () => {
    const { example } = operationOf('interpret_drill')
    const outcome = await call({ operation: 'interpret_drill', parameters: {}, body: example.body }, plainly)
    const response = await fetch(server.address + example.request, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(example.body),
    })
    expect(outcome).toMatchObject({ ok: true, text: await response.text() })
  })
})

describe('a call is refused', () => {
  const error = async (made: Promise<unknown>) =>
    (await made) as { ok: boolean; status: number; error: { detail: string; code: string; hint: string } }
  it('like the request over HTTP: the same status, code, detail and hint', async () => {
    const cases: readonly (readonly [OperationCall, string])[] = [
      [{ operation: 'get_eod', parameters: { symbol: 'GLPR.TO', from: '2026-02-30' } }, '/api/v1/market/eod/GLPR.TO?from=2026-02-30'],
      [{ operation: 'get_eod', parameters: { symbol: 'GLPR.TO', form: 'x' } }, '/api/v1/market/eod/GLPR.TO?form=x'],
      [{ operation: 'get_quote', parameters: { ticker: 'GLRP.TO' } }, '/api/v1/market/quote/GLRP.TO'],
      [{ operation: 'get_filing', parameters: { accession: '0009990001-26-999999' } }, '/api/v1/data/filings/0009990001-26-999999'],
      [{ operation: 'get_eod', parameters: { symbol: 'GLPR.TO', release: 999_999 } }, '/api/v1/market/eod/GLPR.TO?release=999999'],
    ]
    for (const [made, path] of cases) {
      const response = await ask(path)
      expect(await call(made, plainly)).toEqual({ ok: false, status: response.status, error: await response.json() })
    }
  })
  it('without the access that the operation needs, unless the endpoint opens it', async () => {
    const asNobody = server.app.operationCalls(nobody)
    const wanted: OperationCall = { operation: 'get_form4', parameters: { ticker: 'BRLX' } }
    expect(await error(asNobody(wanted, plainly))).toMatchObject({ ok: false, status: 401, error: { code: 'unauthorized' } })
    const opened = server.app.operationCalls({ ...nobody, opens: new Set<OperationId>(['get_form4']) })
    expect(await opened(wanted, plainly)).toMatchObject({ ok: true })
    expect(await error(opened({ operation: 'get_filing', parameters: { accession: '0009990001-26-000034' } }, plainly))).toMatchObject({
      status: 401,
    })
    const { text } = await createKey(warehouse.runtime.postgres.db, { name: 'agent', tier: 'trader', scopes: ['mcp:research'] }, new Date())
    const agent = { ...(await callingFor(key)).credential, scopes: ['mcp:research'] } as unknown as Credential
    expect(text).toMatch(/^cf_live_/)
    expect(await error(server.app.operationCalls({ ...nobody, credential: agent })(wanted, plainly))).toMatchObject({
      status: 403,
      error: { code: 'forbidden' },
    })
  })
  it('where it would change something, or concern records of a user, or is no operation', async () => {
    const effects = operations.filter(each => !isCallable(each)).map(each => each.id)
    expect(effects).toEqual(
      expect.arrayContaining(['create_key', 'list_watchlist', 'record_consent', 'admin_login', 'get_bulk_file', 'export_my_data']),
    )
    for (const id of [...effects, 'nothing', '__proto__', 'constructor'])
      expect(await error(call({ operation: id as OperationId, parameters: {} }, plainly))).toMatchObject({ ok: false, status: 404 })
  })
  it('with what no call carries: a key, a format, a long path, a body where none is read', async () => {
    const eod = (parameters: OperationCall['parameters'], body?: unknown) =>
      error(call({ operation: 'get_eod', parameters: { symbol: 'GLPR.TO', ...parameters }, ...(body === undefined ? {} : { body }) }, plainly))
    expect(await eod({ apikey: key })).toMatchObject({ status: 400, error: { detail: 'apikey is no parameter of a call' } })
    expect(await eod({ format: 'csv' })).toMatchObject({ status: 400 })
    expect(await eod({ symbol: 'A'.repeat(200) })).toMatchObject({ status: 414 })
    expect(await eod({}, { a: 1 })).toMatchObject({ status: 400, error: { detail: 'get_eod takes no body' } })
    const drill = (body: unknown) => error(call({ operation: 'interpret_drill', parameters: {}, body }, plainly))
    expect(await drill({ text: 'x'.repeat(operationOf('interpret_drill').body_bytes) })).toMatchObject({
      status: 413,
      error: { code: 'payload_too_large' },
    })
    expect(await drill({ text: 5 })).toMatchObject({ status: 422, error: { code: 'validation_error', detail: expect.stringContaining('body.text') } })
  })
  it('above the limits of its caller, which calls and requests share', async () => {
    const rate = { limit: 1, window_seconds: 60, burst: 3, daily: null }
    const rates = { reads: rate, queries: rate, files: rate, agents: rate }
    const limits = { ...plans, plans: plans.plans.map(plan => ({ ...plan, rates })) }
    // Its clock stays where it is, so nothing is given back between two calls.
    const app = await buildApp(fakes({ plans: limits }))
    const from = async (address: string): Promise<(number | string)[]> => {
      const made = app.operationCalls({ ...nobody, address, opens: new Set<OperationId>(['get_eod']) })
      const called = async (limit: number) => {
        const outcome = await made({ operation: 'get_eod', parameters: { symbol: 'GLPR.TO', limit } }, plainly)
        return outcome.ok ? 200 : outcome.status
      }
      const requested = async () => (await app.inject({ url: '/api/v1/market/eod/GLPR.TO?limit=1', remoteAddress: address })).statusCode
      return [await called(1), await requested(), await called(2), await called(3), await requested(), await called(1)]
    }
    expect(await from('192.0.2.1')).toEqual([200, 200, 200, 429, 429, 429])
    expect(await from('192.0.2.2')).toEqual([200, 200, 200, 429, 429, 429])
    await app.close()
  })
})

it('a call that its caller abandons rejects with the reason, and the answer is still shared', async () => {
  const controller = new AbortController()
  const wanted: OperationCall = { operation: 'run_screener', parameters: { limit: 7 } }
  const abandoned = call(wanted, { signal: controller.signal, signed: false })
  const kept = call(wanted, plainly)
  controller.abort(new Error('the client left'))
  await expect(abandoned).rejects.toThrow('the client left')
  expect(await kept).toMatchObject({ ok: true })
  await expect(call(wanted, { signal: controller.signal, signed: false })).rejects.toThrow('the client left')
})
